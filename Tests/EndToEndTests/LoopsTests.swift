import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselWebSocket
import Foundation
import Testing

/// The kernel decides which loop a connection comes to, so each test has so many that they are on all of them.
@Suite("A server with several event loops", .serialized)
struct LoopsTests {
    private static let loops = ["--loops", "3"]
    private static let canvases = (0..<5).map { "canvas\($0)" }

    @Test("people on different loops edit one canvas: all end up with the same, and see each other")
    func together() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path, flags: Self.loops)
        let writers = try BusyWriters(12, canvas: "plan", server: server.address)
        try writers.work(milliseconds: 1_500)
        #expect(eventually { writers.areSettled })
        #expect(
            eventually {
                writers.people.allSatisfy { $0.store.participants.count == writers.people.count - 1 }
            })
        #expect(server.terminate() == 0)
        writers.check(try LogLine.read("plan", folder: folder.path), holds: writers.submitted)
    }

    @Test("canvases at home on several loops: the server is killed again and again, and nothing acknowledged is lost")
    func kills() throws {
        let folder = try TemporaryFolder()
        var server = try ServerProcess(dataFolder: folder.path, flags: Self.loops)
        let groups = try Self.canvases.map { try BusyWriters(4, canvas: $0, server: server.address) }
        for round in 0..<4 {
            for group in groups { try group.work(milliseconds: 100) }
            server.kill()
            server = try ServerProcess(dataFolder: folder.path, port: server.port, flags: Self.loops)
            #expect(eventually { groups.allSatisfy(\.areSettled) }, "round \(round)")
        }
        #expect(server.terminate() == 0)
        for (canvas, group) in zip(Self.canvases, groups) {
            group.check(try LogLine.read(canvas, folder: folder.path), holds: group.submitted)
        }
    }

    @Test("a stop while everybody edits loses nothing that was acknowledged, and everybody comes back")
    func stop() throws {
        let folder = try TemporaryFolder()
        var server = try ServerProcess(dataFolder: folder.path, flags: Self.loops)
        let groups = try Self.canvases.map { try BusyWriters(4, canvas: $0, server: server.address) }
        for round in 0..<3 {
            for group in groups { try group.work(milliseconds: 60) }
            #expect(server.terminate() == 0)
            for (canvas, group) in zip(Self.canvases, groups) {
                group.check(try LogLine.read(canvas, folder: folder.path), holds: group.acknowledged)
            }
            server = try ServerProcess(dataFolder: folder.path, port: server.port, flags: Self.loops)
            #expect(eventually { groups.allSatisfy(\.areSettled) }, "round \(round)")
        }
    }

    @Test("BACK-04 readers that stall on other loops hold up nobody, and get everything later")
    func stalledReaders() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path, flags: Self.loops)
        let readers = (0..<6).map { _ in RawClient.webSocket(port: server.port) }
        let hello = Hello(
            version: ProtocolVersion.current, canvas: try #require(CanvasID("plan")), resume: nil, name: "slow")
        for reader in readers { reader.send(.binary, ClientMessage.hello(hello).encode()) }
        let writers = try BusyWriters(4, canvas: "plan", server: server.address, textBytes: 60_000)
        #expect(eventually { writers.people[0].store.participants.count == 9 })
        #expect(try writers.work(untilRevision: 300), "the writers are not held up")
        #expect(eventually { writers.areSettled })
        for reader in readers { #expect(reader.lastRevision(reaching: writers.revision) == writers.revision) }
    }

    @Test("whoever comes and goes at once, on many canvases, holds up nobody and leaves nobody behind")
    func comingAndGoing() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path, flags: Self.loops)
        for round in 0..<60 {
            var hasties: [RawClient] = []
            for canvas in Self.canvases {
                let hello = Hello(
                    version: ProtocolVersion.current, canvas: try #require(CanvasID(canvas)), resume: nil, name: "hasty"
                )
                for _ in 0..<3 {
                    let hasty = RawClient.webSocket(port: server.port)
                    hasty.send(.binary, ClientMessage.hello(hello).encode())
                    hasties.append(hasty)
                }
            }
            hasties = []
            guard round % 5 == 4 else { continue }
            let people = try Self.canvases.map { try Person("Ana", canvas: $0, server: server.address) }
            #expect(eventually { people.allSatisfy { $0.store.status.link == .live } }, "round \(round)")
            #expect(eventually { people.allSatisfy { $0.store.participants.isEmpty } }, "round \(round)")
        }
        #expect(server.terminate() == 0)
    }

    @Test("a canvas is opened by whoever comes first, on whatever loop")
    func firstComers() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path, flags: Self.loops)
        let people = try (0..<15).map { try Person("Ana", canvas: "fresh\($0)", server: server.address) }
        for person in people { try person.store.edit("Create") { _ = $0.create(kind: "note") } }
        #expect(
            eventually { people.allSatisfy { $0.store.status.link == .live && $0.store.status.revision == 1 } })
    }

    @Test("a second server on the port is refused, however many loops each has")
    func portTaken() throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let server = try ServerProcess(dataFolder: folder.path, flags: Self.loops)
        for loops in ["1", "2"] {
            #expect(throws: ServerProcess.NotStarted.self) {
                try ServerProcess(dataFolder: other.path, port: server.port, flags: ["--loops", loops])
            }
        }
        let wrong = try Program.run(["serve", "--data", other.path, "--loops", "65"])
        #expect(wrong.status == 2 && wrong.errors.contains("--loops"), "\(wrong.errors)")
    }
}

extension RawClient {
    /// Reads commits until one of `revision`, and gives the revision of the last that came.
    fileprivate func lastRevision(reaching revision: Revision) -> Revision {
        var reader = MessageReader(role: .client, limits: MessageLimits(messageBytes: 1 << 24))
        var last: Revision = 0
        while last < revision {
            let bytes = receive()
            if bytes.isEmpty { return last }
            var events: [MessageEvent] = []
            reader.receive(bytes.span, into: &events)
            for case .message(.binary, let payload) in events {
                for case .commits(let run) in (try? ServerMessage.decodeAll(payload)) ?? [] {
                    guard run.continues(last) || last == 0 else { return last }
                    last = run.last
                }
            }
        }
        return last
    }
}
