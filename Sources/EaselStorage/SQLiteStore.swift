internal import CSQLite
import EaselCore

/// What `SQLiteLog` does on its storage thread; used by that thread only.
///
/// The rule after a failed write: the file is not trusted until it has been reopened and a full checkpoint has succeeded. A failed
/// sync may have left commits in the write-ahead log that can be read but are not on the disk, and the system reports that only
/// once; the checkpoint carries everything that can be read into the database file and syncs that.
final class SQLiteStore {
    enum State {
        case trusted(SQLiteDatabase)
        /// A write failed with `cause`. `opened` is the reopened file, as far as that came. Reads go on if all that failed was
        /// room for a write, for then nothing unsynced can be read.
        case suspect(opened: SQLiteDatabase?, cause: StorageError)
    }

    private let folder: DataFolder
    private let durability: Durability
    private let vfs: String?
    private let upgrading: Bool
    let makeEpoch: @Sendable () -> UInt64
    let count: StorageCounter
    private var state: State
    /// Rows as of the last commit.
    var known: [CanvasID: CanvasRow] = [:]
    /// Canvases whose last load found damage; they take no appends.
    var damaged: [CanvasID: StorageError] = [:]

    init(
        folder: DataFolder, durability: Durability, vfs: String?, upgrading: Bool = true,
        makeEpoch: @escaping @Sendable () -> UInt64, count: StorageCounter
    ) throws(StorageError) {
        self.folder = folder
        self.durability = durability
        self.vfs = vfs
        self.upgrading = upgrading
        self.makeEpoch = makeEpoch
        self.count = count
        try folder.checkFilesBelongTogether()
        state = .trusted(
            try SQLiteDatabase(path: folder.database, durability: durability, vfs: vfs, upgrading: upgrading))
    }

    /// Works until the queue is closed and empty, then leaves a file without a write-ahead log.
    func run(_ queue: StorageQueue) {
        while let turn = queue.take() { perform(turn) }
        shutDown()
    }

    /// Leaves a file without a write-ahead log, and closes it before the folder can be another's.
    func shutDown() {
        if case .trusted(let database) = state {
            // Nothing depends on it: what was reported is durable in the write-ahead log.
            try? database.connection.checkpoint(truncating: true)
        }
        state = .suspect(opened: nil, cause: .closed)
    }

    private func perform(_ turn: StorageTurn) {
        let creationFailure = append(turn.appends, creating: turn.reads.compactMap(canvasToCreate))
        for job in turn.snapshots { job.completion(save(job.snapshot, of: job.canvas)) }
        for job in turn.works { job.run(self) }
        for job in turn.reads { serve(job, creationFailure: creationFailure) }
        checkpointIfDue()
        if known.count > StorageLimits.canvasesRemembered { known = [:] }
    }

    private func canvasToCreate(_ job: ReadJob) -> CanvasID? {
        guard case .load(let canvas, _) = job, known[canvas] == nil else { return nil }
        do {
            return try row(of: canvas, in: readable()) == nil ? canvas : nil
        } catch {
            // The load meets the same failure and reports it.
            return nil
        }
    }

    private func checkpointIfDue() {
        guard case .trusted(let database) = state,
            database.connection.walPages >= StorageLimits.checkpointPages
        else { return }
        // While somebody copies the files the write-ahead log grows, but not for ever: the copy then finds out and starts anew.
        let isAlone = folder.gate.beginCheckpoint()
        defer { if isAlone { folder.gate.release() } }
        guard isAlone || database.connection.walPages >= StorageLimits.heldWALPages else { return }
        do {
            try database.connection.checkpoint(truncating: false)
            count.change { $0.checkpoints += 1 }
        } catch {
            distrust(error)
        }
    }
}

// MARK: - Trust

extension SQLiteStore {
    /// The database for writing; tries to win trust back first.
    func writable() throws(StorageError) -> SQLiteDatabase {
        switch state {
        case .trusted(let database): return database
        case .suspect(let opened, let cause): return try recover(opened, cause: cause)
        }
    }

    /// The database for reading.
    func readable() throws(StorageError) -> SQLiteDatabase {
        switch state {
        case .trusted(let database): return database
        case .suspect(let opened?, let cause) where cause.isLackOfRoom: return opened
        case .suspect(let opened, let cause):
            do {
                return try recover(opened, cause: cause)
            } catch {
                guard case .suspect(let opened?, let cause) = state, cause.isLackOfRoom else { throw error }
                return opened
            }
        }
    }

    /// Closes the file, which was trusted, after a failed write.
    func distrust(_ cause: StorageError) {
        count.change { $0.failures += 1 }
        known = [:]
        state = .suspect(opened: nil, cause: cause)
    }

    private func recover(_ opened: SQLiteDatabase?, cause: StorageError) throws(StorageError) -> SQLiteDatabase {
        let database: SQLiteDatabase
        if let opened {
            database = opened
        } else {
            try folder.checkFilesBelongTogether()
            database = try SQLiteDatabase(
                path: folder.database, durability: durability, vfs: vfs, upgrading: upgrading)
            state = .suspect(opened: database, cause: cause)
        }
        do {
            try database.connection.checkpoint(truncating: true)
        } catch {
            state = .suspect(opened: database, cause: cause.isLackOfRoom ? error : cause)
            throw error
        }
        state = .trusted(database)
        return database
    }
}

extension StorageError {
    /// True if a write was refused for want of room, as opposed to a sync that failed.
    fileprivate var isLackOfRoom: Bool { code & 0xFF == SQLITE_FULL }
}
