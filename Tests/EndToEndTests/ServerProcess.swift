import EaselClient
import Foundation

/// The program under test, found beside the test bundle.
enum Program {
    static let url: URL = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        // With some runners the first argument is a helper elsewhere; the bundle says where the build is.
        for bundle in Bundle.allBundles + [Bundle.main] where bundle.bundlePath.hasSuffix(".xctest") {
            folder = bundle.bundleURL.deletingLastPathComponent()
        }
        return folder.appendingPathComponent("easel")
    }()

    /// Runs the program to its end.
    static func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: text, as: UTF8.self), String(decoding: complaint, as: UTF8.self)
        )
    }
}

/// A folder that is removed with the object.
final class TemporaryFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("easel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A running `easel serve`.
final class ServerProcess {
    struct NotStarted: Error {
        let output: String
    }

    let port: Int
    private let isSecure: Bool
    private let process = Process()
    private let output = Pipe()

    /// Starts a server and waits for the line that names its address.
    ///
    /// - Parameters:
    ///   - port: 0 picks one.
    ///   - flags: What else is on the command line.
    ///   - certificate: For TLS, the files of the certificate and its key.
    init(
        dataFolder: String, port: Int = 0, flags: [String] = [], certificate: TestCertificate? = nil
    ) throws {
        isSecure = certificate != nil
        process.executableURL = Program.url
        process.arguments = ["serve", "--listen", "127.0.0.1:\(port)", "--data", dataFolder] + flags
        if let certificate {
            process.arguments? += ["--tls-cert", certificate.file, "--tls-key", certificate.key]
        }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        var found: Int?
        while found == nil {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw NotStarted(output: text) }
            text += String(decoding: data, as: UTF8.self)
            if let match = text.firstMatch(of: /wss?:\/\/127\.0\.0\.1:(\d+)\D/) { found = Int(match.1) }
        }
        self.port = found ?? 0
    }

    var address: ServerAddress { ServerAddress(host: "127.0.0.1", port: port, isSecure: isSecure) }

    /// Ends the process without warning.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Asks the process to end and returns its exit code.
    func terminate() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    deinit {
        if process.isRunning { kill() }
    }
}
