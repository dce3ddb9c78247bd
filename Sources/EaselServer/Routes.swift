import EaselProtocol
import EaselWebSocket

/// What the server answers to requests, apart from the WebSocket itself.
struct Routes: Sendable {
    /// Whether the server listens on this machine only.
    let isLoopbackOnly: Bool

    /// The answer to a request that asks for no WebSocket.
    func response(to head: RequestHead) -> [UInt8] {
        guard head.method == "GET" || head.method == "HEAD" else {
            return HTTPResponse.text(
                .methodNotAllowed, "Only GET and HEAD are answered.", fields: [HeaderField("Allow", "GET, HEAD")]
            ).encoded()
        }
        let response: HTTPResponse
        switch head.path {
        case "/": response = .text(.ok, "This is an Easel server. Open a canvas with: easel edit welcome")
        case "/healthz": response = .text(.ok, "ok")
        case WebSocketEndpoint.path: response = .upgradeRequired("Clients connect here by WebSocket.")
        default: response = .text(.notFound, "There is nothing here.")
        }
        return response.encoded(omittingBody: head.method == "HEAD")
    }

    /// What becomes of a request for a WebSocket.
    enum Verdict {
        case accept(subprotocol: String)
        case refuse([UInt8])
    }

    /// Whether a WebSocket may be opened. A client has to offer the subprotocol: it says what the messages mean.
    func verdict(on request: UpgradeRequest) -> Verdict {
        guard request.head.path == WebSocketEndpoint.path else {
            return .refuse(HTTPResponse.text(.notFound, "There is nothing here.").encoded())
        }
        guard allows(origin: request.origin, host: request.head.host ?? "") else {
            return .refuse(HTTPResponse.text(.forbidden, "Pages of other origins may not connect.").encoded())
        }
        guard let subprotocol = request.subprotocol(among: [WebSocketEndpoint.subprotocol]) else {
            let sentence = "The subprotocol spoken here is \(WebSocketEndpoint.subprotocol)."
            return .refuse(HTTPResponse.text(.badRequest, sentence).encoded())
        }
        return .accept(subprotocol: subprotocol)
    }

    /// Browsers let any page connect anywhere and say which page it is; others say nothing. A page may connect to where it came
    /// from. On a loopback address that has to be a name of this machine too, or a foreign name that was made to point here would do.
    private func allows(origin: String?, host: String) -> Bool {
        guard let origin else { return true }
        guard origin == "http://\(host)" || origin == "https://\(host)" else { return false }
        return !isLoopbackOnly || Self.isLoopback(name: Self.withoutPort(host))
    }

    /// Whether a host name or address means this machine only.
    static func isLoopback(name: String) -> Bool {
        name == "localhost" || name == "::1" || name == "[::1]" || name.hasPrefix("127.")
    }

    private static func withoutPort(_ host: String) -> String {
        guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else { return host }
        return String(host[..<colon])
    }
}
