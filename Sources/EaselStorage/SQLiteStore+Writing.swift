import EaselCore

extension SQLiteStore {
    /// What one transaction has changed so far; becomes known when it has committed.
    private struct Group {
        let database: SQLiteDatabase
        var rows: [CanvasID: CanvasRow] = [:]
        /// Whether a transaction has begun: a group of refusals needs none.
        var isWriting = false
    }

    /// Appends `jobs` and creates `canvases` in one transaction, then completes the jobs in order.
    ///
    /// Gives what went wrong when the whole transaction failed. A refused job fails alone.
    func append(_ jobs: [AppendJob], creating canvases: [CanvasID]) -> StorageError? {
        guard !jobs.isEmpty || !canvases.isEmpty else { return nil }
        do {
            let refusals = try commit(jobs, creating: canvases, in: writable())
            note(jobs, refusals: refusals)
            for (job, refusal) in zip(jobs, refusals) { job.completion(refusal.map { .failure($0) } ?? .success(())) }
            return nil
        } catch {
            for job in jobs { job.completion(.failure(error)) }
            return error
        }
    }

    /// Gives for each job why it was refused, nil for those now durable.
    private func commit(
        _ jobs: [AppendJob], creating canvases: [CanvasID], in database: SQLiteDatabase
    ) throws(StorageError) -> [StorageError?] {
        do {
            var group = Group(database: database)
            var refusals: [StorageError?] = []
            for canvas in canvases { _ = try create(canvas, in: &group) }
            for job in jobs { refusals.append(try append(job, in: &group)) }
            if group.isWriting {
                for row in group.rows.values where row.head > 0 { try database.set(row) }
                try database.commit.run()
            }
            known.merge(group.rows) { _, new in new }
            return refusals
        } catch {
            distrust(error)
            throw error
        }
    }

    /// Saves `snapshot` in a transaction of its own.
    func save(_ snapshot: StoredSnapshot, of canvas: CanvasID) -> Result<Void, StorageError> {
        do {
            let database = try writable()
            guard let row = try row(of: canvas, in: database) else {
                return .failure(.conflict(canvas, head: 0, got: snapshot.revision))
            }
            if let refusal = refusal(of: snapshot, head: row.head, in: canvas) { return .failure(refusal) }
            try save(snapshot, row, in: database)
            count.change { $0.snapshots += 1 }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func save(_ snapshot: StoredSnapshot, _ row: CanvasRow, in database: SQLiteDatabase) throws(StorageError) {
        do {
            try database.begin.run()
            try add(snapshot, row, in: database)
            try database.removeSurplusSnapshots(row, keeping: StorageLimits.snapshotsKept)
            try database.commit.run()
        } catch {
            distrust(error)
            throw error
        }
    }

    func add(_ snapshot: StoredSnapshot, _ row: CanvasRow, in database: SQLiteDatabase) throws(StorageError) {
        database.addSnapshot.bind(1, row.key)
        database.addSnapshot.bind(2, Int64(snapshot.revision))
        database.addSnapshot.bind(4, row.checksum.snapshot(snapshot))
        try database.addSnapshot.run(blob: snapshot.payload, at: 3)
    }

    private func append(_ job: AppendJob, in group: inout Group) throws(StorageError) -> StorageError? {
        guard !job.entries.isEmpty else { return nil }
        let canvas = job.canvas
        if let damage = damaged[canvas] { return damage }
        let found = try row(of: canvas, in: group)
        if let refusal = refusal(of: job.entries, after: found?.head ?? 0, in: canvas) { return refusal }
        var row: CanvasRow
        if let found { row = found } else { row = try create(canvas, in: &group) }
        try begin(&group)
        let insert = group.database.addCommit
        insert.bind(1, row.key)
        for entry in job.entries {
            insert.bind(2, Int64(entry.revision))
            insert.bind(3, Int64(entry.site.rawValue))
            insert.bind(4, Int64(bitPattern: entry.sequence))
            insert.bind(5, Int64(bitPattern: entry.time))
            insert.bind(6, entry.label)
            insert.bind(8, row.checksum.entry(entry))
            try insert.run(blob: entry.payload, at: 7)
            row.head = entry.revision
            row.byteCount += Int64(entry.weight)
        }
        group.rows[canvas] = row
        return nil
    }

    private func create(_ canvas: CanvasID, in group: inout Group) throws(StorageError) -> CanvasRow {
        if let row = try row(of: canvas, in: group) { return row }
        try begin(&group)
        let epoch = makeEpoch()
        precondition((1...StorageLimits.largestEpoch).contains(epoch), "an epoch is from 1 to 2^53 - 1")
        let key = try group.database.connection.integer("SELECT coalesce(max(id), 0) + 1 FROM canvases")
        let row = CanvasRow(canvas, key: key, epoch: epoch)
        row.bind(to: group.database.addCanvas)
        try group.database.addCanvas.run()
        group.rows[canvas] = row
        return row
    }

    private func begin(_ group: inout Group) throws(StorageError) {
        guard !group.isWriting else { return }
        try group.database.begin.run()
        group.isWriting = true
    }

    private func row(of canvas: CanvasID, in group: Group) throws(StorageError) -> CanvasRow? {
        if let row = group.rows[canvas] { return row }
        return try row(of: canvas, in: group.database)
    }

    private func note(_ jobs: [AppendJob], refusals: [StorageError?]) {
        let refused = refusals.filter { $0 != nil }.count
        count.change { statistics in
            statistics.refusals += refused
            guard jobs.count > refused else { return }
            statistics.groups += 1
            statistics.appends += jobs.count - refused
            statistics.largestGroup = max(statistics.largestGroup, jobs.count - refused)
            for (job, refusal) in zip(jobs, refusals) where refusal == nil {
                statistics.entries += job.entries.count
                statistics.bytes += job.entries.reduce(0) { $0 + $1.label.utf8.count + $1.payload.count }
            }
        }
    }
}

extension SQLiteDatabase {
    /// Writes the row of a canvas that exists.
    func set(_ row: CanvasRow) throws(StorageError) {
        row.bind(to: setCanvas)
        try setCanvas.run()
    }

    /// Removes the snapshots of a canvas but the newest few, the one that its log begins at, and those of named revisions.
    func removeSurplusSnapshots(_ row: CanvasRow, keeping count: Int) throws(StorageError) {
        trimSnapshots.bind(1, row.key)
        trimSnapshots.bind(2, Int64(bitPattern: row.base))
        trimSnapshots.bind(3, Int64(count))
        try trimSnapshots.run()
    }
}
