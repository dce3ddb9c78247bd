import EaselClient
import EaselSupport
import Foundation

/// A running `easel serve`, the program beside the benchmarks, and a data folder that is removed with it.
final class ServerUnderTest {
    let address: ServerAddress
    /// From the start of the process until it said that it listens, milliseconds.
    let startMilliseconds: Double
    private let program: ChildProgram
    private let folder: String

    /// How long it may take until it listens, seconds.
    private static let patience = 60

    /// Starts it.
    ///
    /// - Parameters:
    ///   - folder: Its data, which become its own; nil for none yet.
    ///   - certificate: For TLS; nil for none.
    ///   - isOnOneProcessor: Whether all its threads run on the processor for what is measured.
    init(folder: String? = nil, certificate: Certificate? = nil, isOnOneProcessor: Bool = false) throws(NotMeasured) {
        self.folder = if let folder { folder } else { try WorkFolder.make() }
        var arguments = ["serve", "--listen", "127.0.0.1:0", "--data", self.folder]
        if let certificate { arguments += ["--tls-cert", certificate.file, "--tls-key", certificate.key] }
        let start = MonotonicClock.now
        program = try ChildProgram(
            WorkFolder.program("easel"), arguments, on: isOnOneProcessor ? Processors.measured : nil)
        let text = program.read(forAtMost: Self.patience) { Self.port(in: $0) != nil }
        startMilliseconds = Double(MonotonicClock.now.nanoseconds(since: start)) / 1e6
        guard let port = Self.port(in: text) else { throw NotMeasured("the server does not listen: \(text)") }
        address = ServerAddress(host: "127.0.0.1", port: port, isSecure: certificate != nil)
    }

    deinit {
        program.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func port(in text: String) -> Int? {
        text.firstMatch(of: /wss?:\/\/127\.0\.0\.1:(\d+)\D/).flatMap { Int($0.1) }
    }

    /// The number of its process.
    var processNumber: Int32 { program.processNumber }

    /// Memory of its own that it holds now, or all that it has held at most, bytes.
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

    /// Waits until it has so many descriptors, but not for longer than so many seconds. Returns how many it has.
    func descriptors(reaching count: Int, forAtMost seconds: Int) -> Int {
        for _ in 0..<seconds * 10 where descriptorCount < count { usleep(100_000) }
        return descriptorCount
    }
}
