import EaselSupport

/// Three times what a room of fifty sustains, for five seconds, and then a quarter of it: how long until edits are seen as soon as
/// before, and whether anybody was lost. What could not be taken at once is not forgotten, so all of it has to be worked off.
enum OverloadBenchmarks {
    private static let scenario = LoadScenario.room(of: 50, firstRate: 40_000)
    private static let (calmSeconds, overloadSeconds, patience) = (3.0, 5.0, 60.0)
    /// Moves are looked at by the part of this length in which they are seen, seconds.
    private static let partSeconds = 0.25
    /// So many parts in a row have to be as before.
    private static let partsInRow = 4
    /// What counts as before at least, milliseconds: on a shared machine less is no difference.
    private static let normalAtLeast = 10.0

    static func run(_ reporter: inout Reporter) {
        guard let server = ServerUnderTest(folder: ServerUnderTest.makeFolder(), isOnOneProcessor: true),
            let (rate, _) = scenario.search(server)
        else { return }
        Processors.on(Processors.harness) {
            guard
                let crowd = Crowd(server, canvas: "overload", writers: scenario.editors, readers: scenario.viewers)
            else {
                print("SKIPPED: not everybody gets in")
                return
            }
            measure(crowd, rate, &reporter)
        }
    }

    private static func measure(_ crowd: Crowd, _ rate: Double, _ reporter: inout Reporter) {
        crowd.run(rate: rate / 4, seconds: calmSeconds)
        let before = p99(crowd.seen[...])
        let calm = crowd.seen.count
        crowd.run(rate: rate * 3, seconds: overloadSeconds)
        let end = MonotonicClock.now
        let taken = Double(crowd.seen.count - calm) / overloadSeconds
        let backlog = crowd.pendingCount
        let normal = max(2 * before, normalAtLeast)
        let recovered = recover(crowd, rate / 4, since: end, normal)
        reporter.number("overload: p99 at a quarter of \(Int(rate)) moves a second, before", before, "ms")
        let sustained = Reference(name: "what is sustained", value: rate)
        reporter.compare("overload: ordered during three times as much", taken, "/s", to: sustained)
        reporter.number("overload: moves that waited at its end", Double(backlog), "")
        let work = Reference(name: "working these off at the sustained rate", value: Double(backlog) / (rate * 3 / 4))
        reporter.compare(
            "overload: from its end until p99 is below \(Int(normal)) ms again", recovered ?? .infinity, "s", to: work,
            goal: patience)
        reporter.number("overload: connections lost", Double(crowd.lost), "", goal: 1)
    }

    /// Goes on until what was made in some parts in a row was seen as soon as is normal. Returns how many seconds after `end` the
    /// first of these began; nil if that takes too long.
    private static func recover(
        _ crowd: Crowd, _ rate: Double, since end: Instant, _ normal: Double
    ) -> Double? {
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
        return nil
    }

    /// Milliseconds.
    private static func p99(_ seen: ArraySlice<Crowd.Seen>) -> Double {
        Measurement.percentile(99, of: seen.map { Double($0.latency) / 1e6 })
    }
}
