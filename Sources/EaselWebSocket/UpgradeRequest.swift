/// A sound request to open a WebSocket; the caller answers it with `accept` or with an `HTTPResponse` of its own.
///
/// Path, Origin and subprotocols are the caller's to judge before it accepts.
public struct UpgradeRequest: Equatable, Sendable {
    /// The whole request head.
    public let head: RequestHead
    /// The client's key, base64 of 16 bytes.
    public let key: String
    /// The subprotocols offered, in the client's order of preference, each once.
    public let subprotocols: [String]
    /// The page's origin as the browser gave it, nil when there is none; compare it exactly with an allow-list.
    public let origin: String?

    /// The client's first choice among `supported`, nil when it offers none of them.
    public func subprotocol(among supported: [String]) -> String? {
        subprotocols.first { supported.contains($0) }
    }

    /// The 101 response that opens the WebSocket; no extension is ever agreed to.
    ///
    /// `subprotocol` is nil or one of those offered, anything else is our mistake.
    public func accept(subprotocol: String?, fields: [HeaderField] = [], sha1: SHA1Function) -> [UInt8] {
        var answer = [
            HeaderField("Upgrade", "websocket"), HeaderField("Connection", "Upgrade"),
            HeaderField("Sec-WebSocket-Accept", HandshakeKey.accept(for: key, sha1: sha1)),
        ]
        if let subprotocol {
            precondition(subprotocols.contains(subprotocol), "only an offered subprotocol is selected")
            answer.append(HeaderField("Sec-WebSocket-Protocol", subprotocol))
        }
        return HTTPResponse.head(.switchingProtocols, fields: answer + fields)
    }

    /// Checks a request that names `websocket` in its Upgrade field (RFC 6455 section 4.2.1).
    static func parse(_ head: RequestHead, limits: HeadLimits) -> Result<UpgradeRequest, ServerHandshake.Refusal> {
        guard head.method == "GET" else { return .failure(.method) }
        guard head.version == .http11 else { return .failure(.httpVersion) }
        guard head.contentLength ?? 0 == 0 else { return .failure(.body) }
        guard head.fields.contains("Connection", element: "Upgrade") else { return .failure(.connection) }
        guard head.fields.values("Sec-WebSocket-Version") == ["13"] else { return .failure(.webSocketVersion) }
        let keys = head.fields.values("Sec-WebSocket-Key")
        guard keys.count == 1, HandshakeKey.isValid(keys[0]) else { return .failure(.key) }
        let origins = head.fields.values("Origin")
        guard origins.count <= 1 else { return .failure(.origin) }
        let offered = head.fields.elements("Sec-WebSocket-Protocol")
        guard offered.count <= limits.subprotocols, offered.allSatisfy({ HTTPBytes.isToken($0.utf8) }),
            offered.indices.allSatisfy({ !offered[..<$0].contains(offered[$0]) })
        else { return .failure(.subprotocols) }
        return .success(UpgradeRequest(head: head, key: keys[0], subprotocols: offered, origin: origins.first))
    }
}
