import EaselCore
internal import EaselSupport

struct AppendJob: Sendable {
    let canvas: CanvasID
    let entries: [LogEntry]
    let completion: StorageCompletion<Void>
    /// What the job counts for against the bound of a group, in bytes.
    let weight: Int

    init(canvas: CanvasID, entries: [LogEntry], completion: @escaping StorageCompletion<Void>) {
        self.canvas = canvas
        self.entries = entries
        self.completion = completion
        weight = entries.reduce(0) { $0 + $1.weight }
    }
}

struct SnapshotJob: Sendable {
    let canvas: CanvasID
    let snapshot: StoredSnapshot
    let completion: StorageCompletion<Void>
}

enum ReadJob: Sendable {
    case load(CanvasID, StorageCompletion<LoadedCanvas>)
    case page(CanvasID, after: Revision, limitBytes: Int, StorageCompletion<LogPage>)
    case list(StorageCompletion<[CanvasSummary]>)
}

/// Anything else that the storage thread is to do with its store, bounded in what it costs.
struct WorkJob: Sendable {
    let run: @Sendable (SQLiteStore) -> Void
}

/// What the storage thread does between two looks at the queue: the appends in one transaction, each snapshot in one of its
/// own, other work, then the reads.
struct StorageTurn: Sendable {
    var appends: [AppendJob] = []
    var snapshots: [SnapshotJob] = []
    var works: [WorkJob] = []
    var reads: [ReadJob] = []

    var count: Int { appends.count + snapshots.count + works.count + reads.count }
}

/// Calls on their way to the storage thread.
///
/// A turn takes all appends that wait (up to the bounds of a group) but only some of everything else. So appends never wait for
/// more than a few of those, and a read is never served before an append that was called earlier: as long as appends remain
/// waiting after a full group, nothing else is taken.
final class StorageQueue: Sendable {
    private struct Waiting {
        var calls = StorageTurn()
        var isClosed = false
        var isIdle = false
    }

    private let waiting = Locked(Waiting())
    private let wakeUp = WakeUp()

    var count: Int { waiting.withLock { $0.calls.count } }

    /// False, with nothing queued, once the queue is closed.
    func add(_ change: @Sendable (inout StorageTurn) -> Void) -> Bool {
        let (accepted, wakes) = waiting.withLock { waiting in
            guard !waiting.isClosed else { return (false, false) }
            change(&waiting.calls)
            let wasIdle = waiting.isIdle
            waiting.isIdle = false
            return (true, wasIdle)
        }
        if wakes { wakeUp.send() }
        return accepted
    }

    /// Lets nothing more in; the storage thread ends when what waits is done.
    func close() {
        let wakes = waiting.withLock { waiting in
            waiting.isClosed = true
            let wasIdle = waiting.isIdle
            waiting.isIdle = false
            return wasIdle
        }
        if wakes { wakeUp.send() }
    }

    /// Sleeps until there is something to do; nil when the queue is closed and empty.
    func take() -> StorageTurn? {
        while true {
            let (turn, isFinished) = waiting.withLock { waiting -> (StorageTurn?, Bool) in
                if waiting.calls.count > 0 { return (waiting.calls.takeTurn(), false) }
                waiting.isIdle = !waiting.isClosed
                return (nil, waiting.isClosed)
            }
            if let turn { return turn }
            if isFinished { return nil }
            wakeUp.wait()
        }
    }
}

extension StorageTurn {
    fileprivate mutating func takeTurn() -> StorageTurn {
        var turn = StorageTurn()
        turn.appends = takeGroup()
        guard appends.isEmpty else { return turn }
        turn.snapshots = Array(snapshots.prefix(StorageLimits.snapshotsInTurn))
        snapshots.removeFirst(turn.snapshots.count)
        turn.works = Array(works.prefix(StorageLimits.worksInTurn))
        works.removeFirst(turn.works.count)
        turn.reads = Array(reads.prefix(StorageLimits.readsInTurn))
        reads.removeFirst(turn.reads.count)
        return turn
    }

    private mutating func takeGroup() -> [AppendJob] {
        var bytes = 0
        var taken = 0
        for job in appends.prefix(StorageLimits.appendsInGroup) {
            bytes += job.weight
            if bytes > StorageLimits.bytesInGroup, taken > 0 { break }
            taken += 1
        }
        let group = Array(appends.prefix(taken))
        appends.removeFirst(taken)
        return group
    }
}
