import EaselCore

/// `easel.db`, open and checked, with its statements prepared.
struct SQLiteDatabase {
    let connection: SQLiteConnection
    let begin: SQLiteStatement
    let commit: SQLiteStatement
    let findCanvas: SQLiteStatement
    let addCanvas: SQLiteStatement
    let setHead: SQLiteStatement
    let addCommit: SQLiteStatement
    let readCommits: SQLiteStatement
    let addSnapshot: SQLiteStatement
    let trimSnapshots: SQLiteStatement
    let listSnapshots: SQLiteStatement
    let readSnapshot: SQLiteStatement
    let listCanvases: SQLiteStatement

    init(path: String, durability: Durability, vfs: String?) throws(StorageError) {
        let connection = try SQLiteConnection(path: path, vfs: vfs)
        // No other process may read or write the file, even to checkpoint it; and the WAL index stays in memory.
        try connection.run("PRAGMA locking_mode = EXCLUSIVE")
        try SQLiteSchema.prepare(connection, path: path)
        try Self.configure(connection, path: path, durability: durability)
        self.connection = connection
        begin = try SQLiteStatement(connection, "BEGIN IMMEDIATE")
        commit = try SQLiteStatement(connection, "COMMIT")
        findCanvas = try SQLiteStatement(connection, "SELECT id, epoch, head, checksum FROM canvases WHERE name = ?1")
        addCanvas = try SQLiteStatement(
            connection, "INSERT INTO canvases(id, name, epoch, head, checksum) VALUES(?1, ?2, ?3, 0, ?4)")
        setHead = try SQLiteStatement(connection, "UPDATE canvases SET head = ?2, checksum = ?3 WHERE id = ?1")
        addCommit = try SQLiteStatement(
            connection,
            """
            INSERT INTO commits(canvas, revision, site, sequence, time, label, payload, checksum)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        readCommits = try SQLiteStatement(
            connection,
            """
            SELECT revision, site, sequence, time, label, payload, checksum FROM commits
            WHERE canvas = ?1 AND revision > ?2 ORDER BY revision
            """)
        addSnapshot = try SQLiteStatement(
            connection, "REPLACE INTO snapshots(canvas, revision, payload, checksum) VALUES(?1, ?2, ?3, ?4)")
        trimSnapshots = try SQLiteStatement(
            connection,
            """
            DELETE FROM snapshots WHERE canvas = ?1 AND revision NOT IN
            (SELECT revision FROM snapshots WHERE canvas = ?1 ORDER BY revision DESC
            LIMIT \(StorageLimits.snapshotsKept))
            """)
        listSnapshots = try SQLiteStatement(
            connection, "SELECT revision FROM snapshots WHERE canvas = ?1 ORDER BY revision DESC")
        readSnapshot = try SQLiteStatement(
            connection, "SELECT payload, checksum FROM snapshots WHERE canvas = ?1 AND revision = ?2")
        listCanvases = try SQLiteStatement(
            connection, "SELECT name, id, epoch, head, checksum FROM canvases ORDER BY name")
        try checkCanvases()
    }

    private static func configure(
        _ connection: SQLiteConnection, path: String, durability: Durability
    ) throws(StorageError) {
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw StorageError(
                .noAccess, "The disk of \(path) cannot hold a write-ahead log. Put the data folder on a local disk.")
        }
        let synchronous = durability == .full ? "FULL" : "NORMAL"
        // The store checkpoints by itself, after completions have been called, so no append waits for one.
        try connection.run(
            """
            PRAGMA synchronous = \(synchronous);
            PRAGMA journal_size_limit = \(StorageLimits.keptWALBytes);
            PRAGMA cache_size = -\(StorageLimits.pageCacheBytes / 1_024);
            PRAGMA mmap_size = 0;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON
            """)
    }

    /// A canvas whose name was damaged would look as if it had never existed, so the list is checked whole before it is used.
    private func checkCanvases() throws(StorageError) {
        guard try connection.text("PRAGMA integrity_check(canvases)") == "ok" else { throw Self.damagedList }
        defer { listCanvases.reset() }
        while try nextCanvas() != nil {}
    }

    /// The next row of `listCanvases`; nil at its end.
    func nextCanvas() throws(StorageError) -> CanvasSummary? {
        guard try listCanvases.step() else { return nil }
        guard let canvas = CanvasID(listCanvases.text(0)) else { throw Self.damagedList }
        let summary = CanvasSummary(canvas: canvas, epoch: listCanvases.unsigned(2), head: listCanvases.unsigned(3))
        let checksum = RecordChecksum(canvas).canvas(
            key: listCanvases.integer(1), epoch: summary.epoch, head: summary.head)
        guard checksum == listCanvases.integer(4) else { throw Self.damagedList }
        return summary
    }

    private static let damagedList = StorageError(
        .damaged, "The list of canvases is damaged. Restore the data folder from a backup.")
}
