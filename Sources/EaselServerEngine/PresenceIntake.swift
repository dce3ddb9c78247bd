internal import EaselCore
internal import EaselProtocol

/// What each session of a room shows now, as it comes in.
///
/// Changes are published in rounds, so that however often somebody moves a pointer, readers get one update a round, and it is
/// encoded once.
struct PresenceIntake: Sendable {
    private struct Register {
        /// Nil once the site is gone.
        var presence: Presence?
        /// What was published of it last.
        var published: PresenceChange?
        var isWaiting = false
    }

    private var registers: [SiteID: Register] = [:]
    /// Sites that changed since the last round, in the order in which they first did.
    private var waiting: [SiteID] = []
    private var version: UInt64 = 0

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
        var register = registers[site] ?? Register()
        register.presence = presence
        if !register.isWaiting { waiting.append(site) }
        register.isWaiting = true
        registers[site] = register
    }

    /// Whether there are changes that are not published.
    var hasUnpublished: Bool { !waiting.isEmpty }

    /// Ends a round. Gives each site that changed in its last state, but for those of whom nobody has heard.
    mutating func publish() -> [PresenceChange] {
        var round: [PresenceChange] = []
        for site in waiting {
            guard var register = registers[site] else { continue }
            let isEnd = register.presence == nil
            if isEnd { registers[site] = nil }
            if isEnd, register.published == nil { continue }
            version += 1
            let update = PresenceUpdate(site: site, presence: register.presence)
            let change = PresenceChange(
                site: site, version: version, isEnd: isEnd, bytes: ServerMessage.presence(update).encode())
            round.append(change)
            if isEnd { continue }
            register.published = change
            register.isWaiting = false
            registers[site] = register
        }
        waiting = []
        return round
    }

    /// Everything that is published, by rising version.
    var published: [PresenceChange] {
        registers.values.compactMap { $0.published }.sorted { $0.version < $1.version }
    }
}
