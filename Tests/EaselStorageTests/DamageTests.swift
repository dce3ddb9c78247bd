import EaselCore
import EaselStorage
import Foundation
import Testing

/// D6: what is damaged is reported with its place and never handed out; what comes before it still is.
@Suite(.timeLimit(.minutes(5)))
struct DamageTests {
    /// Distance in bytes of the flips; 1 tries them all, in minutes.
    static let flipStride = 211

    let folder: TestFolder
    let a: CanvasID
    let b: CanvasID

    init() async throws {
        folder = try TestFolder()
        a = try canvas("a")
        b = try canvas("b")
        let log = try SQLiteLog(folder: folder.path)
        try await log.append(a, entries(1...9))
        try await log.append(b, entries(1...4))
        log.close()
    }

    private func flip(_ offset: Int) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.database))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(offset))
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: [byte ^ 0x10])
    }

    private func loaded(_ canvas: CanvasID) async throws -> LoadedCanvas {
        let log = try SQLiteLog(folder: folder.path)
        defer { log.close() }
        return try await log.load(canvas)
    }

    @Test("a flipped byte of a payload ends the load before its entry, names it, and stops appends to that canvas only")
    func flippedPayload() async throws {
        let content = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let record = Data(try entry(6).label.utf8 + entry(6).payload)
        try flip(try #require(content.range(of: record)).upperBound - 1)
        let log = try SQLiteLog(folder: folder.path)
        let found = try await log.load(a)
        #expect(try found.entries == entries(1...5))
        #expect(found.damage?.kind == .damaged && found.damage?.canvas == a && found.damage?.revision == 6)
        let page = try await log.read(a, after: 3, limitBytes: .max)
        #expect(try page.entries == entries(4...5) && page.damage?.revision == 6)
        #expect(try await log.read(a, after: 6, limitBytes: .max).entries == entries(7...9))
        #expect(try await failure { try await log.append(a, [entry(10)]) }.kind == .damaged)
        try await log.append(b, [entry(5)])
        #expect(try await log.load(b).entries == entries(1...5))
        log.close()
    }

    @Test(
        "a changed field of a record is found out",
        arguments: [
            "site = 8", "site = 0", "sequence = 1", "time = time + 1", "label = 'x'", "label = ''", "payload = x'00'",
            "checksum = checksum + 1", "revision = 60", "canvas = 9",
        ])
    func changedField(_ change: String) async throws {
        try runSQL(folder.database, "UPDATE commits SET \(change) WHERE canvas = 1 AND revision = 4")
        let found = try await loaded(a)
        #expect(try found.entries == entries(1...3) && found.damage?.revision == 4)
    }

    @Test("a missing entry ends the load before it")
    func missingEntry() async throws {
        try runSQL(folder.database, "DELETE FROM commits WHERE canvas = 1 AND revision = 2")
        let found = try await loaded(a)
        #expect(try found.entries == entries(1...1) && found.damage?.revision == 2)
    }

    @Test("damage before the snapshot does not matter to a load, and shows in the history")
    func damageBeforeSnapshot() async throws {
        let log = try SQLiteLog(folder: folder.path)
        try await log.saveSnapshot(a, snapshot(7))
        log.close()
        try runSQL(folder.database, "UPDATE commits SET site = 8 WHERE revision = 4")
        let again = try SQLiteLog(folder: folder.path)
        let found = try await again.load(a)
        #expect(found.snapshot == snapshot(7) && found.damage == nil && found.head == 9)
        #expect(try await again.read(a, after: 0, limitBytes: .max).damage?.revision == 4)
        try await again.append(a, [entry(10)])
        again.close()
    }

    @Test("a damaged newest snapshot falls back to the one before, then to the whole log, and says so")
    func damagedSnapshots() async throws {
        let log = try SQLiteLog(folder: folder.path)
        for revision: Revision in [2, 4, 8] { try await log.saveSnapshot(a, snapshot(revision)) }
        log.close()
        try runSQL(folder.database, "UPDATE snapshots SET payload = x'01' WHERE revision = 8")
        var found = try await loaded(a)
        #expect(try found.snapshot == snapshot(4) && found.entries == entries(5...9) && found.damage == nil)
        #expect(found.damagedSnapshots.map(\.revision) == [8])
        try runSQL(folder.database, "UPDATE snapshots SET checksum = 5 WHERE revision = 4")
        found = try await loaded(a)
        #expect(try found.snapshot == nil && found.entries == entries(1...9) && found.damage == nil)
        #expect(found.damagedSnapshots.map(\.revision) == [8, 4])
    }

    @Test("entries lost at the end are damage, for the head is known")
    func lostEnd() async throws {
        try runSQL(folder.database, "DELETE FROM commits WHERE canvas = 1 AND revision > 6")
        let found = try await loaded(a)
        #expect(try found.entries == entries(1...6))
        #expect(found.damage?.revision == 7)
    }

    @Test("entries lost below a damaged snapshot are damage too")
    func lostTail() async throws {
        let log = try SQLiteLog(folder: folder.path)
        try await log.saveSnapshot(a, snapshot(9))
        log.close()
        try runSQL(
            folder.database,
            "UPDATE snapshots SET checksum = 5; DELETE FROM commits WHERE canvas = 1 AND revision > 7")
        let found = try await loaded(a)
        #expect(try found.entries == entries(1...7) && found.damage?.revision == 8)
    }

    @Test(
        "a damaged list of canvases stops the store from opening: no canvas may look as if it had never been",
        arguments: ["name = 'z'", "name = ''", "epoch = epoch + 1", "head = 8", "checksum = 0", "id = 9"])
    func damagedCanvas(_ change: String) async throws {
        try runSQL(folder.database, "UPDATE canvases SET \(change) WHERE name = 'a'")
        let error = try await failure { try SQLiteLog(folder: folder.path).close() }
        #expect(error.kind == .damaged && error.sentence.contains("backup"))
    }

    @Test("any flipped byte of the file is an error, reported damage, or without effect; never other content")
    func everyNthByte() async throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let expected = [try await loaded(a), try await loaded(b)]
        var refused = 0
        var damaged = 0
        for offset in stride(from: 0, to: whole.count, by: Self.flipStride) {
            try flip(offset)
            do {
                let log = try SQLiteLog(folder: folder.path)
                defer { log.close() }
                for (index, canvas) in [a, b].enumerated() {
                    let found = try await log.load(canvas)
                    #expect(found.epoch == expected[index].epoch, "byte \(offset)")
                    #expect(expected[index].entries.starts(with: found.entries), "byte \(offset)")
                    #expect(found.damage != nil || found.entries == expected[index].entries, "byte \(offset)")
                    damaged += found.damage == nil ? 0 : 1
                }
            } catch is StorageError {
                refused += 1
            }
            try? FileManager.default.removeItem(atPath: folder.database + "-wal")
            try whole.write(to: URL(fileURLWithPath: folder.database))
        }
        #expect(refused > 0 && damaged > 0)
    }
}
