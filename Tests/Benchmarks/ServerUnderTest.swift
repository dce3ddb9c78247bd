import EaselClient
import EaselSupport
import Foundation

/// A running `easel serve`, the program beside the benchmarks, and a data folder that is removed with it.
final class ServerUnderTest {
    let address: ServerAddress
    /// From the start of the process until it said that it listens, milliseconds.
    let startMilliseconds: Double
    private let process = Process()
    private let folder: String

    /// Starts it on a folder, which becomes its own. Nil, with a line printed, if that fails.
    ///
    /// - Parameters:
    ///   - certificate: For TLS; nil for none.
    ///   - isOnOneProcessor: Whether all its threads run on the processor for what is measured.
    init?(folder: String, certificate: Certificate? = nil, isOnOneProcessor: Bool = false) {
        self.folder = folder
        let output = Pipe()
        process.executableURL = ServerUnderTest.program("easel")
        process.arguments = ["serve", "--listen", "127.0.0.1:0", "--data", folder]
        if let certificate { process.arguments? += ["--tls-cert", certificate.file, "--tls-key", certificate.key] }
        process.standardOutput = output
        let start = MonotonicClock.now
        var text = ""
        var port: Int?
        do {
            if isOnOneProcessor {
                try Processors.on(Processors.measured) { [process] in try process.run() }
            } else {
                try process.run()
            }
            while port == nil {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
                text += String(decoding: data, as: UTF8.self)
                if let match = text.firstMatch(of: /wss?:\/\/127\.0\.0\.1:(\d+)\D/) { port = Int(match.1) }
            }
        } catch {
            print("SKIPPED: \(process.executableURL?.path ?? "easel") does not serve; build it first (\(error))")
            return nil
        }
        startMilliseconds = Double(MonotonicClock.now.nanoseconds(since: start)) / 1e6
        address = ServerAddress(host: "127.0.0.1", port: port ?? 0, isSecure: certificate != nil)
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The number of its process.
    var processNumber: Int32 { process.processIdentifier }

    /// Memory of its own that it holds now, or has held at most, bytes.
    func residentBytes(atMost: Bool = false) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(processNumber)/status", encoding: .utf8)) ?? ""
        let key = atMost ? "VmHWM:" : "RssAnon:"
        for line in status.split(separator: "\n") where line.hasPrefix(key) {
            return (line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
        }
        return 0
    }

    /// How many descriptors it has: a connection is one.
    var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processNumber)/fd"))?.count ?? 0
    }

    /// A program of this build.
    static func program(_ name: String) -> URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(name)
    }

    /// A new folder beside the programs: on a disk, also where temporary files are kept in memory.
    static func makeFolder() -> String {
        let url = program("bench-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url.path
    }
}
