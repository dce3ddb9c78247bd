import EaselCore
import EaselStorage
import Foundation
import Testing

/// D6 without gaps: each byte of a small log is flipped in turn.
@Suite(.timeLimit(.minutes(10)))
struct EveryByteTests {
    private let folder: MemoryFolder
    private let a: CanvasID

    init() async throws {
        folder = try MemoryFolder()
        a = try canvas("a")
    }

    /// What a server finds: nil if the folder does not open.
    private func found() async throws -> LoadedCanvas? {
        do {
            let log = try SQLiteLog(folder: folder.path, durability: .normal)
            defer { log.close() }
            return try await log.load(a)
        } catch is StorageError {
            return nil
        }
    }

    /// What the full check finds: the number of things, or nil if the folder does not open.
    private func flawCount() throws -> Int? {
        do {
            let store = try OfflineStore(folder: folder.path)
            var count = try store.fileFlaws().count + store.strayRecords().count
            if try store.read(a, after: 0, limitBytes: .max).damage != nil { count += 1 }
            for result in try store.snapshots(of: a) { if case .failure = result { count += 1 } }
            return count
        } catch {
            return nil
        }
    }

    /// The bytes to flip: all that hold something, and of long runs of zeros, which are pages' unused space, every 31st; with
    /// `EASEL_EVERY_BYTE` in the environment really all.
    private func offsets(of bytes: Data) -> [Int] {
        guard ProcessInfo.processInfo.environment["EASEL_EVERY_BYTE"] == nil else { return Array(bytes.indices) }
        let margin = 24
        var offsets: [Int] = []
        var lastContent = -1
        var nextContent = 0
        for offset in bytes.indices {
            if nextContent <= offset {
                if bytes[offset] != 0 { lastContent = offset }
                nextContent = bytes[(offset + 1)...].firstIndex { $0 != 0 } ?? bytes.endIndex
            }
            let isNear = offset - lastContent <= margin || nextContent - offset <= margin
            if isNear || offset % 31 == 0 { offsets.append(offset) }
        }
        return offsets
    }

    private func write(_ bytes: Data, _ suffix: String = "") throws {
        try bytes.write(to: URL(fileURLWithPath: folder.database + suffix))
    }

    @Test("D6 of the database file: refused, reported with its place, or without effect; never other content")
    func databaseFile() async throws {
        let log = try SQLiteLog(folder: folder.path)
        try await log.append(a, entries(1...9))
        try await log.saveSnapshot(a, snapshot(6))
        log.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let expected = try #require(try await found())
        var (refused, damaged, harmless) = (0, 0, 0)
        for offset in offsets(of: whole) {
            var bytes = whole
            bytes[offset] ^= 0x10
            try write(bytes)
            if let found = try await found() {
                #expect(found.epoch == expected.epoch, "byte \(offset)")
                #expect(found.snapshot == nil || found.snapshot == expected.snapshot, "byte \(offset)")
                let all = try entries(1...9)
                #expect(found.entries.allSatisfy { $0 == all[Int($0.revision) - 1] }, "byte \(offset)")
                let isWhole = found.damage == nil && found.damagedSnapshots.isEmpty
                // A snapshot that cannot be found costs time, not content: the log is whole.
                if isWhole { #expect(found == expected || found.entries == all, "byte \(offset)") }
                #expect(found.damage == nil || found.damage?.revision == found.head + 1, "byte \(offset)")
                if isWhole { harmless += 1 } else { damaged += 1 }
            } else {
                refused += 1
            }
            try? FileManager.default.removeItem(atPath: folder.database + "-wal")
        }
        #expect(refused > 0 && damaged > 0 && harmless > 0)
    }

    @Test("D6 a full check finds every flipped byte that a record, a name or a place holds")
    func check() async throws {
        let log = try SQLiteLog(folder: folder.path)
        try await log.append(a, entries(1...3))
        try await log.saveSnapshot(a, snapshot(2))
        log.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let records =
            try entries(1...3).map { Data($0.label.utf8 + $0.payload) } + [Data(snapshot(2).payload), Data("a".utf8)]
        for record in records {
            let range = try #require(whole.range(of: record, options: .backwards))
            for offset in range {
                var bytes = whole
                bytes[offset] ^= 0x10
                try write(bytes)
                #expect(try flawCount() != 0, "byte \(offset)")
            }
        }
        try write(whole)
        #expect(try flawCount() == 0)
    }

    @Test("D6 of the write-ahead log: what is found is a beginning of what was written, never other content")
    func writeAheadLog() async throws {
        let log = try SQLiteLog(folder: folder.path)
        try await log.append(a, entries(1...3))
        try await log.append(a, entries(4...6))
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal"))
        let database = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        log.close()
        let all = try entries(1...6)
        var counts = Set<Int>()
        for offset in offsets(of: whole) {
            var bytes = whole
            bytes[offset] ^= 0x10
            try write(database)
            try write(bytes, "-wal")
            guard let found = try await found() else { continue }
            #expect(all.starts(with: found.entries), "byte \(offset)")
            counts.insert(found.entries.count)
        }
        #expect(counts.contains(0) && counts.contains(3))
    }
}
