internal import EaselCore
internal import EaselProtocol

extension RoomEngine {
    /// Takes in what a session shows. The name is the one it said hello with, and the site is ours to say; only fields that are
    /// known are passed on.
    mutating func receive(
        _ shown: Presence, from id: SessionID, at moment: Moment
    ) {
        guard let session = sessions[id] else { return }
        guard shown.selection.count <= ProtocolLimits.selectedShapes,
            shown.preview.count <= ProtocolLimits.previewShapes,
            shown.pointer.map({ $0.x.isFinite && $0.y.isFinite }) ?? true
        else {
            let sentence = "Presence is beyond its limits."
            close(id, ProtocolError(code: .malformed, message: sentence), at: moment)
            return
        }
        let presence = Presence(
            name: session.name, pointer: shown.pointer, selection: shown.selection, caret: shown.caret,
            preview: shown.preview)
        show(presence, of: session.site, at: moment)
    }

    mutating func show(_ shown: Presence, of site: SiteID, at moment: Moment) {
        guard presence.set(site, shown) else { return }
        publishPresence(at: moment.milliseconds)
    }

    /// When the next round of presence may go out: at once after a quiet time, else with a distance that grows with the room, so
    /// that rounds times sessions stay bounded.
    var nextPresenceRound: UInt64 {
        lastPresenceRound + limits.presenceMilliseconds + UInt64(sessions.count) * 1_000
            / limits.presenceFramesPerSecond
    }

    /// Lets sessions see what changed, if the time for another round has come.
    mutating func publishPresence(at now: UInt64) {
        guard presence.hasUnpublished, now >= nextPresenceRound else { return }
        newPresence += presence.publish()
        lastPresenceRound = now
    }
}
