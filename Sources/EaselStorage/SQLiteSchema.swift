/// The format of `easel.db`, version 1.
enum SQLiteSchema {
    /// "Easl" in ASCII, in the file's header: says whose file it is.
    static let applicationID: Int64 = 0x4561_736C
    static let version: Int64 = 1

    /// The tables, exactly as the file holds them.
    ///
    /// `commits` is kept in the order it is read. `canvases.head` is the newest revision once more: a damaged page can make
    /// the last commits look as if they had never been, and only the head shows that they were.
    static let tables = [
        """
        CREATE TABLE canvases(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL, \
        head INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT
        """,
        """
        CREATE TABLE commits(canvas INTEGER NOT NULL, revision INTEGER NOT NULL, site INTEGER NOT NULL, \
        sequence INTEGER NOT NULL, time INTEGER NOT NULL, label TEXT NOT NULL, payload BLOB NOT NULL, \
        checksum INTEGER NOT NULL, PRIMARY KEY(canvas, revision)) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE snapshots(canvas INTEGER NOT NULL, revision INTEGER NOT NULL, payload BLOB NOT NULL, \
        checksum INTEGER NOT NULL, PRIMARY KEY(canvas, revision)) STRICT
        """,
    ]

    /// Creates the format in an empty file, or refuses a file that is not in it. Never changes a file that has content.
    static func prepare(_ connection: SQLiteConnection, path: String) throws(StorageError) {
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
        for table in tables {
            let statement = try SQLiteStatement(connection, "SELECT 1 FROM sqlite_schema WHERE sql = ?1")
            statement.bind(1, table)
            guard found == version, try statement.step() else {
                throw StorageError(
                    .damaged, "The table list of \(path) is damaged. Restore the data folder from a backup.")
            }
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
}
