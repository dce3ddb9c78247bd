import EaselCore

/// `easel.db`, open and checked, with its statements prepared.
struct SQLiteDatabase {
    let connection: SQLiteConnection
    let begin: SQLiteStatement
    let commit: SQLiteStatement
    let findCanvas: SQLiteStatement
    let addCanvas: SQLiteStatement
    let setCanvas: SQLiteStatement
    let addCommit: SQLiteStatement
    let readCommits: SQLiteStatement
    let addSnapshot: SQLiteStatement
    let trimSnapshots: SQLiteStatement
    let listSnapshots: SQLiteStatement
    let readSnapshot: SQLiteStatement
    let listCanvases: SQLiteStatement
    let versions: VersionStatements
    let trimming: TrimStatements

    /// Opens the file, or makes it. A file of an earlier format is upgraded, or only read: see `SQLiteSchema.prepare`.
    init(path: String, durability: Durability, vfs: String?, upgrading: Bool) throws(StorageError) {
        let connection = try SQLiteConnection(path: path, vfs: vfs)
        // No other process may read or write the file, even to checkpoint it; and the WAL index stays in memory.
        try connection.run("PRAGMA locking_mode = EXCLUSIVE")
        try SQLiteSchema.prepare(connection, path: path, upgrading: upgrading)
        try Self.configure(connection, path: path, durability: durability)
        self.connection = connection
        begin = try SQLiteStatement(connection, "BEGIN IMMEDIATE")
        commit = try SQLiteStatement(connection, "COMMIT")
        findCanvas = try SQLiteStatement(connection, "SELECT \(CanvasRow.columns) FROM canvases WHERE name = ?1")
        addCanvas = try SQLiteStatement(
            connection,
            "INSERT INTO canvases(id, name, epoch, head, base, bytes, checksum) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        setCanvas = try SQLiteStatement(
            connection,
            "UPDATE canvases SET epoch = ?3, head = ?4, base = ?5, bytes = ?6, checksum = ?7 WHERE id = ?1 AND name = ?2"
        )
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
            DELETE FROM snapshots WHERE canvas = ?1 AND revision <> ?2
            AND revision NOT IN (SELECT revision FROM versions WHERE canvas = ?1)
            AND revision NOT IN (SELECT revision FROM snapshots WHERE canvas = ?1 ORDER BY revision DESC LIMIT ?3)
            """)
        listSnapshots = try SQLiteStatement(
            connection, "SELECT revision FROM snapshots WHERE canvas = ?1 ORDER BY revision DESC")
        readSnapshot = try SQLiteStatement(
            connection, "SELECT payload, checksum FROM snapshots WHERE canvas = ?1 AND revision = ?2")
        listCanvases = try SQLiteStatement(connection, "SELECT \(CanvasRow.columns) FROM canvases ORDER BY name")
        versions = try VersionStatements(connection)
        trimming = try TrimStatements(connection)
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

    /// A canvas whose name was damaged would look as if it had never existed, and a version too, so these lists are checked
    /// whole before they are used.
    private func checkCanvases() throws(StorageError) {
        for table in ["canvases", "versions"] {
            // Of format 1 the list in memory is used, which was checked when it was made.
            let isInFile =
                try connection.integer("SELECT count(*) FROM temp.sqlite_schema WHERE name = '\(table)'") == 0
            guard isInFile else { continue }
            guard try connection.text("PRAGMA main.integrity_check(\(table))") == "ok" else {
                throw CanvasRow.damagedList
            }
        }
        defer { listCanvases.reset() }
        while try nextCanvas() != nil {}
    }

    /// The next row of `listCanvases`; nil at its end.
    func nextCanvas() throws(StorageError) -> CanvasRow? {
        guard try listCanvases.step() else { return nil }
        return try CanvasRow(listCanvases)
    }
}

/// Statements for named versions.
struct VersionStatements {
    let list: SQLiteStatement
    let add: SQLiteStatement
    let remove: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StorageError) {
        list = try SQLiteStatement(
            connection,
            "SELECT name, revision, time, author, checksum FROM versions WHERE canvas = ?1 ORDER BY revision, name")
        add = try SQLiteStatement(
            connection,
            "INSERT INTO versions(canvas, name, revision, time, author, checksum) VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
        remove = try SQLiteStatement(connection, "DELETE FROM versions WHERE canvas = ?1 AND name = ?2")
    }
}

/// Statements for trimming the log.
struct TrimStatements {
    let weigh: SQLiteStatement
    let sum: SQLiteStatement
    let first: SQLiteStatement
    let remove: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StorageError) {
        weigh = try SQLiteStatement(
            connection,
            """
            SELECT revision, time, \(EntryWeight.sql) FROM commits WHERE canvas = ?1 AND revision > ?2
            ORDER BY revision LIMIT \(StorageLimits.trimmedEntries)
            """)
        sum = try SQLiteStatement(
            connection,
            """
            SELECT coalesce(sum(\(EntryWeight.sql)), 0) FROM commits
            WHERE canvas = ?1 AND revision > ?2 AND revision <= ?3
            """)
        first = try SQLiteStatement(
            connection, "SELECT revision FROM commits WHERE canvas = ?1 ORDER BY revision LIMIT 1")
        remove = try SQLiteStatement(connection, "DELETE FROM commits WHERE canvas = ?1 AND revision <= ?2")
    }
}
