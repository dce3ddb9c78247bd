internal import EaselCore

/// Transactions that were accepted and are not durable yet, in the order of their revisions.
///
/// They are staged during a turn and leave together; several appends may be under way. Revisions are given out here, as those
/// that follow the last one given out; after a failure everything is taken back and they are given out again.
struct AppendPipeline {
    struct Entry {
        let commit: Commit
        let payload: [UInt8]
        let session: SessionID
    }

    /// Whose numbers are under way.
    private struct Numbers {
        var highest: SequenceNumber
        var count: Int

        mutating func add(_ number: SequenceNumber) {
            highest = number
            count += 1
        }
    }

    /// Never nil.
    private var entries: RevisionArray<Entry?>
    private var numbers: [SiteID: Numbers] = [:]
    /// The last revision of each append under way.
    private var appends = RevisionArray<Revision>(after: 0, blank: 0)
    /// The last revision that left.
    private var sent: Revision
    private(set) var byteCount = 0

    /// Nothing under way behind `revision`.
    init(after revision: Revision) {
        entries = RevisionArray(after: revision, blank: nil)
        sent = revision
    }

    /// The last revision given out.
    var head: Revision { entries.last }

    var isEmpty: Bool { entries.count == 0 }

    /// Whether an append waits for its outcome.
    var isAppending: Bool { appends.count > 0 }

    /// The highest number of a site that is under way, or 0.
    func highest(of site: SiteID) -> SequenceNumber { numbers[site]?.highest ?? 0 }

    /// Takes a transaction in under the next revision.
    mutating func stage(
        _ transaction: Transaction, payload: [UInt8], id: TransactionID, session: SessionID, time: UInt64
    ) {
        let commit = Commit(revision: head + 1, id: id, time: time, transaction: transaction)
        entries.append(Entry(commit: commit, payload: payload, session: session))
        numbers[id.site, default: Numbers(highest: 0, count: 0)].add(id.sequence)
        byteCount += payload.count
    }

    /// The records staged since the last call, to be appended together.
    mutating func send() -> [LogRecord] {
        guard sent < head else { return [] }
        let records = ((sent + 1)...head).compactMap { revision in
            entries[revision].map { entry in
                LogRecord(
                    revision: revision, id: entry.commit.id, time: entry.commit.time,
                    label: entry.commit.transaction.label, payload: entry.payload)
            }
        }
        sent = head
        appends.append(head)
        return records
    }

    /// Notes that the oldest append ended, and returns its last revision.
    mutating func finishAppend() -> Revision {
        precondition(isAppending, "an append is under way")
        let last = appends[appends.base + 1]
        appends.dropFirst()
        return last
    }

    /// Calls `body` with everything that is not durable yet, in order.
    func forEach(_ body: (Commit) -> Void) {
        guard !isEmpty else { return }
        for revision in (entries.base + 1)...head {
            if let entry = entries[revision] { body(entry.commit) }
        }
    }

    /// The oldest entry, if its revision is at most `revision`.
    func first(through revision: Revision) -> Entry? {
        isEmpty || entries.base >= revision ? nil : entries[entries.base + 1]
    }

    /// Takes the oldest entry out, if its revision is at most `revision`: it is durable.
    mutating func takeFirst(through revision: Revision) -> Entry? {
        guard let entry = first(through: revision) else { return nil }
        entries.dropFirst()
        byteCount -= entry.payload.count
        forgetNumber(of: entry.commit.id.site)
        return entry
    }

    /// Takes everything out: nothing of it is in the log. The next revision follows that of the last entry that was taken out
    /// by `takeFirst`.
    mutating func removeAll() -> [Entry] {
        precondition(!isAppending, "the outcome of every append is known")
        guard !isEmpty else { return [] }
        let removed = ((entries.base + 1)...head).compactMap { entries[$0] }
        self = AppendPipeline(after: entries.base)
        return removed
    }

    private mutating func forgetNumber(of site: SiteID) {
        guard let index = numbers.index(forKey: site) else { return }
        numbers.values[index].count -= 1
        if numbers.values[index].count == 0 { numbers.remove(at: index) }
    }
}
