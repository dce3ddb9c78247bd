import EaselCore

extension SQLiteStore {
    /// What may be taken out of the log of a canvas; nil if nothing may.
    ///
    /// Never more than up to the older of the two newest sound snapshots: should the newest turn out to be damaged, the canvas
    /// is loaded from that one.
    func planTrim(of canvas: CanvasID, keeping retention: Retention, now: UInt64) throws(StorageError) -> TrimPlan? {
        let database = try readable()
        guard retention != .all, damaged[canvas] == nil, let row = try row(of: canvas, in: database) else { return nil }
        let snapshots = try snapshotRevisions(row, in: database)
        let limit = try secondSound(of: snapshots.filter { $0 > row.base }, row, in: database)
        guard let limit else { return nil }
        let target = try cutoff(row, through: limit, keeping: retention, now: now, in: database)
        guard target > row.base else { return nil }
        var unsaved: [Revision] = []
        for version in try versions(of: row, in: database)
        where version.revision > row.base && version.revision < target && !snapshots.contains(version.revision)
            && unsaved.last != version.revision
        {
            unsaved.append(version.revision)
        }
        return TrimPlan(
            target: target, unsaved: unsaved, isPartial: target - row.base == Revision(StorageLimits.trimmedEntries))
    }

    /// The second of the sound snapshots among those of `revisions`, the newest first.
    private func secondSound(
        of revisions: [Revision], _ row: CanvasRow, in database: SQLiteDatabase
    ) throws(StorageError) -> Revision? {
        var count = 0
        for revision in revisions {
            do throws(StorageError) {
                if try snapshot(row, at: revision, in: database) != nil { count += 1 }
            } catch {
                guard error.kind == .damaged else { throw error }
            }
            if count == 2 { return revision }
        }
        return nil
    }

    /// The newest revision up to which every entry may go, as far as one trim looks.
    private func cutoff(
        _ row: CanvasRow, through limit: Revision, keeping retention: Retention, now: UInt64,
        in database: SQLiteDatabase
    ) throws(StorageError) -> Revision {
        let weigh = database.trimming.weigh
        defer { weigh.reset() }
        weigh.bind(1, row.key)
        weigh.bind(2, Int64(bitPattern: row.base))
        var cutoff = row.base
        var weight = row.byteCount
        while cutoff < limit, try weigh.step() {
            guard weigh.unsigned(0) == cutoff + 1,
                retention.lets(go: (weigh.unsigned(1), row.head - cutoff - 1, weight), at: now)
            else { break }
            cutoff += 1
            weight -= weigh.integer(2)
        }
        return cutoff
    }

    /// Makes a snapshot the beginning of the log. The entries up to it then count as gone; `removeTrimmed` removes them.
    ///
    /// - Throws: `.conflict` if fewer than two snapshots would be left to load from, or a named revision would be lost.
    func trim(_ canvas: CanvasID, to snapshot: StoredSnapshot) throws(StorageError) {
        let database = try writable()
        guard var row = try row(of: canvas, in: database), snapshot.revision > row.base else {
            throw .conflict(canvas, head: known[canvas]?.head ?? 0, got: snapshot.revision)
        }
        if let refusal = refusal(of: snapshot, head: row.head, in: canvas) { throw refusal }
        let saved = try snapshotRevisions(row, in: database)
        guard saved.filter({ $0 >= snapshot.revision }).count >= StorageLimits.snapshotsKept else {
            throw .conflict(canvas, head: row.head, got: snapshot.revision)
        }
        for version in try versions(of: row, in: database)
        where version.revision > row.base && version.revision < snapshot.revision {
            guard try self.snapshot(row, at: version.revision, in: database) != nil else {
                throw .conflict(canvas, head: row.head, got: snapshot.revision)
            }
        }
        let weight = try weight(row, through: snapshot.revision, in: database)
        row.base = snapshot.revision
        row.byteCount = max(0, row.byteCount - weight)
        try change { database throws(StorageError) in
            try add(snapshot, row, in: database)
            try database.set(row)
            try database.removeSurplusSnapshots(row, keeping: StorageLimits.snapshotsKept)
        }
        known[canvas] = row
        count.change { $0.trims += 1 }
    }

    private func weight(
        _ row: CanvasRow, through revision: Revision, in database: SQLiteDatabase
    ) throws(StorageError) -> Int64 {
        let sum = database.trimming.sum
        defer { sum.reset() }
        sum.bind(1, row.key)
        sum.bind(2, Int64(bitPattern: row.base))
        sum.bind(3, Int64(bitPattern: revision))
        return try sum.step() ? sum.integer(0) : 0
    }

    /// Removes some of the entries before the beginning of the log. Returns whether there are more.
    func removeTrimmed(of canvas: CanvasID) throws(StorageError) -> Bool {
        let database = try writable()
        guard let row = try row(of: canvas, in: database),
            let first = try firstEntry(of: row, in: database), first <= row.base
        else { return false }
        let last = min(row.base, first + Revision(StorageLimits.entriesRemovedInTurn) - 1)
        try change { database throws(StorageError) in
            database.trimming.remove.bind(1, row.key)
            database.trimming.remove.bind(2, Int64(bitPattern: last))
            try database.trimming.remove.run()
        }
        return last < row.base
    }

    private func firstEntry(of row: CanvasRow, in database: SQLiteDatabase) throws(StorageError) -> Revision? {
        let first = database.trimming.first
        defer { first.reset() }
        first.bind(1, row.key)
        return try first.step() ? first.unsigned(0) : nil
    }
}
