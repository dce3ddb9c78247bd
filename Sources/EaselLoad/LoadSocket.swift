import EaselClient
import EaselProtocol
import EaselSupport
import EaselTransport
import EaselWebSocket

/// Whom a socket tells.
protocol LoadSocketOwner: AnyObject {
    /// The WebSocket is open.
    func opened()
    /// A message of the transport arrived.
    func received(_ payload: [UInt8])
    /// The connection is gone.
    func closed(_ reason: String)
}

/// The WebSocket of one virtual client, without reconnection: a connection that is lost is a finding.
final class LoadSocket: ConnectionHandler {
    private enum Stage {
        case dialing
        case shaking(ClientHandshake)
        case open
        case over
    }

    private enum Limit {
        /// Time for connecting and the handshake, milliseconds.
        static let handshake = 30_000
        /// Largest message of a server, bytes.
        static let messageBytes = 2 * ProtocolLimits.clientMessageBytes
        /// Bytes of messages put into one frame.
        static let frameBytes = 64 * 1024
    }

    weak var owner: (any LoadSocketOwner)?
    private let server: ServerAddress
    private var connection: Connection?
    private var stage = Stage.dialing
    private var socket = WebSocketConnection.client(
        limits: MessageLimits(messageBytes: Limit.messageBytes), nextKey: LoadSocket.key)
    private var frames: [[UInt8]] = []
    /// Messages that are not in a frame yet.
    private var payload: [UInt8] = []

    /// Connects.
    init(_ plan: LoadPlan, on loop: EventLoop) {
        server = plan.server
        connection = loop.connect(host: server.host, port: server.port, trust: plan.trust, handler: self)
        connection?.setTimeout(milliseconds: Limit.handshake)
    }

    /// The load does not have to be unpredictable to anybody on the way.
    @Sendable private static func key() -> MaskingKey { MaskingKey(0x9E37_79B9) }

    /// Puts a message behind those that wait.
    func send(_ message: [UInt8]) {
        if payload.count + message.count > Limit.frameBytes { closeFrame() }
        payload += message
        connection?.requestWritable()
    }

    /// Ends the connection.
    func close() {
        if case .open = stage { socket.close(.normal) }
        stage = .over
        owner = nil
        connection?.abort()
    }

    private func closeFrame() {
        guard !payload.isEmpty else { return }
        frames.append(FrameWriter.message(.binary, payload, key: Self.key()))
        payload.removeAll(keepingCapacity: true)
    }

    func opened(_ connection: Connection) {
        guard let handshake = server.makeHandshake() else { return connection.abort() }
        frames = [handshake.request]
        stage = .shaking(handshake)
        connection.requestWritable()
    }

    func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) {
        let bytes = bytes.assumingMemoryBound(to: UInt8.self).span
        switch stage {
        case .shaking(var handshake):
            let outcome = handshake.receive(bytes, sha1: Digests.sha1)
            stage = .shaking(handshake)
            switch outcome {
            case .needMore, .ended: return
            case .open(_, _, let leftover):
                stage = .open
                connection.setTimeout(milliseconds: nil)
                owner?.opened()
                socket.receive(leftover)
                carryOut(connection)
            case .refused(let head): end("HTTP status \(head.status)")
            case .failure: end("what answers is no Easel server")
            }
        case .open:
            socket.receive(bytes)
            carryOut(connection)
        case .dialing, .over: return
        }
    }

    private func carryOut(_ connection: Connection) {
        while let action = socket.nextAction() {
            switch action {
            case .deliver(_, let payload): owner?.received(payload)
            case .send(let bytes):
                closeFrame()
                frames.append(bytes)
                connection.requestWritable()
            case .startCloseDeadline, .closeTransport: end("closed by the server")
            case .pong, .ended: break
            }
        }
    }

    func writable(_ connection: Connection) {
        closeFrame()
        if frames.isEmpty {
            socket.outputDrained()
            carryOut(connection)
        }
        guard !frames.isEmpty else { return }
        let bytes = frames.count == 1 ? frames[0] : Array(frames.joined())
        frames = []
        connection.write(bytes)
        connection.requestWritable()
    }

    func closed(_ connection: Connection, _ reason: CloseReason) { end("\(reason)") }

    private func end(_ reason: String) {
        if case .over = stage { return }
        stage = .over
        connection?.abort()
        owner?.closed(reason)
        owner = nil
    }
}
