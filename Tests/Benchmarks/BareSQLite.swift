import CSQLite
import EaselCore
import EaselStorage

/// The rows of a log's entries put into SQLite with as little around it as can be: the same table and pragmas, no threads, checksums
/// or list of canvases.
final class BareSQLite {
    private var database: OpaquePointer?
    private var insert: OpaquePointer?
    private var lastRevision: Int64 = 0

    init(folder: String) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        sqlite3_open_v2(folder + "/bare.db", &database, flags, nil)
        run(
            """
            PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE commits(canvas INTEGER NOT NULL, revision INTEGER NOT NULL, site INTEGER NOT NULL,
            sequence INTEGER NOT NULL, time INTEGER NOT NULL, label TEXT NOT NULL, payload BLOB NOT NULL,
            checksum INTEGER NOT NULL, PRIMARY KEY(canvas, revision)) STRICT, WITHOUT ROWID
            """)
        sqlite3_prepare_v2(database, "INSERT INTO commits VALUES(1, ?1, ?2, ?3, ?4, ?5, ?6, 0)", -1, &insert, nil)
    }

    deinit {
        sqlite3_finalize(insert)
        sqlite3_close(database)
    }

    /// Puts rows in, in one transaction.
    func append(_ entries: [LogEntry]) {
        run("BEGIN IMMEDIATE")
        for entry in entries {
            lastRevision += 1
            sqlite3_bind_int64(insert, 1, lastRevision)
            sqlite3_bind_int64(insert, 2, Int64(entry.site.rawValue))
            sqlite3_bind_int64(insert, 3, Int64(entry.sequence))
            sqlite3_bind_int64(insert, 4, Int64(entry.time))
            easel_sqlite3_bind_text_copy(insert, 5, entry.label, Int32(entry.label.utf8.count))
            entry.payload.withUnsafeBytes { bytes in
                sqlite3_bind_blob64(insert, 6, bytes.baseAddress, UInt64(bytes.count), nil)
                let code = sqlite3_step(insert)
                precondition(code == SQLITE_DONE, "the row is put in")
            }
            sqlite3_reset(insert)
        }
        run("COMMIT")
    }

    private func run(_ sql: String) {
        let code = sqlite3_exec(database, sql, nil, nil, nil)
        precondition(code == SQLITE_OK, "SQLite runs the statement")
    }
}
