import EaselCore
import EaselStorage
import Synchronization
import Testing

/// What every log promises; each test runs on all of them.
@Suite(.timeLimit(.minutes(5)))
struct LogContractTests {
    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    @Test("a canvas never seen is empty, and keeps the epoch it was given", arguments: Store.allCases)
    func freshCanvas(_ store: Store) async throws {
        let log = try store.open(in: folder)
        let first = try await log.load(canvas("a"))
        #expect(first.snapshot == nil && first.entries.isEmpty && first.head == 0 && first.damage == nil)
        #expect((1...StorageLimits.largestEpoch).contains(first.epoch))
        try await log.append(canvas("a"), entries(1...2))
        #expect(try await log.load(canvas("a")).epoch == first.epoch)
        #expect(try await log.load(canvas("b")).epoch != first.epoch)
        log.close()
    }

    @Test("entries come back in order with every field as it was", arguments: Store.allCases)
    func roundTrip(_ store: Store) async throws {
        let log = try store.open(in: folder)
        let extreme = LogEntry(
            revision: 4, site: try #require(SiteID(SiteID.maximum)), sequence: .max, time: .max, label: "", payload: [])
        try await log.append(canvas("a"), entries(1...3))
        try await log.append(canvas("a"), [extreme])
        #expect(try await log.load(canvas("a")).entries == entries(1...3) + [extreme])
        log.close()
    }

    @Test(
        "an append that does not continue the head is refused with the head, and changes nothing",
        arguments: Store.allCases)
    func refusals(_ store: Store) async throws {
        let log = try store.open(in: folder)
        let a = try canvas("a")
        try await log.append(a, entries(1...3))
        let wrong: [[LogEntry]] = try [
            entries(3...4), entries(5...6), [entry(4), entry(4)], [entry(4), entry(6)], [entry(0)],
        ]
        for wrong in wrong {
            let error = try await failure { try await log.append(a, wrong) }
            #expect(error.kind == .conflict && error.revision == 3 && error.canvas == a)
        }
        let error = try await failure { try await log.append(canvas("new"), entries(2...2)) }
        #expect(error.kind == .conflict && error.revision == 0)
        #expect(try await log.load(a).entries == entries(1...3))
        try await log.append(a, [entry(4)])
        #expect(try await log.canvases().map(\.canvas) == [a], "a refused append created its canvas")
        log.close()
    }

    @Test("no entries is a success that does nothing", arguments: Store.allCases)
    func emptyAppend(_ store: Store) async throws {
        let log = try store.open(in: folder)
        try await log.append(canvas("a"), [])
        #expect(try await log.canvases().isEmpty)
        log.close()
    }

    @Test("a label above its bound is refused as too large", arguments: Store.allCases)
    func tooLarge(_ store: Store) async throws {
        let log = try store.open(in: folder)
        let label = String(repeating: "x", count: StorageLimits.labelBytes + 1)
        let site = try #require(SiteID(1))
        let large = LogEntry(revision: 1, site: site, sequence: 1, time: 0, label: label, payload: [])
        #expect(try await failure { try await log.append(canvas("a"), [large]) }.kind == .tooLarge)
        log.close()
    }

    @Test("a load gives the newest snapshot and only the entries after it", arguments: Store.allCases)
    func loadFromSnapshot(_ store: Store) async throws {
        let log = try store.open(in: folder)
        let a = try canvas("a")
        try await log.append(a, entries(1...10))
        for revision: Revision in [3, 8, 5] { try await log.saveSnapshot(a, snapshot(revision)) }
        let loaded = try await log.load(a)
        #expect(loaded.snapshot == snapshot(8))
        #expect(try loaded.entries == entries(9...10))
        try await log.saveSnapshot(a, snapshot(10))
        #expect(try await log.load(a) == LoadedCanvas(epoch: loaded.epoch, snapshot: snapshot(10), entries: []))
        try await log.append(a, [entry(11)])
        #expect(
            try await log.read(a, after: 0, limitBytes: .max).entries == entries(1...11), "a snapshot trimmed the log")
        log.close()
    }

    @Test("a snapshot of a revision the log does not have is refused", arguments: Store.allCases)
    func snapshotRefusals(_ store: Store) async throws {
        let log = try store.open(in: folder)
        let a = try canvas("a")
        try await log.append(a, entries(1...4))
        for revision: Revision in [0, 5, .max] {
            let error = try await failure { try await log.saveSnapshot(a, snapshot(revision)) }
            #expect(error.kind == .conflict && error.revision == 4)
        }
        #expect(try await failure { try await log.saveSnapshot(canvas("b"), snapshot(1)) }.kind == .conflict)
        #expect(try await log.load(a).snapshot == nil)
        log.close()
    }

    @Test("an empty snapshot payload is kept as empty", arguments: Store.allCases)
    func emptySnapshot(_ store: Store) async throws {
        let log = try store.open(in: folder)
        try await log.append(canvas("a"), [entry(1)])
        try await log.saveSnapshot(canvas("a"), snapshot(1, size: 0))
        #expect(try await log.load(canvas("a")).snapshot == snapshot(1, size: 0))
        log.close()
    }

    @Test("pages hold to their bound, join without gap, and always move on", arguments: Store.allCases)
    func pages(_ store: Store) async throws {
        let log = try store.open(in: folder)
        let a = try canvas("a")
        try await log.append(a, entries(1...50, size: 100))
        for limit in [0, 1, 500, 2_000] {
            var read: [LogEntry] = []
            while true {
                let page = try await log.read(a, after: Revision(read.count), limitBytes: limit)
                #expect(page.head == 50 && page.damage == nil)
                if page.entries.isEmpty { break }
                #expect(page.entries.count == 1 || page.entries.reduce(0) { $0 + $1.payload.count } <= limit)
                read += page.entries
            }
            #expect(try read == entries(1...50, size: 100))
        }
        #expect(try await log.read(a, after: 0, limitBytes: 2_000).entries.count > 5)
        #expect(try await log.read(a, after: .max, limitBytes: 500) == LogPage(entries: [], head: 50))
        #expect(try await log.read(canvas("none"), after: 0, limitBytes: 500) == LogPage(entries: [], head: 0))
        log.close()
    }

    @Test("canvases are listed by name with their heads", arguments: Store.allCases)
    func list(_ store: Store) async throws {
        let log = try store.open(in: folder)
        #expect(try await log.canvases().isEmpty)
        for (name, head) in [("b", 2), ("a", 1), ("B", 3), ("~", 1)] as [(String, Revision)] {
            try await log.append(canvas(name), entries(1...head))
        }
        let opened = try await log.load(canvas("opened"))
        let listed = try await log.canvases()
        #expect(listed.map(\.canvas.rawValue) == ["B", "a", "b", "opened", "~"])
        #expect(listed.map(\.head) == [3, 1, 2, 0, 1])
        #expect(listed[3].epoch == opened.epoch)
        log.close()
    }

    @Test(
        "appends complete in the order they were called, and a load called after them sees them",
        arguments: Store.allCases)
    func order(_ store: Store) async throws {
        let log = try store.open(in: folder)
        let completed = Mutex<[Revision]>([])
        let loaded = try await withCheckedContinuation { done in
            for revision: Revision in 1...100 {
                let name = revision % 2 == 0 ? "even" : "odd"
                guard let canvas = CanvasID(name), let entry = try? entry((revision + 1) / 2) else { continue }
                log.append(canvas, [entry]) { _ in completed.withLock { $0.append(revision) } }
            }
            if let even = CanvasID("even") { log.load(even) { done.resume(returning: $0) } }
        }.get()
        #expect(loaded.head == 50)
        #expect(completed.withLock { $0 } == Array(1...100))
        log.close()
    }

    @Test("a bad append between good ones fails alone", arguments: Store.allCases)
    func badNeighbour(_ store: Store) async throws {
        let log = try store.open(in: folder)
        let a = try canvas("a")
        let outcomes = Mutex<[Bool]>([])
        for revision: Revision in [1, 2, 9, 3] {
            log.append(a, [try entry(revision)]) { result in
                outcomes.withLock { $0.append((try? result.get()) != nil) }
            }
        }
        #expect(try await log.load(a).entries == entries(1...3))
        #expect(outcomes.withLock { $0 } == [true, true, false, true])
        log.close()
    }

    @Test("every call after close fails as closed, and closing twice does nothing", arguments: Store.allCases)
    func closed(_ store: Store) async throws {
        let log = try store.open(in: folder)
        try await log.append(canvas("a"), [entry(1)])
        log.close()
        log.close()
        let a = try canvas("a")
        #expect(try await failure { _ = try await log.load(a) }.kind == .closed)
        #expect(try await failure { try await log.append(a, [entry(2)]) }.kind == .closed)
        #expect(try await failure { _ = try await log.read(a, after: 0, limitBytes: 1) }.kind == .closed)
        #expect(try await failure { try await log.saveSnapshot(a, snapshot(1)) }.kind == .closed)
        #expect(try await failure { _ = try await log.canvases() }.kind == .closed)
    }
}
