import Foundation

/// Whole servers with many clients: a server on one processor, `easel load` on the other, the log durable on the disk.
///
/// Of a few loads the highest is told that is sustained: everybody stays, and 99 of a hundred edits are seen by everybody else
/// within 50 ms; in 200 rooms within 200 ms, as the other servers were measured. The first load is the goal and a hundredth more, since what is ordered in a while is some moves less or more than
/// what was meant. Behind these comes a load that is the same for every server. The reference is a bare broadcast of the same bytes,
/// whose deliveries are counted like the server's: to all but the writer.
enum FanOutBenchmarks {
    private static let (orderedGoal, roomsDeliveriesGoal, fan500DeliveriesGoal) = (40_000.0, 300_000.0, 20e6)
    /// Least part of a bare broadcast in a room of five hundred.
    private static let shareGoal = 0.6
    private static let margin = 1.01
    private static let rooms = LoadScenario(
        name: "rooms", canvases: 200, editors: 1, viewers: 4, rate: roomsDeliveriesGoal / 4 * margin, sustainedP99: 200)
    /// Fifty clients, two hundred moves a second.
    private static let equal = LoadScenario(name: "equal", editors: 10, viewers: 40, rate: 200)
    private static let equalSeconds = 5
    /// Most seconds of processor time for a million deliveries at equal load.
    private static let equalProcessorGoal = 6.0
    /// Most milliseconds of p99 at equal load, and most of p50 beside one sync.
    private static let (equalP99, equalAllowance) = (3.0, 0.3)

    static func run(_ reporter: inout Reporter) throws {
        let server = try ServerUnderTest(isOnOneProcessor: true)
        for clients in [10, 50, 200, 500] {
            let room = LoadScenario.room(of: clients, rate: orderedGoal * margin)
            highest(of: room, server, &reporter) { result, bare, reporter in
                // Between fifty and five hundred there is no goal of its own.
                let goal = clients == 200 ? nil : Goal.atLeast(orderedGoal)
                reporter.number("\(room.name): ordered", result.orderedPerSecond, "/s", goal: goal)
                let deliveriesGoal = clients == 500 ? Goal.atLeast(fan500DeliveriesGoal) : nil
                reporter.compare(
                    "\(room.name): deliveries", result.deliveriesPerSecond, "/s",
                    to: Reference(name: bare.name, value: bare.deliveries), goal: deliveriesGoal)
                guard clients == 500 else { return }
                reporter.number(
                    "\(room.name): part of a bare broadcast", result.deliveriesPerSecond / bare.deliveries, "",
                    goal: .atLeast(shareGoal))
            }
        }
        highest(of: rooms, server, &reporter) { result, bare, reporter in
            reporter.number("\(rooms.name): ordered", result.orderedPerSecond, "/s")
            reporter.compare(
                "\(rooms.name): deliveries", result.deliveriesPerSecond, "/s",
                to: Reference(name: bare.name, value: bare.deliveries), goal: .atLeast(roomsDeliveriesGoal))
        }
        try equalLoad(server, &reporter)
    }

    private static func highest(
        of scenario: LoadScenario, _ server: ServerUnderTest, _ reporter: inout Reporter,
        _ report: (LoadProgram.Result, BareBroadcast.Result, inout Reporter) -> Void
    ) {
        do throws(NotMeasured) {
            let (_, result) = try scenario.highest(server)
            let bare = try bareBroadcast(of: scenario, result)
            report(result, bare, &reporter)
            costs(scenario, result, bare, goal: nil, &reporter)
            reporter.number("\(scenario.name): edit to seen, p50", result.p50, "ms")
            reporter.number("\(scenario.name): edit to seen, p99", result.p99, "ms")
        } catch {
            reporter.skip(scenario.name, error.reason)
        }
    }

    private static func equalLoad(_ server: ServerUnderTest, _ reporter: inout Reporter) throws {
        let folder = try WorkFolder.make()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bytes = RoomUnderTest.frames(ofMoves: 1, writers: 1)[0].count
        // Before and behind, on the same disk, as often as moves come. What others write makes syncs slower, never faster: so the
        // faster ones count.
        let pause = UInt32(1_000_000 / equal.rate)
        let before = try BareDisk.syncs(200, bytes: bytes, pause: pause, in: folder)
        let result = try equal.run(server, rate: equal.rate, seconds: equalSeconds)
        let behind = try BareDisk.syncs(200, bytes: bytes, pause: pause, in: folder)
        guard result.isRight else { throw NotMeasured(result.failure ?? "not everybody saw the same") }
        let bare = try bareBroadcast(of: equal, result)
        reporter.number("\(equal.name): deliveries", result.deliveriesPerSecond, "/s")
        costs(equal, result, bare, goal: .atMost(equalProcessorGoal), &reporter)
        for (percent, value) in [(50.0, result.p50), (99, result.p99)] {
            let sync = [before, behind].map { Measurement.percentile(percent, of: $0) / 1_000 }.min() ?? .nan
            reporter.compare(
                "\(equal.name): edit to seen, p\(Int(percent))", value, "ms",
                to: Reference(name: "one sync", value: sync),
                goal: .atMost(percent == 50 ? sync + equalAllowance : equalP99))
        }
    }

    private static func costs(
        _ scenario: LoadScenario, _ result: LoadProgram.Result, _ bare: BareBroadcast.Result, goal: Goal?,
        _ reporter: inout Reporter
    ) {
        reporter.compare(
            "\(scenario.name): server's processor time for a million deliveries",
            result.serverSecondsPerMillionDeliveries ?? .nan, "s",
            to: Reference(name: bare.name, value: bare.secondsPerMillion), goal: goal)
        reporter.number("\(scenario.name): how late the harness itself was, p99", result.lateP99, "ms")
    }

    /// A broadcast of the frames that the server must have sent, as nearly as can be told: a commit waits for half a turn and is in
    /// the next, so two thirds of the time until half the clients have seen it are about a turn, and what is ordered in a turn is a
    /// frame.
    private static func bareBroadcast(
        of scenario: LoadScenario, _ result: LoadProgram.Result
    ) throws(NotMeasured) -> BareBroadcast.Result {
        let perCanvas = result.orderedPerSecond / Double(scenario.canvases)
        let batch = max(1, Int(perCanvas * result.p50 / 1_000 / 1.5))
        return try BareBroadcast.run(
            sockets: scenario.clients, receivers: scenario.clients - scenario.canvases, batch: batch,
            writers: scenario.editors)
    }
}
