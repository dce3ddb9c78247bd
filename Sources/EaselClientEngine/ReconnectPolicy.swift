/// How long a client waits before it connects again: exponential with full jitter, so that many clients that lost a server
/// at once do not come back at once (Brooker, "Exponential Backoff And Jitter", 2015).
public struct ReconnectPolicy: Sendable {
    /// Bound of the first wait, milliseconds.
    public static let firstBound: UInt64 = 250
    /// Bound of any wait, milliseconds.
    public static let lastBound: UInt64 = 5_000

    private var attempts: UInt64 = 0

    /// A policy that has seen no failure.
    public init() {}

    /// The wait before the next attempt, milliseconds: between half a bound and the bound, which doubles each time.
    public mutating func delay(random: UInt64) -> UInt64 {
        let bound = min(Self.lastBound, Self.firstBound << min(attempts, 10))
        attempts += 1
        return bound / 2 + random % (bound / 2 + 1)
    }

    /// A connection was welcomed.
    public mutating func succeeded() { attempts = 0 }
}
