import CAllocator
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

    /// Bytes that the allocator has handed out and not got back.
    static var allocatedBytes: Int {
        let info = mallinfo2()
        return Int(info.uordblks) + Int(info.hblkhd)
    }
}

/// One line of the report: a figure, and its ratio to a reference measured in the same run, since machines are noisy.
struct Figure {
    let name: String
    let value: Double
    let unit: String
    /// What the value must stay below, if there is a goal.
    var goal: Double?
    /// The value in units of the reference, if it is a time.
    var ratio: Double?

    var line: String {
        let shown = Self.rounded(value)
        let times = ratio.map { "  \(Self.rounded($0)) x reference" } ?? ""
        let judgement = goal.map {
            value < $0 ? "  (goal: below \(Self.rounded($0)))" : "  MISSED: \(Self.rounded($0))"
        }
        return "\(name): \(shown) \(unit)\(times)\(judgement ?? "")"
    }

    /// Three digits that count.
    private static func rounded(_ value: Double) -> String {
        var scale = 1.0
        while value != 0, abs(value) * scale < 100 { scale *= 10 }
        let result = (value * scale).rounded() / scale
        return result == result.rounded() ? String(Int(result)) : String(result)
    }
}
