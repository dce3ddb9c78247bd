import EaselProtocol
import EaselTransport
package import EaselWebSocket

/// Where a server is, written as `ws://HOST:PORT`, or `wss://HOST:PORT` for TLS.
public struct ServerAddress: Sendable, Equatable, CustomStringConvertible {
    /// A host name or address; IPv6 addresses without brackets.
    public let host: String
    /// The port, 1 to 65535.
    public let port: Int
    /// Whether it is reached over TLS.
    public let isSecure: Bool

    /// The port a server listens on unless told otherwise.
    public static let defaultPort = 8787
    /// The port of servers reached over TLS, unless told otherwise: that of HTTPS, since most stand behind a proxy.
    public static let defaultSecurePort = 443
    /// The server on this machine at the default port.
    public static let local = ServerAddress(host: "127.0.0.1", port: defaultPort)

    /// A host and a port.
    public init(host: String, port: Int, isSecure: Bool = false) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
    }

    /// Reads `ws://HOST[:PORT][/]` or the same with `wss:`; a scheme left out is `ws:`. Nil if it is something else.
    public init?(_ text: String) {
        var rest = Substring(text)
        var isSecure = false
        if let scheme = rest.range(of: "://") {
            switch rest[..<scheme.lowerBound].lowercased() {
            case "ws": break
            case "wss": isSecure = true
            default: return nil
            }
            rest = rest[scheme.upperBound...]
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        let host: Substring
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            host = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
        } else {
            host = rest.prefix { $0 != ":" && $0 != "/" }
            rest = rest[host.endIndex...]
        }
        guard !host.isEmpty else { return nil }
        if rest.isEmpty {
            self.init(
                host: String(host), port: isSecure ? Self.defaultSecurePort : Self.defaultPort, isSecure: isSecure)
        } else if rest.first == ":", let port = Int(rest.dropFirst()), (1...65_535).contains(port) {
            self.init(host: String(host), port: port, isSecure: isSecure)
        } else {
            return nil
        }
    }

    /// The opening of a WebSocket to the server; nil if the address cannot stand in a request.
    package func makeHandshake() -> ClientHandshake? {
        let random = SecureRandom.bytes(16)
        let nonce = random.withUnsafeBytes { ($0.load(as: UInt64.self), $0.load(fromByteOffset: 8, as: UInt64.self)) }
        return ClientHandshake(
            authority: authority, target: WebSocketEndpoint.path, nonce: nonce,
            subprotocols: [WebSocketEndpoint.subprotocol])
    }

    /// Host and port as they stand in a URL and in the Host header.
    public var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The address as a URL.
    public var description: String { "\(isSecure ? "wss" : "ws")://\(authority)" }
}

extension Substring {
    /// The first place where `text` stands.
    fileprivate func range(of text: String) -> Range<Index>? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(text) { return index..<self.index(index, offsetBy: text.count) }
            formIndex(after: &index)
        }
        return nil
    }
}
