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
    /// Bytes of commits since that snapshot, overhead included, without those of the open run.
    private var bytesSinceSnapshot: UInt64 = 0
    /// The commits after this revision are in the log.
    var logBase: Revision
    private(set) var window: CommitWindow
    /// What was committed and is not in the window yet.
    private var run = OpenRun()
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
        trail = RevisionArray(after: canvas.revision, blank: 0)
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
        _ = append(try Self.commit(record), byteCount: record.payload.count)
    }

    /// Applies the next commit, which is durable; `byteCount` is that of its encoded transaction. If it makes a new run, because
    /// there is enough in the one before, gives that one, as readers get it.
    mutating func append(_ commit: Commit, byteCount: Int) -> EncodedRun? {
        let full = run.hasRoom(for: byteCount, limits) ? nil : endRun()
        _ = canvas.apply(commit)
        run.append(commit, byteCount: byteCount)
        trail.append(canvas.digest)
        if trail.count > limits.trailCommits { trail.dropFirst() }
        return full
    }

    /// Puts into the window what was committed since it was last called, and gives it as readers get it; nil if there is nothing.
    /// To be called once a turn, after the commits that became durable in it: nobody is served those of a run that has not ended.
    mutating func endRun() -> EncodedRun? {
        guard run.count > 0 else { return nil }
        let encoded = EncodedRun(
            base: canvas.revision - UInt64(run.count), last: canvas.revision,
            bytes: run.encoder.message(digest: canvas.digest))
        run = OpenRun()
        window.append(encoded, limits: limits)
        bytesSinceSnapshot += encoded.weight(limits)
        return encoded
    }

    /// A snapshot of `revision` is stored.
    mutating func snapshotStored(revision: Revision, byteCount: UInt64) {
        snapshotBytes = byteCount
        bytesSinceSnapshot = window.weight(after: min(revision, window.head)) ?? bytesSinceSnapshot
    }

    /// What the commits after a revision count for beside a snapshot, roughly; nil if they are not all in memory.
    func weight(after revision: Revision) -> UInt64? {
        guard revision < window.head else { return revision <= canvas.revision ? run.weight(limits) : nil }
        return window.weight(after: revision).map { $0 + run.weight(limits) }
    }

    /// Whether so much was committed since the last snapshot that another should be stored.
    var isSnapshotDue: Bool {
        bytesSinceSnapshot + run.weight(limits) >= max(limits.snapshotStoreBytes, snapshotBytes / 2)
    }

    /// The first revision that `reaches` holds for, and for all after it.
    var horizon: Revision { max(logBase, min(window.base, trail.base)) }

    /// Whether a reader at `cursor` can be brought up to date by commits, from the window or the log.
    func reaches(_ cursor: Revision) -> Bool {
        cursor <= canvas.revision && cursor >= logBase && (window.covers(cursor) || cursor >= trail.base)
    }

    /// Encodes records read from the log after `cursor` for a reader; nil if they do not fit what is known of the log.
    func encode(_ records: [LogRecord], after cursor: Revision) -> (bytes: [UInt8], last: Revision)? {
        var encoder = CommitRunEncoder()
        var last = cursor
        var numbers: [SiteID: SequenceNumber] = [:]
        for record in records where record.revision <= canvas.revision {
            guard record.revision == last + 1, record.id.sequence > numbers[record.id.site] ?? 0,
                let commit = try? Self.commit(record)
            else { return nil }
            numbers[record.id.site] = record.id.sequence
            encoder.append(commit)
            last = record.revision
        }
        guard last > cursor, last > trail.base else { return nil }
        return (encoder.message(digest: trail[last]), last)
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

/// A run of commits that more may be added to.
private struct OpenRun: Sendable {
    private(set) var encoder = CommitRunEncoder()
    private(set) var count = 0
    /// Bytes of its transactions, encoded alone.
    private var byteCount = 0

    /// Bytes of a commit in a run besides its transaction, at most: its site, number and time.
    private static let headBytes = 32

    mutating func append(_ commit: Commit, byteCount: Int) {
        encoder.append(commit)
        count += 1
        self.byteCount += byteCount
    }

    /// What it counts for beside a snapshot, encoded alone.
    func weight(_ limits: RoomLimits) -> UInt64 { UInt64(byteCount) + UInt64(count) * limits.commitOverheadBytes }

    /// Whether it stays within a frame, and a part of the window, with one more.
    func hasRoom(for byteCount: Int, _ limits: RoomLimits) -> Bool {
        let bytes = self.byteCount + byteCount + (count + 1) * Self.headBytes
        return count < max(1, limits.windowCommits / 4)
            && bytes <= min(ProtocolLimits.frameBytes, limits.windowBytes / 4)
    }
}
