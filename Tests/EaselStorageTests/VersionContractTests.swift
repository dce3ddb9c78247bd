import EaselCore
import EaselStorage
import Testing

/// What every log promises of named versions and of trimming; each test runs on all of them.
@Suite(.timeLimit(.minutes(5)))
struct VersionContractTests {
    let folder: TestFolder
    let a: CanvasID

    init() throws {
        folder = try TestFolder()
        a = try canvas("a")
    }

    /// A log whose canvas "a" has 40 entries and snapshots of 20 and 30.
    private func filled(_ store: Store) async throws -> any CanvasLog {
        let log = try store.open(in: folder)
        try await log.append(a, entries(1...40, size: 100))
        for revision: Revision in [20, 30] { try await log.saveSnapshot(a, snapshot(revision)) }
        return log
    }

    // MARK: Versions

    @Test("versions are listed by revision with all they were given, each canvas its own", arguments: Store.allCases)
    func naming(_ store: Store) async throws {
        let log = try await filled(store)
        try await log.append(canvas("b"), entries(1...3))
        #expect(try await log.changeVersions(a, .add(version("Zed", 7))) == [version("Zed", 7)])
        try await log.changeVersions(a, .add(version("draft", 33)))
        let expected = [version("Zed", 7), version("erste Fassung é", 7), version("draft", 33)]
        #expect(try await log.changeVersions(a, .add(version("erste Fassung é", 7))) == expected)
        try await log.changeVersions(canvas("b"), .add(version("draft", 2)))
        let outline = try #require(try await log.outline(a))
        let epoch = try await log.load(a).epoch
        #expect(outline == CanvasOutline(epoch: epoch, head: 40, base: 0, versions: expected))
        #expect(try await log.changeVersions(a, .remove(name: "draft")) == Array(expected.prefix(2)))
        #expect(try await log.outline(canvas("b"))?.versions == [version("draft", 2)])
        #expect(try await log.outline(canvas("never")) == nil)
        log.close()
    }

    @Test("a change of versions that cannot be made is refused and changes nothing", arguments: Store.allCases)
    func refusals(_ store: Store) async throws {
        let log = try await filled(store)
        try await log.changeVersions(a, .add(version("draft", 3)))
        let long = String(repeating: "x", count: Limits.versionNameBytes + 1)
        let cases: [(VersionChange, StorageError.Kind)] = [
            (.add(version("draft", 5)), .nameTaken), (.add(version("new", 41)), .conflict),
            (.add(version("new", 0)), .conflict), (.add(version(long, 3)), .tooLarge),
            (.add(version("", 3)), .tooLarge), (.remove(name: "new"), .noSuchName),
            (.remove(name: "Draft"), .noSuchName),
        ]
        for (change, kind) in cases {
            #expect(try await failure { try await log.changeVersions(a, change) }.kind == kind, "\(change)")
        }
        let never = try canvas("never")
        #expect(try await failure { try await log.changeVersions(never, .remove(name: "x")) }.kind == .noSuchName)
        #expect(try await failure { try await log.changeVersions(never, .add(version("x", 1))) }.kind == .conflict)
        #expect(try await log.outline(a)?.versions == [version("draft", 3)])
        log.close()
    }

    @Test("a canvas has a limited number of versions", arguments: Store.allCases)
    func limit(_ store: Store) async throws {
        let log = try await filled(store)
        for number in 0..<Limits.versionsPerCanvas {
            try await log.changeVersions(a, .add(version("v\(number)", Revision(number) % 40 + 1)))
        }
        #expect(try await failure { try await log.changeVersions(a, .add(version("more", 1))) }.kind == .tooMany)
        try await log.changeVersions(a, .remove(name: "v7"))
        #expect(try await log.changeVersions(a, .add(version("more", 1))).count == Limits.versionsPerCanvas)
        log.close()
    }

    @Test("a snapshot of a named revision stays as long as the name does", arguments: Store.allCases)
    func pinned(_ store: Store) async throws {
        let log = try await filled(store)
        try await log.changeVersions(a, .add(version("draft", 20)))
        for revision: Revision in [35, 38, 40] { try await log.saveSnapshot(a, snapshot(revision)) }
        #expect(try await log.snapshot(a, atMost: 36)?.revision == 20)
        #expect(try await log.snapshot(a, atMost: 39)?.revision == 38)
        #expect(try await log.snapshot(a, atMost: 19) == nil)
        #expect(try await log.snapshot(a, atMost: .max) == snapshot(40))
        try await log.changeVersions(a, .remove(name: "draft"))
        #expect(try await log.snapshot(a, atMost: 36) == nil)
        log.close()
    }

    // MARK: Trimming

    @Test("a plan goes as far as the bounds say, and never past the older of two snapshots", arguments: Store.allCases)
    func plans(_ store: Store) async throws {
        let log = try await filled(store)
        let weight = UInt64(try entry(20, size: 100).label.utf8.count + 100 + 64)
        func target(_ retention: Retention, now: UInt64 = 0) async throws -> Revision? {
            try await log.planTrim(a, keeping: retention, now: now)?.target
        }
        #expect(try await target(.all) == nil)
        #expect(try await target(Retention(entries: 40)) == nil)
        #expect(try await target(Retention(entries: 39)) == 1)
        #expect(try await target(Retention(entries: 25)) == 15)
        #expect(try await target(Retention(entries: 1)) == 20)
        #expect(try await target(Retention(milliseconds: 30), now: 1_700_000_000_040) == 9)
        #expect(try await target(Retention(milliseconds: 30), now: 29) == nil)
        #expect(try await target(Retention(bytes: 41 * weight)) == nil)
        #expect(try await target(Retention(bytes: 30 * weight)) == 10)
        #expect(try await target(Retention(entries: 25, bytes: 30 * weight)) == 15)
        #expect(try await log.planTrim(canvas("never"), keeping: Retention(entries: 1)) == nil)
        log.close()
    }

    @Test("one snapshot alone, or a damaged one beside it, is never trimmed to")
    func twoSnapshots() async throws {
        let log = try SQLiteLog(folder: folder.path)
        try await log.append(a, entries(1...40))
        try await log.saveSnapshot(a, snapshot(30))
        #expect(try await log.planTrim(a, keeping: Retention(entries: 1)) == nil)
        try await log.saveSnapshot(a, snapshot(35))
        #expect(try await log.planTrim(a, keeping: Retention(entries: 1))?.target == 30)
        log.close()
        try runSQL(folder.database, "UPDATE snapshots SET checksum = checksum + 1 WHERE revision = 35")
        let again = try SQLiteLog(folder: folder.path)
        #expect(try await again.planTrim(a, keeping: Retention(entries: 1)) == nil)
        again.close()
    }

    @Test(
        "a trim names the revisions that need snapshots first, and is refused without them", arguments: Store.allCases)
    func namedFirst(_ store: Store) async throws {
        let log = try await filled(store)
        for (name, revision) in [("x", 5), ("y", 5), ("z", 12), ("later", 18), ("much later", 25)] {
            try await log.changeVersions(a, .add(version(name, Revision(revision))))
        }
        let plan = try #require(try await log.planTrim(a, keeping: Retention(entries: 22)))
        #expect(plan == TrimPlan(target: 18, unsaved: [5, 12]))
        #expect(plan.limited(to: 12) == TrimPlan(target: 12, unsaved: [5]))
        #expect(try await failure { try await log.trim(a, to: snapshot(18)) }.kind == .conflict)
        try await log.saveSnapshot(a, snapshot(5))
        #expect(try await failure { try await log.trim(a, to: snapshot(18)) }.kind == .conflict)
        #expect(try await log.read(a, after: 0, limitBytes: .max).entries.count == 40)
        try await log.saveSnapshot(a, snapshot(12))
        try await log.trim(a, to: snapshot(18))
        #expect(try await log.outline(a)?.base == 18)
        for revision: Revision in [5, 12] { #expect(try await log.snapshot(a, atMost: revision) == snapshot(revision)) }
        #expect(try await log.snapshot(a, atMost: 19) == snapshot(18))
        #expect(try await failure { _ = try await log.snapshot(a, atMost: 17) }.kind == .trimmed)
        #expect(try await failure { try await log.changeVersions(a, .add(version("lost", 17))) }.kind == .trimmed)
        try await log.changeVersions(a, .remove(name: "z"))
        #expect(try await failure { _ = try await log.snapshot(a, atMost: 12) }.kind == .trimmed)
        log.close()
    }

    @Test("a trimmed log gives what is kept, refuses what is not, and goes on", arguments: Store.allCases)
    func trimmed(_ store: Store) async throws {
        let log = try await filled(store)
        let epoch = try await log.load(a).epoch
        try await log.trim(a, to: snapshot(15))
        for after: Revision in [0, 14] {
            let error = try await failure { _ = try await log.read(a, after: after, limitBytes: .max) }
            #expect(error.kind == .trimmed && error.revision == 15)
        }
        #expect(try await log.read(a, after: 15, limitBytes: .max).entries == entries(16...40, size: 100))
        #expect(try await log.read(a, after: 40, limitBytes: .max) == LogPage(entries: [], head: 40))
        let loaded = try await log.load(a)
        #expect(loaded.base == 15 && loaded.epoch == epoch && loaded.snapshot == snapshot(30) && loaded.head == 40)
        try await log.append(a, entries(41...50, size: 100))
        for revision: Revision in [45, 48] { try await log.saveSnapshot(a, snapshot(revision)) }
        #expect(try await log.snapshot(a, atMost: 44) == snapshot(15), "the snapshot the log begins with is gone")
        for wrong: Revision in [15, 10, 46, 51] {
            #expect(try await failure { try await log.trim(a, to: snapshot(wrong)) }.kind == .conflict)
        }
        try await log.trim(a, to: snapshot(45))
        #expect(try await log.canvases().map(\.base) == [45])
        #expect(try await log.read(a, after: 45, limitBytes: .max).entries == entries(46...50, size: 100))
        #expect(try await log.planTrim(a, keeping: Retention(entries: 1)) == nil)
        log.close()
    }
}
