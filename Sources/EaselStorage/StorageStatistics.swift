/// Counts since the log was opened; each only grows, but for `waiting`.
public struct StorageStatistics: Equatable, Sendable {
    /// Appends reported durable.
    public internal(set) var appends = 0
    /// Entries of those appends.
    public internal(set) var entries = 0
    /// Label and payload bytes of those entries.
    public internal(set) var bytes = 0
    /// Transactions that made appends durable; `appends / groups` is how well group commit works.
    public internal(set) var groups = 0
    /// Most appends that shared one transaction.
    public internal(set) var largestGroup = 0
    /// Appends refused because they did not fit the log (`.conflict`, `.tooLarge`, `.damaged`).
    public internal(set) var refusals = 0
    /// Snapshots saved.
    public internal(set) var snapshots = 0
    /// Times a log was trimmed.
    public internal(set) var trims = 0
    /// Failures of the store itself; after each the database file is reopened before it is trusted again.
    public internal(set) var failures = 0
    /// Times the write-ahead log was copied into the database file.
    public internal(set) var checkpoints = 0
    /// Calls waiting for the storage thread now.
    public internal(set) var waiting = 0

    /// All zero.
    public init() {}
}
