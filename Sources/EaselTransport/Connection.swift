import CWebSockets
public import EaselSupport
import Glibc

/// One TCP connection, accepted or dialed, with TLS or without.
///
/// It lives on one loop, and all its members may be used there only. What is written is kept by reference until the kernel has
/// taken it: a buffer shared by a whole room is never copied for a slow reader. Bytes go out in the order of the writes, and
/// there is at most one unfinished write, because `write` is allowed only when the previous one is out.
///
/// The library's own send is not used: it copies what the kernel does not take, hides how much that is, and stops reading until
/// it is out, so that two peers that both write can wait for each other for ever.
///
/// Unchecked, because every mutable member is touched on the loop's thread only, and every entry checks that.
public final class Connection: @unchecked Sendable {
    private enum State {
        /// Dialing.
        case connecting
        /// The TLS handshake is under way, or will be as soon as the library has the connection.
        case securing
        case open
        /// `close()` was called, and bytes are still unsent.
        case flushing
        /// Our side is closed; the peer's is not yet.
        case lingering
        /// To be taken down at the end of the turn.
        case doomed(CloseReason)
        case closed
    }

    /// The loop that the connection lives on.
    public let loop: EventLoop
    /// The other end. For a dialed connection, what was asked for until it is established.
    public private(set) var peer: PeerAddress

    private var state: State
    private var handler: (any ConnectionHandler)?
    /// The library's object, or nil before it exists and after it is gone.
    private var wsi: OpaquePointer?
    private var unsent: [UInt8] = []
    private var sentCount = 0
    private var wantsWritable = false
    private var mayWrite = false
    private var isReadingPaused = false
    private var waitingSince: Instant?
    private var timeout: LoopTimer?
    private var handshakeTimeout: LoopTimer?
    /// What it is in TLS; nil for none.
    private let role: TLSSession.Role?
    private var session: TLSSession?
    /// Keeps the object alive while the library holds a pointer to it.
    private var anchor: Connection?

    init(loop: EventLoop, peer: PeerAddress, isDialed: Bool, role: TLSSession.Role?) {
        self.loop = loop
        self.peer = peer
        self.role = role
        flow = loop.commonFlow
        state = isDialed ? .connecting : role == nil ? .open : .securing
    }

    /// With which connections it takes turns in writing, from the next time on that it asks to write.
    public var flow: Flow

    /// Sets who is told. Once, before the library knows the connection.
    func attach(_ handler: any ConnectionHandler) {
        self.handler = handler
        anchor = self
    }

    // MARK: What applications use

    /// Whether bytes can still be sent: established, and neither side has closed.
    public var isOpen: Bool {
        if case .open = state { return wsi != nil }
        return false
    }

    /// Bytes that were written and that the kernel has not taken yet.
    public var unsentBytes: Int {
        unsent.count - sentCount
    }

    /// Since when the connection waits for the socket to take bytes: the last moment at which it took some, or at which the wait
    /// began. Nil while nothing waits. A reader that is too slow is one for which this lies far back.
    public var stalledSince: Instant? {
        waitingSince
    }

    /// Asks for one call of the handler's `writable`, at the end of this turn if nothing waits for the socket, else when it takes
    /// bytes again. Several requests before that call are one.
    public func requestWritable() {
        loop.checkOnLoop()
        guard isOpen, !wantsWritable else { return }
        wantsWritable = true
        // A socket that took everything most likely takes more, so it is tried without asking the system for room first.
        if unsentBytes == 0, loop.takesWriter(self) { return }
        awaitRoom()
    }

    private func awaitRoom() {
        waitingSince = waitingSince ?? MonotonicClock.now
        lws_callback_on_writable(wsi)
    }

    /// Sends `bytes`. What the kernel does not take at once is kept by reference and sent as the peer reads; the next `writable`
    /// comes only after that. Does nothing on a connection that is closing.
    ///
    /// Precondition: the handler's `writable` is running and has not written yet.
    public func write(_ bytes: [UInt8]) {
        loop.checkOnLoop()
        precondition(mayWrite, "write once, and only while the handler's writable runs")
        mayWrite = false
        guard isOpen, !bytes.isEmpty else { return }
        unsent = bytes
        sentCount = 0
        flush()
    }

    /// Ends the connection in the regular way: sends what was written, closes our side, and waits a little for the peer to close
    /// its own, dropping what it sends (RFC 6455, 7.1.1). Both waits are bounded. The handler gets nothing but `closed`.
    public func close() {
        loop.checkOnLoop()
        switch state {
        case .connecting, .securing:
            doom(.closedHere)
        case .open:
            state = .flushing
            wantsWritable = false
            resumeReading()
            if unsentBytes == 0 {
                closeOurSide()
            } else {
                startTimer(TransportLimits.flushMilliseconds, reason: .closedHere)
            }
        case .flushing, .lingering, .doomed, .closed:
            break
        }
    }

    /// Ends the connection at once and drops what is unsent.
    public func abort() {
        loop.checkOnLoop()
        doom(.closedHere)
    }

    /// Ends the connection as timed out after `milliseconds`, in place of any earlier limit; nil removes the limit. Without
    /// effect once the connection is closing.
    public func setTimeout(milliseconds: Int?) {
        loop.checkOnLoop()
        switch state {
        case .connecting, .securing, .open:
            timeout?.cancel()
            timeout = nil
            if let milliseconds {
                startTimer(milliseconds, reason: .timedOut)
            }
        case .flushing, .lingering, .doomed, .closed:
            break
        }
    }

    /// Stops reading, so that a peer that sends faster than its data can be handled is held up by TCP. What was read before still
    /// stays where it is; a lost connection is noticed only when reading goes on or something is written.
    public func pauseReading() {
        loop.checkOnLoop()
        guard isOpen, !isReadingPaused else { return }
        isReadingPaused = true
        lws_rx_flow_control(wsi, 0)
    }

    /// Goes on reading after `pauseReading()`.
    public func resumeReading() {
        loop.checkOnLoop()
        guard isReadingPaused, wsi != nil else { return }
        isReadingPaused = false
        lws_rx_flow_control(wsi, 1)
        // What was fed before is there without anything arriving.
        if session != nil { loop.atEndOfTurn { [self] in decrypt() } }
    }

    // MARK: What the library reports

    /// Lets `start` hand the connection to the library, unless it has been closed before it came to that.
    func dial(_ start: (UnsafeMutableRawPointer) -> OpaquePointer?) {
        guard case .connecting = state else { return }
        let dialed = start(Unmanaged.passUnretained(self).toOpaque())
        if case .closed = state { return }
        wsi = dialed
        guard dialed == nil else { return }
        if !loop.isStopping, let detail = unresolved(peer.host) {
            doom(.unresolvable(detail: detail))
        } else {
            libraryClosed(nil)
        }
    }

    func libraryOpened(_ wsi: OpaquePointer) {
        self.wsi = wsi
        switch state {
        case .connecting:
            peer = PeerAddress.ofPeer(lws_get_socket_fd(wsi))
            state = role == nil ? .open : .securing
        case .open, .securing:
            break
        case .flushing, .lingering, .doomed, .closed:
            return
        }
        if let role {
            secure(role, wsi)
        } else {
            handler?.opened(self)
        }
    }

    func libraryReceived(_ bytes: UnsafeRawBufferPointer) {
        if session != nil {
            feed(bytes)
        } else if isOpen {
            handler?.received(self, bytes)
        }
    }

    func libraryFoundWritable() {
        switch state {
        case .open:
            if unsentBytes > 0 {
                flush()
            }
            guard isOpen, unsentBytes == 0, wantsWritable else { return }
            wantsWritable = false
            waitingSince = nil
            mayWrite = true
            handler?.writable(self)
            mayWrite = false
        case .securing:
            shakeHands()
        case .flushing:
            flush()
        case .connecting, .lingering, .doomed, .closed:
            break
        }
    }

    /// The turn ends, and the connection was taken as a writer in it.
    func endTurn() {
        if case .open = state { libraryFoundWritable() }
    }

    /// The library let go of the connection. `detail` is its reason where it never came into being.
    func libraryClosed(_ wsi: OpaquePointer?, detail: String? = nil) {
        let reason: CloseReason
        switch state {
        case .closed: return
        case .connecting: reason = loop.isStopping ? .loopStopped : .unreachable(detail: detail ?? "cannot connect")
        case .securing: reason = loop.isStopping ? .loopStopped : .insecure(detail: "the peer ended the handshake")
        case .open: reason = loop.isStopping ? .loopStopped : Connection.reason(of: wsi.map { lws_get_socket_fd($0) })
        case .flushing, .lingering: reason = .closedHere
        case .doomed(let decided): reason = decided
        }
        state = .closed
        self.wsi = nil
        session = nil
        timeout?.cancel()
        timeout = nil
        handshakeTimeout?.cancel()
        handshakeTimeout = nil
        unsent = []
        sentCount = 0
        waitingSince = nil
        loop.atEndOfTurn { [self] in
            handler?.closed(self, reason)
            handler = nil
            anchor = nil
        }
    }

    // MARK: TLS

    private func secure(_ role: TLSSession.Role, _ wsi: OpaquePointer) {
        session = TLSSession(role, socket: lws_get_socket_fd(wsi))
        guard session != nil else {
            doom(.insecure(detail: "out of memory, or the host is no name"))
            return
        }
        handshakeTimeout = loop.schedule(after: loop.handshakeMilliseconds) { [self] in
            handshakeTimeout = nil
            doom(.timedOut)
        }
        shakeHands()
    }

    private func shakeHands() {
        guard case .securing = state, let session, let wsi else { return }
        switch session.shakeHands() {
        case .done:
            handshakeTimeout?.cancel()
            handshakeTimeout = nil
            state = .open
            handler?.opened(self)
        case .needsInput: break
        case .needsRoom: lws_callback_on_writable(wsi)
        case .ended: doom(.insecure(detail: "the peer ended the handshake"))
        case .failed(let detail): doom(.insecure(detail: detail))
        }
    }

    /// Takes bytes of TLS that arrived, about a record at a time, so that little of them is there twice.
    private func feed(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch state {
            case .securing, .open: break
            case .connecting, .flushing, .lingering, .doomed, .closed: return
            }
            let next = rest.prefix(TransportLimits.feedBytes)
            rest = rest.dropFirst(next.count)
            session?.feed(UnsafeRawBufferPointer(rebasing: next))
            shakeHands()
            decrypt()
        }
    }

    /// Hands on what can be decrypted.
    private func decrypt() {
        while isOpen, !isReadingPaused, let session {
            switch session.read(into: loop.record) {
            case .done(let count):
                handler?.received(self, UnsafeRawBufferPointer(rebasing: loop.record[..<count]))
            // Where the peer will send nothing more, the end of the connection follows.
            case .needsInput, .needsRoom, .ended: return
            case .failed(let detail): doom(.lost(detail: detail))
            }
        }
    }

    // MARK: Sending and ending

    private func flush() {
        guard let wsi else { return }
        var rest = min(unsentBytes, TransportLimits.sendBytesPerTurn)
        sending: while rest > 0 {
            switch send(rest, wsi) {
            case .done(let count):
                sentCount += count
                rest -= count
                waitingSince = nil
                // Without TLS the kernel took what it had room for.
                if session == nil { break sending }
            case .needsRoom, .needsInput: break sending
            case .failed(let detail):
                doom(.lost(detail: detail))
                return
            case .ended:
                doom(.lost(detail: "closed by the peer"))
                return
            }
        }
        if unsentBytes > 0 {
            awaitRoom()
            return
        }
        unsent = []
        sentCount = 0
        if case .flushing = state {
            closeOurSide()
        }
    }

    /// Hands the next `count` unsent bytes to the kernel, through TLS if there is that.
    private func send(_ count: Int, _ wsi: OpaquePointer) -> TLSSession.Outcome {
        unsent.withUnsafeBytes { bytes in
            let next = UnsafeRawBufferPointer(rebasing: bytes[sentCount..<sentCount + count])
            if let session { return session.write(next) }
            let sent = Glibc.send(lws_get_socket_fd(wsi), next.baseAddress, count, Int32(MSG_NOSIGNAL))
            if sent > 0 { return .done(sent) }
            return errno == EAGAIN || errno == EINTR ? .needsRoom : .failed(detail: errorText(errno))
        }
    }

    private func closeOurSide() {
        session?.end()
        guard let wsi, shutdown(lws_get_socket_fd(wsi), Int32(SHUT_WR)) == 0 else {
            doom(.closedHere)
            return
        }
        state = .lingering
        startTimer(TransportLimits.lingerMilliseconds, reason: .closedHere)
    }

    private func startTimer(_ milliseconds: Int, reason: CloseReason) {
        timeout?.cancel()
        timeout = loop.schedule(after: milliseconds) { [self] in
            timeout = nil
            doom(reason)
        }
    }

    /// Taking a connection down inside one of its own callbacks is not allowed, so it always happens at the end of the turn.
    private func doom(_ reason: CloseReason) {
        switch state {
        case .doomed, .closed:
            return
        case .connecting, .securing, .open, .flushing, .lingering:
            state = .doomed(reason)
        }
        loop.atEndOfTurn { [self] in
            if let wsi {
                lws_set_timeout(wsi, NO_PENDING_TIMEOUT, LWS_TO_KILL_SYNC)
            }
            // The library says nothing about one that it did not have, or had not got far with.
            libraryClosed(nil)
        }
    }

    /// Whether the peer closed in the regular way can be seen in the state TCP is in: a reset leaves no state behind.
    private static func reason(of descriptor: Int32?) -> CloseReason {
        var info = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        guard let descriptor, getsockopt(descriptor, SOL_TCP, TCP_INFO, &info, &size) == 0 else {
            return .lost(detail: "socket closed")
        }
        return Int(info.tcpi_state) == Int(TCP_CLOSE) ? .lost(detail: "reset or no answer") : .closedByPeer
    }
}
