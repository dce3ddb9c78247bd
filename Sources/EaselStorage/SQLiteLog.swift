public import EaselCore
internal import EaselSupport

/// The log in a SQLite file, `easel.db`, in a data folder that one process has to itself.
///
/// One thread owns the one connection. Appends that arrive while it syncs share its next transaction (group commit), so many
/// writers cost few syncs. The file is in WAL mode; do not copy it alone while the log is open, and let no other program open it.
public final class SQLiteLog: CanvasLog {
    let queue: StorageQueue
    private let thread: StorageThread
    private let counter: StorageCounter
    private let isJoined = Locked(false)

    /// Opens `easel.db` in `folder`, which must exist, or creates it there.
    ///
    /// - Parameters:
    ///   - durability: What an append survives once it is reported.
    ///   - makeEpoch: Gives each new canvas its epoch, from 1 to `StorageLimits.largestEpoch`; should never repeat. Called on
    ///     the storage thread.
    /// - Throws: `.noAccess`, `.inUse`, `.foreign`, `.newerFormat`, `.damaged`, `.full` or `.io`; the files are then as before.
    ///
    /// Blocks while the file is opened and recovered. Complexity: linear in the number of canvases and the bytes written since
    /// the last checkpoint.
    public convenience init(
        folder: String, durability: Durability = .full,
        makeEpoch: @escaping @Sendable () -> UInt64 = { UInt64.random(in: 1...StorageLimits.largestEpoch) }
    ) throws(StorageError) {
        try self.init(folder: folder, durability: durability, makeEpoch: makeEpoch, vfs: nil)
    }

    /// As above, with the name of a registered SQLite VFS to do the file work, so that tests can make it fail.
    package init(
        folder: String, durability: Durability, makeEpoch: @escaping @Sendable () -> UInt64, vfs: String?
    ) throws(StorageError) {
        let queue = StorageQueue()
        let counter = StorageCounter()
        let store = try SQLiteStore(
            folder: DataFolder(folder), durability: durability, vfs: vfs, makeEpoch: makeEpoch, count: counter)
        thread = try StorageThread.start { store.run(queue) }
        self.queue = queue
        self.counter = counter
    }

    deinit {
        queue.close()
        if !isJoined.withLock({ $0 }) { thread.detach() }
    }

    /// How much was done so far, and how much waits. May be asked from any thread.
    public var statistics: StorageStatistics {
        var statistics = counter.value
        statistics.waiting = queue.count
        return statistics
    }

    /// Loads as `CanvasLog.load` says, checking the checksum of every record it gives.
    public func load(_ canvas: CanvasID, completion: @escaping StorageCompletion<LoadedCanvas>) {
        let accepted = queue.add { $0.reads.append(.load(canvas, completion)) }
        if !accepted { completion(.failure(.closed)) }
    }

    /// Appends as `CanvasLog.append` says, in one transaction with all other appends that wait by then.
    public func append(_ canvas: CanvasID, _ entries: [LogEntry], completion: @escaping StorageCompletion<Void>) {
        let job = AppendJob(canvas: canvas, entries: entries, completion: completion)
        let accepted = queue.add { $0.appends.append(job) }
        if !accepted { completion(.failure(.closed)) }
    }

    /// Reads as `CanvasLog.read` says, checking the checksum of every entry it gives.
    public func read(
        _ canvas: CanvasID, after: Revision, limitBytes: Int, completion: @escaping StorageCompletion<LogPage>
    ) {
        let accepted = queue.add {
            $0.reads.append(.page(canvas, after: after, limitBytes: limitBytes, completion))
        }
        if !accepted { completion(.failure(.closed)) }
    }

    /// Saves as `CanvasLog.saveSnapshot` says, in a transaction of its own: appends wait while a large one is written.
    public func saveSnapshot(
        _ canvas: CanvasID, _ snapshot: StoredSnapshot, completion: @escaping StorageCompletion<Void>
    ) {
        let job = SnapshotJob(canvas: canvas, snapshot: snapshot, completion: completion)
        let accepted = queue.add { $0.snapshots.append(job) }
        if !accepted { completion(.failure(.closed)) }
    }

    /// Lists as `CanvasLog.canvases` says.
    public func canvases(completion: @escaping StorageCompletion<[CanvasSummary]>) {
        let accepted = queue.add { $0.reads.append(.list(completion)) }
        if !accepted { completion(.failure(.closed)) }
    }

    /// Finishes every call made so far, empties the write-ahead log into the database file, and lets the data folder go.
    public func close() {
        precondition(!thread.isCurrent, "close waits for the storage thread, so a completion may not call it")
        queue.close()
        isJoined.withLock { isJoined in
            if !isJoined { thread.join() }
            isJoined = true
        }
    }
}

/// Statistics that the storage thread changes and others read.
final class StorageCounter: Sendable {
    private let statistics = Locked(StorageStatistics())

    var value: StorageStatistics { statistics.withLock { $0 } }

    func change(_ body: (inout StorageStatistics) -> Void) {
        statistics.withLock { body(&$0) }
    }
}
