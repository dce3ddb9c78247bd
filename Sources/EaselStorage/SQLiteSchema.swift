/// The format of `easel.db`, version 2; and version 1, which is read and can be upgraded.
enum SQLiteSchema {
    /// "Easl" in ASCII, in the file's header: says whose file it is.
    static let applicationID: Int64 = 0x4561_736C
    static let version: Int64 = 2

    /// The tables of version 2, exactly as the file holds them.
    ///
    /// `commits` is kept in the order it is read. `canvases.head` is the newest revision once more: a damaged page can make
    /// the last commits look as if they had never been, and only the head shows that they were. For the same reason
    /// `canvases.base` says after which revision the commits are kept, and `canvases.bytes` what those count for against a
    /// retention by bytes. A canvas whose base is not 0 has a snapshot of that revision.
    static let tables = [canvases, commits, snapshots, versions]

    /// The tables of version 1, exactly as the file holds them.
    private static let firstTables = [
        """
        CREATE TABLE canvases(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL, \
        head INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT
        """, commits, snapshots,
    ]

    private static let canvases = "CREATE TABLE canvases\(canvasColumns)"
    private static let canvasColumns = """
        (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL, \
        head INTEGER NOT NULL, base INTEGER NOT NULL, bytes INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT
        """
    private static let commits = """
        CREATE TABLE commits(canvas INTEGER NOT NULL, revision INTEGER NOT NULL, site INTEGER NOT NULL, \
        sequence INTEGER NOT NULL, time INTEGER NOT NULL, label TEXT NOT NULL, payload BLOB NOT NULL, \
        checksum INTEGER NOT NULL, PRIMARY KEY(canvas, revision)) STRICT, WITHOUT ROWID
        """
    private static let snapshots = """
        CREATE TABLE snapshots(canvas INTEGER NOT NULL, revision INTEGER NOT NULL, payload BLOB NOT NULL, \
        checksum INTEGER NOT NULL, PRIMARY KEY(canvas, revision)) STRICT
        """
    private static let versions = "CREATE TABLE versions\(versionColumns)"
    private static let versionColumns = """
        (canvas INTEGER NOT NULL, name TEXT NOT NULL, revision INTEGER NOT NULL, time INTEGER NOT NULL, \
        author TEXT NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY(canvas, name)) STRICT, WITHOUT ROWID
        """

    /// Creates the format in an empty file, or refuses a file that is in none that is known. Never changes a file that has
    /// content, but for an upgrade.
    ///
    /// - Parameter upgrading: Whether a file of version 1 becomes one of version 2, whole or not at all. If not, it stays as it
    ///   is, and the connection gets tables of version 2 in memory beside it, for reading only.
    static func prepare(_ connection: SQLiteConnection, path: String, upgrading: Bool) throws(StorageError) {
        do {
            if try connection.integer("PRAGMA page_count") == 0 { return try create(connection) }
        } catch  where error.kind == .foreign {
            throw StorageError(
                .foreign,
                "\(path) is not a database, or its start is damaged. Move it away, choose another data folder, or "
                    + "restore a backup.",
                code: error.code)
        }
        guard try connection.integer("PRAGMA application_id") == applicationID else {
            throw StorageError(
                .foreign,
                "\(path) is a database, but not one of Easel's. Move it away or choose another data folder.")
        }
        let found = try connection.integer("PRAGMA user_version")
        guard found <= version else {
            throw StorageError(
                .newerFormat,
                "\(path) is in format \(found); this Easel reads up to format \(version). Install a newer Easel.")
        }
        for table in found == 1 ? firstTables : tables {
            let statement = try SQLiteStatement(connection, "SELECT 1 FROM sqlite_schema WHERE sql = ?1")
            statement.bind(1, table)
            guard found >= 1, try statement.step() else {
                throw StorageError(
                    .damaged, "The table list of \(path) is damaged. Restore the data folder from a backup.")
            }
        }
        if found == 1 {
            let rows = try firstRows(connection)
            if upgrading { try upgrade(connection, rows) } else { try shadow(connection, rows) }
        }
    }

    private static func create(_ connection: SQLiteConnection) throws(StorageError) {
        // Before WAL is switched on: a crash on the way leaves an empty file or a whole one.
        try connection.run("PRAGMA synchronous = FULL")
        try connection.run(
            """
            BEGIN IMMEDIATE;
            PRAGMA application_id = \(applicationID);
            PRAGMA user_version = \(version);
            \(tables.joined(separator: ";\n"));
            COMMIT
            """)
    }

    // MARK: Version 1

    /// The list of canvases of a file of version 1, with what version 2 says of each besides.
    private static func firstRows(_ connection: SQLiteConnection) throws(StorageError) -> [CanvasRow] {
        guard try connection.text("PRAGMA integrity_check(canvases)") == "ok" else { throw CanvasRow.damagedList }
        let list = try SQLiteStatement(connection, "SELECT name, id, epoch, head, checksum FROM canvases ORDER BY name")
        var rows: [CanvasRow] = []
        while try list.step() {
            rows.append(
                try CanvasRow(
                    name: list.text(0), key: list.integer(1), epoch: list.unsigned(2), head: list.unsigned(3),
                    firstChecksum: list.integer(4)))
        }
        for index in rows.indices { rows[index].byteCount = try weight(of: rows[index].key, connection) }
        return rows
    }

    /// What the commits of a canvas count for. Damage among them is the business of whoever reads them: the number is then 0,
    /// and the log is trimmed later than it might be.
    private static func weight(of key: Int64, _ connection: SQLiteConnection) throws(StorageError) -> Int64 {
        do throws(StorageError) {
            return try connection.integer(
                "SELECT coalesce(sum(\(EntryWeight.sql)), 0) FROM commits WHERE canvas = \(key)")
        } catch {
            guard error.kind == .damaged else { throw error }
            return 0
        }
    }

    private static func upgrade(_ connection: SQLiteConnection, _ rows: [CanvasRow]) throws(StorageError) {
        try connection.run(
            """
            PRAGMA synchronous = FULL;
            BEGIN IMMEDIATE;
            DROP TABLE canvases;
            \(canvases);
            \(versions);
            PRAGMA user_version = \(version)
            """)
        try add(rows, to: "canvases", connection)
        try connection.run("COMMIT")
    }

    private static func shadow(_ connection: SQLiteConnection, _ rows: [CanvasRow]) throws(StorageError) {
        try connection.run(
            """
            PRAGMA temp_store = MEMORY;
            CREATE TEMP TABLE canvases\(canvasColumns);
            CREATE TEMP TABLE versions\(versionColumns)
            """)
        try add(rows, to: "temp.canvases", connection)
    }

    private static func add(
        _ rows: [CanvasRow], to table: String, _ connection: SQLiteConnection
    ) throws(StorageError) {
        let insert = try SQLiteStatement(
            connection,
            "INSERT INTO \(table)(id, name, epoch, head, base, bytes, checksum) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        for row in rows {
            row.bind(to: insert)
            try insert.run()
        }
    }
}
