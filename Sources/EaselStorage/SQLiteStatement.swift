internal import CSQLite

/// One prepared statement, kept and run many times.
final class SQLiteStatement {
    private let connection: SQLiteConnection
    private let handle: OpaquePointer
    /// The first binding that failed; reported by the next step.
    private var bindingCode = SQLITE_OK

    init(_ connection: SQLiteConnection, _ sql: String) throws(StorageError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw connection.failure("prepare a statement", code) }
        self.connection = connection
        handle = prepared
    }

    deinit {
        sqlite3_finalize(handle)
    }

    func bind(_ index: Int32, _ value: Int64) {
        note(sqlite3_bind_int64(handle, index, value))
    }

    func bind(_ index: Int32, _ text: String) {
        note(easel_sqlite3_bind_text_copy(handle, index, text, Int32(text.utf8.count)))
    }

    /// True if there is a row to look at, false at the end.
    func step() throws(StorageError) -> Bool {
        guard bindingCode == SQLITE_OK else { throw connection.failure("take a value", bindingCode) }
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw connection.failure("read or write a record", code)
        }
    }

    /// Ready to be bound and run again.
    func reset() {
        sqlite3_reset(handle)
        bindingCode = SQLITE_OK
    }

    /// Runs to the end and resets.
    func run() throws(StorageError) {
        defer { reset() }
        while try step() {}
    }

    /// Runs to the end and resets, with `bytes` as the blob at `index`, uncopied.
    func run(blob bytes: [UInt8], at index: Int32) throws(StorageError) {
        let outcome = bytes.withUnsafeBytes { buffer -> Result<Void, StorageError> in
            if buffer.isEmpty {
                // A null pointer would be bound as NULL, and an empty buffer may have one.
                note(sqlite3_bind_zeroblob(handle, index, 0))
            } else {
                note(sqlite3_bind_blob64(handle, index, buffer.baseAddress, UInt64(buffer.count), nil))
            }
            defer { sqlite3_bind_null(handle, index) }
            return Result { () throws(StorageError) in try run() }
        }
        try outcome.get()
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func unsigned(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

    /// Bytes that are no UTF-8 are replaced, which the record's checksum then shows.
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func blob(_ column: Int32) -> [UInt8] { Array(bytes(column)) }

    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        guard let pointer = sqlite3_column_blob(handle, column) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: pointer, count: Int(sqlite3_column_bytes(handle, column)))
    }

    private func note(_ code: Int32) {
        if bindingCode == SQLITE_OK { bindingCode = code }
    }
}
