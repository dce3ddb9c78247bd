import EaselCore

extension SQLiteStore {
    /// What is known of a canvas; nil if the store has never seen it.
    func outline(of canvas: CanvasID) throws(StorageError) -> CanvasOutline? {
        let database = try readable()
        guard let row = try row(of: canvas, in: database) else { return nil }
        return CanvasOutline(
            epoch: row.epoch, head: row.head, base: row.base, versions: try versions(of: row, in: database))
    }

    /// The named versions of a canvas, by revision.
    func versions(of row: CanvasRow, in database: SQLiteDatabase) throws(StorageError) -> [NamedVersion] {
        let list = database.versions.list
        defer { list.reset() }
        list.bind(1, row.key)
        var versions: [NamedVersion] = []
        while try list.step() {
            let version = NamedVersion(
                name: list.text(0), revision: list.unsigned(1), time: list.unsigned(2), author: list.text(3))
            guard list.integer(4) == row.checksum.version(version) else {
                throw .damaged("version", row.canvas, revision: version.revision)
            }
            versions.append(version)
        }
        return versions
    }

    /// Makes a change, durably, and gives the versions there are then.
    func change(versions change: VersionChange, of canvas: CanvasID) throws(StorageError) -> [NamedVersion] {
        let database = try writable()
        guard let row = try row(of: canvas, in: database) else { throw .unknownRevision(canvas, change, head: 0) }
        var versions = try versions(of: row, in: database)
        if let refusal = refusal(of: change, of: canvas, head: row.head, base: row.base, versions) { throw refusal }
        try self.change { database throws(StorageError) in
            switch change {
            case .add(let version): try add(version, row, in: database)
            case .remove(let name):
                database.versions.remove.bind(1, row.key)
                database.versions.remove.bind(2, name)
                try database.versions.remove.run()
                try database.removeSurplusSnapshots(row, keeping: StorageLimits.snapshotsKept)
            }
        }
        versions.apply(change)
        return versions
    }

    private func add(_ version: NamedVersion, _ row: CanvasRow, in database: SQLiteDatabase) throws(StorageError) {
        let add = database.versions.add
        add.bind(1, row.key)
        add.bind(2, version.name)
        add.bind(3, Int64(bitPattern: version.revision))
        add.bind(4, Int64(bitPattern: version.time))
        add.bind(5, version.author)
        add.bind(6, row.checksum.version(version))
        try add.run()
    }

    /// The newest sound snapshot from which the canvas at `revision` can be made; nil if that is the empty canvas.
    func snapshot(of canvas: CanvasID, atMost revision: Revision) throws(StorageError) -> StoredSnapshot? {
        let database = try readable()
        guard let row = try row(of: canvas, in: database) else { return nil }
        guard revision >= row.base else {
            // Of what was trimmed only named revisions are left, each with a snapshot of its own.
            guard try versions(of: row, in: database).contains(where: { $0.revision == revision }) else {
                throw .trimmed(canvas, base: row.base)
            }
            guard let snapshot = try snapshot(row, at: revision, in: database) else {
                throw .damaged("snapshot", canvas, revision: revision)
            }
            return snapshot
        }
        var damaged: [StorageError] = []
        let snapshot = try newestSnapshot(of: row, atMost: revision, in: database, damaged: &damaged)
        guard snapshot != nil || row.base == 0 else { throw .damaged("snapshot", canvas, revision: row.base) }
        return snapshot
    }
}

extension StorageError {
    static func unknownRevision(_ canvas: CanvasID, _ change: VersionChange, head: Revision) -> StorageError {
        switch change {
        case .add(let version): .conflict(canvas, head: head, got: version.revision)
        case .remove(let name): .noSuchName(canvas, name)
        }
    }

    static func noSuchName(_ canvas: CanvasID, _ name: String) -> StorageError {
        StorageError(.noSuchName, "Canvas \(canvas) has no version of that name.", canvas: canvas)
    }
}

/// Refuses a change of versions that cannot be made; nil if it may be.
func refusal(
    of change: VersionChange, of canvas: CanvasID, head: Revision, base: Revision, _ versions: [NamedVersion]
) -> StorageError? {
    switch change {
    case .remove(let name):
        return versions.contains { $0.name == name } ? nil : .noSuchName(canvas, name)
    case .add(let version):
        let bytes = 1...Limits.versionNameBytes
        guard bytes.contains(version.name.utf8.count), version.author.utf8.count <= bytes.upperBound else {
            return .tooLarge(canvas, revision: version.revision)
        }
        guard version.revision >= 1, version.revision <= head else {
            return .conflict(canvas, head: head, got: version.revision)
        }
        guard version.revision >= base else { return .trimmed(canvas, base: base) }
        guard !versions.contains(where: { $0.name == version.name }) else {
            return StorageError(.nameTaken, "Canvas \(canvas) has a version of that name.", canvas: canvas)
        }
        guard versions.count < Limits.versionsPerCanvas else {
            return StorageError(
                .tooMany, "Canvas \(canvas) has \(Limits.versionsPerCanvas) versions, which is its limit.",
                canvas: canvas)
        }
        return nil
    }
}

extension [NamedVersion] {
    /// Makes a change that was not refused.
    mutating func apply(_ change: VersionChange) {
        switch change {
        case .add(let version):
            insert(version, at: firstIndex { version.isListed(before: $0) } ?? endIndex)
        case .remove(let name): removeAll { $0.name == name }
        }
    }
}
