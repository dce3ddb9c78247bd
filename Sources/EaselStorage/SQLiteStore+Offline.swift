import EaselCore

extension SQLiteStore {
    func snapshots(of canvas: CanvasID) throws(StorageError) -> [Result<StoredSnapshot, StorageError>] {
        let database = try readable()
        guard let row = try row(of: canvas, in: database) else { return [] }
        var results: [Result<StoredSnapshot, StorageError>] = []
        for revision in try snapshotRevisions(row, in: database) {
            do throws(StorageError) {
                let found = try snapshot(row, at: revision, in: database)
                results.append(found.map { .success($0) } ?? .failure(.damaged("snapshot", canvas, revision: revision)))
            } catch {
                guard error.kind == .damaged else { throw error }
                results.append(.failure(.damaged("snapshot", canvas, revision: revision, code: error.code)))
            }
        }
        return results
    }

    func renewEpochs(makeEpoch: () -> UInt64) throws(StorageError) {
        let database = try writable()
        var rows: [Row] = []
        for summary in try list() {
            guard let row = try row(of: summary.canvas, in: database) else { continue }
            var epoch = makeEpoch()
            while epoch == row.epoch { epoch = makeEpoch() }
            precondition((1...StorageLimits.largestEpoch).contains(epoch), "an epoch is from 1 to 2^53 - 1")
            rows.append(Row(key: row.key, epoch: epoch, checksum: row.checksum, head: row.head))
        }
        known = [:]
        try change { database throws(StorageError) in
            let update = try SQLiteStatement(
                database.connection, "UPDATE canvases SET epoch = ?2, checksum = ?3 WHERE id = ?1")
            for row in rows {
                update.bind(1, row.key)
                update.bind(2, Int64(row.epoch))
                update.bind(3, row.sum)
                try update.run()
            }
        }
    }

    func removeOldSnapshots(of canvas: CanvasID) throws(StorageError) -> Int {
        let found = try snapshots(of: canvas)
        guard found.count > 1, case .success(let newest)? = found.first, let row = try row(of: canvas, in: readable())
        else { return 0 }
        try change { database throws(StorageError) in
            let remove = try SQLiteStatement(
                database.connection, "DELETE FROM snapshots WHERE canvas = ?1 AND revision < ?2")
            remove.bind(1, row.key)
            remove.bind(2, Int64(newest.revision))
            try remove.run()
        }
        return found.count - 1
    }

    /// Runs `body` in a transaction of its own.
    private func change(_ body: (SQLiteDatabase) throws(StorageError) -> Void) throws(StorageError) {
        let database = try writable()
        do throws(StorageError) {
            try database.begin.run()
            try body(database)
            try database.commit.run()
        } catch {
            distrust(error)
            throw error
        }
    }
}
