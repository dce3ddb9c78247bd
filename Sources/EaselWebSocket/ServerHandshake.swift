/// The server's side of a connection until its first request is complete: an upgrade, a plain request, or a refusal.
///
/// One request a connection: whatever is answered with an `HTTPResponse` is closed after it, so a body the server
/// didn't expect is never read as a second request. How long a client may take is the caller's timer.
public struct ServerHandshake: Sendable {
    /// What the bytes so far amount to.
    public enum Outcome: Equatable, Sendable {
        /// Nothing to do until more bytes come.
        case needMore
        /// A sound WebSocket handshake; `leftover` are bytes after it, the first for the connection.
        case upgrade(UpgradeRequest, leftover: [UInt8])
        /// Any other request, also one for a protocol we don't speak (RFC 9110 section 7.8: Upgrade is ignored);
        /// `leftover` is what came of its body.
        case request(RequestHead, leftover: [UInt8])
        /// Send `response` and close.
        case refuse(Refusal, response: [UInt8])
        /// The request was reported before; the bytes were ignored.
        case ended
    }

    /// Why a request gets neither an upgrade nor to the caller.
    public enum Refusal: Error, Equatable, Sendable {
        /// Not a head at all, or beyond a limit.
        case head(HeadFailure)
        /// An upgrade by another method than GET.
        case method
        /// An upgrade in HTTP/1.0.
        case httpVersion
        /// An upgrade that announces a body.
        case body
        /// `Upgrade: websocket` without `Connection: Upgrade`.
        case connection
        /// A Sec-WebSocket-Version other than 13, or none.
        case webSocketVersion
        /// No key, several, or one that is not the base64 of 16 bytes.
        case key
        /// More than one Origin.
        case origin
        /// Subprotocols that are no tokens, that repeat, or more than `HeadLimits.subprotocols`.
        case subprotocols

        /// The status of the response.
        public var status: HTTPStatus {
            switch self {
            case .head(let failure): failure.status
            case .webSocketVersion: .upgradeRequired
            case .method, .httpVersion, .body, .connection, .key, .origin, .subprotocols: .badRequest
            }
        }

        /// The refusal in words, without anything the peer sent.
        public var reason: String {
            switch self {
            case .head(let failure): failure.reason
            case .method: "a WebSocket is opened by GET"
            case .httpVersion: "a WebSocket is opened in HTTP/1.1"
            case .body: "a WebSocket handshake has no body"
            case .connection: "Connection lacks Upgrade"
            case .webSocketVersion: "Sec-WebSocket-Version 13 is needed"
            case .key: "bad Sec-WebSocket-Key"
            case .origin: "more than one Origin"
            case .subprotocols: "bad Sec-WebSocket-Protocol"
            }
        }

        /// The complete response.
        public var response: HTTPResponse {
            self == .webSocketVersion ? .upgradeRequired(reason) : .text(status, reason)
        }
    }

    private enum State {
        case reading(HeadReader, startLine: [UInt8], fields: HeaderFields)
        case ended
    }

    private let limits: HeadLimits
    private var state: State

    /// A handshake that has seen nothing yet.
    public init(limits: HeadLimits = .standard) {
        self.limits = limits
        state = .reading(HeadReader(limits: limits), startLine: [], fields: HeaderFields())
    }

    /// Takes the next bytes off the wire; time is linear in their count.
    public mutating func receive(_ bytes: Span<UInt8>) -> Outcome {
        guard case .reading(var reader, var startLine, var fields) = state else { return .ended }
        // Given up while the local copies change, so that appending to them copies nothing.
        state = .ended
        var position = 0
        while true {
            switch reader.next(in: bytes, from: &position) {
            case .needMore:
                state = .reading(reader, startLine: startLine, fields: fields)
                return .needMore
            case .startLine(let line):
                startLine = line
            case .field(let field):
                fields.append(field)
            case .end:
                return finish(startLine, fields, leftover: bytes.array(from: position))
            case .failure(let failure):
                return Self.refuse(.head(failure))
            }
        }
    }

    /// `receive(_:)` for an array.
    public mutating func receive(_ bytes: [UInt8]) -> Outcome { receive(bytes.span) }

    private func finish(_ startLine: [UInt8], _ fields: HeaderFields, leftover: [UInt8]) -> Outcome {
        let head: RequestHead
        switch RequestHead.parse(line: startLine, fields: fields) {
        case .success(let parsed): head = parsed
        case .failure(let failure): return Self.refuse(.head(failure))
        }
        guard fields.contains("Upgrade", element: "websocket") else { return .request(head, leftover: leftover) }
        switch UpgradeRequest.parse(head, limits: limits) {
        case .success(let request): return .upgrade(request, leftover: leftover)
        case .failure(let refusal): return Self.refuse(refusal)
        }
    }

    private static func refuse(_ refusal: Refusal) -> Outcome {
        .refuse(refusal, response: refusal.response.encoded())
    }
}
