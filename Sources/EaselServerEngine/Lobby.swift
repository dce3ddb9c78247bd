public import EaselCore
public import EaselProtocol

/// The connections of a server that have not said hello: nobody knows yet which room they go to.
///
/// A pure state machine beside the rooms. It holds next to nothing of them, takes one message from each, and does not wait
/// long for it.
public struct Lobby: Sendable {
    /// What becomes of a connection.
    public enum Verdict: Sendable, Equatable {
        /// It goes to the room of a canvas, with its hello.
        case join(CanvasID, Hello)
        /// It looks at one revision of a canvas, which needs no room.
        case look(Look)
        /// It is sent the error and closed.
        case refuse(ProtocolError)
    }

    private struct Guest: Sendable {
        let session: SessionID
        let deadline: UInt64
    }

    /// In the order of their deadlines, which is the order in which they came.
    private var guests: [Guest] = []

    private let limit: Int

    /// Nobody, and room for `limit` connections.
    public init(limit: Int = LobbyLimits.sessions) {
        self.limit = limit
    }

    /// Connections that have not said hello.
    public var count: Int { guests.count }

    /// A connection was opened. Returns why it cannot stay, or nil.
    public mutating func opened(_ session: SessionID, at now: UInt64) -> ProtocolError? {
        guard guests.count < limit else {
            return ProtocolError(code: .tooMany, message: "Too many connections have not said hello.")
        }
        guests.append(Guest(session: session, deadline: now + LobbyLimits.helloMilliseconds))
        return nil
    }

    /// A connection sent its first message, of `byteCount` bytes. It leaves the lobby.
    public mutating func received(_ message: ClientMessage, byteCount: Int, from session: SessionID) -> Verdict {
        left(session)
        guard byteCount <= ProtocolLimits.firstMessageBytes else { return .refuse(Self.malformed("It is too large.")) }
        switch message {
        case .hello(let hello): return hello.problem.map { .refuse($0) } ?? .join(hello.canvas, hello)
        case .look(let look): return look.hello.problem.map { .refuse($0) } ?? .look(look)
        case .submit, .presence, .confirm, .versions: return .refuse(Self.malformed("It has to be a hello."))
        }
    }

    /// A connection sent a first message that is none. It leaves the lobby.
    public mutating func receivedMalformed(from session: SessionID) -> ProtocolError {
        left(session)
        return Self.malformed("It cannot be read.")
    }

    private static func malformed(_ reason: String) -> ProtocolError {
        ProtocolError(code: .malformed, message: "The first message is not usable. " + reason)
    }

    /// A connection is gone.
    public mutating func left(_ session: SessionID) {
        guests.removeAll { $0.session == session }
    }

    /// When the next connection has waited too long, monotonic milliseconds; nil if there is none.
    public var wakeTime: UInt64? { guests.first?.deadline }

    /// Takes out the connections that have waited too long, to be sent ``tooSlow`` and closed.
    public mutating func expire(at now: UInt64) -> [SessionID] {
        let expired = guests.prefix { $0.deadline <= now }.map { $0.session }
        guests.removeFirst(expired.count)
        return expired
    }

    /// What a connection is told that did not say hello in time.
    public static let tooSlow = ProtocolError(
        code: .tooSlow, message: "No hello came within \(LobbyLimits.helloMilliseconds / 1_000) seconds.")
}
