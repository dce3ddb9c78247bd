import EaselCore
import EaselProtocol
import Testing

@testable import EaselLoad

@Suite("What a room's clients check")
struct LoadRoomTests {
    private let site: SiteID
    private let room: LoadRoom

    init() throws {
        site = try #require(SiteID(7))
        room = LoadRoom(canvas: try #require(CanvasID("load")))
    }

    private func commit(_ revision: Revision, _ sequence: SequenceNumber) -> [UInt8] {
        let change = PropertyChange(LoadShape.x, .integer(1))
        let transaction = Transaction(operations: [.set(ShapeID(site: site, counter: 1), [change])], label: "Move")
        let id = TransactionID(site: site, sequence: sequence)
        return ServerMessage.encodeCommit(
            Commit(revision: revision, id: id, time: 0, transaction: transaction), digest: revision * 10)
    }

    @Test("commits are read with the digest after the last, whatever stands between them")
    func reading() throws {
        let presence = ServerMessage.presence(PresenceUpdate(site: site, presence: nil)).encode()
        let acknowledgement = ServerMessage.acknowledgement(3).encode()
        let scan = try room.scan(commit(4, 1) + presence + acknowledgement + commit(5, 2))
        #expect(scan.commits.map(\.revision) == [4, 5] && scan.digest == 50)
        #expect(scan.others == [.acknowledgement(3)])
    }

    @Test("the same bytes are read once, other bytes of the same length are not taken for them")
    func remembering() throws {
        let first = try room.scan(commit(4, 1))
        #expect(try room.scan(commit(4, 1)) === first)
        let other = try room.scan(commit(5, 1))
        #expect(other !== first && other.commits[0].revision == 5)
    }

    @Test("a missing revision and bytes that are no messages are failures")
    func failures() {
        #expect(throws: LoadRoom.Failure.self) { try room.scan(commit(4, 1) + commit(6, 2)) }
        #expect(throws: LoadRoom.Failure.self) { try room.scan(Array(commit(4, 1).dropLast())) }
    }

    @Test("latency counts from the intended time, at clients that did not make the edit, while it is recorded")
    func latency() throws {
        let other = try #require(SiteID(8))
        room.intend(1_000_000, by: site)
        room.isRecording = true
        room.intend(2_000_000, by: site)
        let scan = try room.scan(commit(1, 1) + commit(2, 2))
        room.arrived(scan, after: 0, at: other, now: 5_000_000)
        room.arrived(scan, after: 0, at: site, now: 9_000_000)
        #expect(room.deliveries == 2, "what was made before the recording arrives, too")
        #expect(room.latency.count == 1 && room.latency.maximum == 3_000)
    }

    @Test("a share is spread evenly")
    func shares() {
        for percent in [0, 1, 10, 33, 50, 100] {
            var share = Share(percent: percent)
            let hits = (0..<1_000).map { _ in share.next() }
            #expect(hits.count { $0 } == percent * 10)
        }
    }
}
