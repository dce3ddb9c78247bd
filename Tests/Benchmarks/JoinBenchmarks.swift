import EaselClient
import EaselSupport

/// Joining a canvas that is open already: from connecting until the last byte of the snapshot is here, at a client that decodes
/// nothing. The server has a processor of its own, the client the other.
///
/// The reference sends the same bytes over a bare connection.
enum JoinBenchmarks {
    private static let joins = 9

    static func run(_ reporter: inout Reporter) throws {
        for (shapes, goal) in [(10_000, nil), (100_000, Goal.atMost(40))] {
            try measure(shapes, goal: goal, &reporter)
        }
    }

    private static func measure(_ shapes: Int, goal: Goal?, _ reporter: inout Reporter) throws {
        let folder = try LoadBenchmarks.fill(shapes)
        let server = try ServerUnderTest(folder: folder, isOnOneProcessor: true)
        try Processors.on(Processors.harness) {
            // The first opens the canvas and has the snapshot made.
            let bytes = try join(server)
            let times = try (0..<joins).map { _ in
                let start = MonotonicClock.now
                _ = try join(server)
                return Double(MonotonicClock.now.nanoseconds(since: start)) / 1e6
            }
            let reference = Reference(
                name: "the same \(bytes) bytes bare", value: try BareStream.milliseconds(bytes: bytes, repeats: joins))
            reporter.compare(
                "join: \(shapes) shapes, from connecting to the last byte", Measurement.percentile(50, of: times), "ms",
                to: reference, goal: goal)
        }
    }

    /// Joins and leaves. Returns how many bytes came.
    private static func join(_ server: ServerUnderTest) throws -> Int {
        try BareClient(server.address, canvas: LoadBenchmarks.name).readSnapshot()
    }
}
