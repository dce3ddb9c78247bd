import EaselCore

/// A row of the list of canvases: what is known of a canvas without its records.
struct CanvasRow {
    let canvas: CanvasID
    let key: Int64
    var epoch: UInt64
    let checksum: RecordChecksum
    var head: Revision = 0
    /// The commits after this revision are kept.
    var base: Revision = 0
    /// What these commits count for: the sum of their weights. Only for trimming.
    var byteCount: Int64 = 0

    /// The row of a new canvas.
    init(_ canvas: CanvasID, key: Int64, epoch: UInt64) {
        self.canvas = canvas
        self.key = key
        self.epoch = epoch
        checksum = RecordChecksum(canvas)
    }

    /// The row that a statement stands on, which gives its `columns` in order.
    init(_ statement: SQLiteStatement) throws(StorageError) {
        guard let canvas = CanvasID(statement.text(0)) else { throw Self.damagedList }
        self.init(canvas, key: statement.integer(1), epoch: statement.unsigned(2))
        head = statement.unsigned(3)
        base = statement.unsigned(4)
        byteCount = statement.integer(5)
        guard statement.integer(6) == sum else { throw Self.damagedList }
    }

    /// A row as format 1 has it.
    init(name: String, key: Int64, epoch: UInt64, head: Revision, firstChecksum: Int64) throws(StorageError) {
        guard let canvas = CanvasID(name) else { throw Self.damagedList }
        self.init(canvas, key: key, epoch: epoch)
        self.head = head
        guard firstChecksum == checksum.firstCanvas(key: key, epoch: epoch, head: head) else { throw Self.damagedList }
    }

    static let columns = "name, id, epoch, head, base, bytes, checksum"

    /// The checksum of the row as it now is.
    var sum: Int64 { checksum.canvas(key: key, epoch: epoch, head: head, base: base, byteCount: byteCount) }

    /// Binds id, name, epoch, head, base, bytes and checksum to the first seven parameters.
    func bind(to statement: SQLiteStatement) {
        statement.bind(1, key)
        statement.bind(2, canvas.rawValue)
        statement.bind(3, Int64(bitPattern: epoch))
        statement.bind(4, Int64(bitPattern: head))
        statement.bind(5, Int64(bitPattern: base))
        statement.bind(6, byteCount)
        statement.bind(7, sum)
    }

    static let damagedList = StorageError(
        .damaged, "The list of canvases is damaged. Restore the data folder from a backup.")
}

/// What an entry counts for against the bound of a page, a group or a retention.
enum EntryWeight {
    /// The same as `LogEntry.weight`, of a row of `commits`.
    static let sql = "\(StorageLimits.entryOverheadBytes) + length(CAST(label AS BLOB)) + length(payload)"
}
