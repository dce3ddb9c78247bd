import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import Foundation
import Testing

/// A file system of a few megabytes, mounted for a test. Needs root.
final class SmallDisk {
    let path: String
    private var filler: String { path + "/filler" }

    /// Nil if nothing may be mounted here.
    init?(megabytes: Int) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("easel-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
            try? FileManager.default.removeItem(atPath: path)
            return nil
        }
    }

    static let isPossible: Bool = (try? SmallDisk(megabytes: 1)) != nil

    /// Takes all the room that is left.
    func fill() {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let block = [UInt8](repeating: 0, count: 4_096)
        while write(descriptor, block, block.count) == block.count {}
        close(descriptor)
    }

    /// Gives it back.
    func empty() { unlink(filler) }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        try? FileManager.default.removeItem(atPath: path)
    }
}

@Suite("A disk that is full", .serialized, .enabled(if: SmallDisk.isPossible, "needs root, to mount a small disk"))
struct DiskFullTests {
    private func type(_ text: String, _ person: Person, _ shape: ShapeID) throws {
        for character in text {
            try person.store.edit("Type") {
                $0.insertText(String(character), at: $0.canvas[shape]?.text.visibleCount ?? 0, in: shape)
            }
        }
    }

    @Test(
        "D4: edits are refused for now and kept, reading and presence go on, and all are stored when there is room again"
    )
    func fullAndFree() throws {
        let disk = try #require(try SmallDisk(megabytes: 8))
        let data = disk.path + "/data"
        var server = try ServerProcess(dataFolder: data)
        let port = server.port
        let ana = try Person("Ana", canvas: "plan", server: server.address)
        let rui = try Person("Rui", canvas: "plan", server: server.address)
        var made: ShapeID?
        try ana.store.edit("Create") { made = $0.create(kind: "note", text: "before ") }
        let note = try #require(made)
        #expect(eventually { rui.store.canvas[note] != nil && ana.store.status.pendingCount == 0 })

        disk.fill()
        // What is there of the write-ahead log takes some more.
        let long = String(repeating: "0123456789", count: 2_000)
        try ana.store.edit("Paste") { $0.create(kind: "note", text: long) }
        try type("while full", ana, note)
        #expect(eventually { ana.store.status.link == .inTrouble })
        #expect(ana.store.status.pendingCount > 0)
        #expect(rui.store.canvas[note]?.text.string == "before ", "nothing is shown to others that is not on the disk")
        ana.store.show(Presence(name: "Ana", pointer: Presence.Point(x: 3, y: 4)))
        #expect(eventually { rui.store.participants.first?.presence.pointer?.x == 3 })
        let eva = try Person("Eva", canvas: "plan", server: server.address)
        #expect(eventually { eva.store.canvas[note]?.text.string == "before " })

        disk.empty()
        #expect(eventually { ana.store.status.link == .live && ana.store.status.pendingCount == 0 })
        #expect(eventually { rui.store.canvas[note]?.text.string == "before while full" })
        #expect(rui.store.status.digest == ana.store.status.digest)

        server.kill()
        server = try ServerProcess(dataFolder: data, port: port)
        let ida = try Person("Ida", canvas: "plan", server: server.address)
        #expect(eventually { ida.store.canvas[note]?.text.string == "before while full" })
        #expect(ida.store.canvas.visibleShapeCount == 2)
        #expect(server.terminate() == 0)
        let check = try Program.run(["verify", "--data", data])
        #expect(check.status == 0, "\(check.output)\(check.errors)")
    }

    @Test("a server that has no room to start says so, and loses nothing")
    func fullAtStart() throws {
        let disk = try #require(try SmallDisk(megabytes: 2))
        let data = disk.path + "/data"
        var server = try ServerProcess(dataFolder: data)
        let ana = try Person("Ana", canvas: "plan", server: server.address)
        var made: ShapeID?
        try ana.store.edit("Create") { made = $0.create(kind: "note", text: "kept") }
        let note = try #require(made)
        #expect(eventually { ana.store.status.pendingCount == 0 })
        server.kill()
        disk.fill()
        let (status, output, errors) = try Program.run([
            "serve", "--listen", "127.0.0.1:0", "--data", disk.path + "/other",
        ])
        #expect(status == 1 && !errors.isEmpty, "\(output)\(errors)")
        disk.empty()
        server = try ServerProcess(dataFolder: data)
        let rui = try Person("Rui", canvas: "plan", server: server.address)
        #expect(eventually { rui.store.canvas[note]?.text.string == "kept" })
    }
}
