/// How often which latency occurred, in buckets whose width grows with the value: any value is known to within one percent, and
/// a histogram takes 27 KB however much it counts (after Tene's HdrHistogram).
struct LatencyHistogram: Sendable, Equatable {
    /// Values below this have a bucket each; above, each doubling has half as many.
    private static let share = 256
    private static let shareBits = 8
    /// Largest value told apart, microseconds: over an hour.
    private static let doublings = 32

    private var counts = [UInt64](repeating: 0, count: (doublings - shareBits + 2) * share / 2)
    /// How many values were recorded.
    private(set) var count: UInt64 = 0
    /// The largest of them, microseconds.
    private(set) var maximum: UInt64 = 0

    /// Records a value in microseconds. O(1).
    mutating func record(_ microseconds: UInt64) {
        counts[Self.bucket(of: microseconds)] += 1
        count += 1
        maximum = max(maximum, microseconds)
    }

    /// Adds what another has recorded.
    mutating func add(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
        maximum = max(maximum, other.maximum)
    }

    /// A value that so many percent of those recorded do not exceed, microseconds; 0 if there are none.
    func percentile(_ percent: Double) -> UInt64 {
        guard count > 0 else { return 0 }
        let wanted = max(1, UInt64((Double(count) * percent / 100).rounded(.up)))
        var seen: UInt64 = 0
        for index in counts.indices {
            seen += counts[index]
            if seen >= wanted { return min(Self.largest(in: index), maximum) }
        }
        return maximum
    }

    private static func bucket(of value: UInt64) -> Int {
        let value = min(value, (1 << UInt64(doublings)) - 1)
        guard value >= UInt64(share) else { return Int(value) }
        let doubling = 63 - value.leadingZeroBitCount - (shareBits - 1)
        return doubling * share / 2 + Int(value >> UInt64(doubling))
    }

    /// The largest value that falls into a bucket.
    private static func largest(in bucket: Int) -> UInt64 {
        guard bucket >= share else { return UInt64(bucket) }
        let doubling = bucket / (share / 2) - 1
        let part = UInt64(bucket - doubling * share / 2)
        return ((part + 1) << UInt64(doubling)) - 1
    }
}
