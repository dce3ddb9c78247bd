import CSQLite
import EaselCore
import EaselStorage
import Foundation
import Glibc
import Synchronization
import Testing

/// Disks that fail, fill up, or lose power.
@Suite(.timeLimit(.minutes(5)))
struct FaultTests {
    let folder: TestFolder
    let disk: TestFolder
    let vfs: FaultyVFS

    init() throws {
        folder = try TestFolder()
        disk = try TestFolder()
        vfs = FaultyVFS(disk: disk.path)
    }

    private func open(_ durability: Durability = .full) throws -> SQLiteLog {
        try SQLiteLog(folder: folder.path, durability: durability, makeEpoch: { 1 }, vfs: vfs.name)
    }

    @Test("D4 a full disk refuses appends and serves reads; when there is room again appends go on by themselves")
    func fullDisk() async throws {
        let log = try open()
        let a = try canvas("a")
        try await log.append(a, entries(1...3))
        vfs.fault = .fullDisk
        for _ in 0..<3 {
            let error = try await failure { try await log.append(a, entries(4...40, size: 4_000)) }
            #expect(error.kind == .full && error.code & 0xFF == SQLITE_FULL)
            #expect(try await log.load(a).entries == entries(1...3))
        }
        #expect(try await failure { try await log.saveSnapshot(a, snapshot(2, size: 90_000)) }.kind == .full)
        #expect(try await failure { _ = try await log.load(canvas("new")) }.kind == .full)
        vfs.fault = .none
        try await log.append(a, entries(4...5))
        try await log.saveSnapshot(a, snapshot(2))
        #expect(try await log.load(a).entries == entries(3...5))
        #expect(try await log.load(canvas("new")).head == 0)
        #expect(log.statistics.failures > 0)
        log.close()
    }

    /// What a run of the scenario saw.
    private struct Run {
        var acknowledged: Revision = 0
        var failures = 0
    }

    /// Appends entries 1...8 one at a time as a server would: after a failure it loads again and goes on from the head.
    private func scenario() async throws -> Run {
        var run = Run()
        let a = try canvas("a")
        guard let log = try? open() else { return Run(failures: 1) }
        defer { log.close() }
        var tries = 0
        while run.acknowledged < 8, tries < 24 {
            tries += 1
            do {
                let head = try await log.load(a).head
                #expect(head >= run.acknowledged, "an acknowledged entry is gone")
                run.acknowledged = max(run.acknowledged, head)
                if head < 8 {
                    try await log.append(a, [entry(head + 1)])
                    run.acknowledged = head + 1
                }
                if head == 4 { try await log.saveSnapshot(a, snapshot(4)) }
            } catch is StorageError {
                run.failures += 1
            }
        }
        return run
    }

    @Test(
        "D5 whichever file operation fails, once or for ever, no acknowledged entry is lost and the log stays whole",
        arguments: [false, true], [IOFault.write, SQLITE_FULL])
    func everyOperationFails(forever: Bool, code: Int32) async throws {
        var operation = 0
        var failed = 0
        repeat {
            operation += 1
            try? FileManager.default.removeItem(atPath: folder.path)
            try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
            vfs.fault = .operation(after: operation, forever: forever, code: code)
            let run = try await scenario()
            failed += run.failures > 0 ? 1 : 0
            let isReached = vfs.isReached
            vfs.fault = .none
            let log = try open()
            let found = try await log.load(canvas("a"))
            let whole = try await log.read(canvas("a"), after: 0, limitBytes: .max)
            log.close()
            #expect(found.damage == nil && found.damagedSnapshots.isEmpty, "operation \(operation)")
            #expect(found.head >= run.acknowledged, "operation \(operation)")
            #expect(try whole.entries == Array(entries(1...8).prefix(Int(found.head))), "operation \(operation)")
            if !forever, run.acknowledged > 0 { #expect(run.acknowledged == 8, "operation \(operation): no recovery") }
            guard isReached else { break }
        } while operation < 500
        #expect(operation > 20 && operation < 500 && failed > 10)
    }

    @Test("D5 after a failed sync nothing is read or appended until a full checkpoint has been synced")
    func failedSync() async throws {
        let log = try open()
        let a = try canvas("a")
        try await log.append(a, entries(1...3))
        vfs.fault = .failingSyncs
        for _ in 0..<2 {
            #expect(try await failure { try await log.append(a, [entry(4)]) }.kind == .io)
            #expect(try await failure { _ = try await log.load(a) }.kind == .io)
        }
        vfs.fault = .none
        let head = try await log.load(a).head
        #expect(head == 3 || head == 4)
        let copy = try TestFolder()
        try copy.fill(from: disk.path)
        let afterPowerCut = try SQLiteLog(folder: copy.path)
        #expect(try await afterPowerCut.load(a).head == head, "an entry was read that is not on the disk")
        afterPowerCut.close()
        try await log.append(a, [entry(head + 1)])
        log.close()
    }

    /// How many of 150 appended entries were reported but are missing from a copy of `image` made at that moment.
    private func lost(from image: String, durability: Durability) throws -> Int {
        let log = try open(durability)
        let a = try canvas("a")
        let lost = Mutex(0)
        for revision: Revision in 1...150 {
            log.append(a, [try entry(revision, size: 40_000)]) { result in
                guard case .success = result, revision % 10 == 0 else { return }
                // On the storage thread, so nothing changes while the copy is made.
                let missing = (try? Self.missing(in: image, of: a, upTo: revision)) ?? Int(revision)
                lost.withLock { $0 += missing }
            }
        }
        log.close()
        #expect(log.statistics.checkpoints > 0, "the run was too short to matter")
        return lost.withLock { $0 }
    }

    private static func missing(in image: String, of canvas: CanvasID, upTo revision: Revision) throws -> Int {
        let copy = try TestFolder()
        try copy.fill(from: image)
        let log = try SQLiteLog(folder: copy.path)
        defer { log.close() }
        let head = Mutex<Revision?>(nil)
        log.load(canvas) { result in
            guard let loaded = try? result.get(), loaded.damage == nil else { return }
            head.withLock { $0 = loaded.head }
        }
        log.close()
        return Int(revision) - Int(min(head.withLock { $0 } ?? 0, revision))
    }

    @Test(
        "D1 whatever was reported is in the files at that moment, so a kill cannot lose it",
        arguments: Durability.allCases)
    func killed(_ durability: Durability) throws {
        #expect(try lost(from: folder.path, durability: durability) == 0)
    }

    @Test("D2 with full durability whatever was reported has been synced, so a power cut cannot lose it")
    func powerCut() throws {
        #expect(try lost(from: disk.path, durability: .full) == 0)
    }

    @Test("with normal durability a power cut loses the newest entries, as documented")
    func powerCutNormal() throws {
        #expect(try lost(from: disk.path, durability: .normal) > 0)
    }

    @Test("D1 a process killed in mid-work leaves a log that has every entry it reported", arguments: [1, 7, 40])
    func realKill(at count: Int) async throws {
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, count = count as Int] in
            let log = try SQLiteLog(folder: path)
            let a = try canvas("a")
            let reported = Glibc.open(path + "/reported", O_WRONLY | O_CREAT, 0o600)
            for revision: Revision in 1...1_000 {
                log.append(a, [try entry(revision, size: 2_000)]) { result in
                    guard case .success = result else { return }
                    let line = Array("\(revision)\n".utf8)
                    _ = Glibc.write(reported, line, line.count)
                    if revision == count { Glibc.kill(getpid(), SIGKILL) }
                }
            }
            log.close()
        }
        let reported = try String(contentsOfFile: path + "/reported", encoding: .utf8).split(separator: "\n")
        #expect(reported.count == count)
        let log = try SQLiteLog(folder: path)
        let found = try await log.load(canvas("a"))
        log.close()
        #expect(found.damage == nil && found.head >= Revision(count))
        #expect(try found.entries == entries(1...found.head, size: 2_000))
    }
}
