internal import EaselCore
internal import EaselProtocol

/// What each session of a room shows now: one register a site, each with the version of its last change.
///
/// A reader holds only the version it has seen; it gets each register that changed since then, in its last state. Changes are
/// published in rounds, so that however often somebody moves a pointer, readers get one update a round. A register whose site
/// is gone stays as a tombstone until every reader that saw it has been told.
struct PresenceBoard {
    private struct Register {
        var version: UInt64
        /// The version at which it appeared: who has not seen that needs no word of its end.
        let first: UInt64
        /// Nil once the site is gone.
        var presence: Presence?
        var bytes: [UInt8]
    }

    private struct Change {
        let version: UInt64
        let site: SiteID
    }

    private var registers: [SiteID: Register] = [:]
    /// By rising version. A change whose register has a later version is stale.
    private var changes: [Change] = []
    private var compactAt = Self.smallest
    /// The version of the last change.
    private(set) var version: UInt64 = 0
    /// The last version that readers may see.
    private(set) var published: UInt64 = 0

    private static let smallest = 64

    /// Sets what a site shows. Returns whether that is a change.
    mutating func set(_ site: SiteID, _ presence: Presence) -> Bool {
        guard registers[site]?.presence != presence else { return false }
        change(site, presence)
        return true
    }

    /// Notes that a site is gone.
    mutating func remove(_ site: SiteID) {
        guard registers[site]?.presence != nil else { return }
        change(site, nil)
    }

    private mutating func change(_ site: SiteID, _ presence: Presence?) {
        version += 1
        registers[site] = Register(
            version: version, first: registers[site]?.first ?? version, presence: presence,
            bytes: ServerMessage.presence(PresenceUpdate(site: site, presence: presence)).encode())
        changes.append(Change(version: version, site: site))
    }

    /// Whether there are changes that are not published.
    var hasUnpublished: Bool { published < version }

    /// Lets readers see every change made so far.
    mutating func publish() { published = version }

    /// Encodes the published changes after `seen` until the next would take them past `limit` bytes, but at least one. Linear in
    /// their number.
    func run(after seen: UInt64, limit: Int) -> PresenceRun {
        var bytes: [UInt8] = []
        var places: [SiteID: Range<Int>] = [:]
        var last = seen
        for change in changes[index(after: seen)...] {
            if change.version > published { break }
            if let register = registers[change.site], register.version == change.version,
                register.presence != nil || register.first <= seen
            {
                if !bytes.isEmpty, bytes.count + register.bytes.count > limit {
                    return PresenceRun(payload: SharedPayload(bytes), last: last, places: places)
                }
                places[change.site] = bytes.count..<bytes.count + register.bytes.count
                bytes += register.bytes
            }
            last = change.version
        }
        return PresenceRun(payload: SharedPayload(bytes), last: published, places: places)
    }

    private func index(after seen: UInt64) -> Int {
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].version <= seen { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether so many stale changes have gathered that `compact` is worth its linear cost.
    var wantsCompaction: Bool { changes.count > compactAt }

    /// Forgets stale changes, and tombstones that no reader needs: `seenByAll` is the lowest version seen by a reader that has seen
    /// any.
    mutating func compact(seenByAll: UInt64) {
        var kept: [Change] = []
        for change in changes {
            guard let register = registers[change.site], register.version == change.version else { continue }
            if register.presence == nil, register.version <= seenByAll {
                registers[change.site] = nil
            } else {
                kept.append(change)
            }
        }
        changes = kept
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
