public import EaselCore

/// A trim that is being prepared: the outlets are asked how far their sessions have come.
struct TrimRequest {
    let number: UInt64
    /// How far it may be; never further than what a session will be sent.
    var limit: Revision
    /// Outlets that have not answered.
    var awaited: Set<OutletID>
}

extension RoomEngine {
    /// Where the log begins: who holds an earlier revision cannot be brought up to date from it.
    public var logBase: Revision { history.logBase }

    /// The log shall be trimmed up to `target`. Ends in ``RoomAction/trimAllowed(_:)`` at the end of a turn, once all outlets
    /// have said how far their sessions are. From then on nobody is let in who would need what goes.
    ///
    /// Precondition: the last trim that was asked for was answered.
    public mutating func beginTrim(to target: Revision) {
        precondition(trim == nil, "one trim is prepared at a time")
        trimCount += 1
        var request = TrimRequest(number: trimCount, limit: min(target, history.canvas.revision), awaited: [])
        for index in outlets.indices where outlets[index].sessionCount > 0 {
            outlets[index].isAsked = true
            request.awaited.insert(OutletID(index))
        }
        trim = request
    }

    /// An outlet answers. One that answers a question which is settled has lost all its sessions meanwhile.
    mutating func limitTrim(to lowestCursor: Revision?, by outlet: OutletID, question: UInt64) {
        guard trim?.number == question, trim?.awaited.remove(outlet) != nil else { return }
        limitTrim(to: lowestCursor)
    }

    /// Notes that a session will be sent what follows a revision. Those that come after their outlet has answered are counted so.
    mutating func limitTrim(to cursor: Revision?) {
        if let cursor, let limit = trim?.limit { trim?.limit = min(limit, cursor) }
    }

    /// Decides about the trim that is being prepared, if everybody has answered.
    mutating func endTrimRequest(into actions: inout [RoomAction]) {
        guard let request = trim, request.awaited.isEmpty else { return }
        trim = nil
        var limit = request.limit
        if let ready = feed.current, serves(ready) { limit = min(limit, ready.revision) }
        if case .encoding(let revision, _) = feed { limit = min(limit, revision) }
        guard canTrim, limit > history.logBase else {
            actions.append(.trimAllowed(nil))
            return
        }
        history.logBase = limit
        actions.append(.trimAllowed(limit))
    }

    private var canTrim: Bool {
        switch phase {
        case .loading, .closed: false
        case .open, .recovering: true
        }
    }
}
