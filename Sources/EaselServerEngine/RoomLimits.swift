internal import EaselProtocol

/// Every bound of a room, in one place. The defaults are for a server facing the open network; tests choose smaller ones.
public struct RoomLimits: Sendable {
    /// Sessions in one room.
    public var sessions = 10_000
    /// Commits kept encoded in memory for readers that are nearly up to date.
    public var windowCommits = 65_536
    /// Bytes of those commits. Alone they take about 200 bytes each, in a busy room 20.
    public var windowBytes = 2 * 1024 * 1024
    /// What a run of commits takes in the window besides its bytes: an entry and the header of an array.
    public var runOverheadBytes = 80
    /// Commits a reader may be behind and still be served from the log; beyond it a joiner gets a snapshot. Eight bytes of
    /// memory each, from the first commit of the room on.
    public var trailCommits = 65_536
    /// Transactions of one session that are not durable yet. A client promises to stay within it.
    public var inFlightTransactions = ProtocolLimits.transactionsInFlight
    /// Encoded bytes of one session's transactions that are not durable yet; what is beyond is refused for now.
    public var sessionInFlightBytes = 16 * 1024 * 1024
    /// Encoded bytes of all transactions of the room that are not durable yet; what is beyond is refused for now.
    public var roomInFlightBytes = 128 * 1024 * 1024
    /// Largest transaction message, bytes; larger ones are refused.
    public var transactionBytes = ProtocolLimits.clientMessageBytes
    /// Answers one session may leave unread.
    public var answers = 1_024
    /// Requests about versions that one session may have under way.
    public var versionRequests = 16
    /// Bytes of one page read from the log.
    public var pageBytes = ProtocolLimits.frameBytes
    /// Bytes of commits after a cached snapshot up to which it serves new joiners; for a large one, its quarter.
    public var snapshotReuseBytes: UInt64 = 64 * 1024
    /// Milliseconds after its last use that a cached snapshot is dropped.
    public var snapshotIdleMilliseconds: UInt64 = 60_000
    /// Bytes of commits after which a snapshot is stored; for a large one, its half. So what is written for snapshots stays
    /// in proportion to what is written for commits.
    public var snapshotStoreBytes: UInt64 = 1024 * 1024
    /// What a commit counts for against these besides its own bytes.
    public var commitOverheadBytes: UInt64 = 64
    /// Milliseconds after the last session left that the room is unloaded.
    public var idleMilliseconds: UInt64 = 30_000
    /// Milliseconds after which an unreadable log is asked again.
    public var recoveryMilliseconds: UInt64 = 1_000
    /// Milliseconds between two rounds of presence in a small room.
    public var presenceMilliseconds: UInt64 = 33
    /// Presence frames a second in a large room: with so many sessions rounds come once a second.
    public var presenceFramesPerSecond: UInt64 = 10_000

    /// The defaults.
    public init() {}
}

/// The bounds of a connection that has not said hello yet.
public enum LobbyLimits {
    /// Milliseconds a client may take to say hello.
    public static let helloMilliseconds: UInt64 = 10_000
    /// Connections of a server that have not said hello.
    public static let sessions = 4_096
    /// Such connections that each event loop has room for, however many there are.
    public static let leastSessions = 256
}
