/// One end of an open WebSocket, from after the handshake to the end of its transport (RFC 6455 sections 5 to 7).
///
/// Inputs are bytes, wishes of the program and what happened to the transport. After each input the program takes
/// actions with `nextAction` until there is none, and carries out each before it takes the next: so what it sends in
/// answer to a message precedes our answer to what came after that message. A server ends TCP first; a client waits
/// for that until the deadline it was told to start. Every ping is answered, within `MessageLimits.unsentPongBytes`.
/// Once closing has begun, messages are neither delivered nor sent.
public struct WebSocketConnection: Sendable {
    /// What the program must do.
    public enum Action: Equatable, Sendable {
        /// Take a message; text is valid UTF-8.
        case deliver(MessageKind, [UInt8])
        /// A pong came, with the payload of the ping it answers.
        case pong([UInt8])
        /// Send these bytes, after all that were given before.
        case send([UInt8])
        /// Call `deadlinePassed` after the time a peer may take to close; comes at most once.
        case startCloseDeadline
        /// The WebSocket is over and why; comes exactly once.
        case ended(Ending)
        /// End the transport; the last action, and never after `transportClosed`.
        case closeTransport(TransportClose)
    }

    /// How to end the transport.
    public enum TransportClose: Equatable, Sendable {
        /// Send what is still to be sent, then close; for as long as the program waits for a slow reader.
        case afterSending
        /// Drop it now.
        case immediately
    }

    /// Why a WebSocket is over.
    public enum Ending: Equatable, Sendable {
        /// The peer asked, and was answered.
        case closedByPeer(CloseCode?, reason: String)
        /// We asked, and the peer answered with this code.
        case closedByUs(CloseCode?)
        /// The peer broke the protocol or a limit, and was told.
        case failed(ReadFailure)
        /// The transport ended, or the deadline passed, before both close frames were exchanged.
        case lost
    }

    /// How far the connection has come.
    public enum Phase: Equatable, Sendable {
        /// Messages go both ways.
        case open
        /// A close frame was sent; no other frame follows it.
        case closing
        /// Nothing more happens.
        case closed
    }

    private enum State {
        case open
        /// Our close frame is out, the peer's is not in.
        case awaitingClose
        /// The ending is known; a client waits for the server to end the transport.
        case awaitingTransport
        case closed
    }

    private enum Side: Sendable {
        case server
        case client(nextKey: @Sendable () -> MaskingKey)

        var role: Role {
            switch self {
            case .server: .server
            case .client: .client
            }
        }

        var nextKey: MaskingKey? {
            switch self {
            case .server: nil
            case .client(let nextKey): nextKey()
            }
        }
    }

    private let side: Side
    private let limits: MessageLimits
    private var reader: MessageReader
    private var state = State.open
    /// What was read and not yet acted on, from `nextEvent` on; the state is that before `events[nextEvent]`.
    private var events: [MessageEvent] = []
    private var nextEvent = 0
    /// Actions decided on and not yet taken, from `nextOutput` on.
    private var output: [Action] = []
    private var nextOutput = 0
    /// Pong bytes given out since the transport last had nothing to send.
    private var unsentPongBytes = 0
    /// The newest ping that came when too many pongs were unsent.
    private var owedPong: [UInt8]?

    private init(side: Side, limits: MessageLimits) {
        self.side = side
        self.limits = limits
        reader = MessageReader(role: side.role, limits: limits)
    }

    /// A server's end.
    public static func server(limits: MessageLimits = .standard) -> WebSocketConnection {
        WebSocketConnection(side: .server, limits: limits)
    }

    /// A client's end; `nextKey` gives a fresh unpredictable key for each frame.
    public static func client(
        limits: MessageLimits = .standard, nextKey: @escaping @Sendable () -> MaskingKey
    ) -> WebSocketConnection {
        WebSocketConnection(side: .client(nextKey: nextKey), limits: limits)
    }

    /// How far the connection has come; frames the program encodes itself may be sent only while it is open.
    public var phase: Phase {
        switch state {
        case .open: .open
        case .awaitingClose, .awaitingTransport: .closing
        case .closed: .closed
        }
    }

    /// Takes bytes off the wire; linear in their count.
    public mutating func receive(_ bytes: Span<UInt8>) { reader.receive(bytes, into: &events) }

    /// `receive(_:)` for an array.
    public mutating func receive(_ bytes: [UInt8]) { receive(bytes.span) }

    /// The next thing to do, nil when all is done until the next input.
    public mutating func nextAction() -> Action? {
        while nextOutput == output.count {
            output.removeAll(keepingCapacity: output.count <= FixedLimits.queueKept)
            nextOutput = 0
            guard nextEvent < events.count else {
                events.removeAll(keepingCapacity: events.count <= FixedLimits.queueKept)
                nextEvent = 0
                return nil
            }
            actOnEvents()
        }
        nextOutput += 1
        return output[nextOutput - 1]
    }

    /// Sends a message in one frame; nothing once closing has begun.
    ///
    /// A server that has the frame already, as for a room, sends that instead while `phase` is open.
    public mutating func send(_ kind: MessageKind, _ payload: [UInt8]) {
        guard state == .open else { return }
        output.append(.send(FrameWriter.message(kind, payload, key: side.nextKey)))
    }

    /// Sends a ping of at most 125 bytes (more is our mistake); nothing once closing has begun.
    public mutating func ping(_ payload: [UInt8] = []) {
        guard state == .open else { return }
        var frame: [UInt8] = []
        FrameWriter.append(.ping, payload: payload, key: side.nextKey, to: &frame)
        output.append(.send(frame))
    }

    /// Begins the closing handshake; nothing once closing has begun. `reason` is cut at 123 bytes.
    public mutating func close(_ code: CloseCode, reason: String = "") {
        guard state == .open else { return }
        sendClose(code, reason: reason)
        output.append(.startCloseDeadline)
        state = .awaitingClose
    }

    /// The transport has sent everything given to it: room for pongs again.
    public mutating func outputDrained() {
        unsentPongBytes = 0
        guard state == .open, let payload = owedPong else { return }
        owedPong = nil
        var frame: [UInt8] = []
        answer(payload, into: &frame)
        output.append(.send(frame))
    }

    /// The time the peer had to close is over.
    public mutating func deadlinePassed() {
        switch state {
        case .open, .closed: return
        case .awaitingClose: output.append(.ended(.lost))
        case .awaitingTransport: break
        }
        output.append(.closeTransport(.immediately))
        state = .closed
    }

    /// The transport has ended, by the peer or by a fault.
    public mutating func transportClosed() {
        switch state {
        case .open, .awaitingClose: output.append(.ended(.lost))
        case .awaitingTransport, .closed: break
        }
        state = .closed
    }

    /// Acts on the next event; pings that follow each other are answered in one piece.
    private mutating func actOnEvents() {
        var replies: [UInt8] = []
        while nextEvent < events.count, case .ping(let payload) = events[nextEvent] {
            nextEvent += 1
            if state == .open { answer(payload, into: &replies) }
        }
        if !replies.isEmpty { output.append(.send(replies)) }
        guard nextEvent < events.count else { return }
        nextEvent += 1
        switch events[nextEvent - 1] {
        case .ping: break
        case .message(let kind, let payload):
            if state == .open { output.append(.deliver(kind, payload)) }
        case .pong(let payload):
            if state == .open { output.append(.pong(payload)) }
        case .close(let code, let reason): peerClosed(code, reason: reason)
        case .failure(let failure): fail(failure)
        }
    }

    private mutating func answer(_ payload: [UInt8], into replies: inout [UInt8]) {
        guard unsentPongBytes < limits.unsentPongBytes else {
            owedPong = payload
            return
        }
        let start = replies.count
        FrameWriter.append(.pong, payload: payload, key: side.nextKey, to: &replies)
        unsentPongBytes += replies.count - start
    }

    private mutating func peerClosed(_ code: CloseCode?, reason: String) {
        switch state {
        case .open:
            sendClose(code, reason: "")
            finish(.closedByPeer(code, reason: reason), deadlineRuns: false)
        case .awaitingClose:
            finish(.closedByUs(code), deadlineRuns: true)
        case .awaitingTransport, .closed:
            return
        }
    }

    private mutating func fail(_ failure: ReadFailure) {
        switch state {
        case .open:
            sendClose(failure.closeCode, reason: failure.reason)
            finish(.failed(failure), deadlineRuns: false)
        case .awaitingClose:
            finish(.failed(failure), deadlineRuns: true)
        case .awaitingTransport, .closed:
            return
        }
    }

    private mutating func sendClose(_ code: CloseCode?, reason: String) {
        var frames: [UInt8] = []
        FrameWriter.appendClose(code, reason: reason, key: side.nextKey, to: &frames)
        output.append(.send(frames))
    }

    /// Both frames are exchanged, or no more can come: the server ends the transport, the client waits for it.
    private mutating func finish(_ ending: Ending, deadlineRuns: Bool) {
        output.append(.ended(ending))
        switch side {
        case .server:
            output.append(.closeTransport(.afterSending))
            state = .closed
        case .client:
            if !deadlineRuns { output.append(.startCloseDeadline) }
            state = .awaitingTransport
        }
    }
}
