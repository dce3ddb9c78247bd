import EaselClientEngine
import EaselProtocol
import EaselServerEngine

/// What scenarios need besides: counting and delivering single messages, and clients whose process ends.
extension Simulation {
    /// The messages on their way from a client to the server, oldest first.
    func messagesUp(_ index: Int) -> [ClientMessage] {
        stations[index].up.flatMap { (try? ClientMessage.decodeAll($0)) ?? [] }
    }

    /// Hands the server the oldest message of a client that is not presence, and the presence in front of it. Returns
    /// whether there was one.
    mutating func deliverOneUp(_ index: Int, twice isTwice: Bool = false) -> Bool {
        while let message = messagesUp(index).first {
            if case .presence = message {
                deliverUp(index)
                continue
            }
            if isTwice {
                deliverUpTwice(index)
                // A copy that is ignored stays in front.
                if messagesUp(index).first == message { deliverUp(index) }
            } else {
                deliverUp(index)
            }
            return true
        }
        return false
    }

    /// Hands a client the oldest message for it that is not presence, and the presence in front of it. Returns whether there
    /// was one.
    mutating func deliverOneDown(_ index: Int) -> Bool {
        while hasDown(index) {
            guard let frame = stations[index].down.first, let messages = try? ServerMessage.decodeAll(frame) else {
                deliverDown(index)
                return true
            }
            stations[index].down.replaceSubrange(0..<1, with: messages.map { $0.encode() })
            deliverDown(index)
            if case .presence = messages[0] { continue }
            return true
        }
        return false
    }

    /// Changes what a client may do, if it has joined.
    mutating func setRole(_ role: Role, of index: Int) {
        guard let session = stations[index].session else { return }
        perform { room, _, moment in room.setRole(of: session, to: role, at: moment) }
    }

    /// Puts another engine in a client's place, as a process does that starts again.
    ///
    /// Precondition: the client has no connection.
    mutating func replaceClient(_ index: Int, with engine: ClientEngine) {
        precondition(stations[index].session == nil, "a process that ended has no connection")
        stations[index].engine = engine
        stations[index].events = []
    }
}
