import EaselCore

extension SQLiteStore {
    /// Entries in order from one revision on, as far as they are sound.
    private struct Run {
        var entries: [LogEntry] = []
        /// Why the run ends, if it is for damage.
        var damage: StorageError?
    }

    func serve(_ job: ReadJob, creationFailure: StorageError?) {
        switch job {
        case .load(let canvas, let completion):
            completion(Result { () throws(StorageError) in try load(canvas, creationFailure: creationFailure) })
        case .page(let canvas, let after, let limitBytes, let completion):
            completion(
                Result { () throws(StorageError) in try page(of: canvas, after: after, limitBytes: limitBytes) })
        case .list(let completion):
            completion(Result { () throws(StorageError) in try list() })
        }
    }

    /// The row of `canvas`; nil if there is none. Remembers it.
    func row(of canvas: CanvasID, in database: SQLiteDatabase) throws(StorageError) -> CanvasRow? {
        if let row = known[canvas] { return row }
        let find = database.findCanvas
        defer { find.reset() }
        find.bind(1, canvas.rawValue)
        guard try find.step() else { return nil }
        let row = try CanvasRow(find)
        guard row.canvas == canvas else { throw CanvasRow.damagedList }
        known[canvas] = row
        return row
    }

    private func load(_ canvas: CanvasID, creationFailure: StorageError?) throws(StorageError) -> LoadedCanvas {
        if try row(of: canvas, in: readable()) == nil,
            let failure = creationFailure ?? append([], creating: [canvas])
        {
            throw failure
        }
        let database = try readable()
        guard let row = try row(of: canvas, in: database) else {
            throw StorageError.damaged("name", canvas, revision: 0)
        }
        var damagedSnapshots: [StorageError] = []
        let snapshot = try newestSnapshot(of: row, atMost: row.head, in: database, damaged: &damagedSnapshots)
        var run = Run()
        if snapshot == nil, row.base > 0 {
            run.damage = .damaged("snapshot", canvas, revision: row.base)
        } else {
            run = try entries(of: canvas, row, after: snapshot?.revision ?? 0, limitBytes: Int.max, in: database)
        }
        damaged[canvas] = run.damage
        return LoadedCanvas(
            epoch: row.epoch, base: row.base, snapshot: snapshot, entries: run.entries, damage: run.damage,
            damagedSnapshots: damagedSnapshots)
    }

    func page(of canvas: CanvasID, after: Revision, limitBytes: Int) throws(StorageError) -> LogPage {
        let database = try readable()
        guard let row = try row(of: canvas, in: database) else { return LogPage(entries: [], head: 0) }
        guard after < row.head else { return LogPage(entries: [], head: row.head) }
        guard after >= row.base else { throw StorageError.trimmed(canvas, base: row.base) }
        let run = try entries(of: canvas, row, after: after, limitBytes: limitBytes, in: database)
        return LogPage(entries: run.entries, head: row.head, damage: run.damage)
    }

    func list() throws(StorageError) -> [CanvasSummary] {
        let database = try readable()
        defer { database.listCanvases.reset() }
        var summaries: [CanvasSummary] = []
        while let row = try database.nextCanvas() {
            summaries.append(CanvasSummary(canvas: row.canvas, epoch: row.epoch, head: row.head, base: row.base))
        }
        return summaries
    }

    /// The newest sound snapshot that the log goes on from, up to a revision; nil if there is none.
    func newestSnapshot(
        of row: CanvasRow, atMost limit: Revision, in database: SQLiteDatabase, damaged: inout [StorageError]
    ) throws(StorageError) -> StoredSnapshot? {
        for revision in try snapshotRevisions(row, in: database) where revision >= row.base && revision <= limit {
            do {
                if let snapshot = try snapshot(row, at: revision, in: database) { return snapshot }
                damaged.append(.damaged("snapshot", row.canvas, revision: revision))
            } catch {
                guard error.kind == .damaged else { throw error }
                damaged.append(.damaged("snapshot", row.canvas, revision: revision, code: error.code))
            }
        }
        return nil
    }

    func snapshotRevisions(_ row: CanvasRow, in database: SQLiteDatabase) throws(StorageError) -> [Revision] {
        let list = database.listSnapshots
        defer { list.reset() }
        list.bind(1, row.key)
        var revisions: [Revision] = []
        while try list.step() { revisions.append(list.unsigned(0)) }
        return revisions
    }

    /// Nil if the record is not what was written.
    func snapshot(
        _ row: CanvasRow, at revision: Revision, in database: SQLiteDatabase
    ) throws(StorageError) -> StoredSnapshot? {
        let read = database.readSnapshot
        defer { read.reset() }
        read.bind(1, row.key)
        read.bind(2, Int64(bitPattern: revision))
        guard try read.step() else { return nil }
        let snapshot = StoredSnapshot(revision: revision, payload: read.blob(0))
        return read.integer(1) == row.checksum.snapshot(snapshot) ? snapshot : nil
    }

    private func entries(
        of canvas: CanvasID, _ row: CanvasRow, after: Revision, limitBytes: Int, in database: SQLiteDatabase
    ) throws(StorageError) -> Run {
        let read = database.readCommits
        defer { read.reset() }
        read.bind(1, row.key)
        read.bind(2, Int64(bitPattern: after))
        var run = Run()
        var next = after + 1
        var bytes = 0
        do {
            while next <= row.head {
                guard try read.step(), let entry = entry(in: read, row), entry.revision == next else {
                    run.damage = .damaged("entry", canvas, revision: next)
                    return run
                }
                bytes += entry.weight
                if bytes > limitBytes, !run.entries.isEmpty { return run }
                run.entries.append(entry)
                next += 1
            }
        } catch {
            guard error.kind == .damaged else { throw error }
            run.damage = .damaged("entry", canvas, revision: next, code: error.code)
        }
        return run
    }

    /// The entry a statement stands on; nil if it is not what was written.
    private func entry(in read: SQLiteStatement, _ row: CanvasRow) -> LogEntry? {
        guard let site = SiteID(read.unsigned(1)) else { return nil }
        let entry = LogEntry(
            revision: read.unsigned(0), site: site, sequence: read.unsigned(2), time: read.unsigned(3),
            label: read.text(4), payload: read.blob(5))
        return read.integer(6) == row.checksum.entry(entry) ? entry : nil
    }
}
