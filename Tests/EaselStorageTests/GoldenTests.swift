import EaselCore
import EaselStorage
import Foundation
import Testing

/// D11: data folders of each released format, as a server left them, which every later version has to open.
///
/// They are never made anew: a new format gets a folder of its own beside them.
@Suite struct GoldenTests {
    /// What a folder is known to hold.
    struct Golden: CustomTestStringConvertible {
        let folder: String
        /// Revision and digest of the canvas "plan".
        let head: Revision
        let digest: UInt64
        /// After which revision its log is kept, and which versions it has, by name.
        var base: Revision = 0
        var versions: [String: Revision] = [:]

        /// Revisions of its snapshots, the newest first.
        var snapshots: [Revision] { [31, 15] + (versions["first"].map { [$0] } ?? []) }

        var testDescription: String { folder }
    }

    static let goldens = [
        Golden(folder: "format-1", head: 39, digest: 0x1837_5fb1_a87f_f990),
        // Of a server that was killed: the newest commits are in the write-ahead log.
        Golden(folder: "format-1-killed", head: 41, digest: 0xb2ee_7b17_b408_00f5),
        // The first folder after its canvas was restored to revision 7 and its log trimmed.
        Golden(
            folder: "format-2", head: 40, digest: 0x3e07_dbc1_bfc2_d47f, base: 15,
            versions: ["first": 7, "Größe & co": 39]),
        Golden(
            folder: "format-2-killed", head: 41, digest: 0x63e7_5d5c_f3f7_482d, base: 15,
            versions: ["Größe & co": 39, "killed": 40]),
    ]

    private static let place = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Golden")

    /// The canvas that a log makes, from the first record on.
    private func replay(_ entries: [LogEntry]) throws -> Canvas {
        var canvas = Canvas()
        for entry in entries {
            let commit = Commit(
                revision: entry.revision, id: TransactionID(site: entry.site, sequence: entry.sequence),
                time: entry.time, transaction: try Transaction.decode(entry.payload))
            _ = canvas.apply(commit)
        }
        return canvas
    }

    @Test("D11 a folder of an earlier version opens with all it held, and takes new commits", arguments: goldens)
    func opens(_ golden: Golden) async throws {
        let folder = try TestFolder()
        try folder.fill(from: Self.place.appendingPathComponent(golden.folder).path)
        let plan = try canvas("plan")
        let log = try SQLiteLog(folder: folder.path)
        let expected = [
            CanvasSummary(canvas: try canvas("a.sketch_2~x-"), epoch: 569_796_125_376_012, head: 1),
            CanvasSummary(canvas: try canvas("empty"), epoch: 166_750_201_742_330, head: 0),
            CanvasSummary(canvas: plan, epoch: 8_752_877_315_558_685, head: golden.head, base: golden.base),
        ]
        #expect(try await log.canvases() == expected)
        let loaded = try await log.load(plan)
        #expect(loaded.snapshot?.revision == 31 && loaded.damage == nil && loaded.damagedSnapshots.isEmpty)
        #expect(loaded.head == golden.head)
        let page = try await log.read(plan, after: golden.base, limitBytes: .max)
        #expect(page.damage == nil && page.entries.map(\.revision) == Array(golden.base + 1...golden.head))
        if golden.base == 0 {
            let replayed = try replay(page.entries)
            #expect(replayed.revision == golden.head && replayed.digest == golden.digest)
        }
        let named = try #require(try await log.outline(plan)).versions
        #expect(Dictionary(uniqueKeysWithValues: named.map { ($0.name, $0.revision) }) == golden.versions)
        for version in named {
            #expect(try await log.snapshot(plan, atMost: version.revision) != nil, "\(version)")
        }
        try await log.append(plan, [entry(golden.head + 1)])
        log.close()
        let again = try SQLiteLog(folder: folder.path)
        #expect(try await again.load(plan).head == golden.head + 1)
        again.close()
    }

    @Test("D11 a full check finds nothing wrong with it", arguments: goldens)
    func isSound(_ golden: Golden) async throws {
        let folder = try TestFolder()
        try folder.fill(from: Self.place.appendingPathComponent(golden.folder).path)
        let store = try OfflineStore(folder: folder.path)
        #expect(try store.fileFlaws() == [] && store.strayRecords() == [])
        #expect(try store.snapshots(of: canvas("plan")).map { try $0.get().revision } == golden.snapshots)
    }
}
