import EaselSupport

/// Three times what a room of fifty sustains, for five seconds, and then a quarter of it: how long until moves are seen as soon as
/// before, and whether anybody was lost.
///
/// In the first of two runs a move that cannot be sent, because as many are under way as a client may have, is left out, as a drag
/// does whose newest place takes the place of the one before: so what is measured is what piles up in the server. In the second
/// everything is kept and has to be worked off, which takes its time whatever the server does; the reference is that time.
enum OverloadBenchmarks {
    private static let scenario = LoadScenario.room(of: 50, rate: 40_000)
    private static let (calmSeconds, overloadSeconds, patience) = (2.0, 5.0, 30.0)
    /// Most seconds until it is as before.
    private static let recoveryGoal = 1.0
    /// Moves are looked at by the part of this length in which they are seen, seconds.
    private static let partSeconds = 0.25
    /// So many parts in a row have to be as before.
    private static let partsInRow = 4
    /// What counts as before at least, milliseconds: on a shared machine less is no difference. More than what counts as sustained
    /// never does.
    private static let normalAtLeast = 10.0

    static func run(_ reporter: inout Reporter) throws {
        let server = try ServerUnderTest(isOnOneProcessor: true)
        let (rate, _) = try scenario.highest(server)
        try Processors.on(Processors.harness) {
            let crowd = try Crowd(server, canvas: "overload", writers: scenario.editors, readers: scenario.viewers)
            crowd.run(rate: rate / 4, seconds: 1)
            // The first second is for everybody's first move.
            let first = crowd.seen.count
            crowd.run(rate: rate / 4, seconds: calmSeconds)
            let calm = p99(crowd.seen[first...])
            let normal = min(max(2 * calm, normalAtLeast), LoadScenario.usualSustainedP99)
            reporter.number("overload: p99 at a quarter of \(Int(rate)) moves a second", calm, "ms")
            let dropping = measure(crowd, rate, normal, keepsAll: false)
            let sustained = Reference(name: "what is sustained", value: rate)
            reporter.compare("overload: ordered during three times as much", dropping.taken, "/s", to: sustained)
            reporter.number(
                "overload: from its end until p99 is below \(Int(normal)) ms again", dropping.recovery, "s",
                goal: .atMost(recoveryGoal))
            let keeping = measure(crowd, rate, normal, keepsAll: true)
            reporter.compare(
                "overload: the same with \(keeping.backlog) moves kept that could not be sent", keeping.recovery, "s",
                to: Reference(name: "working these off at what is sustained", value: Double(keeping.backlog) / rate))
            reporter.number("overload: connections lost", Double(crowd.lost), "", goal: .atMost(0))
        }
    }

    /// Moves ordered a second during the overload; those that waited at its end; seconds from then until it is as before, which are
    /// infinite if that takes too long.
    private static func measure(
        _ crowd: Crowd, _ rate: Double, _ normal: Double, keepsAll: Bool
    ) -> (taken: Double, backlog: Int, recovery: Double) {
        let before = crowd.seen.count
        crowd.run(rate: rate * 3, seconds: overloadSeconds, keepsAll: keepsAll)
        let end = MonotonicClock.now
        let taken = Double(crowd.seen.count - before) / overloadSeconds
        let backlog = crowd.pendingCount
        return (taken, backlog, recover(crowd, rate / 4, since: end, normal))
    }

    /// Goes on until what was made in some parts in a row was seen as soon as is normal. Returns how many seconds after `end` the
    /// first of these began.
    private static func recover(_ crowd: Crowd, _ rate: Double, since end: Instant, _ normal: Double) -> Double {
        var normalParts = 0
        for _ in 0..<Int(patience / partSeconds) {
            let (began, first) = (MonotonicClock.now, crowd.seen.count)
            crowd.run(rate: rate, seconds: partSeconds)
            let seen = crowd.seen[first...]
            // Nothing seen at all is a stall.
            normalParts = !seen.isEmpty && p99(seen) <= normal ? normalParts + 1 : 0
            if normalParts == partsInRow {
                let seconds = Double(began.nanoseconds(since: end)) / 1e9
                return max(0, seconds - Double(partsInRow - 1) * partSeconds)
            }
        }
        return .infinity
    }

    /// Milliseconds.
    private static func p99(_ seen: ArraySlice<Crowd.Seen>) -> Double {
        Measurement.percentile(99, of: seen.map { Double($0.latency) / 1e6 })
    }
}
