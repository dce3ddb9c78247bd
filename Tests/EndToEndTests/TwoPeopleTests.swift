import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

@Suite("Two people, one server, real sockets and a real database", .serialized)
struct TwoPeopleTests {
    static let x: PropertyKey = PropertyKey("x")

    func create(_ person: Person, _ kind: String, text: String = "") throws -> ShapeID {
        var made: ShapeID?
        try person.store.edit("Create") { made = $0.create(kind: kind, text: text) }
        return try #require(made)
    }

    func areEqual(_ people: [Person]) -> Bool {
        people.allSatisfy {
            $0.store.status.link == .live && $0.store.status.pendingCount == 0
                && $0.store.status.digest == people[0].store.status.digest
                && $0.store.status.revision == people[0].store.status.revision
        }
    }

    @Test("both see each other's edits, undo is one's own, and digests are equal")
    func edit() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        let ana = try Person("Ana", canvas: "plan", server: server.address)
        let rui = try Person("Rui", canvas: "plan", server: server.address)
        let box = try create(ana, "rectangle")
        #expect(eventually { rui.store.canvas[box] != nil })
        try rui.store.edit("Move") { $0.set(box, Self.x, .integer(7)) }
        try ana.store.edit("Type") { $0.insertText("hello", at: 0, in: box) }
        #expect(eventually { ana.store.canvas[box]?[Self.x] == .integer(7) && areEqual([ana, rui]) })
        #expect(rui.store.canvas[box]?.text.string == "hello")
        let result = try ana.store.undo()
        #expect(result.label == "Type")
        #expect(eventually { rui.store.canvas[box]?.text.string == "" && areEqual([ana, rui]) })
        #expect(rui.store.canvas[box]?[Self.x] == .integer(7))
        #expect(eventually { ana.store.participants.map(\.presence.name) == ["Rui"] })
        #expect(server.terminate() == 0)
    }

    @Test("E7, D1: the server is killed in the middle; what was acknowledged is there, what was not arrives once")
    func kill() throws {
        let folder = try TemporaryFolder()
        var server = try ServerProcess(dataFolder: folder.path)
        let port = server.port
        let ana = try Person("Ana", canvas: "plan", server: server.address)
        let rui = try Person("Rui", canvas: "plan", server: server.address)
        let note = try create(ana, "note")
        #expect(eventually { rui.store.canvas[note] != nil && areEqual([ana, rui]) })
        for round in 0..<3 {
            for number in 0..<50 {
                let person = number % 2 == 0 ? ana : rui
                try person.store.edit("Type") { $0.insertText("\(number % 10)", at: 0, in: note) }
            }
            let stored = ana.store.status.revision
            server.kill()
            try ana.store.edit("Move") { $0.set(note, Self.x, .integer(Int64(round))) }
            try rui.store.edit("Type") { $0.insertText("offline", at: 0, in: note) }
            server = try ServerProcess(dataFolder: folder.path, port: port)
            #expect(eventually { areEqual([ana, rui]) }, "round \(round)")
            #expect(ana.store.status.revision >= stored)
        }
        let text = try #require(ana.store.canvas[note]?.text.string)
        #expect(text.count == 3 * (50 + 7))
        #expect(rui.store.canvas[note]?.text.string == text)
        let late = try Person("Zoe", canvas: "plan", server: server.address)
        #expect(eventually { areEqual([ana, rui, late]) })
        #expect(late.store.canvas[note]?.text.string == text)
    }

    @Test("a clean stop and a new start lose nothing, and clients come back by themselves")
    func restart() throws {
        let folder = try TemporaryFolder()
        var server = try ServerProcess(dataFolder: folder.path)
        let ana = try Person("Ana", canvas: "plan", server: server.address)
        let box = try create(ana, "rectangle", text: "kept")
        #expect(eventually { areEqual([ana]) && ana.store.status.revision == 1 })
        #expect(server.terminate() == 0)
        #expect(eventually { ana.store.status.link == .offline })
        try ana.store.edit("Move") { $0.set(box, Self.x, .integer(3)) }
        server = try ServerProcess(dataFolder: folder.path, port: server.port)
        #expect(eventually { areEqual([ana]) && ana.store.status.revision == 2 })
        let rui = try Person("Rui", canvas: "plan", server: server.address)
        #expect(eventually { rui.store.canvas[box]?[Self.x] == .integer(3) })
        #expect(rui.store.canvas[box]?.text.string == "kept")
    }
}
