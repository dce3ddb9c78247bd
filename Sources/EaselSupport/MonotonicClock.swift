import Glibc

/// The clock that every time limit is measured with: it never jumps, whatever happens to the time of day.
public enum MonotonicClock {
    /// The present instant, from `CLOCK_MONOTONIC`.
    public static var now: Instant {
        var time = timespec()
        let result = clock_gettime(CLOCK_MONOTONIC, &time)
        precondition(result == 0, "Linux always has CLOCK_MONOTONIC")
        return Instant(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }
}
