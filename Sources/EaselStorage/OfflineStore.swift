public import EaselCore

/// A data folder opened by one caller, on its own thread, to be checked or changed as a whole while no server runs.
///
/// Calls block and are not to be made from several threads. Unlike `SQLiteLog` it never creates a database.
public final class OfflineStore {
    let store: SQLiteStore
    private let upgrading: Bool
    private let folder: DataFolder

    /// Opens `easel.db` in `folder` and locks it.
    ///
    /// - Parameter upgrading: Whether a file of an earlier format is brought to the newest, as a server does. Else it stays as it
    ///   is, and must only be read.
    /// - Throws: as `SQLiteLog.init`, and `.noAccess` if the folder has no database.
    public init(folder: String, upgrading: Bool = false) throws(StorageError) {
        try DataFolder.checkHasDatabase(folder)
        let locked = try DataFolder(folder)
        self.folder = locked
        self.upgrading = upgrading
        store = try SQLiteStore(
            folder: locked, durability: .full, vfs: nil, upgrading: upgrading,
            makeEpoch: { preconditionFailure("no canvas is created") },
            count: StorageCounter())
    }

    deinit { store.shutDown() }

    /// Bytes that the database takes on the disk, its write-ahead log included.
    public var byteCount: Int {
        (DataFolder.size(folder.database) ?? 0) + (DataFolder.size(folder.database + "-wal") ?? 0)
    }

    // MARK: Reading

    /// Lists as `CanvasLog.canvases` does.
    public func canvases() throws(StorageError) -> [CanvasSummary] { try store.list() }

    /// Reads as `CanvasLog.read` does.
    public func read(_ canvas: CanvasID, after: Revision, limitBytes: Int) throws(StorageError) -> LogPage {
        try store.page(of: canvas, after: after, limitBytes: limitBytes)
    }

    /// The revisions that a canvas has snapshots of, the newest first.
    public func snapshotRevisions(of canvas: CanvasID) throws(StorageError) -> [Revision] {
        let database = try store.readable()
        guard let row = try store.row(of: canvas, in: database) else { return [] }
        return try store.snapshotRevisions(row, in: database)
    }

    /// Reads the snapshot of a revision; nil if it is not what was written.
    public func snapshot(of canvas: CanvasID, at revision: Revision) throws(StorageError) -> StoredSnapshot? {
        let database = try store.readable()
        guard let row = try store.row(of: canvas, in: database) else { return nil }
        return try store.snapshot(row, at: revision, in: database)
    }

    /// Reads every snapshot of a canvas, the newest first; a damaged one is an error with its revision.
    public func snapshots(of canvas: CanvasID) throws(StorageError) -> [Result<StoredSnapshot, StorageError>] {
        try store.snapshots(of: canvas)
    }

    /// Gives the newest sound snapshot from which a revision can be made, as `CanvasLog.snapshot` does.
    public func snapshot(of canvas: CanvasID, atMost revision: Revision) throws(StorageError) -> StoredSnapshot? {
        try store.snapshot(of: canvas, atMost: revision)
    }

    /// Tells what there is of a canvas, as `CanvasLog.outline` does.
    public func outline(of canvas: CanvasID) throws(StorageError) -> CanvasOutline? {
        try store.outline(of: canvas)
    }

    // MARK: Checking

    /// What is wrong with the file as SQLite sees it: pages, order of keys, indexes and types. A sentence each; none if it is sound.
    ///
    /// Complexity: linear in the size of the file.
    public func fileFlaws() throws(StorageError) -> [String] {
        let check = try SQLiteStatement(store.readable().connection, "PRAGMA integrity_check")
        var flaws: [String] = []
        while try check.step() { flaws.append(check.text(0)) }
        return flaws == ["ok"] ? [] : flaws
    }

    /// Records that belong to no canvas, or to a revision that their canvas has not reached. A sentence each.
    public func strayRecords() throws(StorageError) -> [String] {
        var sentences: [String] = []
        for (table, word) in [("commits", "entries"), ("snapshots", "snapshots"), ("versions", "versions")] {
            let find = try SQLiteStatement(
                store.readable().connection,
                """
                SELECT \(table).canvas, canvases.name, count(*), min(revision), max(revision)
                FROM \(table) LEFT JOIN canvases ON canvases.id = \(table).canvas
                WHERE canvases.name IS NULL OR revision < 1 OR revision > head GROUP BY \(table).canvas
                """)
            while try find.step() {
                let name = find.text(1)
                let owner = name.isEmpty ? "no canvas (number \(find.integer(0)))" : "canvas \(name) beyond its head"
                sentences.append(
                    "\(find.integer(2)) \(word) of \(owner), revisions \(find.integer(3)) to \(find.integer(4))")
            }
        }
        return sentences
    }

    // MARK: Changing

    /// Gives every canvas an epoch that it did not have, in one transaction, so that clients know that this is another history.
    ///
    /// The store must have been opened with `upgrading`.
    ///
    /// - Parameter makeEpoch: Gives a number from 1 to `StorageLimits.largestEpoch`, another at each call.
    public func renewEpochs(makeEpoch: () -> UInt64) throws(StorageError) {
        precondition(upgrading, "the list of canvases is written in the newest format only")
        try store.renewEpochs(makeEpoch: makeEpoch)
    }

    /// Removes the snapshots of a canvas that are older than its newest, if that one is sound, but not the one its log begins at
    /// nor those of named revisions. Gives how many.
    public func removeOldSnapshots(of canvas: CanvasID) throws(StorageError) -> Int {
        try store.removeOldSnapshots(of: canvas)
    }

    /// Writes the file anew without unused space. Needs free space for two more copies of it while it runs.
    ///
    /// Complexity: linear in the size of the file.
    public func vacuum() throws(StorageError) {
        let connection = try store.writable().connection
        try connection.run("VACUUM")
        try connection.checkpoint(truncating: true)
    }
}
