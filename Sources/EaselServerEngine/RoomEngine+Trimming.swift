public import EaselCore

extension RoomEngine {
    /// Where the log begins: who holds an earlier revision cannot be brought up to date from it.
    public var logBase: Revision { history.logBase }

    /// The log is about to be trimmed up to `target`. Gives how far it may be, which is never past what a session has not been sent
    /// or may be sent next; nil if that is no further than before. From then on nobody is let in who would need what goes.
    public mutating func beginTrim(to target: Revision) -> Revision? {
        switch phase {
        case .loading, .closed: return nil
        case .open, .recovering: break
        }
        var limit = min(target, history.canvas.revision)
        if let ready = feed.current, serves(ready) { limit = min(limit, ready.revision) }
        for session in sessions.values {
            if case .waiting = session.stage { continue }
            limit = min(limit, session.cursor)
        }
        guard limit > history.logBase else { return nil }
        history.logBase = limit
        return limit
    }
}
