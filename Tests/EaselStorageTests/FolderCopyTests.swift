import EaselCore
import EaselStorage
import Foundation
import Testing

/// Backups and restores of whole data folders.
@Suite(.timeLimit(.minutes(5)))
struct FolderCopyTests {
    let folder: TestFolder
    let a: CanvasID

    init() async throws {
        folder = try TestFolder()
        a = try canvas("a")
    }

    private func loaded(_ path: String) async throws -> LoadedCanvas {
        let log = try SQLiteLog(folder: path)
        defer { log.close() }
        return try await log.load(a)
    }

    private func content(_ path: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: path))
    }

    /// Makes the folder of a server that was killed: everything is in the write-ahead log.
    private func crash(_ count: UInt64) async throws {
        let log = try SQLiteLog(folder: folder.path)
        try await log.append(a, entries(1...count))
        let copy = try TestFolder()
        try copy.fill(from: folder.path)
        log.close()
        try folder.fill(from: copy.path)
    }

    @Test("a backup holds what is in the write-ahead log only, and the companions; the source stays as it is")
    func backup() async throws {
        try await crash(20)
        try Data("key".utf8).write(to: URL(fileURLWithPath: folder.path + "/site.key"))
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal"))
        let target = folder.path + "/backup"
        var notes: [Int] = []
        let backup = try FolderBackup(folder.path, to: target, companions: ["site.key", "none"]) {
            notes.append($0.done)
        }
        #expect(!FileManager.default.fileExists(atPath: target))
        try backup.finish()
        #expect(try content(target) == ["easel.db", "easel.db-wal", "site.key"])
        #expect(!notes.isEmpty && notes == notes.sorted())
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal")) == before)
        #expect(try await loaded(target).entries == entries(1...20))
        #expect(try await loaded(folder.path).entries == entries(1...20))
    }

    @Test("a backup goes to a new or empty folder only, and leaves nothing where it fails")
    func places() async throws {
        let target = folder.path + "/backup"
        let missing = try await failure { _ = try FolderBackup(folder.path, to: target, companions: []) }
        #expect(missing.kind == .noAccess && missing.sentence.contains("no easel.db"))
        #expect(try content(folder.path) == [])
        try await crash(2)
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        try FolderBackup(folder.path, to: target, companions: []).finish()
        #expect(try await failure { _ = try FolderBackup(folder.path, to: target, companions: []) }.kind == .noAccess)
        #expect(try await loaded(target).head == 2)
    }

    @Test("no checkpoint runs while the folder is copied, and one runs after that")
    func heldCheckpoints() async throws {
        let log = try SQLiteLog(folder: folder.path)
        let copying = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(copying) }
        try #require(flock(copying, LOCK_SH) == 0)
        for revision: Revision in 1...3 { try await log.append(a, [entry(revision, size: 4_000_000)]) }
        #expect(log.statistics.checkpoints == 0)
        flock(copying, LOCK_UN)
        try await log.append(a, [entry(4)])
        // Checkpoints come after completions: the next call's turn is over when it has been served.
        _ = try await log.canvases()
        _ = try await log.canvases()
        #expect(log.statistics.checkpoints == 1)
        log.close()
    }

    /// An entry of a megabyte; five of them make a checkpoint due.
    private func large(_ revision: Revision) throws -> LogEntry {
        LogEntry(
            revision: revision, site: try #require(SiteID(7)), sequence: revision, time: revision, label: "Paste",
            payload: [UInt8](repeating: UInt8(truncatingIfNeeded: revision), count: 1 << 20))
    }

    /// A log that a copy is made of, and that goes on meanwhile. The copy calls, so calls wait for the outcome.
    private final class Source {
        private let folder: String
        private var log: SQLiteLog
        private(set) var head: Revision = 0

        init(_ folder: String) throws {
            self.folder = folder
            log = try SQLiteLog(folder: folder, durability: .normal)
        }

        func append(_ canvas: CanvasID, _ count: Revision, _ entry: (Revision) throws -> LogEntry) throws {
            let entries = try (head + 1...head + count).map(entry)
            let isDone = DispatchSemaphore(value: 0)
            for entry in entries { log.append(canvas, [entry]) { _ in isDone.signal() } }
            for _ in entries { isDone.wait() }
            head += count
        }

        func restart() throws {
            log.close()
            log = try SQLiteLog(folder: folder, durability: .normal)
        }

        func close() { log.close() }
    }

    /// Backs up a log of some megabytes, calling `body` at each of the first blocks; checks what the backup holds.
    private func backUp(_ blocks: Int, while body: @escaping (Source) throws -> Void) throws {
        let source = try Source(folder.path)
        try source.append(a, 6, large)
        var left = blocks
        var failure: (any Error)?
        let target = folder.path + "/backup"
        let backup = try FolderBackup(folder.path, to: target, companions: []) { _ in
            guard left > 0, failure == nil else { return }
            left -= 1
            do { try body(source) } catch { failure = error }
        }
        source.close()
        #expect(left == 0 && failure == nil)
        try backup.finish()
        let copy = try OfflineStore(folder: target)
        #expect(try copy.fileFlaws() == [] && copy.strayRecords() == [])
        let page = try copy.read(a, after: 0, limitBytes: .max)
        #expect(page.damage == nil && page.head >= 6 && page.head <= source.head)
        #expect(page.entries.map(\.revision) == Array(1...page.head))
    }

    @Test("D7 a copy is of one moment, though at each block of it so much is written that a checkpoint is due")
    func writtenWhileCopied() throws {
        try backUp(4) { source in try source.append(a, 5, large) }
    }

    @Test("D7 a copy is of one moment, though the server is started again at each of its first blocks")
    func restartedWhileCopied() throws {
        try backUp(4) { source in
            try source.append(a, 2, large)
            try source.restart()
            try source.append(a, 1, large)
        }
    }

    @Test("a restore goes into an empty folder, keeps it locked meanwhile, and leaves only what belongs there")
    func restore() async throws {
        try await crash(7)
        let target = try TestFolder()
        let restore = try FolderRestore(folder.path, into: target.path, companions: [])
        #expect(!restore.hasPredecessor)
        #expect(try await failure { try SQLiteLog(folder: target.path).close() }.kind == .inUse)
        _ = try OfflineStore(folder: restore.stagingFolder).canvases()
        try restore.finish(aside: "old")
        #expect(try content(target.path) == ["easel.db", "easel.lock"])
        withExtendedLifetime(restore) {}
    }

    @Test("a copy whose newest commits are not in its database file yet is not put in place")
    func unfinishedCopy() async throws {
        try await crash(7)
        let target = try TestFolder()
        let restore = try FolderRestore(folder.path, into: target.path, companions: [])
        #expect(try await failure { try restore.finish(aside: "old") }.kind == .io)
        restore.abandon()
        #expect(try content(target.path) == ["easel.lock"])
    }

    @Test("what the folder had goes aside with its write-ahead log and its key; an abandoned restore changes nothing")
    func aside() async throws {
        let source = try TestFolder()
        let log = try SQLiteLog(folder: source.path)
        try await log.append(a, entries(1...3))
        log.close()
        try Data("new".utf8).write(to: URL(fileURLWithPath: source.path + "/site.key"))
        try await crash(9)
        try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path + "/site.key"))
        let files = try content(folder.path)
        try abandon(source.path)
        #expect(try content(folder.path) == files)
        try finish(source.path)
        #expect(try content(folder.path) == ["easel.db", "easel.lock", "site.key", "old"])
        #expect(try await loaded(folder.path).head == 3)
        #expect(try await loaded(folder.path + "/old").entries == entries(1...9))
        #expect(try String(contentsOfFile: folder.path + "/site.key", encoding: .utf8) == "new")
        #expect(try String(contentsOfFile: folder.path + "/old/site.key", encoding: .utf8) == "old")
    }

    private func abandon(_ source: String) throws {
        let restore = try FolderRestore(source, into: folder.path, companions: ["site.key"])
        #expect(restore.hasPredecessor)
        restore.abandon()
    }

    private func finish(_ source: String) throws {
        try FolderRestore(source, into: folder.path, companions: ["site.key"]).finish(aside: "old")
    }

    @Test("a folder in which a restore stopped half-way does not open until it is restored again")
    func interrupted() async throws {
        let source = try TestFolder()
        let log = try SQLiteLog(folder: source.path)
        try await log.append(a, entries(1...3))
        log.close()
        try await crash(9)
        let exchange = folder.path + "/easel.restored"
        try FileManager.default.createDirectory(atPath: exchange, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: source.database, toPath: exchange + "/easel.db")
        try FileManager.default.moveItem(atPath: folder.database, toPath: folder.path + "/moved.db")
        let error = try await failure { try SQLiteLog(folder: folder.path).close() }
        #expect(error.kind == .damaged && error.sentence.contains("Run it again"))
        #expect(!FileManager.default.fileExists(atPath: folder.database))
        #expect(
            try await failure { _ = try FolderBackup(folder.path, to: source.path + "/b", companions: []) }.kind
                == .damaged)
        try finish(source.path)
        #expect(try await loaded(folder.path).entries == entries(1...3))
        #expect(!FileManager.default.fileExists(atPath: exchange))
    }
}
