import Dispatch
import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselSupport
import EaselTransport
import EaselWebSocket
import Synchronization

/// The connection of one store: dials, shakes hands, carries messages, and dials again after a loss.
///
/// Unchecked, because all its mutable members are touched on the loop's thread only; other threads use `start`, `stop`,
/// `reconnect` and `wake`, which post to the loop.
final class Dialer: ConnectionHandler, @unchecked Sendable {
    enum State {
        /// Not started, or between two connections.
        case idle
        case dialing(Connection)
        case shaking(Connection, ClientHandshake)
        /// Messages go both ways; `socket` is the connection's state machine.
        case open(Connection)
        /// The close frame is on its way.
        case ending(Connection)
        case stopped
    }

    private enum Limit {
        /// Time for connecting and the handshake, milliseconds.
        static let handshake = 10_000
        /// Time between two pings, milliseconds.
        static let ping = 15_000
        /// Silence after which a connection counts as lost, milliseconds.
        static let silence: UInt64 = 40_000
        /// Wait before a transaction that could not be stored is sent again, milliseconds.
        static let storageRetry = 1_000
        /// Largest message a server sends: a frame of commits, or one commit that is larger.
        static let messageBytes = 2 * ProtocolLimits.clientMessageBytes
        /// Bytes of messages put into one frame.
        static let frameBytes = 256 * 1024
        /// Time a server has to answer a close, milliseconds.
        static let close = 2_000
        /// Time a stop waits for the close frame to leave, milliseconds.
        static let farewell = 300
    }

    private let store: CanvasStore
    private let server: ServerAddress
    /// For TLS; nil for none.
    private let trust: TLSTrust?
    private let log: Log
    let loop: EventLoop
    private(set) var state = State.idle
    private var socket = Dialer.makeSocket()
    private var policy = ReconnectPolicy()
    private var outgoing: [[UInt8]] = []
    /// Where messages to the server can be made to wait.
    var up = MessageGate<ClientMessage>()
    /// Where messages from the server can be made to wait.
    var down = MessageGate<ServerMessage>()
    var traffic = Traffic()
    private var redialTimer: LoopTimer?
    private var pingTimer: LoopTimer?
    private var retryTimer: LoopTimer?
    /// The next time the state is written, and how it is cancelled.
    private var keeping: (due: Instant, timer: LoopTimer)?
    private var lastReceived = MonotonicClock.now
    private let isWoken = Atomic(false)
    /// Why the last attempt came to nothing; nil once one was welcomed.
    let failure = StoreLock<ConnectionFailure?>(nil)
    /// Whether this attempt has said why it comes to nothing.
    private var isExplained = false
    private let farewell = DispatchSemaphore(value: 0)

    init(store: CanvasStore, server: ServerAddress, trust: TLSTrust?, log: Log, loop: EventLoop) {
        self.store = store
        self.server = server
        self.trust = trust
        self.log = log
        self.loop = loop
    }

    // MARK: From any thread

    func start() {
        store.outlet.withLock { $0 = { [weak self] in self?.wake() } }
        loop.post { [self] in dial() }
    }

    func stop() {
        store.outlet.withLock { $0 = nil }
        if loop.call({ [self] in end() }) == true {
            _ = farewell.wait(timeout: .now() + .milliseconds(Limit.farewell))
        }
    }

    func reconnect() {
        loop.post { [self] in
            redialTimer?.cancel()
            redialTimer = nil
            policy.succeeded()
            if let connection { connection.abort() } else if case .idle = state { dial() }
        }
    }

    /// There may be messages to send. Calls before the loop gets to it are one.
    private func wake() {
        guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.post { [self] in
            isWoken.store(false, ordering: .releasing)
            if case .open(let connection) = state { connection.requestWritable() }
            watchTrouble()
            keepSoon()
        }
    }

    // MARK: On the loop

    /// Has the store write its state where it is kept, soon or late as that may be.
    private func keepSoon() {
        guard let delay = store.keepingDelay else { return }
        let due = MonotonicClock.now.advanced(byMilliseconds: UInt64(delay))
        if let keeping, keeping.due <= due { return }
        keeping?.timer.cancel()
        keeping = nil
        if delay == 0 { return store.keep() }
        let timer = loop.schedule(after: delay) { [self] in
            keeping = nil
            store.keep()
            // What could not be written is tried again.
            keepSoon()
        }
        keeping = (due, timer)
    }

    var connection: Connection? {
        switch state {
        case .idle, .stopped: return nil
        case .dialing(let connection), .shaking(let connection, _), .open(let connection), .ending(let connection):
            return connection
        }
    }

    private func dial() {
        guard case .idle = state else { return }
        isExplained = false
        let connection = loop.connect(host: server.host, port: server.port, trust: trust, handler: self)
        connection.setTimeout(milliseconds: Limit.handshake)
        state = .dialing(connection)
    }

    /// Ends for good. Returns whether a close frame is on its way.
    private func end() -> Bool {
        redialTimer?.cancel()
        retryTimer?.cancel()
        pingTimer?.cancel()
        var isSending = false
        switch state {
        case .open(let connection):
            socket.close(.normal)
            carryOut(connection)
            state = .ending(connection)
            connection.requestWritable()
            isSending = true
        case .dialing(let connection), .shaking(let connection, _):
            state = .stopped
            connection.abort()
        case .idle, .ending, .stopped:
            state = .stopped
        }
        keeping?.timer.cancel()
        store.change { engine in engine.disconnected() }
        store.keepFinally()
        return isSending
    }

    private static func makeSocket() -> WebSocketConnection {
        WebSocketConnection.client(limits: MessageLimits(messageBytes: Limit.messageBytes)) {
            MaskingKey(SecureRandom.bytes(4).withUnsafeBytes { $0.load(as: UInt32.self) })
        }
    }

    func opened(_ connection: Connection) {
        guard case .dialing = state else { return }
        guard let handshake = server.makeHandshake() else {
            log.error("the server's address cannot stand in a request", ["server": server.description])
            connection.abort()
            return
        }
        outgoing = [handshake.request]
        state = .shaking(connection, handshake)
        connection.requestWritable()
    }

    func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) {
        lastReceived = MonotonicClock.now
        let bytes = bytes.assumingMemoryBound(to: UInt8.self).span
        switch state {
        case .shaking(let connection, var handshake):
            let outcome = handshake.receive(bytes, sha1: Digests.sha1)
            state = .shaking(connection, handshake)
            shake(outcome, connection)
        case .open(let connection):
            socket.receive(bytes)
            carryOut(connection)
        case .idle, .dialing, .ending, .stopped:
            break
        }
    }

    private func shake(_ outcome: ClientHandshake.Outcome, _ connection: Connection) {
        switch outcome {
        case .needMore, .ended:
            break
        case .open(_, _, let leftover):
            socket = Self.makeSocket()
            state = .open(connection)
            if up.isHeld || down.isHeld { connection.setTimeout(milliseconds: nil) }
            schedulePing()
            store.change { engine in engine.connected() }
            socket.receive(leftover)
            carryOut(connection)
            connection.requestWritable()
        case .refused(let head):
            giveUp(connection, .notEasel(server, status: head.status))
        case .failure:
            giveUp(connection, .notEasel(server, status: nil))
        }
    }

    private func giveUp(_ connection: Connection, _ failure: ConnectionFailure) {
        note(failure)
        connection.abort()
    }

    /// Keeps why there is no connection, and says it where that is news.
    private func note(_ reason: ConnectionFailure) {
        isExplained = true
        let isNews = failure.withLock { failure in
            defer { failure = reason }
            return failure != reason
        }
        if isNews { log.warning(reason.description) }
    }

    /// Carries out what the socket's state machine asks for.
    func carryOut(_ connection: Connection) {
        while let action = socket.nextAction() {
            switch action {
            case .deliver(.binary, let payload): deliver(payload, connection)
            case .deliver(.text, _): socket.close(.unsupportedData)
            case .send(let bytes):
                outgoing.append(bytes)
                connection.requestWritable()
            case .startCloseDeadline: connection.setTimeout(milliseconds: Limit.close)
            case .closeTransport(.afterSending): connection.close()
            case .closeTransport(.immediately): connection.abort()
            case .pong, .ended: break
            }
        }
    }

    private func deliver(_ payload: [UInt8], _ connection: Connection) {
        do {
            let messages = down.take(try ServerMessage.decodeAll(payload))
            if !messages.isEmpty { accept(messages, connection) }
        } catch {
            giveUpSession("a message cannot be decoded")
        }
    }

    private func giveUpSession(_ reason: String) {
        log.warning("the connection is given up", ["reason": reason])
        socket.close(.protocolError)
    }

    /// Hands messages to the engine. What is wrong with them ends the connection.
    func accept(_ messages: [ServerMessage], _ connection: Connection) {
        store.hear(messages)
        if messages.contains(where: { $0.isReplacement }) {
            // Whoever has the site is this client's copy, the memory it has drawn identities from included.
            store.change { engine in engine.beginLife(identities: SiteID(random: SystemRandom.value())) }
        }
        do {
            try store.change { engine throws(SessionFault) in try engine.receive(messages) }
        } catch {
            if case .settled = error {
                policy.succeeded()
                isExplained = true
                socket.close(.normal)
            } else {
                giveUpSession("\(error)")
            }
            return
        }
        for case .error(let error) in messages { note(.refused(error.message)) }
        switch store.status.link {
        case .live:
            // Copies that take a site from each other do so more and more rarely, until each has had the time to leave it.
            if store.hasOwnSite { policy.succeeded() }
            failure.withLock { $0 = nil }
            connection.setTimeout(milliseconds: nil)
        case .synchronizing:
            // The canvas is coming in, however long that takes; silence is the ping's business.
            connection.setTimeout(milliseconds: nil)
        case .offline, .connecting, .inTrouble, .ended:
            break
        }
        watchTrouble()
    }

    func writable(_ connection: Connection) {
        if case .ending = state {
            connection.write(Array(outgoing.joined()))
            outgoing = []
            connection.close()
            return
        }
        if outgoing.isEmpty, case .open = state {
            socket.outputDrained()
            carryOut(connection)
        }
        guard !outgoing.isEmpty || collect() else { return }
        let bytes = outgoing.count == 1 ? outgoing[0] : Array(outgoing.joined())
        outgoing = []
        connection.write(bytes)
        connection.requestWritable()
    }

    /// Takes over what the engine wants sent. Returns whether there are frames to write.
    func collect() -> Bool {
        guard case .open = state, socket.phase == .open else { return false }
        let messages = store.takeMessages()
        if !messages.isEmpty {
            let site = store.status.site
            for message in messages { traffic.took(message, from: site) }
        }
        send(up.take(messages))
        return !outgoing.isEmpty
    }

    /// Puts messages into frames.
    func send(_ messages: [ClientMessage]) {
        let site = messages.isEmpty ? nil : store.status.site
        var payload: [UInt8] = []
        for message in messages {
            traffic.passed(message, from: site)
            let encoded = message.encode()
            if !payload.isEmpty, payload.count + encoded.count > Limit.frameBytes {
                socket.send(.binary, payload)
                payload = []
            }
            payload += encoded
        }
        if !payload.isEmpty { socket.send(.binary, payload) }
        while let action = socket.nextAction() {
            if case .send(let bytes) = action { outgoing.append(bytes) }
        }
    }

    private func schedulePing() {
        pingTimer = loop.schedule(after: Limit.ping) { [self] in
            guard case .open(let connection) = state else { return }
            if MonotonicClock.now.milliseconds(since: lastReceived) > Limit.silence {
                connection.abort()
                return
            }
            socket.ping()
            carryOut(connection)
            schedulePing()
        }
    }

    /// While the server cannot store, sends again after a while.
    private func watchTrouble() {
        guard retryTimer == nil, store.status.link == .inTrouble else { return }
        retryTimer = loop.schedule(after: Limit.storageRetry) { [self] in
            retryTimer = nil
            store.change { engine in engine.retry() }
        }
    }

    private func explanation(of reason: CloseReason) -> ConnectionFailure {
        switch reason {
        case .insecure(let detail): .insecure(server, detail: detail)
        case .unresolvable(let detail): .unresolvable(host: server.host, detail: detail)
        case .closedHere, .closedByPeer, .lost, .timedOut, .unreachable, .loopStopped: .noAnswer(server)
        }
    }

    func closed(_ connection: Connection, _ reason: CloseReason) {
        guard self.connection === connection else { return }
        pingTimer?.cancel()
        retryTimer?.cancel()
        retryTimer = nil
        outgoing = []
        up.clear()
        down.clear()
        traffic.lostConnection()
        if case .ending = state {
            state = .stopped
            farewell.signal()
            return
        }
        state = .idle
        log.debug("connection closed", ["server": server.description, "reason": "\(reason)"])
        if !isExplained { note(explanation(of: reason)) }
        store.change { engine in engine.disconnected() }
        if case .ended = store.status.link {
            state = .stopped
            return
        }
        let delay = policy.delay(random: SystemRandom.value())
        redialTimer = loop.schedule(after: Int(delay)) { [self] in
            redialTimer = nil
            dial()
        }
    }
}

extension ServerMessage {
    /// Whether it says that another session has the site.
    fileprivate var isReplacement: Bool {
        if case .error(let error) = self { return error.code == .replaced }
        return false
    }
}
