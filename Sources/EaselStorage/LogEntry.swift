public import EaselCore

/// One committed transaction as the log keeps it.
public struct LogEntry: Equatable, Sendable {
    /// Place in the canvas's total order, from 1.
    public let revision: Revision
    /// Who made it.
    public let site: SiteID
    /// The site's running number for it.
    public let sequence: SequenceNumber
    /// When the server accepted it, in milliseconds since 1970-01-01T00:00Z; given by the caller, never read back for order.
    public let time: UInt64
    /// What the action is called, for history lists.
    public let label: String
    /// The encoded transaction. The log does not look inside.
    public let payload: [UInt8]

    /// An entry with these values.
    public init(
        revision: Revision, site: SiteID, sequence: SequenceNumber, time: UInt64, label: String, payload: [UInt8]
    ) {
        self.revision = revision
        self.site = site
        self.sequence = sequence
        self.time = time
        self.label = label
        self.payload = payload
    }

    /// Bytes this entry counts for against a page or group limit.
    var weight: Int { StorageLimits.entryOverheadBytes + label.utf8.count + payload.count }
}

/// A whole canvas at one revision, encoded.
public struct StoredSnapshot: Equatable, Sendable {
    /// The revision the snapshot is of, from 1.
    public let revision: Revision
    /// The encoded canvas. The log does not look inside.
    public let payload: [UInt8]

    /// A snapshot with these values.
    public init(revision: Revision, payload: [UInt8]) {
        self.revision = revision
        self.payload = payload
    }
}

/// What a canvas needs to come to life: its newest sound snapshot and every entry after it.
public struct LoadedCanvas: Equatable, Sendable {
    /// Names this history of the canvas: a random number from 1 to 2^53 - 1, given when the canvas was first opened in this
    /// store and kept with it. Two stores that both hold a canvas of one name have different epochs.
    public let epoch: UInt64
    /// The entries after this revision are kept in the log; 0 if all are.
    public let base: Revision
    /// The newest snapshot whose checksum is right; nil if there is none.
    public let snapshot: StoredSnapshot?
    /// The entries after the snapshot (from revision 1 without one), in order and without a gap.
    public let entries: [LogEntry]
    /// Why the entries end before the head of the log; nil when they reach it. A canvas with damage takes no appends.
    public let damage: StorageError?
    /// Newer snapshots that were passed over because they are damaged. The state is complete all the same unless `damage` is set.
    public let damagedSnapshots: [StorageError]

    /// A loaded canvas with these values.
    public init(
        epoch: UInt64, base: Revision = 0, snapshot: StoredSnapshot?, entries: [LogEntry], damage: StorageError? = nil,
        damagedSnapshots: [StorageError] = []
    ) {
        self.epoch = epoch
        self.base = base
        self.snapshot = snapshot
        self.entries = entries
        self.damage = damage
        self.damagedSnapshots = damagedSnapshots
    }

    /// The last revision this value reaches: of the last entry, else of the snapshot, else 0.
    public var head: Revision { entries.last?.revision ?? snapshot?.revision ?? 0 }
}

/// A bounded run of entries.
public struct LogPage: Equatable, Sendable {
    /// Entries in order and without a gap; empty only at the head of the log or when the first one is damaged.
    public let entries: [LogEntry]
    /// The revision of the newest durable entry of the canvas when the page was read.
    public let head: Revision
    /// Why the entries end where they do when an entry is damaged or missing; nil otherwise.
    public let damage: StorageError?

    /// A page with these values.
    public init(entries: [LogEntry], head: Revision, damage: StorageError? = nil) {
        self.entries = entries
        self.head = head
        self.damage = damage
    }
}

/// One line of the list of canvases.
public struct CanvasSummary: Equatable, Sendable {
    /// The canvas.
    public let canvas: CanvasID
    /// Its epoch; see `LoadedCanvas.epoch`.
    public let epoch: UInt64
    /// Its newest durable revision; 0 if nothing was ever committed.
    public let head: Revision
    /// The entries after this revision are kept in the log; 0 if all are.
    public let base: Revision

    /// A summary with these values.
    public init(canvas: CanvasID, epoch: UInt64, head: Revision, base: Revision = 0) {
        self.canvas = canvas
        self.epoch = epoch
        self.head = head
        self.base = base
    }
}
