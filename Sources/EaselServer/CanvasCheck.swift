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
    /// What is wrong, a sentence each, with its place.
    let findings: [String]
}

/// Checks one canvas: reads and applies its whole log from the first record, compares each snapshot with what the log says of
/// its revision, and the canvas as a server would load it (newest snapshot and what came after) with the canvas from the log.
///
/// Memory holds that canvas twice, and a page of the log.
struct CanvasCheck {
    /// Bytes of log records read at a time.
    private static let pageBytes = 8 << 20
    /// Findings told of one canvas; more are only counted.
    private static let findingLimit = 20

    private let summary: CanvasSummary
    /// From the log alone; nil once it cannot be followed.
    private var replayed: Canvas? = Canvas()
    /// From the newest usable snapshot on; nil if there is none, or once the log cannot be followed.
    private var loaded: Canvas?
    /// Sound snapshots that the replay has not reached, the oldest last.
    private var ahead: [StoredSnapshot] = []
    private var recordCount = 0
    private var byteCount = 0
    private var snapshots: [Revision] = []
    private var findings: [String] = []
    private var surplusFindings = 0
    /// Records one after the other that are damaged, not told of yet.
    private var gap: ClosedRange<Revision>?

    /// Checks a canvas of a store. `note` is told of the revision now and then.
    static func run(
        _ summary: CanvasSummary, in store: OfflineStore, note: (Revision) -> Void
    ) throws(StorageError) -> CanvasReport {
        var check = CanvasCheck(summary: summary)
        check.take(try store.snapshots(of: summary.canvas))
        var after: Revision = 0
        while after < summary.head {
            note(after)
            let page = try store.read(summary.canvas, after: after, limitBytes: pageBytes)
            for entry in page.entries { check.take(entry) }
            after = page.entries.last?.revision ?? after
            if let damage = page.damage {
                after = damage.revision ?? after + 1
                check.skip(after)
            }
        }
        return check.finish()
    }

    private init(summary: CanvasSummary) {
        self.summary = summary
    }

    private mutating func find(_ sentence: String) {
        if findings.count < Self.findingLimit { findings.append(sentence) } else { surplusFindings += 1 }
    }

    // MARK: Snapshots

    private mutating func take(_ stored: [Result<StoredSnapshot, StorageError>]) {
        for result in stored {
            switch result {
            case .failure(let error):
                find("the snapshot of revision \(error.revision ?? 0) is damaged")
            case .success(let snapshot):
                do throws(SnapshotError) {
                    let canvas = try Snapshot.decode(snapshot.payload)
                    guard canvas.revision == snapshot.revision else {
                        find("the snapshot of revision \(snapshot.revision) is of revision \(canvas.revision)")
                        continue
                    }
                    snapshots.append(snapshot.revision)
                    ahead.append(snapshot)
                    if loaded == nil { loaded = canvas }
                } catch {
                    find("the snapshot of revision \(snapshot.revision) is not usable (\(error))")
                }
            }
        }
    }

    /// Compares the replay with the snapshot of the revision it has reached, if there is one.
    private mutating func compareSnapshot() {
        guard let revision = replayed?.revision, ahead.last?.revision == revision, let snapshot = ahead.popLast(),
            let replayed
        else { return }
        if Snapshot.encode(replayed) != snapshot.payload {
            find("the snapshot of revision \(revision) is not what the log up to it makes")
        }
    }

    // MARK: Records

    private mutating func take(_ entry: LogEntry) {
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
            compareSnapshot()
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
            find("a server cannot open this canvas")
        }
        if surplusFindings > 0 { findings.append("and \(surplusFindings) more") }
        return CanvasReport(
            canvas: summary.canvas, head: summary.head, digest: (replayed ?? loaded)?.digest, recordCount: recordCount,
            byteCount: byteCount, snapshots: snapshots, findings: findings)
    }

    /// A digest as 16 hexadecimal digits.
    static func digits(_ digest: UInt64) -> String {
        let digits = String(digest, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
