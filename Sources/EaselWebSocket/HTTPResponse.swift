/// A status code with its customary phrase (RFC 9110 section 15).
public struct HTTPStatus: Equatable, Sendable {
    /// 100 to 599.
    public let code: Int
    /// The phrase of the status line, ASCII without line ends.
    public let phrase: String

    /// 101, sent by `UpgradeRequest.accept`.
    public static let switchingProtocols = HTTPStatus(code: 101, phrase: "Switching Protocols")
    /// 200.
    public static let ok = HTTPStatus(code: 200, phrase: "OK")
    /// 400.
    public static let badRequest = HTTPStatus(code: 400, phrase: "Bad Request")
    /// 401.
    public static let unauthorized = HTTPStatus(code: 401, phrase: "Unauthorized")
    /// 403.
    public static let forbidden = HTTPStatus(code: 403, phrase: "Forbidden")
    /// 404.
    public static let notFound = HTTPStatus(code: 404, phrase: "Not Found")
    /// 405.
    public static let methodNotAllowed = HTTPStatus(code: 405, phrase: "Method Not Allowed")
    /// 408, for a handshake that took too long.
    public static let requestTimeout = HTTPStatus(code: 408, phrase: "Request Timeout")
    /// 413.
    public static let contentTooLarge = HTTPStatus(code: 413, phrase: "Content Too Large")
    /// 414.
    public static let targetTooLong = HTTPStatus(code: 414, phrase: "URI Too Long")
    /// 426.
    public static let upgradeRequired = HTTPStatus(code: 426, phrase: "Upgrade Required")
    /// 429.
    public static let tooManyRequests = HTTPStatus(code: 429, phrase: "Too Many Requests")
    /// 431 (RFC 6585).
    public static let headTooLarge = HTTPStatus(code: 431, phrase: "Request Header Fields Too Large")
    /// 500.
    public static let internalServerError = HTTPStatus(code: 500, phrase: "Internal Server Error")
    /// 501.
    public static let notImplemented = HTTPStatus(code: 501, phrase: "Not Implemented")
    /// 503.
    public static let serviceUnavailable = HTTPStatus(code: 503, phrase: "Service Unavailable")
    /// 505.
    public static let versionNotSupported = HTTPStatus(code: 505, phrase: "HTTP Version Not Supported")
}

/// A complete response after which the server closes the connection: one request a connection.
public struct HTTPResponse: Equatable, Sendable {
    /// The status line.
    public let status: HTTPStatus
    /// Fields besides Content-Length and Connection, which `encoded` writes.
    public let fields: [HeaderField]
    /// The body.
    public let body: [UInt8]

    /// Any response; `text(_:_:)` is the short way.
    public init(_ status: HTTPStatus, fields: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A response of plain text in UTF-8, closed by a line feed.
    public static func text(_ status: HTTPStatus, _ text: String, fields: [HeaderField] = []) -> HTTPResponse {
        HTTPResponse(
            status, fields: [HeaderField("Content-Type", "text/plain; charset=utf-8")] + fields,
            body: Array(text.utf8) + [HTTPBytes.lineFeed])
    }

    /// The 426 that tells a client which protocol and version to ask for (RFC 6455 section 4.4).
    public static func upgradeRequired(_ text: String) -> HTTPResponse {
        .text(
            .upgradeRequired, text,
            fields: [HeaderField("Upgrade", "websocket"), HeaderField("Sec-WebSocket-Version", "13")])
    }

    /// The bytes to send; `omittingBody` answers HEAD, with the length the body would have.
    public func encoded(omittingBody: Bool = false) -> [UInt8] {
        var all = fields
        all.append(HeaderField("Content-Length", String(body.count)))
        let upgrades = fields.contains { HTTPBytes.equalIgnoringCase($0.name, "Upgrade") }
        all.append(HeaderField("Connection", upgrades ? "Upgrade, close" : "close"))
        let head = Self.head(status, fields: all)
        return omittingBody ? head : head + body
    }

    /// A status line, `fields` as they are, and the empty line.
    static func head(_ status: HTTPStatus, fields: [HeaderField]) -> [UInt8] {
        var bytes = Array("HTTP/1.1 ".utf8)
        bytes.append(contentsOf: String(status.code).utf8)
        bytes.append(HTTPBytes.space)
        bytes.append(contentsOf: status.phrase.utf8)
        bytes.append(HTTPBytes.carriageReturn)
        bytes.append(HTTPBytes.lineFeed)
        for field in fields { field.append(to: &bytes) }
        bytes.append(HTTPBytes.carriageReturn)
        bytes.append(HTTPBytes.lineFeed)
        return bytes
    }
}
