import Glibc

/// The address of the other end of a connection.
public struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The numeric address. IPv4 peers of an IPv6 socket appear in IPv4 form.
    public let host: String
    /// The port.
    public let port: Int

    /// Creates an address from its parts.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// `host:port`, with the host in brackets where it has colons itself.
    public var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Reads what the kernel wrote into `storage`.
    init(_ storage: inout sockaddr_storage, length: socklen_t) {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let result = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getnameinfo(
                    $0, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
                    NI_NUMERICHOST | NI_NUMERICSERV)
            }
        }
        guard result == 0 else {
            self.init(host: "unknown", port: 0)
            return
        }
        let text = EaselTransport.text(inBuffer: host)
        let mapped = "::ffff:"
        self.init(
            host: text.hasPrefix(mapped) && text.contains(".") ? String(text.dropFirst(mapped.count)) : text,
            port: Int(EaselTransport.text(inBuffer: port)) ?? 0)
    }

    /// The peer of a connected socket.
    static func ofPeer(_ descriptor: Int32) -> PeerAddress {
        read(descriptor, getpeername)
    }

    /// The local end of a socket.
    static func ofSocket(_ descriptor: Int32) -> PeerAddress {
        read(descriptor, getsockname)
    }

    private static func read(
        _ descriptor: Int32, _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> PeerAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &length) }
        }
        return PeerAddress(&storage, length: length)
    }
}
