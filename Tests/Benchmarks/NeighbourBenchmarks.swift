import Foundation

/// Whether a huge busy room is felt in rooms where little happens: two clients each, ten moves a second. There are ten of these, so
/// that there are enough moves to speak of the hundredth; each has a canvas of its own. Both harnesses share a processor, where
/// that of the idle rooms goes first: or else it would measure how the two get along.
///
/// The reference is the same without the huge room.
enum NeighbourBenchmarks {
    private static let idle = LoadScenario(
        name: "idle", canvases: 10, editors: 1, viewers: 1, rate: 100, urgency: .first)
    private static let huge = LoadScenario.room(of: 500, rate: 2_500)
    private static let seconds = 8

    static func run(_ reporter: inout Reporter) throws {
        let server = try ServerUnderTest(isOnOneProcessor: true)
        let alone = try idle.run(server, rate: idle.rate, seconds: seconds)
        let descriptors = server.descriptorCount
        let load = try LoadProgram(server, huge.arguments(rate: huge.rate, seconds: 600), urgency: .last)
        let beside = try withExtendedLifetime(load) {
            let full = descriptors + huge.clients
            guard server.descriptors(reaching: full, forAtMost: 30) >= full else {
                throw NotMeasured("the huge room does not fill")
            }
            sleep(2)
            return try idle.run(server, rate: idle.rate, seconds: seconds)
        }
        let name = "alone"
        let crowd = "beside \(huge.clients) clients and \(Int(huge.rate)) moves a second"
        reporter.compare(
            "idle rooms \(crowd), edit to seen, p50", beside.p50, "ms", to: Reference(name: name, value: alone.p50))
        reporter.compare(
            "idle rooms \(crowd), edit to seen, p99", beside.p99, "ms", to: Reference(name: name, value: alone.p99),
            goal: .atMost(2 * alone.p99))
        reporter.number("idle rooms \(crowd), of that the harness was late, p99", beside.lateP99, "ms")
    }
}
