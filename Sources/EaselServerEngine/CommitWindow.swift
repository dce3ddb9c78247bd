internal import EaselCore

/// Commits that became durable together, encoded once for everybody who reads them.
struct EncodedRun: Sendable {
    /// The revision before the first.
    let base: Revision
    /// The revision of the last.
    let last: Revision
    let bytes: [UInt8]

    /// How many commits there are.
    var count: Int { Int(last - base) }
}

/// The newest commits of a canvas, in runs.
///
/// Bounded in commits and bytes; who is further behind is served from the log. Bytes never change once they are here, so
/// they are shared. A reader in the middle of a run is served the whole of it, and passes over what it has.
struct CommitWindow: Sendable {
    private struct Entry: Sendable {
        let run: EncodedRun
        /// What all runs in front of this one count for since the window was made.
        let start: UInt64
    }

    private var entries = Queue(blank: Entry(run: EncodedRun(base: 0, last: 0, bytes: []), start: 0))
    private var end: UInt64 = 0
    private var byteCount = 0
    /// The revision before that of the oldest commit.
    private(set) var base: Revision
    /// The newest revision.
    private(set) var head: Revision

    /// A window whose first commit is the one after `revision`.
    init(after revision: Revision) {
        base = revision
        head = revision
    }

    /// Whether every commit after `cursor` is here.
    func covers(_ cursor: Revision) -> Bool { cursor >= base && cursor <= head }

    /// Adds the next run and drops old ones until the rest is within `limits`, but never the newest.
    mutating func append(_ run: EncodedRun, limits: RoomLimits) {
        precondition(run.base == head && run.count > 0, "a run follows the one before")
        entries.append(Entry(run: run, start: end))
        end += run.weight(limits)
        byteCount += run.bytes.count + limits.runOverheadBytes
        head = run.last
        while entries.count > 1, head - base > UInt64(limits.windowCommits) || byteCount > limits.windowBytes {
            byteCount -= entries[0].run.bytes.count + limits.runOverheadBytes
            base = entries[0].run.last
            entries.dropFirst()
        }
    }

    /// What the commits after `cursor` count for (``EncodedRun/weight(_:)``), and those that come with them; nil if they are not
    /// all here.
    func weight(after cursor: Revision) -> UInt64? {
        guard covers(cursor) else { return nil }
        return cursor == head ? 0 : end - entries[place(after: cursor)].start
    }

    /// The commits after `cursor`, which the window covers, until the next run would take them past `limit` bytes, but at least
    /// one run; and the revision of the last. Linear in the bytes given.
    func commits(after cursor: Revision, limit: Int) -> (bytes: [UInt8], last: Revision) {
        precondition(covers(cursor) && cursor < head, "the window holds what is asked for")
        let first = place(after: cursor)
        var next = first + 1
        var count = entries[first].run.bytes.count
        while next < entries.count, count + entries[next].run.bytes.count <= limit {
            count += entries[next].run.bytes.count
            next += 1
        }
        let last = entries[next - 1].run
        guard next > first + 1 else { return (last.bytes, last.last) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for place in first..<next { bytes += entries[place].run.bytes }
        return (bytes, last.last)
    }

    /// The run that holds the commit after `cursor`. O(log n) in runs.
    private func place(after cursor: Revision) -> Int {
        var (low, high) = (0, entries.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].run.last > cursor { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension EncodedRun {
    /// What it counts for where commits are weighed against snapshots.
    func weight(_ limits: RoomLimits) -> UInt64 { UInt64(bytes.count) + UInt64(count) * limits.commitOverheadBytes }
}
