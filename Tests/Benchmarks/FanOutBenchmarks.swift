import EaselCore
import EaselProtocol

/// Whole servers with many clients: a server on one processor, `easel load` on the other, the log durable on the disk.
///
/// The highest load is searched for that is sustained: everybody stays, and 99 of a hundred edits are seen by everybody else within
/// 50 ms. Behind it comes a load that is the same for every server. The reference is a bare broadcast of the same bytes.
enum FanOutBenchmarks {
    private static let scenarios = [
        LoadScenario.room(of: 10, firstRate: 50_000), LoadScenario.room(of: 50, firstRate: 40_000),
        LoadScenario.room(of: 200, firstRate: 40_000), LoadScenario.room(of: 500, firstRate: 25_000),
        LoadScenario(name: "rooms", canvases: 200, editors: 1, viewers: 4, firstRate: 20_000),
    ]
    /// Fifty clients, two hundred moves a second.
    private static let equal = LoadScenario(name: "equal", editors: 10, viewers: 40, firstRate: 200)
    private static let equalSeconds = 4

    static func run(_ reporter: inout Reporter) {
        guard let server = ServerUnderTest(folder: ServerUnderTest.makeFolder(), isOnOneProcessor: true) else { return }
        for scenario in scenarios {
            guard let (_, result) = scenario.search(server) else {
                print("\(scenario.name): nothing is sustained")
                continue
            }
            report(scenario, result, &reporter)
        }
        if let result = equal.run(server, rate: equal.firstRate, seconds: equalSeconds) {
            report(equal, result, &reporter)
        }
    }

    private static func report(
        _ scenario: LoadScenario, _ result: LoadProgram.Result, _ reporter: inout Reporter
    ) {
        if !result.isRight { print("\(scenario.name): WRONG: \(result.failure ?? "not everybody saw the same")") }
        reporter.number("\(scenario.name): ordered", result.orderedPerSecond, "/s")
        // A commit waits for half a turn and is in the next, so two thirds of that time are about a turn, and a frame.
        let batch = max(1, Int(result.orderedPerSecond / Double(scenario.canvases) * result.p50 / 1_000 / 1.5))
        let bare = BareBroadcast.run(sockets: scenario.clients, batch: batch, messageBytes: messageBytes)
        let name = "a bare broadcast in frames of \(batch)"
        reporter.compare(
            "\(scenario.name): deliveries", result.deliveriesPerSecond, "/s",
            to: Reference(name: name, value: bare?.deliveries ?? .nan))
        reporter.compare(
            "\(scenario.name): server's processor time for a million deliveries",
            result.serverSecondsPerMillionDeliveries ?? .nan, "s",
            to: Reference(name: name, value: bare?.secondsPerMillion ?? .nan))
        reporter.number("\(scenario.name): edit to seen, p50", result.p50, "ms")
        reporter.number("\(scenario.name): edit to seen, p99", result.p99, "ms")
        reporter.number("\(scenario.name): of that the harness itself was late, p99", result.lateP99, "ms")
    }

    /// Bytes of the commit of a move.
    private static var messageBytes: Int {
        let drawing = Drawing(shapes: 1_000)
        let commit = drawing.commit(drawing.moves(1, round: 1), "Move")
        return ServerMessage.encodeCommit(commit, digest: .max).count
    }
}
