import CMachine
import EaselSupport

/// Time and memory of a piece of work.
enum Measurement {
    /// Microseconds that `body` takes: the median of `repeats` runs, each after `prepare` and without it.
    static func microseconds<State>(
        repeats: Int, _ prepare: () -> State, _ body: (inout State) -> Void
    ) -> Double {
        var times: [Double] = []
        for _ in 0..<repeats {
            var state = prepare()
            let start = MonotonicClock.now
            body(&state)
            times.append(Double(MonotonicClock.now.nanoseconds - start.nanoseconds) / 1_000)
        }
        return times.sorted()[repeats / 2]
    }

    /// Microseconds that `body` takes, once.
    static func microseconds(_ body: () -> Void) -> Double {
        let start = MonotonicClock.now
        body()
        return Double(MonotonicClock.now.nanoseconds(since: start)) / 1_000
    }

    /// Nanoseconds for each of `count` things that `body` does: the median of `rounds` calls, each with what `prepare` makes for the
    /// number of the round, so that one can go on from where the last one ended.
    static func nanoseconds<State>(
        each count: Int, rounds: Int = 21, _ prepare: (Int) -> State, _ body: (State) -> Void
    ) -> Double {
        let times = (0..<rounds).map { round in
            let state = prepare(round)
            let start = MonotonicClock.now
            body(state)
            return MonotonicClock.now.nanoseconds(since: start)
        }
        return Double(times.sorted()[rounds / 2]) / Double(count)
    }

    /// The same where nothing is to be prepared.
    static func nanoseconds(each count: Int, rounds: Int = 21, _ body: () -> Void) -> Double {
        nanoseconds(each: count, rounds: rounds, { _ in }, { _ in body() })
    }

    /// Of values that come in any order, the one that so many percent do not exceed.
    static func percentile(_ percent: Double, of values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let rank = (Double(values.count) * percent / 100).rounded(.up)
        return values.sorted()[max(0, min(values.count, Int(rank)) - 1)]
    }

    /// Bytes that the allocator has handed out and not got back.
    static var allocatedBytes: Int {
        let info = mallinfo2()
        return Int(info.uordblks) + Int(info.hblkhd)
    }
}
