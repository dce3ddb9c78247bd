import Testing

@testable import EaselLoad

@Suite("Latency histogram")
struct LatencyHistogramTests {
    @Test("every value is known to within one percent, from a microsecond to an hour")
    func precision() {
        var value: UInt64 = 1
        while value < 3_600_000_000 {
            var histogram = LatencyHistogram()
            histogram.record(value)
            // A larger one, so that the maximum does not say what the bucket does not know.
            histogram.record(.max)
            let found = histogram.percentile(50)
            #expect(found >= value && Double(found) <= Double(value) * 1.01, "\(value) is \(found)")
            value = value * 5 / 4 + 1
        }
    }

    @Test("percentiles of a hundred values are those values")
    func percentiles() {
        var histogram = LatencyHistogram()
        for value in (1...100).reversed() { histogram.record(UInt64(value)) }
        #expect([1, 50, 90, 99, 100].map { histogram.percentile($0) } == [1, 50, 90, 99, 100])
        #expect(histogram.count == 100 && histogram.maximum == 100)
        #expect(LatencyHistogram().percentile(99) == 0)
    }

    @Test("histograms add up")
    func adding() {
        var (all, left, right) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
        for value in stride(from: UInt64(1), to: 1_000_000, by: 997) {
            all.record(value)
            if value % 2 == 0 { left.record(value) } else { right.record(value) }
        }
        left.add(right)
        #expect(left == all)
    }
}
