/// Bounds of this module, with their units.
public enum StorageLimits {
    /// Largest payload of one entry or snapshot in bytes; SQLite keeps no row above 1,000,000,000 bytes.
    public static let payloadBytes = 900_000_000
    /// Longest label in UTF-8 bytes.
    public static let labelBytes = 65_536
    /// Snapshots kept of each canvas: the newest, and one to fall back to when the newest is damaged.
    public static let snapshotsKept = 2
    /// Largest epoch, 2^53 - 1: exact in JavaScript.
    public static let largestEpoch: UInt64 = (1 << 53) - 1
    /// Appends that share one transaction at most.
    static let appendsInGroup = 4_096
    /// Bytes of entries in one transaction at most, but always one append.
    static let bytesInGroup = 16 << 20
    /// Snapshots saved before waiting appends get their turn.
    static let snapshotsInTurn = 1
    /// Other jobs done before waiting appends get their turn.
    static let worksInTurn = 1
    /// Entries that one trim takes out of the log at most, so that what it has to look at is bounded.
    static let trimmedEntries = 65_536
    /// Entries removed before waiting appends get their turn.
    static let entriesRemovedInTurn = 1_024
    /// Loads, reads and lists served before waiting appends get their turn.
    static let readsInTurn = 16
    /// What each entry counts for in a page or group besides its label and payload, in bytes.
    static let entryOverheadBytes = 64
    /// Pages (4,096 bytes each) of write-ahead log after which it is copied into the database file.
    static let checkpointPages: Int32 = 1_000
    /// Pages of write-ahead log after which it is copied into the database file even while a backup copies both.
    static let heldWALPages: Int32 = 262_144
    /// Bytes the write-ahead log is cut back to after it has grown larger.
    static let keptWALBytes = 64 << 20
    /// Bytes of database pages cached.
    static let pageCacheBytes = 16 << 20
    /// Canvases whose head is remembered; past it all are forgotten, and found again by two index look-ups each.
    static let canvasesRemembered = 65_536
    /// Times a copy of the files is begun anew because they changed in a way that a copy cannot follow.
    static let copyAttempts = 10
    /// Bytes copied between two notes of progress.
    static let copyBlockBytes = 1 << 20
}
