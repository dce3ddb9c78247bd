import EaselCore
import EaselProtocol
import EaselServerEngine
import EaselSupport
import EaselTransport
import EaselWebSocket

/// One connection of a client, from its request to the end of its WebSocket. On the loop only.
///
/// What goes out is of two kinds: bytes of this connection alone (the handshake's answer, pongs, close frames), kept here and
/// bounded by their nature, and what the room has for the session, which is asked for only when the socket takes bytes.
final class ServerConnection: ConnectionHandler {
    private enum State {
        case handshake(ServerHandshake)
        /// `socket` is open, or being closed.
        case webSocket
        /// Nothing is read any more; what is queued is sent, then the connection is closed.
        case ending
    }

    /// Where messages go.
    private enum Place {
        /// The request is not answered yet, or everything is over.
        case nowhere
        case lobby
        case room(OutletHost)
        case look(LookSession)
    }

    let id: SessionID
    private let connection: Connection
    private unowned let hub: Hub
    private var state = State.handshake(ServerHandshake())
    /// Beside the state and not in it: what it has read of a message would be copied whenever it is taken out and put back.
    private var socket = WebSocketConnection.server(limits: MessageLimits(messageBytes: ServerLimits.messageBytes))
    private var place = Place.nowhere
    /// Bytes for this connection alone, not yet given to the transport.
    private var queued: [UInt8] = []
    /// Bytes that came before the hello was complete.
    private var helloBytes = 0
    /// Whether its room had nothing for it when it last asked. The room's.
    var isServed = false
    private var pinged: UInt64
    private var hasAnsweredPing = true

    init(id: SessionID, connection: Connection, hub: Hub) {
        self.id = id
        self.connection = connection
        self.hub = hub
        pinged = hub.moment.milliseconds
    }

    // MARK: Transport

    func opened(_ connection: Connection) {
        connection.setTimeout(milliseconds: ServerLimits.handshakeMilliseconds)
    }

    func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) {
        hasAnsweredPing = true
        switch state {
        case .handshake(var handshake):
            let outcome = handshake.receive(bytes.assumingMemoryBound(to: UInt8.self).span)
            state = .handshake(handshake)
            shake(outcome)
        case .webSocket:
            if case .lobby = place, !takesHello(bytes.count) { return }
            webSocket { $0.receive(bytes.assumingMemoryBound(to: UInt8.self).span) }
        case .ending:
            break
        }
    }

    private func takesHello(_ byteCount: Int) -> Bool {
        helloBytes += byteCount
        guard helloBytes > ServerLimits.helloBytes else { return true }
        end(hub.lobby.receivedMalformed(from: id))
        return false
    }

    func writable(_ connection: Connection) {
        if queued.isEmpty { webSocket { $0.outputDrained() } }
        var bytes = queued
        queued = []
        if case .ending = state {
            connection.write(bytes)
            connection.close()
            return
        }
        // Pongs may be owed that had no room; they go out once these bytes have.
        var hasMore = !bytes.isEmpty
        while isOpen {
            guard bytes.count < ServerLimits.writeBytes else {
                hasMore = true
                break
            }
            guard let payload = nextPayload() else { break }
            let frame = hub.frames.frame(payload)
            // The first frame is passed on as it is, so that a large one is shared by all who get it.
            if bytes.isEmpty { bytes = frame } else { bytes += frame }
        }
        connection.write(bytes)
        if hasMore || !queued.isEmpty { connection.requestWritable() }
    }

    private func nextPayload() -> SharedPayload? {
        switch place {
        case .nowhere, .lobby: nil
        case .room(let room): room.nextPayload(for: id)
        case .look(let look): look.nextPayload()
        }
    }

    func closed(_ connection: Connection, _ reason: CloseReason) {
        hub.log.debug("connection closed", ["session": id.rawValue, "peer": connection.peer, "reason": reason])
        if case .webSocket = state { socket.transportClosed() }
        state = .ending
        leave()
        hub.closed(self)
    }

    // MARK: Handshake

    private func shake(_ outcome: ServerHandshake.Outcome) {
        switch outcome {
        case .needMore, .ended: break
        case .request(let head, _): answer(hub.routes.response(to: head))
        case .refuse(_, let response): answer(response)
        case .upgrade(let request, let leftover):
            switch hub.routes.verdict(on: request) {
            case .refuse(let response): answer(response)
            case .accept(let subprotocol):
                queue(request.accept(subprotocol: subprotocol, sha1: Digests.sha1))
                open(leftover)
            }
        }
    }

    private func open(_ leftover: [UInt8]) {
        connection.setTimeout(milliseconds: nil)
        state = .webSocket
        place = .lobby
        if let error = hub.enterLobby(self) {
            end(error)
        } else if !leftover.isEmpty, takesHello(leftover.count) {
            webSocket { $0.receive(leftover) }
        }
    }

    private func answer(_ response: [UInt8]) {
        queue(response)
        state = .ending
    }

    // MARK: WebSocket

    private var isOpen: Bool {
        if case .webSocket = state { return socket.phase == .open }
        return false
    }

    /// Changes the WebSocket's state machine and does what it then asks for.
    private func webSocket(_ change: (inout WebSocketConnection) -> Void) {
        guard case .webSocket = state else { return }
        change(&socket)
        while case .webSocket = state, let action = socket.nextAction() { perform(action) }
    }

    private func perform(_ action: WebSocketConnection.Action) {
        switch action {
        case .deliver(.binary, let payload): deliver(payload)
        case .deliver(.text, _): webSocket { $0.close(.unsupportedData, reason: "messages are binary") }
        case .send(let bytes): queue(bytes)
        case .pong: break
        case .startCloseDeadline: startCloseDeadline()
        case .ended(let ending):
            hub.log.debug("session ended", ["session": id.rawValue, "reason": "\(ending)"])
            leave()
        case .closeTransport(.afterSending):
            state = .ending
            connection.requestWritable()
        case .closeTransport(.immediately): connection.abort()
        }
    }

    private func startCloseDeadline() {
        connection.loop.schedule(after: ServerLimits.closeMilliseconds) { [weak self] in
            self?.webSocket { $0.deadlinePassed() }
        }
    }

    private func deliver(_ payload: [UInt8]) {
        guard isOpen else { return }
        switch place {
        case .nowhere: break
        case .lobby: greet(payload)
        case .room(let room): room.received(payload, from: id)
        // Whoever looks has nothing to say.
        case .look: break
        }
    }

    private func greet(_ payload: [UInt8]) {
        let verdict: Lobby.Verdict
        do throws(DecodingError) {
            verdict = hub.lobby.received(try ClientMessage.decode(payload), byteCount: payload.count, from: id)
        } catch {
            verdict = .refuse(hub.lobby.receivedMalformed(from: id))
        }
        place = .nowhere
        switch verdict {
        case .refuse(let error): end(error)
        case .look(let look):
            guard let session = hub.look(look, self) else {
                return end(ProtocolError(code: .tooMany, message: "Too many look at earlier revisions now; try again."))
            }
            place = .look(session)
            session.start()
        case .join(let canvas, let hello):
            let room = hub.openOutletHost(of: canvas)
            place = .room(room)
            room.join(self, hello)
        }
    }

    // MARK: What the room and the hub ask for

    /// There may be something to send.
    func wantsWrite() {
        connection.requestWritable()
    }

    /// Takes turns in writing with the connections of a flow.
    func joins(_ flow: Flow) { connection.flow = flow }

    /// Reads nothing from the client, so that it is held up.
    func pauseReading() { connection.pauseReading() }

    func resumeReading() { connection.resumeReading() }

    /// Tells the client why and closes the connection. The room or the lobby has forgotten the session.
    func end(_ error: ProtocolError) {
        if case .look = place { hub.lookEnded() }
        place = .nowhere
        hub.log.debug("session closed", ["session": id.rawValue, "reason": error.message])
        webSocket {
            $0.send(.binary, ServerMessage.error(error).encode())
            $0.close(error.code.closeCode, reason: error.message)
        }
    }

    /// Ends whatever the connection is doing, because the server stops. Rooms have told their sessions already.
    func stop(_ error: ProtocolError) {
        switch state {
        case .handshake: connection.abort()
        case .webSocket:
            switch place {
            case .lobby, .look: end(error)
            case .nowhere, .room: break
            }
        case .ending: break
        }
    }

    /// Looks whether the peer still reads and answers, and asks it from time to time.
    func sweep(at now: Instant) {
        if let since = connection.stalledSince, now.milliseconds(since: since) >= ServerLimits.stallMilliseconds {
            hub.log.info("a client reads nothing and is dropped", ["session": id.rawValue, "peer": connection.peer])
            connection.abort()
            return
        }
        guard isOpen, now.milliseconds >= pinged + ServerLimits.pingMilliseconds else { return }
        guard hasAnsweredPing else {
            hub.log.info("a client answers no ping and is dropped", ["session": id.rawValue, "peer": connection.peer])
            connection.abort()
            return
        }
        pinged = now.milliseconds
        hasAnsweredPing = false
        webSocket { $0.ping() }
    }

    private func queue(_ bytes: [UInt8]) {
        queued += bytes
        connection.requestWritable()
    }

    private func leave() {
        switch place {
        case .nowhere: break
        case .lobby: hub.lobby.left(id)
        case .room(let room): room.left(id)
        case .look: hub.lookEnded()
        }
        place = .nowhere
    }
}

extension ProtocolErrorCode {
    /// The WebSocket close code that says about the same.
    var closeCode: CloseCode {
        switch self {
        case .malformed, .unsupportedVersion, .replaced, .tooSlow, .notKept: .policyViolation
        case .canvasUnavailable: .internalError
        case .shuttingDown: .serviceRestart
        case .tooMany: .tryAgainLater
        }
    }
}
