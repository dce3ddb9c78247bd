internal import EaselCore
internal import EaselProtocol

/// What a site shows from a version of the room's presence on, encoded.
struct PresenceChange: Sendable {
    let site: SiteID
    let version: UInt64
    /// Whether the site is gone.
    let isEnd: Bool
    let bytes: [UInt8]
}

/// What the sessions of a room show now, for those of one outlet to read: one register a site, each with the version of its
/// last change.
///
/// A reader holds only the version it has seen; it gets each register that changed since then, in its last state. A register
/// whose site is gone stays as a tombstone until every reader that saw it has been told.
struct PresenceBoard: Sendable {
    private struct Register {
        let change: PresenceChange
        /// The version at which it appeared: who has not seen that needs no word of its end.
        let first: UInt64
    }

    private struct Mark {
        let version: UInt64
        let site: SiteID
    }

    private var registers: [SiteID: Register] = [:]
    /// By rising version. One whose register has a later version is stale.
    private var marks: [Mark] = []
    private var compactAt = Self.smallest
    /// The version of the last change.
    private(set) var version: UInt64 = 0

    private static let smallest = 64

    /// Takes in the next change.
    mutating func post(_ change: PresenceChange) {
        precondition(change.version > version, "changes come in order")
        version = change.version
        let known = registers[change.site]
        if change.isEnd, known == nil { return }
        registers[change.site] = Register(change: change, first: known?.first ?? change.version)
        marks.append(Mark(version: change.version, site: change.site))
    }

    /// The changes after `seen` until the next would take them past `limit` bytes, but at least one. Linear in
    /// their number.
    func run(after seen: UInt64, limit: Int) -> PresenceRun {
        var bytes: [UInt8] = []
        var places: [SiteID: Range<Int>] = [:]
        var last = seen
        for mark in marks[index(after: seen)...] {
            if let register = registers[mark.site], register.change.version == mark.version,
                !register.change.isEnd || register.first <= seen
            {
                let change = register.change
                if !bytes.isEmpty, bytes.count + change.bytes.count > limit {
                    return PresenceRun(payload: SharedPayload(bytes), last: last, places: places)
                }
                places[change.site] = bytes.count..<bytes.count + change.bytes.count
                bytes += change.bytes
            }
            last = mark.version
        }
        return PresenceRun(payload: SharedPayload(bytes), last: version, places: places)
    }

    private func index(after seen: UInt64) -> Int {
        var low = 0
        var high = marks.count
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].version <= seen { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether so many stale marks have gathered that `compact` is worth its linear cost.
    var wantsCompaction: Bool { marks.count > compactAt }

    /// Forgets stale marks, and tombstones that no reader needs: `seenByAll` is the lowest version seen by a reader that has seen
    /// any.
    mutating func compact(seenByAll: UInt64) {
        var kept: [Mark] = []
        for mark in marks {
            guard let change = registers[mark.site]?.change, change.version == mark.version else { continue }
            if change.isEnd, change.version <= seenByAll {
                registers[mark.site] = nil
            } else {
                kept.append(mark)
            }
        }
        marks = kept
        compactAt = max(Self.smallest, 2 * kept.count)
    }
}

/// Changes of presence behind each other, for all readers that have seen the same.
struct PresenceRun: Sendable {
    let payload: SharedPayload
    /// The version seen with it.
    let last: UInt64
    /// Where in the bytes each site's change is.
    let places: [SiteID: Range<Int>]

    /// What the session of `site` is sent: everything but its own change. Nil if that is nothing.
    func payload(for site: SiteID) -> SharedPayload? {
        guard let own = places[site] else { return payload.bytes.isEmpty ? nil : payload }
        guard own.count < payload.bytes.count else { return nil }
        return SharedPayload(Array(payload.bytes[..<own.lowerBound] + payload.bytes[own.upperBound...]))
    }
}
