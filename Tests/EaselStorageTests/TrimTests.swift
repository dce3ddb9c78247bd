import EaselCore
import EaselStorage
import Foundation
import Testing

/// Trimming in the file, and what is left of it after faults.
@Suite(.timeLimit(.minutes(10)))
struct TrimTests {
    let folder: TestFolder
    let a: CanvasID

    init() throws {
        folder = try TestFolder()
        a = try canvas("a")
    }

    /// SplitMix64, as its authors describe it (Steele, Lea, Flood, 2014).
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    @Test(
        "a trimmed canvas is loaded with either of its newest snapshots damaged, and from the one its log begins with")
    func fallback() async throws {
        for damaged in ["revision = 35", "revision >= 30"] {
            let folder = try TestFolder()
            let log = try SQLiteLog(folder: folder.path)
            try await log.append(a, entries(1...40))
            for revision: Revision in [30, 35] { try await log.saveSnapshot(a, snapshot(revision)) }
            try await log.trim(a, to: snapshot(25))
            log.close()
            try runSQL(folder.database, "UPDATE snapshots SET checksum = checksum + 1 WHERE \(damaged)")
            let again = try SQLiteLog(folder: folder.path)
            let loaded = try await again.load(a)
            #expect(loaded.damage == nil && loaded.head == 40 && !loaded.damagedSnapshots.isEmpty)
            again.close()
        }
    }

    @Test("a trimmed canvas without any sound snapshot is damaged, and takes no appends")
    func allDamaged() async throws {
        let log = try SQLiteLog(folder: folder.path)
        try await log.append(a, entries(1...40))
        for revision: Revision in [30, 35] { try await log.saveSnapshot(a, snapshot(revision)) }
        try await log.trim(a, to: snapshot(25))
        log.close()
        try runSQL(folder.database, "UPDATE snapshots SET checksum = checksum + 1")
        let again = try SQLiteLog(folder: folder.path)
        let loaded = try await again.load(a)
        #expect(loaded.damage?.kind == .damaged && loaded.damage?.revision == 25 && loaded.entries.isEmpty)
        #expect(try await failure { try await again.append(a, [entry(41)]) }.kind == .damaged)
        again.close()
    }

    @Test("a long trim goes in small steps between which appends get their turn, and leaves nothing behind")
    func steps() async throws {
        let log = try SQLiteLog(folder: folder.path, durability: .normal)
        try await log.append(a, entries(1...5_000))
        for revision: Revision in [4_500, 4_900] { try await log.saveSnapshot(a, snapshot(revision)) }
        let before = log.statistics.groups
        async let trimmed: Void = log.trim(a, to: snapshot(4_000))
        for revision: Revision in 5_001...5_020 { try await log.append(a, [entry(revision)]) }
        try await trimmed
        #expect(log.statistics.trims == 1 && log.statistics.groups >= before + 20)
        log.close()
        let store = try OfflineStore(folder: folder.path)
        #expect(try store.read(a, after: 4_000, limitBytes: .max).entries == entries(4_001...5_020))
        #expect(try store.fileFlaws() == [] && store.strayRecords() == [])
    }

    @Test(
        "a changed place, size, name, revision, time or author is found out",
        arguments: [
            "canvases SET base = 0", "canvases SET base = 26", "canvases SET bytes = bytes + 1",
            "versions SET name = 'x'",
            "versions SET revision = 31", "versions SET time = time + 1", "versions SET author = ''",
            "versions SET checksum = checksum + 1",
        ])
    func changedField(_ change: String) async throws {
        let log = try SQLiteLog(folder: folder.path)
        try await log.append(a, entries(1...40))
        for revision: Revision in [30, 35] { try await log.saveSnapshot(a, snapshot(revision)) }
        try await log.changeVersions(a, .add(version("draft", 32)))
        try await log.trim(a, to: snapshot(25))
        log.close()
        try runSQL(folder.database, "UPDATE \(change)")
        let error = try await failure {
            let log = try SQLiteLog(folder: folder.path)
            defer { log.close() }
            _ = try await log.outline(a)
        }
        #expect(error.kind == .damaged)
    }

    @Test(
        "D10 random trims take nothing that a kept revision needs, over reopening",
        arguments: 1...4 as ClosedRange<UInt64>)
    func randomTrims(_ seed: UInt64) async throws {
        var random = Random(state: seed)
        var log = try SQLiteLog(folder: folder.path, durability: .normal)
        var head: Revision = 0
        var base: Revision = 0
        var named: Set<Revision> = []
        for step in 0..<60 {
            let next = head + Revision.random(in: 1...30, using: &random)
            try await log.append(a, entries(head + 1...next))
            head = next
            try await log.saveSnapshot(a, snapshot(Revision.random(in: max(1, base)...head, using: &random)))
            if step % 7 == 3 {
                let revision = Revision.random(in: max(1, base)...head, using: &random)
                try await log.changeVersions(a, .add(version("v\(step)", revision)))
                named.insert(revision)
            }
            let retention = Retention(entries: UInt64.random(in: 0...40, using: &random))
            if let plan = try await log.planTrim(a, keeping: retention) {
                for revision in plan.unsaved { try await log.saveSnapshot(a, snapshot(revision)) }
                try await log.trim(a, to: snapshot(plan.target))
                #expect(plan.target > base && plan.target < head)
                base = plan.target
            }
            if step % 9 == 8 {
                log.close()
                log = try SQLiteLog(folder: folder.path, durability: .normal)
            }
            for _ in 0..<8 {
                let point = Revision.random(in: 0...head, using: &random)
                try await check(log, point, base: base, head: head, isNamed: named.contains(point))
            }
        }
        #expect(base > 0)
        log.close()
    }

    /// A revision from the base on can be gone on from without a hole, and be made from a snapshot; of others only named ones.
    private func check(_ log: SQLiteLog, _ point: Revision, base: Revision, head: Revision, isNamed: Bool) async throws
    {
        if point >= base {
            let page = try await log.read(a, after: point, limitBytes: .max)
            #expect(page.damage == nil && page.entries.map(\.revision) == Array(point + 1..<head + 1))
            let start = try await log.snapshot(a, atMost: point)?.revision ?? 0
            #expect(start >= base && start <= point)
        } else {
            #expect(try await failure { _ = try await log.read(a, after: point, limitBytes: .max) }.kind == .trimmed)
            if isNamed {
                #expect(try await log.snapshot(a, atMost: point) == snapshot(point))
            } else {
                #expect(try await failure { _ = try await log.snapshot(a, atMost: point) }.kind == .trimmed)
            }
        }
        let loaded = try await log.load(a)
        #expect(loaded.damage == nil && loaded.head == head && loaded.base == base)
    }

    @Test("D2 loss of power at any point of a trim leaves the log before it or after it")
    func powerLoss() async throws {
        let vfs = RecordingVFS()
        let log = try SQLiteLog(folder: folder.path, durability: .full, makeEpoch: { 5 }, vfs: vfs.name)
        try await log.append(a, entries(1...3_000))
        for revision: Revision in [2_500, 2_900] { try await log.saveSnapshot(a, snapshot(revision)) }
        try await log.changeVersions(a, .add(version("draft", 700)))
        try await log.saveSnapshot(a, snapshot(700))
        let start = vfs.events.count
        try await log.trim(a, to: snapshot(2_400))
        log.close()
        var random = Random(state: 3)
        var disk = UnreliableDisk()
        var bases = Set<Revision>()
        let events = vfs.events
        for (index, event) in events.enumerated() {
            if index >= start, (index - start) % max(1, (events.count - start) / 40) == 0 {
                bases.insert(try await checkAfterCut(disk.afterPowerLoss(&random), index))
            }
            disk.take(event)
        }
        #expect(bases == [0, 2_400])
    }

    private func checkAfterCut(_ left: [String: [UInt8]], _ point: Int) async throws -> Revision {
        let folder = try MemoryFolder()
        for (name, content) in left {
            try Data(content).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        let log = try SQLiteLog(folder: folder.path, durability: .normal)
        let loaded = try await log.load(a)
        #expect(loaded.damage == nil && loaded.head == 3_000, "cut after \(point) events")
        let page = try await log.read(a, after: loaded.base, limitBytes: .max)
        #expect(page.damage == nil && page.entries.map(\.revision) == Array(loaded.base + 1...3_000))
        let named = try await log.snapshot(a, atMost: 700)
        #expect(named == snapshot(700))
        log.close()
        let store = try OfflineStore(folder: folder.path)
        #expect(try store.fileFlaws() == [] && store.strayRecords() == [], "cut after \(point) events")
        return loaded.base
    }
}
