import EaselClient
import EaselClientEngine
import Foundation
import Testing

@Suite("D11: data folders that earlier versions left", .serialized)
struct GoldenFolderTests {
    private static let place = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("EaselStorageTests/Golden")

    /// What a folder is known to hold of the canvas "plan".
    struct Golden: CustomTestStringConvertible {
        let folder: String
        let head: UInt64
        let digest: String
        let records: Int
        let snapshots: String

        var testDescription: String { folder }
    }

    @Test(
        "verify finds them sound, and clients of a server on them get the canvas that was left",
        arguments: [
            Golden(folder: "format-1", head: 39, digest: "18375fb1a87ff990", records: 39, snapshots: "31,15"),
            Golden(folder: "format-1-killed", head: 41, digest: "b2ee7b17b40800f5", records: 41, snapshots: "31,15"),
            Golden(folder: "format-2", head: 40, digest: "3e07dbc1bfc2d47f", records: 25, snapshots: "31,15,7"),
            Golden(folder: "format-2-killed", head: 41, digest: "63e75d5cf3f7482d", records: 26, snapshots: "31,15"),
        ])
    func serves(_ expected: Golden) throws {
        let (name, head, digest) = (expected.folder, expected.head, expected.digest)
        let folder = try TemporaryFolder()
        let golden = Self.place.appendingPathComponent(name).path
        for file in try FileManager.default.contentsOfDirectory(atPath: golden) {
            try FileManager.default.copyItem(atPath: "\(golden)/\(file)", toPath: "\(folder.path)/\(file)")
        }
        // The server first: it has to cope with what a killed one left.
        let server = try ServerProcess(dataFolder: folder.path)
        let ana = try Person("Ana", canvas: "plan", server: server.address)
        #expect(eventually { ana.store.status.link == .live })
        #expect(ana.store.status.revision == head && String(ana.store.status.digest, radix: 16) == digest)
        #expect(server.terminate() == 0)
        let verdict = try Program.run(["verify", "--data", folder.path])
        #expect(verdict.status == 0, "\(verdict.output)\(verdict.errors)")
        let lines = verdict.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(
            lines.contains {
                $0.starts(with: ["plan", "\(head)", digest, "\(expected.records)"])
                    && $0.suffix(2) == [expected.snapshots, "sound"]
            })
    }
}
