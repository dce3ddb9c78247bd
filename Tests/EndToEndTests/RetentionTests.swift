import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselWebSocket
import Foundation
import Testing

@Suite("A server that keeps a part of the log", .serialized)
struct RetentionTests {
    private static let size = PropertyKey("picture")!

    /// Writes so much that snapshots are stored: 90,000 bytes an edit.
    private func write(_ count: Int, _ person: Person, _ shape: ShapeID) throws {
        for number in 0..<count {
            let picture = String(repeating: "\(number % 10)", count: 90_000)
            try person.store.edit("Paint") { $0.set(shape, Self.size, .string(picture)) }
            #expect(eventually { person.store.status.pendingCount == 0 })
        }
    }

    private func json(_ arguments: [String], _ server: ServerProcess) throws -> (revision: Int?, errors: String) {
        let result = try Program.run(arguments + ["--json", "--server", server.address.description])
        let object = try? JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        return (object?["revision"] as? Int, result.errors)
    }

    @Test("--keep-log takes times, numbers and sizes, and refuses anything else with a sentence")
    func flag() throws {
        for value in ["0", "0d", "-1", "1GB", "30d,12h", "100000,", "99999999999999999999", "all,30d"] {
            let result = try Program.run(["serve", "--keep-log=\(value)", "--data", "/dev/null/x"])
            #expect(result.status == 2, "\(value): \(result.errors)")
        }
        let wrong = try Program.run(["serve", "--keep-log=1GB", "--data", "/dev/null/x"])
        #expect(wrong.status == 2 && wrong.errors.contains("--keep-log"), "\(wrong.errors)")
        for value in ["all", "30d", "100000", "1GiB", "45s,500,12KiB"] {
            let result = try Program.run(["serve", "--keep-log=\(value)", "--data", "/dev/null/x"])
            #expect(result.status == 1, "\(value): \(result.errors)")
        }
    }

    @Test("with --purge, what was deleted before the log begins is gone for good, everywhere, and undo says so")
    func purge() throws {
        let folder = try TemporaryFolder()
        let alone = try Program.run(["serve", "--purge", "--data", folder.path])
        #expect(alone.status == 2 && alone.errors.contains("together with --keep-log"))
        let server = try ServerProcess(dataFolder: folder.path, flags: ["--keep-log", "8", "--purge"])
        let ada = try Person("Ada", canvas: "plan", server: server.address)
        let ben = try Person("Ben", canvas: "plan", server: server.address)
        let removals = ada.store.addHistory()
        var made: [ShapeID] = []
        try ada.store.edit("Draw") { draft in
            for text in ["", "a secret", "kept and gone"] { made.append(draft.create(kind: "note", text: text)) }
        }
        let (picture, secret, note) = (made[0], made[1], made[2])
        try ada.store.edit("Delete", history: removals) { $0.delete([secret]) }
        try ada.store.edit("Delete Text", history: removals) { $0.deleteText(4..<13, in: note) }
        #expect(eventually { ada.store.status.pendingCount == 0 })
        try write(60, ada, picture)
        #expect(eventually { ben.store.canvas[secret] == nil && ben.store.canvas[note]?.text.purgedCount == 9 })
        #expect(eventually { ada.store.status.digest == ben.store.status.digest && ada.store.canvas[secret] == nil })
        #expect(ben.store.canvas[note]?.text.string == "kept" && ben.store.canvas[picture] != nil)
        guard case .nothing(let remarks) = ada.store.preview(.undo, removals) else {
            Issue.record("undo would do something")
            return
        }
        #expect(remarks.map(\.reason) == [.purged, .purged] && Set(remarks.map(\.shape)) == [note, secret])
        #expect(server.terminate() == 0)
        let verdict = try Program.run(["verify", "--data", folder.path])
        #expect(verdict.status == 0, "\(verdict.output)")
    }

    @Test("D10 C1 O4 the log is trimmed; what is named, kept or committed stays so, over restart, backup and restore")
    func story() throws {
        let folder = try TemporaryFolder()
        var server = try ServerProcess(dataFolder: folder.path, flags: ["--keep-log", "8"])
        var raw: [(welcome: Welcome, transaction: Transaction)] = []
        for number in 1...3 { raw.append(try Self.firstVisit(server.port, number)) }
        var shape: ShapeID?
        do {
            let ada = try Person("Ada", canvas: "plan", server: server.address)
            let idle = try Person("Idle", canvas: "plan", server: server.address)
            #expect(eventually { ada.store.status.revision == 3 && idle.store.status.revision == 3 })
            try ada.store.edit("Draw") { shape = $0.create(kind: "picture") }
            #expect(eventually { ada.store.status.pendingCount == 0 })
            let address = server.address.description
            #expect(try Program.run(["version", "plan", "early", "--at", "2", "--server", address]).status == 0)
            try write(60, ada, #require(shape))
            // The trim is done behind the edits that led to it.
            #expect(eventually { (try? json(["show", "plan", "--at", "5"], server).revision) == .some(nil) })
            let gone = try json(["show", "plan", "--at", "5"], server)
            #expect(gone.errors.contains("keeps its log from revision"), "\(gone.errors)")
            #expect(try json(["show", "plan", "--at", "early"], server).revision == 2)
            #expect(try json(["show", "plan", "--at", "2"], server).revision == 2)
            #expect(try json(["show", "plan", "--at", "60"], server).revision == 60)
            #expect(eventually { idle.store.status.digest == ada.store.status.digest })
        }
        #expect(server.terminate() == 0)
        let verdict = try Program.run(["verify", "--data", folder.path])
        #expect(verdict.status == 0, "\(verdict.output)")
        let log = try Program.run(["log", "plan", "--json", "--data", folder.path])
        let kept = log.output.split(separator: "\n").count
        #expect(log.errors.contains("what came before was trimmed") && kept >= 8 && kept < 60, "\(kept)")

        server = try ServerProcess(dataFolder: folder.path, flags: ["--keep-log", "8"])
        for (welcome, transaction) in raw { try Self.sendAgain(server.port, welcome, transaction) }
        let ben = try Person("Ben", canvas: "plan", server: server.address)
        #expect(eventually { ben.store.status.revision == 64 && ben.store.horizon.map { $0 > 4 } == true })
        let backup = folder.path + "/backup"
        #expect(try Program.run(["backup", backup, "--data", folder.path]).status == 0)
        #expect(server.terminate() == 0)
        let restored = try TemporaryFolder()
        #expect(try Program.run(["restore", backup, "--data", restored.path]).status == 0)
        #expect(try Program.run(["compact", "--data", restored.path]).status == 0)
        #expect(try Program.run(["verify", "--data", restored.path]).status == 0)
        server = try ServerProcess(dataFolder: restored.path)
        #expect(try json(["show", "plan", "--at", "early"], server).revision == 2)
        #expect(eventually { ben.store.status.link != .live })
    }

    // MARK: Clients without an engine

    /// Reads messages until one is what is waited for.
    private static func receive<Value>(
        _ client: RawClient, _ reader: inout MessageReader, _ want: (ServerMessage) -> Value?
    ) throws -> Value {
        while true {
            var events: [MessageEvent] = []
            let bytes = client.receive()
            try #require(!bytes.isEmpty, "the server answers")
            reader.receive(bytes.span, into: &events)
            for case .message(.binary, let payload) in events {
                for message in try ServerMessage.decodeAll(payload) { if let value = want(message) { return value } }
            }
        }
    }

    private static func greet(_ port: Int, _ resume: Hello.Resume?) throws -> (RawClient, MessageReader, Welcome) {
        let client = RawClient.webSocket(port: port)
        var reader = MessageReader(role: .client, limits: MessageLimits(messageBytes: 1 << 24))
        let plan = try #require(CanvasID("plan"))
        client.send(.binary, ClientMessage.hello(Hello(canvas: plan, resume: resume, name: "Raw")).encode())
        let welcome = try receive(client, &reader) { if case .welcome(let welcome) = $0 { welcome } else { nil } }
        return (client, reader, welcome)
    }

    private static func firstVisit(_ port: Int, _ number: Int) throws -> (Welcome, Transaction) {
        var (client, reader, welcome) = try greet(port, nil)
        let id = try #require(ShapeID("raw\(number)"))
        let order = try #require(OrderKey("V\(number)"))
        let transaction = Transaction(
            operations: [
                .create(Creation(id: id, kind: "note", parent: nil, order: order, properties: Properties()))
            ], label: "Draw")
        client.send(.binary, ClientMessage.submit(Submission(sequence: 1, transaction: transaction)).encode())
        let site = welcome.site
        _ = try receive(client, &reader) { message -> Bool? in
            guard case .commits(let run) = message else { return nil }
            return run.commits.contains { $0.id.site == site } ? true : nil
        }
        return (welcome, transaction)
    }

    /// Comes back as the client of a first visit and sends its number 1 again.
    private static func sendAgain(_ port: Int, _ first: Welcome, _ transaction: Transaction) throws {
        let resume = Hello.Resume(site: first.site, secret: first.secret, epoch: first.epoch, revision: 1)
        var (client, reader, welcome) = try greet(port, resume)
        #expect(welcome.site == first.site && welcome.lastSequence == 1 && welcome.catchup != .commits)
        client.send(.binary, ClientMessage.submit(Submission(sequence: 1, transaction: transaction)).encode())
        let number = try receive(client, &reader) { message -> UInt64? in
            if case .acknowledgement(let number) = message { number } else { nil }
        }
        #expect(number == 1)
    }
}
