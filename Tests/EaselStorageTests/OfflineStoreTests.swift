import EaselCore
import EaselStorage
import Foundation
import Testing

/// A data folder opened to be looked at or changed as a whole.
@Suite(.timeLimit(.minutes(5)))
struct OfflineStoreTests {
    let folder: TestFolder
    let a: CanvasID
    let b: CanvasID

    init() async throws {
        folder = try TestFolder()
        a = try canvas("a")
        b = try canvas("b")
    }

    private func fill() async throws {
        let log = try SQLiteLog(folder: folder.path)
        try await log.append(a, entries(1...9))
        try await log.append(b, entries(1...4))
        for revision: Revision in [2, 5] { try await log.saveSnapshot(a, snapshot(revision)) }
        log.close()
    }

    @Test("it refuses a folder that a log holds, and holds it against a log")
    func lock() async throws {
        try await fill()
        let log = try SQLiteLog(folder: folder.path)
        #expect(try await failure { _ = try OfflineStore(folder: folder.path) }.kind == .inUse)
        log.close()
        let store = try OfflineStore(folder: folder.path)
        #expect(try await failure { try SQLiteLog(folder: folder.path).close() }.kind == .inUse)
        withExtendedLifetime(store) {}
    }

    @Test("it refuses a folder without a database and makes none")
    func empty() async throws {
        let error = try await failure { _ = try OfflineStore(folder: folder.path) }
        #expect(error.kind == .noAccess && error.sentence.contains("no easel.db"))
        #expect(!FileManager.default.fileExists(atPath: folder.database))
    }

    @Test("it gives what the log gives, and leaves no write-ahead log")
    func reading() async throws {
        try await fill()
        try withStore { store throws in
            #expect(try store.canvases().map(\.head) == [9, 4])
            #expect(try store.read(a, after: 7, limitBytes: .max).entries == entries(8...9))
            #expect(try store.snapshots(of: a).map { try $0.get() } == [snapshot(5), snapshot(2)])
            #expect(try store.fileFlaws() == [] && store.strayRecords() == [])
        }
        #expect(!FileManager.default.fileExists(atPath: folder.database + "-wal"))
    }

    @Test("new epochs are new for every canvas, last, and leave everything else as it was")
    func epochs() async throws {
        try await fill()
        let log = try SQLiteLog(folder: folder.path)
        let old = [try await log.load(a), try await log.load(b)]
        log.close()
        var numbers = [old[0].epoch, 11, 12].makeIterator()
        try withStore { store throws in
            try store.renewEpochs { numbers.next() ?? 13 }
            #expect(try store.canvases().map(\.epoch) == [11, 12])
        }
        let again = try SQLiteLog(folder: folder.path)
        let new = [try await again.load(a), try await again.load(b)]
        #expect(new.map(\.epoch) == [11, 12])
        #expect(new.map(\.entries) == old.map(\.entries) && new.map(\.snapshot) == old.map(\.snapshot))
        try await again.append(a, [entry(10)])
        again.close()
    }

    /// Opens the folder for `body` only.
    private func withStore<Result>(_ body: (OfflineStore) throws -> Result) throws -> Result {
        try body(try OfflineStore(folder: folder.path, upgrading: true))
    }

    @Test("old snapshots go, unless the newest is damaged; the file gets smaller")
    func compacting() async throws {
        let log = try SQLiteLog(folder: folder.path)
        try await log.append(a, entries(1...3))
        for revision: Revision in [1, 2] { try await log.saveSnapshot(a, snapshot(revision, size: 100_000)) }
        log.close()
        try runSQL(folder.database, "UPDATE snapshots SET checksum = checksum + 1 WHERE revision = 2")
        try withStore { store throws in
            #expect(try store.removeOldSnapshots(of: a) == 0)
            #expect(try store.snapshots(of: a).count == 2)
        }
        try runSQL(folder.database, "UPDATE snapshots SET checksum = checksum - 1 WHERE revision = 2")
        try withStore { store throws in
            let before = store.byteCount
            #expect(try store.removeOldSnapshots(of: a) == 1)
            try store.vacuum()
            #expect(store.byteCount < before - 90_000)
            #expect(try store.snapshots(of: a).map { try $0.get() } == [snapshot(2, size: 100_000)])
            #expect(try store.read(a, after: 0, limitBytes: .max).entries == entries(1...3))
        }
    }

    @Test("records of no canvas, and beyond the head of theirs, are found")
    func strays() async throws {
        try await fill()
        try runSQL(
            folder.database,
            """
            INSERT INTO commits SELECT 7, revision, site, sequence, time, label, payload, checksum FROM commits
            WHERE canvas = 1 AND revision < 3;
            INSERT INTO commits SELECT canvas, revision + 3, site, sequence, time, label, payload, checksum FROM commits
            WHERE canvas = 1 AND revision = 9
            """)
        let store = try OfflineStore(folder: folder.path)
        #expect(
            try store.strayRecords() == [
                "1 entries of canvas a beyond its head, revisions 12 to 12",
                "2 entries of no canvas (number 7), revisions 1 to 2",
            ])
    }
}
