import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselSupport
import Foundation
import Testing

@Suite("Versions: naming, looking back, restoring", .serialized)
struct VersionTests {
    /// A shape that "Ada" draws, and its id.
    private func draw(_ person: Person, _ kind: String, text: String = "") throws -> ShapeID {
        var id: ShapeID?
        try person.store.edit("Draw") { id = $0.create(kind: kind, text: text) }
        #expect(eventually { person.store.status.pendingCount == 0 })
        return try #require(id)
    }

    private func texts(_ store: CanvasStore) -> [String] { store.canvas.visibleShapes().map(\.text.string).sorted() }

    private func json(_ arguments: [String], _ server: ServerProcess) throws -> [String: Any] {
        let result = try Program.run(arguments + ["--json", "--server", server.address.description])
        #expect(result.status == 0, "\(result.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    }

    private func run(_ arguments: [String], _ server: ServerProcess) throws -> (
        status: Int32, output: String, errors: String
    ) {
        try Program.run(arguments + ["--server", server.address.description])
    }

    @Test(
        "a version is named, listed, shown, restored by one edit, and what was there is brought back; all over a restart"
    )
    func story() throws {
        let folder = try TemporaryFolder()
        var server = try ServerProcess(dataFolder: folder.path)
        do {
            let ada = try Person("Ada", canvas: "plan", server: server.address)
            #expect(eventually { ada.store.status.link == .live })
            let note = try draw(ada, "note", text: "first")
            let named = try run(["version", "plan", "draft", "--name", "Ada"], server)
            #expect(named.output == "Revision 1 of plan is named 'draft'.\n" && named.status == 0)
            try ada.store.edit("Type") { $0.insertText("second ", at: 0, in: note) }
            _ = try draw(ada, "note", text: "third")
            #expect(texts(ada.store) == ["second first", "third"])

            let then = try json(["show", "plan", "--at", "draft"], server)
            #expect(then["revision"] as? Int == 1)
            #expect(try json(["show", "plan", "--at", "2"], server)["revision"] as? Int == 2)
            #expect(try json(["show", "plan", "--at", "0"], server)["revision"] as? Int == 0)
            #expect(try json(["show", "plan"], server)["revision"] as? Int == 3)

            let restored = try run(["restore-version", "plan", "draft"], server)
            #expect(restored.status == 0, "\(restored.errors)")
            let command = "easel restore-version plan 3 --server \(server.address.description)"
            #expect(
                restored.output == """
                    plan looks as it did at version 'draft' again, and that is stored as revision 4.
                    It was at revision 3. To bring that back:
                    \(command)

                    """)
            #expect(eventually { ada.store.status.revision == 4 })
            #expect(texts(ada.store) == ["first"] && ada.store.canvas[note]?.text.string == "first")
            #expect(try run(["restore-version", "plan", "1"], server).output.contains("already"))
        }
        #expect(server.terminate() == 0)
        server = try ServerProcess(dataFolder: folder.path)
        let ben = try Person("Ben", canvas: "plan", server: server.address)
        #expect(eventually { ben.store.status.revision == 4 })
        let list = try run(["versions", "plan"], server)
        #expect(list.output.hasPrefix("1  20") && list.output.hasSuffix("  draft  (Ada)\n"))
        #expect(try run(["restore-version", "plan", "3"], server).status == 0)
        #expect(eventually { ben.store.status.revision == 5 && texts(ben.store) == ["second first", "third"] })
        #expect(server.terminate() == 0)
        let verdict = try Program.run(["verify", "--data", folder.path])
        #expect(
            verdict.status == 0 && verdict.output.contains("1 named version: everything is sound"), "\(verdict.output)")
        let log = try Program.run(["log", "plan", "--data", folder.path])
        #expect(log.output.contains("\"Restore draft\"") && log.output.contains("\"Restore Revision 3\""))
    }

    @Test("VS-02 VS-04 what does not exist, is taken, or is no name is a sentence and exit code 1")
    func refusals() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        #expect(try run(["version", "plan", "start"], server).errors.contains("no such revision"))
        let ada = try Person("Ada", canvas: "plan", server: server.address)
        _ = try draw(ada, "note")
        #expect(try run(["version", "plan", "draft"], server).status == 0)
        let cases: [([String], String)] = [
            (["version", "plan", "draft"], "there is a version of that name"),
            (["version", "plan", "later", "--at", "2"], "no such revision"),
            (["version", "plan", "none", "--remove"], "there is no version of that name"),
            (["show", "plan", "--at", "2"], "has no revision 2; its newest is 1"),
            (["show", "plan", "--at", "none"], "has no version of that name"),
            (["show", "other", "--at", "1"], "There is no canvas other"),
            (["restore-version", "plan", "7"], "has no revision 7"),
        ]
        for (call, sentence) in cases {
            let result = try run(call, server)
            #expect(result.status == 1 && result.errors.contains(sentence), "\(call): \(result.errors)")
        }
        for call in [["version", "plan", "12"], ["version", "plan", "a\u{7}"], ["show", "plan", "--at", ""]] {
            #expect(try run(call, server).status == 2, "\(call)")
        }
        let removed = try run(["version", "plan", "draft", "--remove"], server)
        #expect(removed.output == "No revision of plan is named 'draft' any more.\n")
        #expect(try run(["versions", "plan"], server).errors.contains("no named versions"))
    }

    @Test("an application looks, names and restores, and undo takes the restoration back for everybody")
    func embedded() async throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        let ada = try Person("Ada", canvas: "plan", server: server.address)
        let ben = try Person("Ben", canvas: "plan", server: server.address)
        let offline = CanvasStore(canvas: CanvasID("plan")!, name: "Eve", provisionalSite: SiteID(9)!)
        await #expect(throws: VersionError.offline) { try await offline.versions() }
        #expect(eventually { ada.store.status.link == .live && ben.store.status.link == .live })
        let note = try draw(ada, "note", text: "one")
        #expect(try await ada.store.nameVersion("draft").map(\.name) == ["draft"])
        await #expect(throws: VersionError.refused(.nameTaken)) { try await ben.store.nameVersion("draft", at: 1) }
        try ada.store.edit("Type") { $0.insertText("two ", at: 0, in: note) }
        _ = try draw(ada, "note", text: "three")
        let look = CanvasStore(
            canvas: CanvasID("plan")!, name: "Ben", provisionalSite: SiteID(9)!, lookingAt: .version("draft"))
        let connection = try CanvasConnection(
            store: look, server: server.address, log: Log(threshold: .error, write: { _ in }))
        connection.start()
        #expect(eventually { look.still != nil })
        let still = try #require(look.still)
        look.show(Presence(name: "Ben", pointer: Presence.Point(x: 1, y: 1)))
        #expect(look.status.role == .viewer && texts(look) == ["one"])
        #expect(eventually { ben.store.status.revision == 3 })
        try ben.store.restore("Restore draft", to: still)
        #expect(eventually { ben.store.status.pendingCount == 0 && texts(ada.store) == ["one"] })
        #expect(ben.store.undoLabels() == ["Restore draft"] && ada.store.participants.map(\.presence.name) == ["Ben"])
        _ = try ben.store.undo()
        #expect(eventually { texts(ada.store) == ["three", "two one"] })
        _ = try ben.store.redo()
        #expect(eventually { texts(ada.store) == ["one"] })
        #expect(look.status.link == .live, "whoever looks is not disturbed by what goes on, nor by what it sends")
        connection.stop()
        #expect(try await ben.store.removeVersion("draft").isEmpty)
    }
}
