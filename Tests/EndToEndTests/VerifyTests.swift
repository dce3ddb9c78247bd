import EaselClient
import EaselClientEngine
import EaselCore
import Foundation
import Testing

@Suite("Looking into a data folder: verify, log and compact", .serialized)
struct VerifyTests {
    /// A folder with a canvas whose log says: create, type, type, undo.
    private func filled() throws -> (folder: TemporaryFolder, shape: ShapeID, digest: UInt64) {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        let ana = try Person("Ana", canvas: "plan", server: server.address)
        var shape: ShapeID?
        let colour = Properties([(PropertyKey("fill"), .string("red\u{1B}[2J"))])
        try ana.store.edit("Create Note") { shape = $0.create(kind: "note", properties: colour, text: "first") }
        let note = try #require(shape)
        try ana.store.edit("Type") { $0.insertText("second ", at: 0, in: note) }
        try ana.store.edit("Move") { $0.set(note, PropertyKey("x"), .integer(7)) }
        #expect(eventually { ana.store.status.pendingCount == 0 && ana.store.status.revision == 3 })
        try ana.store.undo()
        #expect(eventually { ana.store.status.pendingCount == 0 && ana.store.status.revision == 4 })
        let digest = ana.store.status.digest
        let held = try Program.run(["verify", "--data", folder.path])
        #expect(held.status == 1 && held.errors.contains("in use by process"))
        #expect(held.errors.contains("easel backup"))
        #expect(server.terminate() == 0)
        return (folder, note, digest)
    }

    @Test("verify prints a line for each canvas with the digest that clients have, and refuses while a server runs")
    func sound() throws {
        let (folder, _, digest) = try filled()
        let result = try Program.run(["verify", "--data", folder.path])
        #expect(result.status == 0 && result.errors == "")
        let lines = result.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        try #require(lines.count == 3)
        #expect(lines[0] == ["canvas", "revision", "digest", "records", "bytes", "snapshots"])
        let digits = String(digest, radix: 16)
        #expect(lines[1][0] == "plan" && lines[1][1] == "4" && lines[1][2].hasSuffix(digits) && lines[1][3] == "4")
        #expect(lines[1].suffix(2) == ["none", "sound"])
        #expect(result.output.hasSuffix("1 canvas, 4 records: everything is sound.\n"))
    }

    @Test("verify names the place of damage and exits with 1; log prints what comes before it")
    func damaged() throws {
        let (folder, _, _) = try filled()
        try Damage.flip("second", in: folder.path + "/easel.db")
        let result = try Program.run(["verify", "--data", folder.path])
        #expect(result.status == 1)
        #expect(result.output.contains("WRONG  plan: the record of revision 2 is damaged or missing\n"))
        #expect(result.output.contains("WRONG  plan: a server shows of this canvas only what comes before the damage"))
        #expect(result.output.contains("DAMAGED"))
        let log = try Program.run(["log", "plan", "--json", "--data", folder.path])
        #expect(log.status == 1 && log.output.split(separator: "\n").count == 1)
        #expect(log.errors.contains("revision 2"))
        let rest = try Program.run(["log", "plan", "--since", "2", "--json", "--data", folder.path])
        #expect(rest.status == 0 && rest.output.split(separator: "\n").count == 2)
    }

    @Test("a server shows what comes before a damaged record, stores nothing, and clients keep their edits")
    func servedBeforeDamage() throws {
        let (folder, note, _) = try filled()
        try Damage.flip("second", in: folder.path + "/easel.db")
        let server = try ServerProcess(dataFolder: folder.path)
        let rui = try Person("Rui", canvas: "plan", server: server.address)
        #expect(eventually { rui.store.status.link == .live && rui.store.status.revision == 1 })
        #expect(rui.store.canvas[note]?.text.string == "first")
        try rui.store.edit("Type") { $0.insertText("mine ", at: 0, in: note) }
        #expect(eventually { rui.store.status.link == .inTrouble })
        #expect(rui.store.status.pendingCount == 1 && rui.store.canvas[note]?.text.string == "mine first")
        let eva = try Person("Eva", canvas: "plan", server: server.address)
        #expect(eventually { eva.store.canvas[note]?.text.string == "first" })
        let other = try Person("Ida", canvas: "sound", server: server.address)
        try other.store.edit("Create") { $0.create(kind: "note") }
        #expect(eventually { other.store.status.pendingCount == 0 }, "other canvases are not concerned")
        #expect(server.terminate() == 0)
        let log = try Program.run(["log", "plan", "--json", "--data", folder.path])
        #expect(
            log.output.split(separator: "\n").count == 1 && log.errors.contains("revision 2"),
            "nothing was added or taken")
    }

    @Test("log tells in words what was done, and nothing in a text acts on the terminal")
    func words() throws {
        let (folder, note, _) = try filled()
        let result = try Program.run(["log", "plan", "--data", folder.path])
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("#") }.count == 4)
        #expect(lines[0].hasSuffix("number 1  edit  \"Create Note\""))
        #expect(lines[1].hasPrefix("    create note \(note), fill = \"red\\u{1b}[2J\", text \"first\""))
        #expect(lines.contains("    insert \"second \" into the text of \(note)"))
        #expect(lines.contains("    set x = 7 of \(note)"))
        #expect(lines.contains("    set x = nothing of \(note)"))
        #expect(!result.output.contains("\u{1B}"))
        let part = try Program.run(["log", "plan", "--since", "3", "--data", folder.path])
        #expect(part.output.hasPrefix("#4 ") && part.output.contains("  undo  "))
    }

    @Test("log as JSON has an object for each commit, with its operations")
    func json() throws {
        let (folder, note, _) = try filled()
        let result = try Program.run(["log", "plan", "--json", "--data", folder.path])
        let objects = try result.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["revision"] as? Int } == [1, 2, 3, 4])
        #expect(objects.map { $0["cause"] as? String } == ["edit", "edit", "edit", "undo"])
        let created = try #require((objects[0]["operations"] as? [[String: Any]])?.first)
        #expect(created["do"] as? String == "create" && created["shape"] as? String == note.rawValue)
        #expect((created["properties"] as? [String: String])?["fill"] == "red\u{1B}[2J")
        let moved = try #require((objects[2]["operations"] as? [[String: Any]])?.first)
        #expect((moved["properties"] as? [String: Int])?["x"] == 7)
        let unmoved = try #require((objects[3]["operations"] as? [[String: Any]])?.first)
        #expect((unmoved["properties"] as? [String: Any])?["x"] is NSNull)
    }

    @Test("a canvas or a folder that is not there is one sentence and exit code 1, and nothing is made")
    func missing() throws {
        let (folder, _, _) = try filled()
        let empty = try TemporaryFolder()
        let canvas = try Program.run(["log", "plam", "--data", folder.path])
        #expect(canvas.status == 1)
        #expect(canvas.errors == "easel: there is no canvas 'plam' in \(folder.path); it has plan\n")
        for command in [["verify"], ["log", "plan"], ["compact"]] {
            for path in [empty.path, empty.path + "/none"] {
                let result = try Program.run(command + ["--data", path])
                #expect(result.status == 1 && result.errors.contains(path), "\(command)")
                #expect(result.errors.split(separator: "\n").count == 1, "\(command)")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: empty.path) == [])
        #expect(try Program.run(["log", "a b", "--data", folder.path]).status == 2)
        #expect(try Program.run(["log", "plan", "--since", "-1", "--data", folder.path]).status == 2)
        #expect(try Program.run(["backup"]).status == 2)
        #expect(try Program.run(["restore"]).status == 2)
    }

    @Test("compact says what it saved, and loses nothing")
    func compact() throws {
        let (folder, _, digest) = try filled()
        let before = try LogLine.read("plan", folder: folder.path)
        let result = try Program.run(["compact", "--data", folder.path])
        #expect(result.status == 0)
        #expect(
            result.output.wholeMatch(of: /Compacted .*: \d+ bytes before, \d+ after; snapshots removed: 0\.\n/) != nil)
        #expect(try LogLine.read("plan", folder: folder.path) == before)
        let verdict = try Program.run(["verify", "--data", folder.path])
        #expect(verdict.status == 0 && verdict.output.contains(String(digest, radix: 16)))
    }
}
