internal import CSQLite
internal import Glibc

/// One SQLite database handle. Used by one thread at a time: it is opened without SQLite's own locking.
///
/// Statements hold it, so it closes when the last of them is gone.
final class SQLiteConnection {
    let handle: OpaquePointer
    /// Pages in the write-ahead log after the last commit; written by SQLite's hook.
    private let pagesInWAL: UnsafeMutablePointer<Int32>

    /// Opens or creates the file at `path` through the named VFS (nil: the system's).
    init(path: String, vfs: String?) throws(StorageError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, vfs)
        guard let opened else {
            throw StorageError(.io, "There is no memory to open \(path).", code: code)
        }
        handle = opened
        pagesInWAL = .allocate(capacity: 1)
        pagesInWAL.initialize(to: 0)
        guard code == SQLITE_OK else { throw failure("open \(path)", code) }
        _ = sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, pagesInWAL)
    }

    deinit {
        let code = sqlite3_close(handle)
        precondition(code == SQLITE_OK, "statements outlive no connection")
        pagesInWAL.deallocate()
    }

    var walPages: Int32 { pagesInWAL.pointee }

    /// Runs statements that give no rows.
    func run(_ sql: String) throws(StorageError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure("run a statement", code) }
    }

    /// The first column of the first row as an integer; 0 without a row.
    func integer(_ sql: String) throws(StorageError) -> Int64 {
        let statement = try SQLiteStatement(self, sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// The first column of the first row as text; empty without a row.
    func text(_ sql: String) throws(StorageError) -> String {
        let statement = try SQLiteStatement(self, sql)
        return try statement.step() ? statement.text(0) : ""
    }

    /// Copies the whole write-ahead log into the database file and syncs both. The log file is then cut to nothing if
    /// `truncating`, else overwritten from its start, which saves the file system work.
    func checkpoint(truncating: Bool) throws(StorageError) {
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_RESTART
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
        guard code == SQLITE_OK else { throw failure("copy the write-ahead log into the database", code) }
        pagesInWAL.pointee = 0
    }

    /// The error for a result code this connection just gave.
    func failure(_ what: String, _ code: Int32) -> StorageError {
        let systemCode = sqlite3_system_errno(handle)
        return StorageError(sqlite: code, systemCode: systemCode, what: what)
    }
}

extension StorageError {
    /// Sorts SQLite's result codes into kinds.
    init(sqlite code: Int32, systemCode: Int32, what: String) {
        let reason = String(cString: sqlite3_errstr(code))
        let failed = "The database could not \(what): \(reason)."
        let noSpace = systemCode == ENOSPC || systemCode == EDQUOT
        switch code & 0xFF {
        case SQLITE_FULL:
            self.init(.full, "\(failed) Free space on the disk of the data folder.", code: code, systemCode: systemCode)
        case SQLITE_IOERR where noSpace:
            self.init(.full, "\(failed) Free space on the disk of the data folder.", code: code, systemCode: systemCode)
        case SQLITE_CORRUPT, SQLITE_CONSTRAINT, SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_SCHEMA:
            self.init(
                .damaged, "\(failed) The file is damaged: restore the data folder from a backup.", code: code)
        case SQLITE_NOTADB:
            self.init(
                .foreign, "\(failed) Move the file away or choose another data folder, or restore a backup.", code: code
            )
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(
                .inUse, "\(failed) Another program has the file open: close it.", code: code, systemCode: systemCode)
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH:
            self.init(
                .noAccess, "\(failed) Give this user the right to read and write the data folder and its files.",
                code: code, systemCode: systemCode)
        case SQLITE_NOMEM:
            self.init(.io, "\(failed) Give the process more memory.", code: code)
        case SQLITE_TOOBIG:
            self.init(.tooLarge, failed, code: code)
        default:
            self.init(
                .io, "\(failed) Check the disk of the data folder and the system's log.", code: code,
                systemCode: systemCode)
        }
    }
}
