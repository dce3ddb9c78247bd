import EaselClient
import EaselClientEngine
import Foundation
import Testing

@Suite("D11: data folders that earlier versions left", .serialized)
struct GoldenFolderTests {
    private static let place = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("EaselStorageTests/Golden")

    @Test(
        "verify finds them sound, and clients of a server on them get the canvas that was left",
        arguments: [("format-1", 39, "18375fb1a87ff990"), ("format-1-killed", 41, "b2ee7b17b40800f5")])
    func serves(name: String, head: UInt64, digest: String) throws {
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
                $0.starts(with: ["plan", "\(head)", digest, "\(head)"]) && $0.suffix(2) == ["31,15", "sound"]
            })
    }
}
