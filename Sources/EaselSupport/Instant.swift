/// A point in time on the machine's monotonic clock.
///
/// Instants order events and measure spans inside one run of one machine. They say nothing about the time of day, never go
/// back, and mean nothing on another machine or after a restart of this one.
public struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's arbitrary start.
    public let nanoseconds: UInt64

    /// Creates the instant that lies `nanoseconds` after the clock's arbitrary start.
    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// Whole milliseconds since the clock's arbitrary start, rounded down.
    public var milliseconds: UInt64 {
        nanoseconds / Instant.nanosecondsPerMillisecond
    }

    /// The whole milliseconds that have passed from `earlier` to this instant, rounded down; 0 where `earlier` is later.
    public func milliseconds(since earlier: Instant) -> UInt64 {
        nanoseconds(since: earlier) / Instant.nanosecondsPerMillisecond
    }

    /// The nanoseconds that have passed from `earlier` to this instant; 0 where `earlier` is later.
    public func nanoseconds(since earlier: Instant) -> UInt64 {
        nanoseconds > earlier.nanoseconds ? nanoseconds - earlier.nanoseconds : 0
    }

    /// The instant `milliseconds` later, or the last one there is where that would lie beyond it.
    public func advanced(byMilliseconds milliseconds: UInt64) -> Instant {
        let (span, overflows) = milliseconds.multipliedReportingOverflow(by: Instant.nanosecondsPerMillisecond)
        return overflows ? Instant(nanoseconds: .max) : advanced(byNanoseconds: span)
    }

    /// The instant `span` nanoseconds later, or the last one there is where that would lie beyond it.
    public func advanced(byNanoseconds span: UInt64) -> Instant {
        let (sum, overflows) = nanoseconds.addingReportingOverflow(span)
        return Instant(nanoseconds: overflows ? .max : sum)
    }

    /// Earlier instants come first.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    private static let nanosecondsPerMillisecond: UInt64 = 1_000_000
}
