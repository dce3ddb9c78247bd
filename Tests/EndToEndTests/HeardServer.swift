import EaselClient
import Foundation
import Testing

/// A running `easel serve`, all of whose words are kept.
final class HeardServer {
    private let process = Process()
    private let folder: TemporaryFolder
    let address: ServerAddress

    /// Starts one and waits until it has said everything it says at the start.
    init(
        in folder: TemporaryFolder, flags: [String] = [], certificate: TestCertificate? = nil,
        variables: [String: String] = [:]
    ) throws {
        self.folder = folder
        process.executableURL = Program.url
        process.arguments = ["serve", "--listen", "127.0.0.1:0", "--data", "\(folder.path)/data"] + flags
        if let certificate {
            process.arguments? += ["--tls-cert", certificate.file, "--tls-key", certificate.key]
        }
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        func file(_ name: String) throws -> FileHandle {
            let url = URL(fileURLWithPath: "\(folder.path)/\(name)")
            try Data().write(to: url)
            return try FileHandle(forWritingTo: url)
        }
        (process.standardOutput, process.standardError) = (try file("output"), try file("errors"))
        try process.run()
        var text = ""
        try #require(
            eventually {
                text = Self.text("output", folder)
                return text.contains("Stop with Control-C.")
            }, "\(text)")
        let port = try #require(text.firstMatch(of: /wss?:\/\/127\.0\.0\.1:(\d+)\n/).flatMap { Int($0.1) })
        address = ServerAddress(host: "127.0.0.1", port: port, isSecure: certificate != nil)
    }

    private static func text(_ name: String, _ folder: TemporaryFolder) -> String {
        (try? String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)) ?? ""
    }

    /// What it has said on standard output and on standard error.
    var output: String { Self.text("output", folder) }
    var errors: String { Self.text("errors", folder) }

    /// Whether it comes to say something on standard output.
    func says(_ words: String) -> Bool { eventually(within: 10) { output.contains(words) } }

    func hangUp() { kill(process.processIdentifier, SIGHUP) }

    /// Asks the process to end and returns its exit code.
    func terminate() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// What `openssl s_client` says of the certificate that a server shows, without spaces: their use depends on its version.
func shown(
    by server: HeardServer, _ flags: [String] = [], variables: [String: String] = [:]
) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl", "s_client", "-connect", "127.0.0.1:\(server.address.port)"] + flags
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self).filter { $0 != " " }
}
