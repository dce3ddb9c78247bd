import CWebSockets
import EaselSupport
import Glibc

/// A port on which a loop accepts connections. Made by `EventLoop.listen`.
///
/// Unchecked, because its members are touched on the loop's thread only, and every entry checks that.
public final class Listener: @unchecked Sendable {
    /// The port, also where the kernel chose it.
    public let port: Int
    private let loop: EventLoop
    private let socket: ListeningSocket
    private var identity: TLSIdentity?
    private let accept: (Connection) -> (any ConnectionHandler)?
    private var watch: DescriptorWatch?
    private var lastWarning: Instant?

    init(
        loop: EventLoop, socket: ListeningSocket, identity: TLSIdentity?,
        accept: @escaping (Connection) -> (any ConnectionHandler)?
    ) throws(TransportError) {
        self.loop = loop
        self.socket = socket
        self.identity = identity
        self.accept = accept
        port = socket.port
        watch = try loop.watch(owning: socket.descriptor) { [self] in acceptWaiting() }
    }

    /// Accepts no more connections; those that exist live on. On the loop only.
    public func close() {
        loop.checkOnLoop()
        watch?.cancel()
        watch = nil
    }

    /// Shows another certificate to whoever connects from now on. Connections that exist keep theirs. On the loop only.
    ///
    /// Precondition: the listener was made with an identity.
    public func show(_ identity: TLSIdentity) {
        loop.checkOnLoop()
        precondition(self.identity != nil, "who was promised no TLS is not surprised with it")
        self.identity = identity
    }

    private func acceptWaiting() {
        for _ in 0..<TransportLimits.acceptsPerTurn {
            guard watch != nil else { return }
            switch socket.acceptOne() {
            case .accepted(let descriptor, let peer): take(descriptor, peer)
            case .noneWaiting: return
            case .gone: continue
            case .outOfResources(let detail):
                warn(detail)
                watch?.pause(milliseconds: TransportLimits.acceptPauseMilliseconds)
                return
            }
        }
    }

    /// Says that connections have to wait; while that lasts, not at every attempt.
    private func warn(_ detail: String) {
        let now = MonotonicClock.now
        if let lastWarning, now.milliseconds(since: lastWarning) < TransportLimits.warningMilliseconds { return }
        lastWarning = now
        loop.log.warning("cannot accept connections for now", ["port": port, "reason": detail])
    }

    private func take(_ descriptor: Int32, _ peer: PeerAddress) {
        let connection = Connection(
            loop: loop, peer: peer, isDialed: false, role: identity.map { .server($0) })
        guard let handler = accept(connection) else {
            Glibc.close(descriptor)
            return
        }
        connection.attach(handler)
        if loop.adopt(descriptor, LWS_ADOPT_SOCKET, for: Unmanaged.passUnretained(connection).toOpaque()) == nil {
            // The library closed the descriptor, and may or may not have said so.
            connection.libraryClosed(nil)
        }
    }
}

/// Whether several loops listen on one port; the kernel then spreads the connections over them.
public enum PortSharing: Sendable {
    /// Nobody else listens on the port.
    case none
    /// Nobody else does, and from now on loops that ask to join may.
    case opens
    /// A loop of this program has opened the port.
    case joins
}

extension EventLoop {
    /// Accepts connections on a port.
    ///
    /// - Parameters:
    ///   - host: An address of this machine or a name for one; `0.0.0.0` or `::` for all of them.
    ///   - port: The port; 0 lets the kernel choose one.
    ///   - sharing: Whether other loops listen on the same port.
    ///   - identity: For TLS, the certificate to show; nil for no TLS.
    ///   - accept: Called for each connection before it opens. Returns who handles it, or nil to refuse it.
    /// - Returns: The listener, which works until it is closed or the loop stops; it need not be kept.
    /// - Throws: `TransportError` where the port is taken, forbidden, or the host is no address of this machine.
    @discardableResult
    public func listen(
        host: String, port: Int, sharing: PortSharing = .none, identity: TLSIdentity? = nil,
        accept: @escaping (Connection) -> (any ConnectionHandler)?
    ) throws(TransportError) -> Listener {
        checkOnLoop()
        precondition((0...65_535).contains(port), "a port is a number from 0 to 65535")
        guard !isStopping else { throw .stopped }
        let socket = try ListeningSocket(host: host, port: port, sharing: sharing)
        let listener = try Listener(loop: self, socket: socket, identity: identity, accept: accept)
        return listener
    }
}
