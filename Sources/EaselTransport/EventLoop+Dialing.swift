import Glibc

extension EventLoop {
    /// Connects to a port of another machine. Everything, failure included, is reported to `handler`, never before this returns.
    ///
    /// Host names are resolved on the loop, which waits for the resolver; addresses are not.
    ///
    /// - Parameter trust: For TLS, whose certificates are accepted; the peer's must be for `host`. nil for no TLS.
    public func connect(
        host: String, port: Int, trust: TLSTrust? = nil, handler: any ConnectionHandler
    ) -> Connection {
        checkOnLoop()
        precondition((1...65_535).contains(port), "a port is a number from 1 to 65535")
        let connection = Connection(
            loop: self, peer: PeerAddress(host: host, port: port), isDialed: true,
            role: trust.map { .client($0, host: host) })
        connection.attach(handler)
        atEndOfTurn { [self] in
            connection.dial { dial(host: host, port: port, for: $0) }
        }
        return connection
    }
}

/// Why a name or address cannot be resolved; nil if it can. Asked after the library has tried in vain, which does not say what was
/// wrong; so who can be reached is looked up once.
func unresolved(_ host: String) -> String? {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var results: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, nil, &hints, &results)
    results.map { freeaddrinfo($0) }
    return status == 0 ? nil : String(cString: gai_strerror(status))
}
