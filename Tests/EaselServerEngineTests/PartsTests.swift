import EaselCore
import EaselProtocol
import Testing

@testable import EaselServerEngine

@Suite("Parts of the engine")
struct PartsTests {
    @Test("SipHash-2-4 gives the values of the paper and of the authors' test vectors")
    func sipHash() {
        let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
        #expect(SipHash.hash([], key: key) == 0x726f_db47_dd0e_0e31)
        #expect(SipHash.hash([0], key: key) == 0x74f8_39c5_93dc_67fd)
        #expect(SipHash.hash(Array(0..<15), key: key) == 0xa129_ca61_49be_45e5)
    }

    @Test("a secret depends on the key, the canvas and the site")
    func secrets() {
        let (canvas, other) = (CanvasID("a")!, CanvasID("b")!)
        let (site, neighbour) = (SiteID(1)!, SiteID(2)!)
        let secrets = [
            SiteKey(1, 2).secret(canvas: canvas, site: site), SiteKey(1, 3).secret(canvas: canvas, site: site),
            SiteKey(1, 2).secret(canvas: other, site: site), SiteKey(1, 2).secret(canvas: canvas, site: neighbour),
        ]
        #expect(Set(secrets).count == 4)
        #expect(SiteKey(1, 2).secret(canvas: canvas, site: site) == secrets[0])
    }

    @Test("an array by revision drops from its front and keeps its places")
    func revisionArray() {
        var array = RevisionArray<Int>(after: 10, blank: 0)
        for element in 0..<1_000 {
            array.append(element)
            if array.count > 7 { array.dropFirst() }
            #expect(array[array.last] == element && array[array.base + 1] == max(0, element - 6))
        }
        #expect(array.last == 1_010 && array.base == 1_003)
    }

    @Test("a queue frees an element when it is dropped, not when its place is needed again")
    func queue() {
        final class Element: Sendable {}
        var queue = Queue<Element?>(blank: nil)
        weak var dropped: Element?
        do {
            let element = Element()
            dropped = element
            queue.append(element)
        }
        queue.append(Element())
        #expect(dropped != nil)
        queue.dropFirst()
        #expect(dropped == nil && queue.count == 1)
    }

    @Test("a commit counts once towards the next snapshot, before its run ends and after")
    func snapshotWeight() {
        var limits = RoomLimits()
        limits.commitOverheadBytes = 1_000
        limits.snapshotStoreBytes = 2_000
        let site = SiteID(7)!
        var history = CanvasHistory(epoch: 1, limits: limits)
        func commit() {
            let revision = history.canvas.revision + 1
            _ = history.append(
                Commit(
                    revision: revision, id: TransactionID(site: site, sequence: revision), time: 0,
                    transaction: Transaction(operations: [], label: "")), byteCount: 10)
        }
        commit()
        #expect(!history.isSnapshotDue)
        commit()
        #expect(history.isSnapshotDue)
        _ = history.endRun()
        #expect(history.isSnapshotDue)
        commit()
        history.snapshotStored(revision: 2, byteCount: 0)
        #expect(!history.isSnapshotDue, "the third commit stands alone after the snapshot")
        _ = history.endRun()
        #expect(!history.isSnapshotDue)
    }

    @Test("a window keeps the newest commits within both bounds, and always the last")
    func window() {
        var limits = RoomLimits()
        limits.windowCommits = 3
        limits.windowBytes = 10
        limits.commitOverheadBytes = 1
        var window = CommitWindow(after: 5)
        limits.runOverheadBytes = 0
        for revision in UInt64(5)..<9 { window.append(.run([1, 1], after: revision), limits: limits) }
        #expect(!window.covers(5) && window.covers(6) && window.covers(9) && !window.covers(10))
        #expect(window.weight(after: 6) == 9 && window.weight(after: 8) == 3 && window.weight(after: 9) == 0)
        #expect(window.weight(after: 5) == nil)
        window.append(.run([UInt8](repeating: 2, count: 50), after: 9), limits: limits)
        #expect(window.covers(9) && !window.covers(8))
        #expect(window.commits(after: 9, limit: 1).bytes.count == 50)
    }

    @Test("commits out of a window stay within a limit but are at least one run")
    func run() {
        var window = CommitWindow(after: 0)
        for byte in UInt8(1)...4 { window.append(.run([byte, byte], after: UInt64(byte) - 1), limits: RoomLimits()) }
        #expect(window.commits(after: 0, limit: 5) == ([1, 1, 2, 2], 2))
        #expect(window.commits(after: 1, limit: 1) == ([2, 2], 2))
        #expect(window.commits(after: 1, limit: 100) == ([2, 2, 3, 3, 4, 4], 4))
    }

    @Test("a reader in the middle of a run gets the whole run")
    func middleOfARun() {
        var limits = RoomLimits()
        limits.commitOverheadBytes = 10
        var window = CommitWindow(after: 10)
        window.append(.run([1], after: 10, through: 13), limits: limits)
        window.append(.run([2], after: 13, through: 14), limits: limits)
        window.append(.run([3], after: 14, through: 17), limits: limits)
        for cursor in UInt64(10)...12 { #expect(window.commits(after: cursor, limit: 2) == ([1, 2], 14)) }
        #expect(window.commits(after: 13, limit: 2) == ([2, 3], 17))
        for cursor in UInt64(14)...16 {
            #expect(window.commits(after: cursor, limit: 2) == ([3], 17))
            #expect(window.weight(after: cursor) == 31)
        }
        #expect(window.weight(after: 11) == 73)
    }

    @Test("an encoded snapshot is cut into parts that put together are the canvas")
    func parts() throws {
        var canvas = Canvas()
        for commit in Commit.samples(10) { _ = canvas.apply(commit) }
        let snapshot = EncodedSnapshot(canvas, partBytes: 100)
        var bytes: [UInt8] = []
        for payload in snapshot.parts {
            guard case .snapshotPart(let part) = try ServerMessage.decode(payload.bytes) else {
                Issue.record("a part")
                return
            }
            #expect(part.offset == UInt64(bytes.count) && part.bytes.count <= 100)
            bytes += part.bytes
        }
        #expect(bytes == snapshot.bytes && snapshot.parts.count > 1)
        #expect(try Snapshot.decode(bytes).digest == canvas.digest)
    }
}

extension EncodedRun {
    /// A run of one commit, or of those up to a revision.
    fileprivate static func run(_ bytes: [UInt8], after base: Revision, through last: Revision? = nil) -> EncodedRun {
        EncodedRun(base: base, last: last ?? base + 1, bytes: bytes)
    }
}
