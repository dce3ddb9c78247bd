import EaselCore
import EaselProtocol
import EaselServerEngine
import EaselTransport

/// What the sessions of an outlet, or the outlet itself, say to a room.
enum RoomInput: Sendable {
    case join(SessionID, Hello)
    case message(ClientMessage, SessionID)
    /// Something that is no message; why, for people.
    case malformed(String, SessionID)
    case left(SessionID)
    case report(OutletReport)
}

/// The sessions of one room on one event loop, with the outlet that serves them. On the loop only.
///
/// There is one as long as a connection of the loop is in the room, or on its way there.
final class OutletHost {
    let canvas: CanvasID
    private unowned let hub: Hub
    private var outlet = RoomOutlet()
    private var connections: [SessionID: ServerConnection] = [:]
    /// Those for whom there was nothing when they last asked; some of them have gone. Everybody else has asked to write, so that
    /// what a turn brings costs nothing for those who have not written since the turn before.
    private var served: [ServerConnection] = []
    private let home: Int
    /// The sessions take turns with those of other rooms.
    private let flow = Flow(rests: true)
    /// The room, where this loop is its home.
    private var room: RoomHost?
    /// What goes to another loop at the end of the turn.
    private var unsent: [RoomInput] = []

    init(canvas: CanvasID, hub: Hub) {
        self.canvas = canvas
        self.hub = hub
        home = hub.home(of: canvas)
    }

    // MARK: Sessions

    func join(_ connection: ServerConnection, _ hello: Hello) {
        connections[connection.id] = connection
        connection.joins(flow)
        outlet.joined(connection.id)
        send(.join(connection.id, hello))
    }

    /// Takes the messages in one message of a session's WebSocket.
    func received(_ payload: [UInt8], from session: SessionID) {
        if !isHome, let connection = connections[session] { hub.count(payload.count, from: connection, to: home) }
        var sequence = ClientMessageSequence(payload)
        do throws(DecodingError) {
            if sequence.isAtEnd { throw .empty }
            while let message = try sequence.next() { send(.message(message, session)) }
        } catch {
            send(.malformed("A message cannot be read: \(error).", session))
        }
    }

    func left(_ session: SessionID) {
        outlet.left(session)
        send(.left(session))
        forget(session)
    }

    func nextPayload(for session: SessionID) -> SharedPayload? {
        var actions: [OutletAction] = []
        let payload = outlet.nextPayload(for: session, into: &actions)
        for action in actions { perform(action) }
        if payload == nil, let connection = connections[session], !connection.isServed {
            connection.isServed = true
            served.append(connection)
        }
        return payload
    }

    private func forget(_ session: SessionID) {
        connections[session] = nil
        if served.count > 2 * connections.count { served.removeAll { connections[$0.id] == nil } }
        if connections.isEmpty { hub.forget(self) }
    }

    // MARK: The room

    private var isHome: Bool { home == hub.index }

    private func send(_ input: RoomInput) {
        guard isHome else {
            if unsent.isEmpty { hub.hasUnsent(self) }
            unsent.append(input)
            return
        }
        if case .join(let session, _) = input {
            switch hub.room(of: canvas) {
            case .admitted(let room): self.room = room
            case .refused(let error): return take(.closing(session, error))
            }
        }
        room?.take(input, from: hub.outlet)
    }

    /// Gives what the turn has for the room's loop to the mail.
    func post() {
        hub.send(.inputs(canvas, unsent), to: home)
        unsent = []
    }

    func take(_ news: RoomNews) {
        var actions: [OutletAction] = []
        outlet.take(news, into: &actions)
        for action in actions { perform(action) }
    }

    private func perform(_ action: OutletAction) {
        switch action {
        case .wantsWrite(let session): connections[session]?.wantsWrite()
        case .everyoneWantsWrite:
            for connection in served {
                connection.isServed = false
                connection.wantsWrite()
            }
            served.removeAll(keepingCapacity: true)
        case .close(let session, let error):
            let connection = connections[session]
            forget(session)
            connection?.end(error)
        case .report(let report): send(.report(report))
        }
    }
}
