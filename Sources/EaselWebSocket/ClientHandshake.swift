/// A response's status line and fields, well-formed by RFC 9112 and within `HeadLimits`.
public struct ResponseHead: Equatable, Sendable {
    /// 100 to 599.
    public let status: Int
    /// The fields, in the order they came.
    public let fields: HeaderFields

    /// Nil unless `line` is an HTTP/1.1 status line.
    init?(line: [UInt8], fields: HeaderFields) {
        let parts = line.split(separator: HTTPBytes.space, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, HTTPVersion(parts[0]) == .http11, parts[1].count == 3,
            parts[1].allSatisfy(HTTPBytes.isDigit)
        else { return nil }
        status = parts[1].reduce(0) { $0 * 10 + Int($1 & 0x0F) }
        guard (100...599).contains(status) else { return nil }
        self.fields = fields
    }
}

/// The client's side of the upgrade (RFC 6455 section 4.1).
///
/// Send `request`, then give `receive` what comes back; how long the server may take is the caller's timer.
public struct ClientHandshake: Sendable {
    /// What the bytes so far amount to.
    public enum Outcome: Equatable, Sendable {
        /// Nothing to do until more bytes come.
        case needMore
        /// The WebSocket is open; `leftover` are bytes after the head, the first for the connection.
        case open(subprotocol: String?, ResponseHead, leftover: [UInt8])
        /// The server answered with another status than 101; close.
        case refused(ResponseHead)
        /// The answer is none to this handshake; close.
        case failure(Failure)
        /// The answer was reported before; the bytes were ignored.
        case ended
    }

    /// Why an answer is not accepted.
    public enum Failure: Equatable, Sendable {
        /// Not a head at all, or beyond a limit.
        case head(HeadFailure)
        /// A 101 without `Upgrade: websocket` and `Connection: Upgrade`.
        case notUpgraded
        /// A Sec-WebSocket-Accept that doesn't answer our key.
        case wrongAccept
        /// An extension; none was asked for.
        case unexpectedExtension
        /// A subprotocol that wasn't offered, or several.
        case unexpectedSubprotocol
        /// More interim responses than anyone sends.
        case tooManyInterimResponses
    }

    private enum State {
        case reading(HeadReader, startLine: [UInt8], fields: HeaderFields)
        case ended
    }

    /// The request to send, complete.
    public let request: [UInt8]
    private let key: String
    private let subprotocols: [String]
    private let limits: HeadLimits
    private var interimResponses = 0
    private var state: State

    /// Prepares a handshake; nil when `authority`, `target` or a subprotocol is malformed.
    ///
    /// - Parameters:
    ///   - authority: host, and port if not the scheme's own, as in `canvas.example:8443`.
    ///   - target: path with optional query, from its slash; percent-escaped.
    ///   - nonce: 16 fresh random bytes.
    ///   - subprotocols: what to offer, best first, each once.
    ///   - fields: further fields, such as Authorization; none that the handshake writes itself.
    public init?(
        authority: String, target: String, nonce: (UInt64, UInt64), subprotocols: [String] = [],
        fields: [HeaderField] = [], limits: HeadLimits = .standard
    ) {
        guard HTTPBytes.isAuthority(authority.utf8), HTTPBytes.isOriginForm(target.utf8),
            subprotocols.allSatisfy({ HTTPBytes.isToken($0.utf8) })
        else { return nil }
        key = HandshakeKey.key(nonce: nonce)
        self.subprotocols = subprotocols
        self.limits = limits
        state = Self.start(limits)
        var lines = [
            HeaderField("Host", authority), HeaderField("Upgrade", "websocket"), HeaderField("Connection", "Upgrade"),
            HeaderField("Sec-WebSocket-Key", key), HeaderField("Sec-WebSocket-Version", "13"),
        ]
        if !subprotocols.isEmpty {
            lines.append(HeaderField("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", ")))
        }
        var bytes = Array("GET ".utf8) + Array(target.utf8) + Array(" HTTP/1.1\r\n".utf8)
        for field in lines + fields { field.append(to: &bytes) }
        request = bytes + [HTTPBytes.carriageReturn, HTTPBytes.lineFeed]
    }

    private static func start(_ limits: HeadLimits) -> State {
        .reading(HeadReader(limits: limits), startLine: [], fields: HeaderFields())
    }

    /// Takes the next bytes off the wire; time is linear in their count.
    public mutating func receive(_ bytes: Span<UInt8>, sha1: SHA1Function) -> Outcome {
        var position = 0
        while case .reading(var reader, var startLine, var fields) = state {
            // Given up while the local copies change, so that appending to them copies nothing.
            state = .ended
            switch reader.next(in: bytes, from: &position) {
            case .needMore:
                state = .reading(reader, startLine: startLine, fields: fields)
                return .needMore
            case .startLine(let line):
                startLine = line
            case .field(let field):
                fields.append(field)
            case .end:
                guard let head = ResponseHead(line: startLine, fields: fields) else {
                    return .failure(.head(.malformedStartLine))
                }
                guard head.status != 101, head.status < 200 else {
                    return finish(head, leftover: bytes.array(from: position), sha1: sha1)
                }
                interimResponses += 1
                guard interimResponses <= FixedLimits.interimResponses else {
                    return .failure(.tooManyInterimResponses)
                }
                state = Self.start(limits)
                continue
            case .failure(let failure):
                return .failure(.head(failure))
            }
            state = .reading(reader, startLine: startLine, fields: fields)
        }
        return .ended
    }

    /// `receive(_:sha1:)` for an array.
    public mutating func receive(_ bytes: [UInt8], sha1: SHA1Function) -> Outcome { receive(bytes.span, sha1: sha1) }

    private func finish(_ head: ResponseHead, leftover: [UInt8], sha1: SHA1Function) -> Outcome {
        guard head.status == HTTPStatus.switchingProtocols.code else { return .refused(head) }
        guard head.fields.contains("Upgrade", element: "websocket"),
            head.fields.contains("Connection", element: "Upgrade")
        else { return .failure(.notUpgraded) }
        guard head.fields.values("Sec-WebSocket-Accept") == [HandshakeKey.accept(for: key, sha1: sha1)] else {
            return .failure(.wrongAccept)
        }
        guard head.fields.values("Sec-WebSocket-Extensions").isEmpty else { return .failure(.unexpectedExtension) }
        let selected = head.fields.values("Sec-WebSocket-Protocol")
        guard selected.count <= 1, selected.allSatisfy(subprotocols.contains) else {
            return .failure(.unexpectedSubprotocol)
        }
        return .open(subprotocol: selected.first, head, leftover: leftover)
    }
}
