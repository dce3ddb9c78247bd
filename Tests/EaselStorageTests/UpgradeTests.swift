import EaselCore
import EaselStorage
import Foundation
import Testing

/// D11: from format 1 to format 2.
@Suite(.timeLimit(.minutes(5)))
struct UpgradeTests {
    let folder: TestFolder
    let plan: CanvasID

    init() throws {
        folder = try TestFolder()
        plan = try canvas("plan")
    }

    private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Golden/format-1")

    private func format(_ path: String) throws -> Int {
        // "user version", a 32-bit big-endian number in the header (SQLite's file format, 1.3).
        let header = try #require(try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: 64))
        return header[60..<64].reduce(0) { $0 << 8 | Int($1) }
    }

    @Test("a folder of format 1 is looked at and copied as it is, and has no versions")
    func offline() async throws {
        try folder.fill(from: Self.golden.path)
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        do {
            let store = try OfflineStore(folder: folder.path)
            #expect(try store.canvases().map(\.head) == [1, 0, 39] && store.canvases().map(\.base) == [0, 0, 0])
            #expect(try store.read(plan, after: 30, limitBytes: .max).entries.map(\.revision) == Array(31...39))
            #expect(try store.snapshotRevisions(of: plan) == [31, 15])
            #expect(try store.outline(of: plan)?.versions == [])
            #expect(try store.snapshot(of: plan, atMost: 20)?.revision == 15)
            #expect(try store.fileFlaws() == [] && store.strayRecords() == [])
        }
        #expect(try format(folder.database) == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
        let store = try OfflineStore(folder: folder.path)
        #expect(try store.removeOldSnapshots(of: plan) == 1)
        try store.vacuum()
        #expect(try store.snapshotRevisions(of: plan) == [31])
        #expect(try format(folder.database) == 1)
    }

    @Test("a server brings it to format 2 with all it held, and can then name, trim and restore")
    func upgrade() async throws {
        try folder.fill(from: Self.golden.path)
        let log = try SQLiteLog(folder: folder.path)
        let before = try await log.read(plan, after: 0, limitBytes: .max)
        try await log.changeVersions(plan, .add(version("first", 31)))
        #expect(try await log.planTrim(plan, keeping: Retention(bytes: 1)) == TrimPlan(target: 15, unsaved: []))
        log.close()
        #expect(try format(folder.database) == 2)
        let store = try OfflineStore(folder: folder.path)
        #expect(try store.fileFlaws() == [] && store.strayRecords() == [])
        #expect(try store.read(plan, after: 0, limitBytes: .max) == before && before.head == 39)
        #expect(try store.outline(of: plan)?.versions == [version("first", 31)])
    }

    @Test("a restored folder is brought to format 2 where its epochs are renewed")
    func epochs() async throws {
        try folder.fill(from: Self.golden.path)
        do {
            var epochs: [UInt64] = [31, 32, 33]
            try OfflineStore(folder: folder.path, upgrading: true).renewEpochs { epochs.removeFirst() }
        }
        #expect(try format(folder.database) == 2)
        let store = try OfflineStore(folder: folder.path)
        #expect(try store.canvases().map(\.epoch) == [31, 32, 33])
    }

    @Test("a folder of format 1 with a damaged list of canvases is refused and left as it is")
    func damagedList() async throws {
        try folder.fill(from: Self.golden.path)
        try runSQL(folder.database, "UPDATE canvases SET head = head - 1 WHERE name = 'plan'")
        #expect(try await failure { try SQLiteLog(folder: folder.path).close() }.kind == .damaged)
        #expect(try format(folder.database) == 1)
    }

    @Test("a damaged record does not keep a folder of format 1 from being brought to format 2")
    func damagedRecord() async throws {
        try folder.fill(from: Self.golden.path)
        try runSQL(folder.database, "UPDATE commits SET label = 'x' WHERE canvas = 3 AND revision = 20")
        let log = try SQLiteLog(folder: folder.path)
        #expect(try await log.canvases().map(\.head) == [1, 0, 39])
        log.close()
        #expect(try format(folder.database) == 2)
    }

    @Test("D2 loss of power at any point of the upgrade leaves format 1 or format 2, each with everything")
    func powerLoss() async throws {
        try folder.fill(from: Self.golden.path)
        let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.database)))
        let vfs = RecordingVFS()
        let log = try SQLiteLog(folder: folder.path, durability: .full, makeEpoch: { 5 }, vfs: vfs.name)
        try await log.append(plan, [entry(40)])
        log.close()
        var random = SystemRandomNumberGenerator()
        var formats = Set<Int>()
        var disk = UnreliableDisk()
        disk.take(.write(file: "easel.db", offset: 0, bytes: original))
        disk.take(.sync(file: "easel.db"))
        let events = vfs.events
        for point in 0...events.count {
            for _ in 0..<3 { formats.insert(try await check(disk.afterPowerLoss(&random), point)) }
            if point < events.count { disk.take(events[point]) }
        }
        #expect(formats == [1, 2])
    }

    /// Gives the format that a folder is in before a server opens it.
    private func check(_ left: [String: [UInt8]], _ point: Int) async throws -> Int {
        let folder = try MemoryFolder()
        for (name, content) in left {
            try Data(content).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        do {
            let store = try OfflineStore(folder: folder.path)
            #expect(try store.fileFlaws() == [] && store.strayRecords() == [], "cut after \(point) events")
            #expect(try store.canvases().map(\.head).prefix(2) == [1, 0])
        }
        let found = try format(folder.database)
        let log = try SQLiteLog(folder: folder.path, durability: .normal)
        let page = try await log.read(plan, after: 0, limitBytes: .max)
        #expect(page.damage == nil && page.head >= 39 && page.entries.count == Int(page.head), "cut after \(point)")
        log.close()
        return found
    }
}
