internal import EaselCore
internal import EaselProtocol

/// Names a connection within a server, for as long as the server lives. Never used again, so what is late cannot reach another.
public struct SessionID: Hashable, Comparable, Sendable {
    /// A running number.
    public let rawValue: UInt64

    /// The session with a running number.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Earlier sessions come first.
    public static func < (left: SessionID, right: SessionID) -> Bool { left.rawValue < right.rawValue }
}

/// One connection that has joined the room.
struct Session {
    /// How far a session has come with the canvas.
    enum Stage {
        /// Its snapshot is being encoded.
        case waiting
        /// It is being sent a snapshot; the number of the next part.
        case snapshot([SharedPayload], next: Int)
        /// It has everything up to `cursor`.
        case live
    }

    /// What becomes of a transaction that the session sends.
    enum Intake {
        /// It is checked. Numbers above `after` are new in this session.
        case open(after: SequenceNumber)
        /// It is ignored until the log can be read: then this number, the first that was not taken, is answered.
        case held(SequenceNumber)
        /// It is ignored until the client confirms the refusal of this number.
        case barrier(SequenceNumber)
    }

    /// A message for this session alone, which follows the commit with a revision.
    struct Answer {
        let after: Revision
        let bytes: [UInt8]
    }

    /// What a session that fell out of the window waits for.
    enum Page {
        case none
        /// Commits after the cursor were asked of the log.
        case requested
        /// They are here, up to a revision.
        case ready(SharedPayload, last: Revision)
    }

    let site: SiteID
    var role: Role
    let name: String
    var stage: Stage
    /// Sent before anything else.
    var welcome: [UInt8]?
    /// The revision it has been sent.
    var cursor: Revision
    var page = Page.none
    var intake = Intake.open(after: 0)
    var answers: [Answer] = []
    /// The revision of the last transaction it sent that was accepted; 0 if none, or if that one did not become durable.
    var lastStaged: Revision = 0
    /// Its transactions that are not durable yet, and their bytes.
    var inFlight = 0
    var inFlightBytes = 0
    /// Its requests about versions that have no answer yet.
    var versionRequests = 0
    /// The version of presence it has been sent; 0 for none.
    var presenceSeen: UInt64 = 0
}
