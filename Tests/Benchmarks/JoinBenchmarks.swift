import EaselClient
import EaselSupport

/// Joining a canvas that is open already: from connecting until the last byte of the snapshot is here, at a client that decodes
/// nothing. The server has a processor of its own, the client the other.
///
/// The reference sends the same bytes over a bare connection.
enum JoinBenchmarks {
    private static let joins = 9

    static func run(_ reporter: inout Reporter) {
        for (shapes, goal) in [(10_000, nil), (100_000, 40.0)] { measure(shapes, goal: goal, &reporter) }
    }

    private static func measure(_ shapes: Int, goal: Double?, _ reporter: inout Reporter) {
        let folder = ServerUnderTest.makeFolder()
        guard LoadBenchmarks.fill(folder, shapes),
            let server = ServerUnderTest(folder: folder, isOnOneProcessor: true)
        else { return }
        Processors.on(Processors.harness) {
            // The first opens the canvas and has the snapshot made.
            var bytes = join(server)
            var times: [Double] = []
            for _ in 0..<joins {
                times.append(Measurement.microseconds { bytes = join(server) } / 1_000)
            }
            guard let bytes else {
                print("SKIPPED: the canvas does not come")
                return
            }
            let reference = Reference(
                name: "the same \(bytes) bytes bare", value: BareStream.milliseconds(bytes: bytes, repeats: joins))
            reporter.compare(
                "join: \(shapes) shapes, from connecting to the last byte", Measurement.percentile(50, of: times), "ms",
                to: reference, goal: goal)
        }
    }

    /// Joins and leaves. Returns how many bytes came; nil if that failed.
    private static func join(_ server: ServerUnderTest) -> Int? {
        guard let client = BareClient(server.address, canvas: LoadBenchmarks.name) else { return nil }
        defer { client.close() }
        return client.readSnapshot()
    }
}
