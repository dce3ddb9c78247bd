import Glibc

/// A bound TCP socket that connections can be accepted from.
///
/// Not the library's own listener: that one cannot stop listening without closing all its connections, says nothing about why a
/// port cannot be had, and spins when the process runs out of descriptors.
struct ListeningSocket {
    let descriptor: Int32
    let port: Int

    /// What came of trying to accept a connection.
    enum Acceptance {
        case accepted(Int32, PeerAddress)
        case noneWaiting
        /// The peer gave up before it was its turn.
        case gone
        case outOfResources(String)
    }

    /// Binds and listens.
    init(host: String, port: Int, sharing: PortSharing) throws(TransportError) {
        let descriptor = try ListeningSocket.bound(host: host, port: port, isShared: sharing == .joins)
        guard Glibc.listen(descriptor, TransportLimits.listenBacklog) == 0 else {
            // Two sockets can be bound to one port before either listens.
            let error = TransportError.binding(host: host, port: port)
            close(descriptor)
            throw error
        }
        // Only now: a socket that is bound with this option gets any port that another program of the same user shares.
        if sharing == .opens { ListeningSocket.set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
        self.descriptor = descriptor
        self.port = PeerAddress.ofSocket(descriptor).port
    }

    private static func bound(host: String, port: Int, isShared: Bool) throws(TransportError) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var results: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &results)
        defer { results.map { freeaddrinfo($0) } }
        guard status == 0, let address = results?.pointee else {
            throw .unresolvable(host: host, detail: String(cString: gai_strerror(status)))
        }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(address.ai_family, kind, 0)
        guard descriptor >= 0 else { throw .system("socket") }
        configure(descriptor, isShared: isShared)
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
            let error = TransportError.binding(host: host, port: port)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Accepted sockets inherit the options of the listening one, so they cost nothing per connection.
    private static func configure(_ descriptor: Int32, isShared: Bool) {
        let tcp = SOL_TCP
        set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if isShared {
            set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1)
        }
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(descriptor, tcp, TCP_KEEPIDLE, TransportLimits.keepaliveIdleSeconds)
        set(descriptor, tcp, TCP_KEEPINTVL, TransportLimits.keepaliveIntervalSeconds)
        set(descriptor, tcp, TCP_KEEPCNT, TransportLimits.keepaliveProbes)
        // Each write is a whole message or several; waiting to fill packets would only delay it.
        set(descriptor, tcp, TCP_NODELAY, 1)
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Accepts a waiting connection; never waits for one.
    func acceptOne() -> Acceptance {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let accepted = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept(descriptor, $0, &length) }
        }
        if accepted >= 0 {
            _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
            return .accepted(accepted, PeerAddress(&storage, length: length))
        }
        switch errno {
        case EAGAIN: return .noneWaiting
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .outOfResources(errorText(errno))
        default: return .gone
        }
    }
}
