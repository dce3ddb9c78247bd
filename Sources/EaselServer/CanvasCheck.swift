import EaselCore
import EaselProtocol
import EaselStorage

/// What a full check found out about one canvas.
struct CanvasReport: Equatable {
    let canvas: CanvasID
    /// The newest revision.
    let head: Revision
    /// Of the canvas at the head; nil if it cannot be computed.
    let digest: UInt64?
    /// Log records that are sound, and their label and payload bytes.
    let recordCount: Int
    let byteCount: Int
    /// Revisions of the sound snapshots, the newest first.
    let snapshots: [Revision]
    /// Number of named versions.
    let versionCount: Int
    /// What is wrong, a sentence each, with its place.
    let findings: [String]
}

/// Checks one canvas: reads and applies its whole log from the first record (of a log that was trimmed, from the snapshot it
/// begins with), compares each snapshot with what the log says of its revision, and the canvas as a server would load it (newest
/// snapshot and what came after) with the canvas from the log.
///
/// Memory holds that canvas twice, a snapshot, and a page of the log.
struct CanvasCheck {
    /// Bytes of log records read at a time.
    private static let pageBytes = 8 << 20
    /// Findings told of one canvas; more are only counted.
    private static let findingLimit = 20

    private let summary: CanvasSummary
    private let store: OfflineStore
    /// From the log alone; nil once it cannot be followed.
    private var replayed: Canvas? = Canvas()
    /// From the newest usable snapshot on; nil if there is none, or once the log cannot be followed.
    private var loaded: Canvas?
    /// Revisions of sound snapshots that the replay has not reached, the oldest last.
    private var ahead: [Revision] = []
    private var recordCount = 0
    private var byteCount = 0
    private var snapshots: [Revision] = []
    private var versionCount = 0
    private var findings: [String] = []
    private var surplusFindings = 0
    /// Records one after the other that are damaged, not told of yet.
    private var gap: ClosedRange<Revision>?

    /// Checks a canvas of a store. `note` is told of the revision now and then.
    static func run(
        _ summary: CanvasSummary, in store: OfflineStore, note: (Revision) -> Void
    ) throws(StorageError) -> CanvasReport {
        var check = CanvasCheck(summary: summary, store: store)
        for revision in try store.snapshotRevisions(of: summary.canvas) { try check.takeSnapshot(revision) }
        try check.begin()
        try check.takeVersions()
        var after = summary.base
        while after < summary.head {
            note(after)
            let page = try store.read(summary.canvas, after: after, limitBytes: pageBytes)
            for entry in page.entries { try check.take(entry) }
            after = page.entries.last?.revision ?? after
            if let damage = page.damage {
                after = damage.revision ?? after + 1
                check.skip(after)
            }
        }
        return check.finish()
    }

    private init(summary: CanvasSummary, store: OfflineStore) {
        self.summary = summary
        self.store = store
    }

    private mutating func find(_ sentence: String) {
        if findings.count < Self.findingLimit { findings.append(sentence) } else { surplusFindings += 1 }
    }

    // MARK: Snapshots

    private mutating func takeSnapshot(_ revision: Revision) throws(StorageError) {
        guard let snapshot = try read(revision) else { return find("the snapshot of revision \(revision) is damaged") }
        do throws(SnapshotError) {
            let canvas = try Snapshot.decode(snapshot.payload)
            guard canvas.revision == revision else {
                return find("the snapshot of revision \(revision) is of revision \(canvas.revision)")
            }
            snapshots.append(revision)
            guard revision >= summary.base else { return }
            ahead.append(revision)
            if loaded == nil { loaded = canvas }
        } catch {
            find("the snapshot of revision \(revision) is not usable (\(error))")
        }
    }

    /// The snapshot of a revision; nil if it is damaged.
    private func read(_ revision: Revision) throws(StorageError) -> StoredSnapshot? {
        do throws(StorageError) {
            return try store.snapshot(of: summary.canvas, at: revision)
        } catch {
            guard error.kind == .damaged else { throw error }
            return nil
        }
    }

    /// Of a trimmed log, starts with the snapshot it begins with.
    private mutating func begin() throws(StorageError) {
        guard summary.base > 0 else { return }
        guard ahead.last == summary.base, let snapshot = try read(summary.base) else {
            find("the snapshot of revision \(summary.base), with which the log begins, is damaged or missing")
            replayed = nil
            return
        }
        ahead.removeLast()
        replayed = try? Snapshot.decode(snapshot.payload)
    }

    /// Compares the replay with the snapshot of the revision it has reached, if there is one.
    private mutating func compareSnapshot() throws(StorageError) {
        guard let replayed, ahead.last == replayed.revision else { return }
        ahead.removeLast()
        guard let snapshot = try read(replayed.revision) else { return }
        if Snapshot.encode(replayed) != snapshot.payload {
            find("the snapshot of revision \(replayed.revision) is not what the log up to it makes")
        }
    }

    // MARK: Versions

    private mutating func takeVersions() throws(StorageError) {
        do throws(StorageError) {
            let versions = try store.outline(of: summary.canvas)?.versions ?? []
            versionCount = versions.count
            for version in versions where version.revision < summary.base && !snapshots.contains(version.revision) {
                find("the snapshot of revision \(version.revision), which has a name, is damaged or missing")
            }
        } catch {
            guard error.kind == .damaged else { throw error }
            find("the list of named versions is damaged")
        }
    }

    // MARK: Records

    private mutating func take(_ entry: LogEntry) throws(StorageError) {
        tellGap()
        recordCount += 1
        byteCount += entry.label.utf8.count + entry.payload.count
        let transaction: Transaction
        do throws(DecodingError) {
            transaction = try Transaction.decode(entry.payload)
        } catch {
            return stop("the transaction of revision \(entry.revision) cannot be read (\(error))", at: entry.revision)
        }
        let commit = Commit(
            revision: entry.revision, id: TransactionID(site: entry.site, sequence: entry.sequence), time: entry.time,
            transaction: transaction)
        if let last = (replayed ?? loaded)?.lastSequence(of: entry.site),
            entry.sequence <= last, replayed != nil || loaded?.revision == entry.revision - 1
        {
            return stop(
                "revision \(entry.revision) has number \(entry.sequence) of site \(entry.site) after number \(last)",
                at: entry.revision)
        }
        if replayed != nil {
            _ = replayed?.apply(commit)
            try compareSnapshot()
        }
        if loaded?.revision == entry.revision - 1 { _ = loaded?.apply(commit) }
    }

    /// The log cannot be followed over `revision`.
    private mutating func stop(_ sentence: String, at revision: Revision) {
        find(sentence)
        leave(revision)
    }

    private mutating func leave(_ revision: Revision) {
        replayed = nil
        if let loaded, loaded.revision < revision { self.loaded = nil }
    }

    /// A record is damaged or missing.
    private mutating func skip(_ revision: Revision) {
        if let gap, gap.upperBound + 1 == revision {
            self.gap = gap.lowerBound...revision
        } else {
            tellGap()
            gap = revision...revision
        }
        leave(revision)
    }

    private mutating func tellGap() {
        guard let gap else { return }
        self.gap = nil
        find(
            gap.count == 1
                ? "the record of revision \(gap.lowerBound) is damaged or missing"
                : "the records of revisions \(gap.lowerBound) to \(gap.upperBound) are damaged or missing")
    }

    // MARK: The end

    private mutating func finish() -> CanvasReport {
        tellGap()
        if let replayed {
            if replayed.recomputedDigest() != replayed.digest {
                find("the digest of the canvas is not that of its parts")
            }
            if let loaded, loaded.digest != replayed.digest {
                find(
                    "the newest snapshot and the log after it make digest \(Self.digits(loaded.digest)), "
                        + "the whole log \(Self.digits(replayed.digest))")
            }
        } else if loaded == nil {
            find("a server shows of this canvas only what comes before the damage, and stores nothing")
        }
        if surplusFindings > 0 { findings.append("and \(surplusFindings) more") }
        return CanvasReport(
            canvas: summary.canvas, head: summary.head, digest: (replayed ?? loaded)?.digest, recordCount: recordCount,
            byteCount: byteCount, snapshots: snapshots, versionCount: versionCount, findings: findings)
    }

    /// A digest as 16 hexadecimal digits.
    static func digits(_ digest: UInt64) -> String {
        let digits = String(digest, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
