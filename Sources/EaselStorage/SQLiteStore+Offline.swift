import EaselCore

extension SQLiteStore {
    func snapshots(of canvas: CanvasID, limit: Int = .max) throws(StorageError) -> [Result<
        StoredSnapshot, StorageError
    >] {
        let database = try readable()
        guard let row = try row(of: canvas, in: database) else { return [] }
        var results: [Result<StoredSnapshot, StorageError>] = []
        for revision in try snapshotRevisions(row, in: database).prefix(limit) {
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
        var rows: [CanvasRow] = []
        for summary in try list() {
            guard var row = try row(of: summary.canvas, in: database) else { continue }
            let old = row.epoch
            while row.epoch == old { row.epoch = makeEpoch() }
            precondition((1...StorageLimits.largestEpoch).contains(row.epoch), "an epoch is from 1 to 2^53 - 1")
            rows.append(row)
        }
        known = [:]
        try change { database throws(StorageError) in
            for row in rows { try database.set(row) }
        }
    }

    func removeOldSnapshots(of canvas: CanvasID) throws(StorageError) -> Int {
        let database = try readable()
        guard let row = try row(of: canvas, in: database) else { return 0 }
        let found = try snapshotRevisions(row, in: database)
        guard found.count > 1, case .success? = try snapshots(of: canvas, limit: 1).first else { return 0 }
        try change { database throws(StorageError) in try database.removeSurplusSnapshots(row, keeping: 1) }
        return try found.count - snapshotRevisions(row, in: readable()).count
    }

    /// Runs `body` in a transaction of its own.
    func change(_ body: (SQLiteDatabase) throws(StorageError) -> Void) throws(StorageError) {
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
