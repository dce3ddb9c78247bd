import EaselCore
import EaselStorage
import Foundation
import Testing

/// D2: the power goes, and the disk keeps what was synced and an arbitrary part of what was not.
@Suite(.timeLimit(.minutes(10)))
struct PowerLossTests {
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

    private let a: CanvasID

    init() throws {
        a = try canvas("a")
    }

    /// What a server does to its files in three lives: appends in groups and alone, snapshots, and so much that the write-ahead
    /// log is begun anew within a life.
    private func workload(_ durability: Durability) async throws -> [FileEvent] {
        let folder = try TestFolder()
        let vfs = RecordingVFS()
        var random = Random(state: 1)
        var head: Revision = 0
        for life in 0..<3 {
            let log = try SQLiteLog(folder: folder.path, durability: durability, makeEpoch: { 5 }, vfs: vfs.name)
            let goal = head + (life == 1 ? 900 : 60)
            while head < goal {
                let group = Revision.random(in: 1...3, using: &random)
                let revisions = head + 1...head + group
                let entries = try revisions.map { try entry($0, size: Int.random(in: 10...400, using: &random)) }
                await append(entries, to: log, vfs)
                head += group
                if head % 40 == 0 { try await log.saveSnapshot(a, snapshot(head, size: 6_000)) }
            }
            if life == 1 { #expect(log.statistics.checkpoints > 0) }
            log.close()
        }
        return vfs.events
    }

    /// Appends without waiting for the first before the next is called, so that they may share a transaction.
    private func append(_ entries: [LogEntry], to log: SQLiteLog, _ vfs: RecordingVFS) async {
        let last = entries.last?.revision
        await withCheckedContinuation { done in
            for entry in entries {
                log.append(a, [entry]) { result in
                    if case .success = result { vfs.add(.acknowledged(entry.revision)) }
                    if entry.revision == last { done.resume() }
                }
            }
        }
    }

    @Test(
        "D2 what was acknowledged is there after loss of power, the file is sound, and it goes on",
        arguments: Durability.allCases)
    func powerLoss(_ durability: Durability) async throws {
        let cuts = ProcessInfo.processInfo.environment["EASEL_CUTS"].flatMap(Int.init) ?? 60
        let events = try await workload(durability)
        var random = Random(state: 2)
        let points = (0..<cuts).map { _ in Int.random(in: 0...events.count, using: &random) }.sorted()
        var disk = UnreliableDisk()
        var taken = 0
        var acknowledged: Revision = 0
        var lost = 0
        for point in points {
            for event in events[taken..<point] {
                disk.take(event)
                if case .acknowledged(let revision) = event { acknowledged = revision }
            }
            taken = point
            let head = try await check(disk.afterPowerLoss(&random), point)
            if durability == .full { #expect(head >= acknowledged, "cut after \(point) of \(events.count) events") }
            if head < acknowledged { lost += 1 }
        }
        // With the weaker setting commits are lost here, which shows that the disk is as unreliable as it should be.
        #expect(durability == .full ? lost == 0 : lost > 0)
    }

    /// Opens what a disk has left. Gives the head of the log.
    private func check(_ left: [String: [UInt8]], _ point: Int) async throws -> Revision {
        let folder = try MemoryFolder()
        for (name, content) in left {
            try Data(content).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        let log = try SQLiteLog(folder: folder.path, durability: .normal)
        let loaded = try await log.load(a)
        #expect(loaded.damage == nil && loaded.damagedSnapshots.isEmpty, "cut after \(point) events")
        let page = try await log.read(a, after: 0, limitBytes: .max)
        #expect(
            page.damage == nil && page.entries.map(\.revision) == Array(1..<page.head + 1), "cut after \(point) events")
        try await log.append(a, [entry(page.head + 1)])
        log.close()
        let store = try OfflineStore(folder: folder.path)
        #expect(try store.fileFlaws() == [] && store.strayRecords() == [], "cut after \(point) events")
        return page.head
    }
}
