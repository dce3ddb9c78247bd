import EaselTransport
import EaselWebSocket

/// One WebSocket whose every message goes back to its sender.
final class EchoSession: ConnectionHandler {
    /// Milliseconds a client has for its handshake, and a peer to answer a close frame.
    private static let patience = 10_000
    /// Unsent bytes beyond which nothing more is read.
    private static let unsentBytes = 1 << 20
    /// Autobahn sends messages of 16 MiB, and messages of 4 MiB in frames of 64 bytes.
    private static let limits = MessageLimits(messageBytes: 32 << 20, fragments: 1 << 20)

    private enum Stage {
        case handshake(ServerHandshake)
        case open(WebSocketConnection)
        case over
    }

    private var stage = Stage.handshake(ServerHandshake())
    private var outgoing: [UInt8] = []
    private var closesWhenSent = false

    func opened(_ connection: Connection) {
        connection.setTimeout(milliseconds: EchoSession.patience)
    }

    func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) {
        take(bytes.bindMemory(to: UInt8.self).span, connection)
        if outgoing.count + connection.unsentBytes > EchoSession.unsentBytes {
            connection.pauseReading()
        }
    }

    func writable(_ connection: Connection) {
        let bytes = outgoing
        outgoing = []
        connection.write(bytes)
        if closesWhenSent {
            connection.close()
        } else if !bytes.isEmpty {
            // The next call means that all of this is out.
            connection.requestWritable()
        } else {
            connection.resumeReading()
            withWebSocket(connection) { $0.outputDrained() }
        }
    }

    func closed(_ connection: Connection, _ reason: CloseReason) {
        withWebSocket(connection) { $0.transportClosed() }
        stage = .over
    }

    private func take(_ bytes: Span<UInt8>, _ connection: Connection) {
        guard case .handshake(var handshake) = stage else {
            withWebSocket(connection) { $0.receive(bytes) }
            return
        }
        let outcome = handshake.receive(bytes)
        stage = .handshake(handshake)
        switch outcome {
        case .needMore, .ended:
            break
        case .upgrade(let request, let leftover):
            connection.setTimeout(milliseconds: nil)
            stage = .open(.server(limits: EchoSession.limits))
            send(request.accept(subprotocol: nil, sha1: Digests.sha1), connection)
            withWebSocket(connection) { $0.receive(leftover) }
        case .request:
            send(HTTPResponse.text(.notFound, "this server speaks WebSocket only").encoded(), connection)
            closesWhenSent = true
        case .refuse(_, let response):
            send(response, connection)
            closesWhenSent = true
        }
    }

    /// Gives `body` the state machine, without a second copy of it around, and does what it then asks for.
    private func withWebSocket(_ connection: Connection, _ body: (inout WebSocketConnection) -> Void) {
        guard case .open(var webSocket) = stage else { return }
        stage = .over
        body(&webSocket)
        while let action = webSocket.nextAction() {
            if case .deliver(let kind, let payload) = action {
                webSocket.send(kind, payload)
            } else {
                carryOut(action, connection)
            }
        }
        stage = .open(webSocket)
    }

    private func carryOut(_ action: WebSocketConnection.Action, _ connection: Connection) {
        switch action {
        case .send(let bytes):
            send(bytes, connection)
        case .startCloseDeadline:
            connection.loop.schedule(after: EchoSession.patience) { [self] in
                withWebSocket(connection) { $0.deadlinePassed() }
            }
        case .closeTransport(.afterSending):
            closesWhenSent = true
            connection.requestWritable()
        case .closeTransport(.immediately):
            connection.abort()
        case .deliver, .pong, .ended:
            break
        }
    }

    private func send(_ bytes: [UInt8], _ connection: Connection) {
        if outgoing.isEmpty {
            outgoing = bytes
        } else {
            outgoing += bytes
        }
        connection.requestWritable()
    }
}
