import EaselClient
import EaselClientEngine
import EaselCore
import Foundation
import Testing

@Suite("Backup and restore, with a real server", .serialized)
struct BackupTests {
    private func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments)
    }

    @Test("D7: backups made while four people write are whole, and hold everything acknowledged before them")
    func underLoad() throws {
        let count = environmentNumber("EASEL_BACKUPS", default: 8)
        let folder = try TemporaryFolder()
        let target = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        // 4 KB an edit: the write-ahead log is copied into the database file and begun anew while backups are made.
        let writers = try BusyWriters(4, canvas: "plan", server: server.address, textBytes: 4_000)
        #expect(eventually { writers.areSettled })
        var copies: [(revision: UInt64, lines: [LogLine])] = []
        for index in 0..<count {
            try writers.work(milliseconds: 100)
            let revision = writers.revision
            let path = "\(target.path)/\(index)"
            let backup = try Started(["backup", path, "--data", folder.path])
            while backup.isRunning { try writers.work(milliseconds: 5) }
            #expect(backup.status == 0, "\(backup.errors)")
            copies.append((revision, try LogLine.read("plan", folder: path)))
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(eventually { writers.areSettled })
        #expect(server.terminate() == 0)
        let whole = try LogLine.read("plan", folder: folder.path)
        writers.check(whole, holds: writers.submitted)
        for (index, copy) in copies.enumerated() {
            #expect(whole.starts(with: copy.lines), "backup \(index)")
            #expect(UInt64(copy.lines.count) >= copy.revision, "backup \(index)")
        }
        #expect(Set(copies.map(\.lines.count)).count == count)
    }

    @Test("D8: after a restore clients take the older canvas and bring in what they had not sent, once")
    func restore() throws {
        let folder = try TemporaryFolder()
        let target = try TemporaryFolder()
        var server = try ServerProcess(dataFolder: folder.path)
        let ana = try Person("Ana", canvas: "plan", server: server.address)
        let rui = try Person("Rui", canvas: "plan", server: server.address)
        var box: ShapeID?
        try ana.store.edit("Create") { box = $0.create(kind: "note", text: "kept") }
        let note = try #require(box)
        #expect(eventually { rui.store.canvas[note] != nil && ana.store.status.pendingCount == 0 })
        let backup = try run(["backup", target.path + "/b", "--data", folder.path])
        #expect(backup.status == 0, "\(backup.errors)")
        #expect(backup.output == "Backup of 1 canvas, 1 record in \(target.path)/b, checked.\n")
        try ana.store.edit("Type") { $0.insertText("lost ", at: 0, in: note) }
        #expect(eventually { rui.store.canvas[note]?.text.string == "lost kept" && rui.store.status.revision == 2 })
        server.kill()
        #expect(eventually { ana.store.status.link == .offline })
        try ana.store.edit("Create") { $0.create(kind: "ellipse") }
        let arguments = ["restore", target.path + "/b", "--data", folder.path]
        let refused = try run(arguments)
        #expect(refused.status == 1 && refused.errors.contains("--aside"))
        let restored = try run(arguments + ["--aside"])
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(
            restored.output.hasPrefix("Restored 1 canvas, 1 record into \(folder.path), checked.\nWhat it had before"))
        server = try ServerProcess(dataFolder: folder.path, port: server.port)
        #expect(
            eventually {
                [ana, rui].allSatisfy { $0.store.status.link == .live && $0.store.status.revision == 2 }
                    && ana.store.status.digest == rui.store.status.digest && ana.store.status.pendingCount == 0
            })
        #expect(rui.store.canvas[note]?.text.string == "kept")
        #expect(rui.store.canvas.visibleShapeCount == 2)
        // What the restored canvas lost is not used again: sites and numbers go on.
        try rui.store.edit("Type") { $0.insertText("new ", at: 0, in: note) }
        #expect(eventually { ana.store.canvas[note]?.text.string == "new kept" })
        #expect(server.terminate() == 0)
        let lines = try LogLine.read("plan", folder: folder.path)
        #expect(lines.map(\.label) == ["Create", "Create", "Type"])
        #expect(disorder(in: lines).isEmpty)
        let old = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("before-") }
        #expect(try LogLine.read("plan", folder: "\(folder.path)/\(try #require(old.first))").count == 2)
    }

    @Test("a damaged backup is not restored, and a backup of damaged data is not given its name")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let target = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        let ana = try Person("Ana", canvas: "plan", server: server.address)
        try ana.store.edit("Create") { $0.create(kind: "rectangle", text: "findable") }
        #expect(eventually { ana.store.status.pendingCount == 0 && ana.store.status.revision == 1 })
        #expect(server.terminate() == 0)
        #expect(try run(["backup", target.path + "/good", "--data", folder.path]).status == 0)
        try Damage.flip("findable", in: folder.path + "/easel.db")
        let backup = try run(["backup", target.path + "/bad", "--data", folder.path])
        #expect(backup.status == 1 && backup.errors.contains("plan: the record of revision 1 is damaged"))
        #expect(!FileManager.default.fileExists(atPath: target.path + "/bad"))
        try Damage.flip("findable", in: target.path + "/good/easel.db")
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let restore = try run(["restore", target.path + "/good", "--data", folder.path, "--aside"])
        #expect(restore.status == 1 && restore.errors.contains("Restore another backup"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
    }

    @Test("what cannot be backed up or restored is one sentence and exit code 1")
    func refusals() throws {
        let folder = try TemporaryFolder()
        let full = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: full.path + "/file"))
        let server = try ServerProcess(dataFolder: folder.path)
        let calls = [
            (["backup", full.path, "--data", folder.path], "not an empty folder"),
            (["backup", full.path + "/b", "--data", full.path], "no easel.db"),
            (["backup", full.path + "/b", "--data", full.path + "/none"], "No such file"),
            (["restore", full.path, "--data", folder.path], "in use by process"),
            (["restore", full.path, "--data", full.path], "the data folder itself"),
            (["restore", full.path + "/none", "--data", full.path + "/new"], "there is no backup"),
        ]
        for (arguments, sentence) in calls {
            let result = try run(arguments)
            #expect(result.status == 1 && result.output == "", "\(arguments)")
            #expect(
                result.errors.contains(sentence) && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        }
        #expect(server.terminate() == 0)
    }
}

/// The program, started and not waited for.
private final class Started {
    private let process = Process()
    private let complaints = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = Program.url
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = complaints
        try process.run()
    }

    var isRunning: Bool { process.isRunning }
    var status: Int32 { process.terminationStatus }
    var errors: String { String(decoding: complaints.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
}

/// Damage to files, as a disk makes it.
enum Damage {
    /// Flips a bit in the last place where `text` stands in a file.
    static func flip(_ text: String, in path: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let range = try #require(bytes.range(of: Data(text.utf8), options: .backwards))
        bytes[range.lowerBound] ^= 0x10
        try bytes.write(to: URL(fileURLWithPath: path))
    }
}
