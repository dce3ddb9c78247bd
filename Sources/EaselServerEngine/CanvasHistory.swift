public import EaselCore
import EaselProtocol

/// A canvas at its confirmed revision, with what readers that are behind it need: the newest commits encoded, and the digests
/// of more of them, because the log does not keep digests.
///
/// Whoever loads a canvas builds one from the snapshot and the records after it, on any thread, and gives it to the room.
public struct CanvasHistory: Sendable {
    /// Names this history of the canvas: changes when the log was replaced.
    public let epoch: UInt64
    /// Every durable commit applied.
    public private(set) var canvas: Canvas
    /// Bytes of the newest snapshot that is stored, or 0.
    private(set) var snapshotBytes: UInt64
    /// Bytes of commits since that snapshot, overhead included.
    private(set) var bytesSinceSnapshot: UInt64 = 0
    /// The commits after this revision are in the log.
    var logBase: Revision
    private(set) var window: CommitWindow
    private(set) var trail: RevisionArray<UInt64>
    private let limits: RoomLimits

    /// A history that begins at a snapshot.
    ///
    /// - Parameters:
    ///   - canvas: The canvas of the snapshot; the empty one if there is none.
    ///   - snapshotBytes: The size of the snapshot, or 0.
    ///   - logBase: The revision after which the log is kept; 0 if all of it is.
    public init(
        epoch: UInt64, canvas: Canvas = Canvas(), snapshotBytes: UInt64 = 0, logBase: Revision = 0,
        limits: RoomLimits = RoomLimits()
    ) {
        self.epoch = epoch
        self.canvas = canvas
        self.snapshotBytes = snapshotBytes
        self.logBase = logBase
        self.limits = limits
        window = CommitWindow(after: canvas.revision)
        trail = RevisionArray(after: canvas.revision)
    }

    /// Why a record of the log cannot be applied.
    public enum Damage: Error, Sendable, Equatable {
        /// Its transaction cannot be read.
        case transaction(DecodingError)
        /// It does not follow the record in front of it, or its number was used before.
        case order
    }

    /// Applies the next record of the log.
    public mutating func append(_ record: LogRecord) throws(Damage) {
        guard record.revision == canvas.revision + 1, record.id.sequence > canvas.lastSequence(of: record.id.site)
        else {
            throw .order
        }
        _ = append(try Self.commit(record))
    }

    /// Applies the next commit, which is durable, and gives it as readers get it.
    mutating func append(_ commit: Commit) -> [UInt8] {
        _ = canvas.apply(commit)
        let bytes = ServerMessage.encodeCommit(commit, digest: canvas.digest)
        window.append(bytes, limits: limits)
        bytesSinceSnapshot += UInt64(bytes.count) + limits.commitOverheadBytes
        trail.append(canvas.digest)
        if trail.count > limits.trailCommits { trail.dropFirst() }
        return bytes
    }

    /// A snapshot of `revision` is stored.
    mutating func snapshotStored(revision: Revision, byteCount: UInt64) {
        snapshotBytes = byteCount
        bytesSinceSnapshot = window.byteCount(after: revision) ?? bytesSinceSnapshot
    }

    /// Whether so much was committed since the last snapshot that another should be stored.
    var isSnapshotDue: Bool {
        bytesSinceSnapshot >= max(limits.snapshotStoreBytes, snapshotBytes / 2)
    }

    /// The first revision that `reaches` holds for, and for all after it.
    var horizon: Revision { max(logBase, min(window.base, trail.base)) }

    /// Whether a reader at `cursor` can be brought up to date by commits, from the window or the log.
    func reaches(_ cursor: Revision) -> Bool {
        cursor <= canvas.revision && cursor >= logBase && (window.covers(cursor) || cursor >= trail.base)
    }

    /// Encodes records read from the log after `cursor` for a reader; nil if they do not fit what is known of the log.
    func encode(_ records: [LogRecord], after cursor: Revision) -> (bytes: [UInt8], last: Revision)? {
        var bytes: [UInt8] = []
        var last = cursor
        for record in records where record.revision <= canvas.revision {
            guard record.revision == last + 1, record.revision > trail.base, let commit = try? Self.commit(record)
            else {
                return nil
            }
            bytes += ServerMessage.encodeCommit(commit, digest: trail[record.revision])
            last = record.revision
        }
        return (bytes, last)
    }

    private static func commit(_ record: LogRecord) throws(Damage) -> Commit {
        do throws(DecodingError) {
            return Commit(
                revision: record.revision, id: record.id, time: record.time,
                transaction: try Transaction.decode(record.payload))
        } catch {
            throw .transaction(error)
        }
    }
}
