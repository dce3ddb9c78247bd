internal import EaselCore
internal import EaselProtocol

/// Names a connection within a server, for as long as the server lives. Never used again, so what is late cannot reach another.
public struct SessionID: Hashable, Comparable, Sendable {
    /// A number that no other connection of the server has or had.
    public let rawValue: UInt64

    /// The session with a number.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// By their numbers, which say nothing of time between event loops.
    public static func < (left: SessionID, right: SessionID) -> Bool { left.rawValue < right.rawValue }
}

/// One connection that has joined the room. What it was sent is its outlet's business (``Reader``).
struct Session {
    /// Whether its outlet serves it.
    enum Stage {
        /// Its snapshot is being encoded.
        case waiting
        /// Its outlet was told to welcome it.
        case welcome
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

    let outlet: OutletID
    let site: SiteID
    var role: Role
    let name: String
    var stage = Stage.waiting
    var intake = Intake.open(after: 0)
    /// Answers that follow transactions of its own which are not durable yet. Whether they will be is open.
    var held: [Answer] = []
    /// The revision of the last transaction it sent that was accepted; 0 if none, or if that one did not become durable.
    var lastStaged: Revision = 0
    /// Its transactions that are not durable yet, and their bytes.
    var inFlight = 0
    var inFlightBytes = 0
    /// Its requests about versions that have no answer yet.
    var versionRequests = 0

    /// Takes note of a transaction of its own that was accepted.
    mutating func staged(_ sequence: SequenceNumber, at revision: Revision, byteCount: Int) {
        intake = .open(after: sequence)
        lastStaged = revision
        inFlight += 1
        inFlightBytes += byteCount
    }

    /// Takes a transaction off its account: what became of it is known.
    mutating func settled(byteCount: Int) {
        inFlight -= 1
        inFlightBytes -= byteCount
    }
}
