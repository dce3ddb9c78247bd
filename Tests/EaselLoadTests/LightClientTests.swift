import EaselCore
import EaselProtocol
import EaselSupport
import EaselTransport
import Testing

@testable import EaselLoad

/// A client whose connection is not served: what arrives is handed to it.
@Suite("What a client checks that keeps no canvas")
struct LightClientTests {
    private let room: LoadRoom
    private let client: LightClient
    private let loop: EventLoop
    private let other: SiteID

    init() throws {
        other = try #require(SiteID(9))
        room = LoadRoom(canvas: try #require(CanvasID("load")))
        loop = try EventLoop(name: "load", log: Log(write: { _ in }))
        client = LightClient(LoadPlan(), room: room, number: 1, isEditor: false, on: loop)
        let welcome = Welcome(
            site: try #require(SiteID(7)), secret: 0, epoch: 1, revision: 5, lastSequence: 0, role: .editor,
            catchup: .commits)
        client.received(ServerMessage.welcome(welcome).encode())
        room.isRecording = true
    }

    /// Moves with these revisions, of which each has ten times the revision for a digest.
    private func run(_ revisions: ClosedRange<Revision>) -> [UInt8] {
        let commits = revisions.map { revision in
            let change = PropertyChange(LoadShape.x, .integer(Int64(revision)))
            return Commit(
                revision: revision, id: TransactionID(site: other, sequence: revision), time: 0,
                transaction: Transaction(operations: [.set(ShapeID(site: other, counter: 1), [change])], label: "Move"))
        }
        return ServerMessage.commits(CommitRun(commits, digest: revisions.upperBound * 10)).encode()
    }

    @Test("RS-06 commits that it has are passed over and count once, whenever a run begins with them")
    func knownCommits() {
        client.received(run(4...6))
        client.received(run(5...9))
        client.received(run(7...8))
        #expect(room.failure == nil && client.revision == 9 && client.digest == 90)
        #expect(room.deliveries == 4)
    }

    @Test("a run that ends where the client stands tells the digest there")
    func digest() {
        client.received(run(3...5))
        #expect(room.failure == nil && client.revision == 5 && client.digest == 50 && room.deliveries == 0)
    }

    @Test("a gap is a failure")
    func gap() {
        client.received(run(7...8))
        #expect(room.failure != nil && client.revision == 5)
    }
}
