import CSQLite
import EaselCore
import EaselStorage
import Foundation
import Synchronization
import Testing

/// Runs SQL on a database file, outside of any log.
func runSQL(_ path: String, _ sql: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
}

@Suite(.timeLimit(.minutes(5)))
struct OpeningTests {
    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func refusal() async throws -> StorageError {
        try await failure { try SQLiteLog(folder: folder.path).close() }
    }

    @Test("a reopened log has all entries, snapshots and epochs, and no write-ahead log stays behind a close")
    func reopening() async throws {
        let a = try canvas("a")
        let log = try SQLiteLog(folder: folder.path)
        let epoch = try await log.load(a).epoch
        try await log.append(a, entries(1...5))
        try await log.saveSnapshot(a, snapshot(3))
        log.close()
        let left = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        #expect(left == ["easel.db", "easel.lock"])
        let again = try SQLiteLog(folder: folder.path, durability: .normal)
        let expected = try LoadedCanvas(epoch: epoch, snapshot: snapshot(3), entries: entries(4...5))
        #expect(try await again.load(a) == expected)
        try await again.append(a, [entry(6)])
        again.close()
    }

    @Test("a log that is dropped without close finishes what was called")
    func dropped() async throws {
        let a = try canvas("a")
        var log: SQLiteLog? = try SQLiteLog(folder: folder.path)
        let one = try entry(1)
        try await withCheckedContinuation { done in
            log?.append(a, [one]) { done.resume(returning: $0) }
            log = nil
        }.get()
    }

    @Test("a second log on the folder is refused with the holder's process number")
    func lock() async throws {
        let log = try SQLiteLog(folder: folder.path)
        let error = try await refusal()
        #expect(error.kind == .inUse && error.sentence.contains("process \(getpid())."))
        log.close()
        try SQLiteLog(folder: folder.path).close()
    }

    @Test("a refused folder closes its own file once, and nothing that others opened meanwhile")
    func refusalClosesOnce() async throws {
        let log = try SQLiteLog(folder: folder.path)
        let path = folder.path
        // In a process of its own, whose files nobody else opens and closes.
        await #expect(processExitsWith: .success) { [path = path as String] in
            let isDone = Atomic(false)
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                if number == 0 {
                    for _ in 0..<20_000 { _ = Result { () throws(StorageError) in try SQLiteLog(folder: path) } }
                    isDone.store(true, ordering: .relaxed)
                }
                while !isDone.load(ordering: .relaxed) {
                    if close(open("/dev/null", O_RDONLY)) != 0 { exit(1) }
                }
            }
        }
        log.close()
    }

    @Test("another process is refused while the log is open")
    func lockAcrossProcesses() async throws {
        let log = try SQLiteLog(folder: folder.path)
        let path = folder.path
        await #expect(processExitsWith: .exitCode(42)) { [path = path as String] in
            let outcome = Result { () throws(StorageError) in try SQLiteLog(folder: path) }
            if case .failure(let error) = outcome, error.kind == .inUse { exit(42) }
        }
        log.close()
    }

    @Test("a folder that is missing, or is no folder, is an error that says so")
    func noFolder() async throws {
        let missing = folder.path + "/missing"
        let error = try await failure { try SQLiteLog(folder: missing).close() }
        #expect(error.kind == .noAccess && error.systemCode == ENOENT && error.sentence.contains(missing))
        let file = folder.path + "/file"
        try Data().write(to: URL(fileURLWithPath: file))
        #expect(try await failure { try SQLiteLog(folder: file).close() }.kind == .noAccess)
    }

    @Test("a folder this user may not use is an error that says so", .enabled(if: geteuid() != 0))
    func unreadableFolder() async throws {
        chmod(folder.path, 0)
        defer { chmod(folder.path, 0o700) }
        #expect(try await refusal().kind == .noAccess)
    }

    @Test("a file that is no database is refused and left as it is")
    func notSQLite() async throws {
        let content = Data(String(repeating: "My shopping list. ", count: 400).utf8)
        try content.write(to: URL(fileURLWithPath: folder.database))
        #expect(try await refusal().kind == .foreign)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == content)
    }

    @Test("another program's database is refused and left as it is")
    func foreign() async throws {
        try runSQL(folder.database, "CREATE TABLE commits(message TEXT); INSERT INTO commits VALUES('x')")
        let content = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let error = try await refusal()
        #expect(error.kind == .foreign && error.sentence.contains("Move it away"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == content)
    }

    @Test("D11 a newer format is refused with both numbers")
    func newerFormat() async throws {
        try SQLiteLog(folder: folder.path).close()
        try runSQL(folder.database, "PRAGMA user_version = 7")
        let error = try await refusal()
        #expect(error.kind == .newerFormat)
        #expect(error.sentence.contains("format 7") && error.sentence.contains("format 2"))
    }

    @Test("tables that are not those of the format are refused as damage")
    func changedTables() async throws {
        try SQLiteLog(folder: folder.path).close()
        try runSQL(folder.database, "ALTER TABLE commits RENAME COLUMN label TO labels")
        #expect(try await refusal().kind == .damaged)
    }

    @Test("a write-ahead log without its database is refused, not deleted")
    func lonelyWAL() async throws {
        let log = try SQLiteLog(folder: folder.path)
        try await log.append(canvas("a"), entries(1...3))
        let copy = try TestFolder()
        try copy.fill(from: folder.path)
        log.close()
        try FileManager.default.removeItem(atPath: copy.database)
        #expect(try await failure { try SQLiteLog(folder: copy.path).close() }.kind == .damaged)
        #expect(FileManager.default.fileExists(atPath: copy.database + "-wal"))
        try FileManager.default.copyItem(atPath: folder.database, toPath: copy.database)
    }
}
