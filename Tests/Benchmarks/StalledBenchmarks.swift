import EaselClient

/// Readers of a busy canvas that read nothing: what the server keeps for each of them, and whether the others feel it.
///
/// What was sent and not read waits in the kernel, in the buffers of the two sockets; the reference is what waits there. What the
/// server keeps of its own must not grow with it, since a session is a place in the log and not a queue.
enum StalledBenchmarks {
    private static let readers = 100
    private static let (writers, rate) = (10, 20_000.0)
    /// Most kilobytes for each: those of an idle connection, and a write that the socket did not take whole.
    private static let goal = 8.0 + 32
    /// As long until memory has stopped growing for other reasons, and then less than a server takes to close who reads nothing.
    private static let (warmUp, seconds) = (10.0, 10.0)

    static func run(_ reporter: inout Reporter) throws {
        let server = try ServerUnderTest(isOnOneProcessor: true)
        try Processors.on(Processors.harness) {
            let crowd = try Crowd(server, canvas: "stalled", writers: writers, readers: 5)
            let before = measure(crowd, server, warmUp)
            let stalled = try (0..<readers).map { _ in try BareClient(server.address, canvas: "stalled") }
            let after = measure(crowd, server, seconds)
            let waiting = withExtendedLifetime(stalled) { SocketBuffers.bytesWaiting(port: server.address.port) }
            let sockets = Double(waiting) / Double(readers) / 1_024
            let each = Double(after.memory - before.memory) / Double(readers) / 1_024
            reporter.compare(
                "stalled: server's memory for each of \(readers) that read nothing", each, "KB",
                to: Reference(name: "what waits in its sockets", value: sockets), goal: .atMost(goal))
            reporter.compare(
                "stalled: edit to seen by others, p99", after.p99, "ms",
                to: Reference(name: "before", value: before.p99))
        }
    }

    /// The server's most memory in that time, and milliseconds.
    private static func measure(
        _ crowd: Crowd, _ server: ServerUnderTest, _ seconds: Double
    ) -> (memory: Int, p99: Double) {
        let first = crowd.seen.count
        var memory = 0
        for _ in 0..<Int(seconds * 4) {
            crowd.run(rate: rate, seconds: 0.25)
            memory = max(memory, server.residentBytes())
        }
        let latencies = crowd.seen[first...].map { Double($0.latency) / 1e6 }
        return (memory, Measurement.percentile(99, of: latencies))
    }
}
