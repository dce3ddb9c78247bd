/// Where a server listens, written as `HOST:PORT`.
struct ListenAddress: Equatable {
    /// A host name or address; IPv6 addresses without brackets.
    let host: String
    /// 0 to 65535; 0 lets the kernel choose.
    let port: Int

    /// Nil unless `text` is a host and a port with a colon between them, an IPv6 address in brackets.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.host = String(host)
        self.port = port
    }

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// As it stands in a URL.
    var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    var isLoopback: Bool { Routes.isLoopback(name: host) }
}
