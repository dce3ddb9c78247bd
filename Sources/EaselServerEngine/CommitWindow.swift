internal import EaselCore

/// The newest commits of a canvas, encoded once for everybody who reads them.
///
/// Bounded in commits and bytes; who is further behind is served from the log. Bytes never change once they are here, so
/// assembled runs can be shared.
struct CommitWindow: Sendable {
    private struct Entry: Sendable {
        let bytes: [UInt8]
        /// Bytes of all commits in front of this one since the window was made.
        let start: UInt64
    }

    private var entries: RevisionArray<Entry>
    private var end: UInt64 = 0
    private var byteCount = 0

    /// A window whose first commit is the one after `revision`.
    init(after revision: Revision) {
        entries = RevisionArray(after: revision)
    }

    /// The revision before that of the oldest commit.
    var base: Revision { entries.base }

    /// The newest revision.
    var head: Revision { entries.last }

    /// Whether every commit after `cursor` is here.
    func covers(_ cursor: Revision) -> Bool { cursor >= entries.base && cursor <= entries.last }

    /// Adds the next commit and drops old ones until the rest is within `limits`, but never the newest.
    mutating func append(_ bytes: [UInt8], limits: RoomLimits) {
        entries.append(Entry(bytes: bytes, start: end))
        end += UInt64(bytes.count) + limits.commitOverheadBytes
        byteCount += bytes.count
        while entries.count > 1, entries.count > limits.windowCommits || byteCount > limits.windowBytes {
            byteCount -= entries[entries.base + 1].bytes.count
            entries.dropFirst()
        }
    }

    /// Bytes of the commits after `cursor`, overhead included; nil if they are not all here.
    func byteCount(after cursor: Revision) -> UInt64? {
        guard covers(cursor) else { return nil }
        return cursor == head ? 0 : end - entries[cursor + 1].start
    }

    /// The commits after `cursor`, which the window covers, until the next one would take them past `limit` bytes, but at least
    /// one; and the revision of the last. Linear in the bytes given.
    func run(after cursor: Revision, limit: Int) -> (bytes: [UInt8], last: Revision) {
        precondition(covers(cursor) && cursor < head, "the window holds what is asked for")
        var last = cursor + 1
        var count = entries[last].bytes.count
        while last < head, count + entries[last + 1].bytes.count <= limit {
            last += 1
            count += entries[last].bytes.count
        }
        guard last > cursor + 1 else { return (entries[last].bytes, last) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for revision in (cursor + 1)...last { bytes += entries[revision].bytes }
        return (bytes, last)
    }
}
