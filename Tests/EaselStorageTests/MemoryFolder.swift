import Foundation

/// A folder of its own for one test, kept in memory where the system offers that, so that opening files a hundred thousand times
/// takes seconds.
final class MemoryFolder: Sendable {
    let path: String

    var database: String { path + "/easel.db" }

    init() throws {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let offersMemory = FileManager.default.isWritableFile(atPath: memory.path)
        let parent = offersMemory ? memory : FileManager.default.temporaryDirectory
        let url = parent.appendingPathComponent("easel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
