import Dispatch
import EaselCore
import EaselStorage
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct GroupCommitTests {
    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    /// Keeps the storage thread busy until the semaphore is signalled.
    private func hold(_ log: SQLiteLog) -> DispatchSemaphore {
        let release = DispatchSemaphore(value: 0)
        let held = DispatchSemaphore(value: 0)
        log.canvases { _ in
            held.signal()
            release.wait()
        }
        held.wait()
        return release
    }

    @Test("1,000 appends of eight threads that arrive during one sync share one transaction")
    func grouping() throws {
        let log = try SQLiteLog(folder: folder.path)
        let release = hold(log)
        let done = Mutex(0)
        let canvases = try (0..<8).map { try canvas("c\($0)") }
        let work = try (1...125).map { try entry(Revision($0)) }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for entry in work {
                log.append(canvases[thread], [entry]) { result in
                    if case .success = result { done.withLock { $0 += 1 } }
                }
            }
        }
        #expect(log.statistics.waiting == 1_000)
        release.signal()
        log.close()
        let statistics = log.statistics
        #expect(done.withLock { $0 } == 1_000)
        #expect(statistics.appends == 1_000 && statistics.entries == 1_000 && statistics.waiting == 0)
        #expect(statistics.groups == 1 && statistics.largestGroup == 1_000)
    }

    @Test("a group has at most its bound of appends, and reads called after them still see them all")
    func boundedGroup() async throws {
        let log = try SQLiteLog(folder: folder.path)
        let release = hold(log)
        let a = try canvas("a")
        let bytes = try entry(1, size: 3_000_000)
        for revision: Revision in 1...12 {
            let entry = LogEntry(
                revision: revision, site: bytes.site, sequence: revision, time: 0, label: "", payload: bytes.payload)
            log.append(a, [entry]) { _ in }
        }
        let loaded = await withCheckedContinuation { done in
            log.load(a) { done.resume(returning: $0) }
            release.signal()
        }
        #expect(try loaded.get().head == 12)
        log.close()
        #expect(log.statistics.groups == 3 && log.statistics.largestGroup == 5)
        #expect(log.statistics.checkpoints > 0)
    }

    @Test("refused appends are counted apart and need no transaction")
    func refusalsCounted() async throws {
        let log = try SQLiteLog(folder: folder.path)
        _ = try await failure { try await log.append(canvas("a"), [entry(2)]) }
        log.close()
        #expect(log.statistics.refusals == 1 && log.statistics.groups == 0 && log.statistics.failures == 0)
    }

    @Test("many canvases opened at once are all created, each with its own epoch")
    func manyCreations() async throws {
        let next = Mutex<UInt64>(0)
        let log = try SQLiteLog(folder: folder.path) {
            next.withLock { next in
                next += 1
                return next
            }
        }
        let release = hold(log)
        for number in 0..<100 { log.load(try canvas("c\(number)")) { _ in } }
        release.signal()
        #expect(try await Set(log.canvases().map(\.epoch)) == Set(1...100))
        log.close()
    }
}
