import EaselClient
import Foundation

/// What the server keeps for each connection that nothing happens on, beside the canvases: memory of its own, not that of the
/// kernel. Clients sit in rooms of a hundred, one of them with a shape.
enum IdleBenchmarks {
    private static let connections = 5_000
    private static let rooms = 50
    /// How long clients may take to come, seconds.
    private static let patience = 60
    /// How long is waited until what their coming took has been given back, seconds.
    private static let rest: UInt32 = 3

    static func run(_ reporter: inout Reporter) {
        measure("idle: server's memory a connection", goal: 8, nil, &reporter)
        let keys = ServerUnderTest.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: keys) }
        guard let certificate = Certificate(in: keys) else {
            print("SKIPPED: openssl makes no certificate")
            return
        }
        measure("idle: server's memory a connection over TLS", goal: 24, certificate, &reporter)
    }

    private static func measure(
        _ name: String, goal: Double, _ certificate: Certificate?, _ reporter: inout Reporter
    ) {
        guard let server = ServerUnderTest(folder: ServerUnderTest.makeFolder(), certificate: certificate) else {
            return
        }
        let arguments = [
            "--canvases", "\(rooms)", "--editors", "1", "--viewers", "\(connections / rooms - 1)", "--engines", "0",
            "--rate", "0.001", "--seconds", "600", "--connects", "1000",
        ]
        let trust = certificate.map { ["--ca-file", $0.file] } ?? []
        let (descriptors, memory) = (server.descriptorCount, server.residentBytes())
        guard let load = LoadProgram(server, arguments + trust) else { return }
        defer { load.stop() }
        for _ in 0..<patience * 10 where server.descriptorCount - descriptors < connections { usleep(100_000) }
        sleep(rest)
        // Files of the store may have been opened meanwhile, too.
        let count = min(connections, server.descriptorCount - descriptors)
        guard count > 0 else {
            print("SKIPPED: nobody connects")
            return
        }
        let each = Double(server.residentBytes() - memory) / Double(count) / 1_024
        reporter.number("\(name), of \(count)", each, "KB", goal: goal)
    }
}
