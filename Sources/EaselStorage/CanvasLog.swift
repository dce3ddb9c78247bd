public import EaselCore

/// Receives the outcome of one call. Called exactly once.
public typealias StorageCompletion<Value> = @Sendable (Result<Value, StorageError>) -> Void

/// The log of every canvas, and snapshots that shorten its reading.
///
/// Two promises: the entries of one canvas have one total order without gaps, and an append reported as successful is durable.
///
/// No call blocks for the store and none throws: each ends in one call of its completion. Completions run on the storage thread
/// (`SQLiteLog`) or on the caller's thread before the call returns (`MemoryLog`, and any log after `close()`), so they should
/// only hand the outcome on. Appends complete in the order they were called. A load, read, snapshot or list sees every append
/// that was called before it; it may see later ones too.
///
/// **After an append failed** with anything but `.conflict`, `.tooLarge` or `.closed`, whether it is in the log is open: load the
/// canvas again and look. The log itself recovers by its own means; later calls succeed when the cause is gone.
public protocol CanvasLog: Sendable {
    /// Gives the newest sound snapshot of `canvas` and all entries after it. A canvas the store has never seen is created, empty
    /// and durably, with a fresh epoch.
    ///
    /// A damaged entry does not fail the call: what comes before it is given, with `LoadedCanvas.damage` set.
    /// Complexity: linear in the bytes given.
    func load(_ canvas: CanvasID, completion: @escaping StorageCompletion<LoadedCanvas>)

    /// Appends `entries` to the log of `canvas`, all or none. No entries is a success that does nothing.
    ///
    /// The revisions must continue the head of the log without gap, else the error is `.conflict` with the head as its
    /// `revision` and nothing else is affected. An error `.damaged` says that the last load found damage.
    func append(_ canvas: CanvasID, _ entries: [LogEntry], completion: @escaping StorageCompletion<Void>)

    /// Gives entries after revision `after`, in order, until the next one would take the page past `limitBytes` (labels,
    /// payloads and a constant for each entry); at least one entry if there is any. An unknown canvas has an empty page. If
    /// entries behind `after` were trimmed the error is `.trimmed`, never a page with a hole.
    func read(
        _ canvas: CanvasID, after: Revision, limitBytes: Int, completion: @escaping StorageCompletion<LogPage>)

    /// Keeps `snapshot`, of a revision from 1 to the head of the log (else `.conflict`). Of a canvas stay the newest
    /// `StorageLimits.snapshotsKept`, the one its log begins at, and those of named revisions.
    func saveSnapshot(
        _ canvas: CanvasID, _ snapshot: StoredSnapshot, completion: @escaping StorageCompletion<Void>)

    /// Tells what there is of `canvas`, its named versions above all; nil of a canvas the store has never seen.
    func outline(_ canvas: CanvasID, completion: @escaping StorageCompletion<CanvasOutline?>)

    /// Names a revision or takes a name away, durably, and gives the versions there are then.
    ///
    /// Refused with `.nameTaken`, `.tooMany`, `.tooLarge` (the name), `.conflict` (no such revision), `.trimmed` or `.noSuchName`.
    func changeVersions(
        _ canvas: CanvasID, _ change: VersionChange, completion: @escaping StorageCompletion<[NamedVersion]>)

    /// Gives the newest sound snapshot of a revision up to `revision`, from which the canvas at `revision` can be made with the
    /// entries between; nil if it can be made from the empty canvas. Of a revision that is not kept the error is `.trimmed`; a
    /// named one always is.
    func snapshot(
        _ canvas: CanvasID, atMost revision: Revision, completion: @escaping StorageCompletion<StoredSnapshot?>)

    /// Tells how far the log of `canvas` may be trimmed, and which snapshots that needs; nil if not at all. `now` is the time that
    /// entries' times are compared with.
    func planTrim(
        _ canvas: CanvasID, keeping retention: Retention, now: UInt64,
        completion: @escaping StorageCompletion<TrimPlan?>)

    /// Takes the entries up to the revision of `snapshot` out of the log, which from then on begins with that snapshot.
    ///
    /// Refused with `.conflict`, with nothing changed, unless two snapshots of that revision or later are kept (so that one may be
    /// damaged) and every older named revision has a sound one. Completes when the entries are gone.
    func trim(_ canvas: CanvasID, to snapshot: StoredSnapshot, completion: @escaping StorageCompletion<Void>)

    /// Lists all canvases, ordered by the bytes of their names.
    func canvases(completion: @escaping StorageCompletion<[CanvasSummary]>)

    /// Finishes every call made so far, then releases the store; returns when all that is done. Later calls fail with `.closed`.
    /// Closing twice does nothing. A completion must not call it.
    func close()
}
