import Foundation

/// Whether a huge busy room is felt in rooms where little happens: two clients each, ten moves a second. There are ten of these, so
/// that there are enough moves to speak of the hundredth; each has a canvas of its own.
///
/// The reference is the same without the huge room.
enum NeighbourBenchmarks {
    private static let idle = LoadScenario(name: "idle", canvases: 10, editors: 1, viewers: 1, firstRate: 100)
    private static let huge = LoadScenario.room(of: 500, firstRate: 2_500)
    private static let seconds = 8
    /// Both harnesses share a processor: the idle rooms' goes first.
    private static let niceness = 10

    static func run(_ reporter: inout Reporter) {
        guard let server = ServerUnderTest(folder: ServerUnderTest.makeFolder(), isOnOneProcessor: true),
            let alone = idle.run(server, rate: idle.firstRate, seconds: seconds)
        else { return }
        let descriptors = server.descriptorCount
        guard
            let load = LoadProgram(server, huge.arguments(rate: huge.firstRate, seconds: 600), niceness: niceness)
        else { return }
        defer { load.stop() }
        for _ in 0..<300 where server.descriptorCount - descriptors < huge.clients { usleep(100_000) }
        sleep(2)
        guard server.descriptorCount - descriptors >= huge.clients,
            let beside = idle.run(server, rate: idle.firstRate, seconds: seconds)
        else {
            print("SKIPPED: the huge room does not fill")
            return
        }
        let name = "alone"
        let crowd = "beside \(huge.clients) clients and \(Int(huge.firstRate)) moves a second"
        reporter.compare(
            "idle rooms \(crowd), edit to seen, p50", beside.p50, "ms", to: Reference(name: name, value: alone.p50))
        reporter.compare(
            "idle rooms \(crowd), edit to seen, p99", beside.p99, "ms", to: Reference(name: name, value: alone.p99),
            goal: 2 * alone.p99)
        reporter.number("of that the harness itself was late, p99", beside.lateP99, "ms")
    }
}
