public import EaselCore
public import EaselProtocol

/// Names an outlet of a room: the one that serves the sessions of an event loop. Small numbers, from 0.
public struct OutletID: Hashable, Sendable {
    /// The number.
    public let rawValue: Int

    /// The outlet with a number.
    public init(_ rawValue: Int) {
        precondition(rawValue >= 0, "outlets count from 0")
        self.rawValue = rawValue
    }
}

/// What a room has to say to one of its outlets at the end of a turn.
///
/// News of one room to one outlet are to be handed over in the order in which they were given out, each once; how late does not
/// matter. They hold references to bytes that never change, so handing them to another thread copies nothing.
public struct RoomNews: Sendable {
    /// What an outlet begins with that has no session yet: everything the room could have told it before.
    struct Opening: Sendable {
        let window: CommitWindow
        let presence: [PresenceChange]
    }

    /// Set in the first news after which the outlet has sessions. It forgets whatever it held.
    let opening: Opening?
    /// Commits behind those that the outlet has.
    let runs: [EncodedRun]
    /// The revision of the last of them, or of the last that the outlet has.
    let revision: Revision
    /// Changes of presence that were published.
    let presence: [PresenceChange]
    /// What concerns single sessions, in order.
    let words: [SessionWord]
    /// The number of a question for the lowest cursor.
    let question: UInt64?

    /// News for a session whose room does not exist: it is sent an error and closed.
    public static func closing(_ session: SessionID, _ error: ProtocolError) -> RoomNews {
        RoomNews(
            opening: nil, runs: [], revision: 0, presence: [], words: [.close(session, error)], question: nil)
    }
}

/// What a room says to an outlet about one of its sessions.
enum SessionWord: Sendable {
    /// It is in. From now on the outlet serves it.
    case welcome(SessionID, Start)
    /// It is to be sent a message of its own, once it has the commits up to a revision.
    case answer(SessionID, after: Revision, bytes: [UInt8])
    /// The commits after its cursor, read from the log.
    case page(SessionID, after: Revision, SharedPayload, last: Revision)
    /// It is to be sent an error and closed. The room has forgotten it.
    case close(SessionID, ProtocolError)

    /// Where a session begins.
    struct Start: Sendable {
        let site: SiteID
        /// The encoded welcome.
        let welcome: [UInt8]
        /// A snapshot to be sent in front of the first commit; empty if it needs none.
        let parts: [SharedPayload]
        /// The revision it has then.
        let cursor: Revision
    }
}

/// What an outlet has to say to its room. Reports are to be handed over in order, and in order with what the sessions of the
/// outlet say.
public enum OutletReport: Sendable {
    /// The commits after a session's cursor are not in memory any more; they have to be read from the log.
    case needsPage(SessionID, after: Revision)
    /// A session leaves too many answers unread. The outlet serves it no more.
    case leavesUnread(SessionID)
    /// The lowest cursor of the sessions there are, because the room asked under a number; nil if there is none. Cursors only
    /// grow, so it stays a bound for those sessions.
    case lowestCursor(Revision?, question: UInt64)
}

/// What an outlet wants done. Actions are to be carried out in order.
public enum OutletAction: Sendable {
    /// There is something for this session: when its socket takes bytes, ask ``RoomOutlet/nextPayload(for:into:)`` until it
    /// gives nil.
    case wantsWrite(SessionID)
    /// There may be something for every session of the outlet.
    case everyoneWantsWrite
    /// Send the error and close the connection. The outlet has forgotten the session already.
    case close(SessionID, ProtocolError)
    /// Tell the room, by ``RoomEngine/reported(_:by:into:at:)``.
    case report(OutletReport)
}
