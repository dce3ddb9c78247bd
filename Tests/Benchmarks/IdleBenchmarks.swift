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
    private static let rest: UInt32 = 6

    static func run(_ reporter: inout Reporter) throws {
        try measure("idle: server's memory a connection", goal: .atMost(8), nil, &reporter)
        let keys = try WorkFolder.make()
        defer { try? FileManager.default.removeItem(atPath: keys) }
        let certificate = try Certificate(in: keys)
        try measure("idle: server's memory a connection over TLS", goal: .atMost(24), certificate, &reporter)
    }

    private static func measure(
        _ name: String, goal: Goal, _ certificate: Certificate?, _ reporter: inout Reporter
    ) throws {
        let server = try ServerUnderTest(certificate: certificate)
        let arguments = [
            "--canvases", "\(rooms)", "--editors", "1", "--viewers", "\(connections / rooms - 1)", "--engines", "0",
            "--rate", "0.001", "--seconds", "600", "--connects", "1000",
        ]
        let trust = certificate.map { ["--ca-file", $0.file] } ?? []
        let (descriptors, memory) = (server.descriptorCount, server.residentBytes())
        let load = try LoadProgram(server, arguments + trust)
        try withExtendedLifetime(load) {
            let now = server.descriptors(reaching: descriptors + connections, forAtMost: patience)
            sleep(rest)
            // Files of the store may have been opened meanwhile, too.
            let count = min(connections, now - descriptors)
            guard count > connections / 2 else { throw NotMeasured("only \(count) connect") }
            let each = Double(server.residentBytes() - memory) / Double(count) / 1_024
            reporter.number("\(name), of \(count)", each, "KB", goal: goal)
        }
    }
}
