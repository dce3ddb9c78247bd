import Foundation

/// Where a run of the benchmarks keeps its files: a folder beside the programs, so on a disk, also where temporary files are kept in
/// memory. It goes with the run.
enum WorkFolder {
    private static let root = program("bench-\(getpid())")

    /// A new folder in it.
    static func make() throws(NotMeasured) -> String {
        let url = root.appendingPathComponent(UUID().uuidString)
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw NotMeasured("\(url.path) cannot be made: \(error)")
        }
        return url.path
    }

    static func remove() { try? FileManager.default.removeItem(at: root) }

    /// A program of this build.
    static func program(_ name: String) -> URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(name)
    }
}
