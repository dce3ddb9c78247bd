/// Why bytes are not a head this module takes.
///
/// Line ends, whitespace and lengths are read strictly, because what two parsers read differently is what request
/// smuggling is made of (RFC 9112 section 11.2).
public enum HeadFailure: Error, Equatable, Sendable {
    /// A control character, or a byte beyond ASCII in the start line.
    case illegalByte
    /// A line feed without a carriage return before it, or a carriage return without a line feed after it.
    case bareLineEnd
    /// A start line that is not `method SP /path SP HTTP/digit.digit`, or for a client no status line.
    case malformedStartLine
    /// A target that is no path: absolute, authority or asterisk form, or bytes a URI can't hold.
    case notOriginForm
    /// A version other than HTTP/1.1 and HTTP/1.0.
    case unsupportedVersion
    /// A field line that continues the one before (`obs-fold`).
    case foldedField
    /// A field line without a colon or with a name that is no token.
    case malformedField
    /// No Host field, more than one, or one that names no host.
    case badHost
    /// A Content-Length that is no number, or several, or one beside a Transfer-Encoding.
    case badContentLength
    /// A Transfer-Encoding, which nobody here reads.
    case transferCoding
    /// A start line beyond `HeadLimits.startLineBytes`.
    case startLineTooLong
    /// A head beyond `HeadLimits.blockBytes`.
    case headTooLarge
    /// More fields than `HeadLimits.fields`.
    case tooManyFields

    /// The status a server refuses the request with.
    public var status: HTTPStatus {
        switch self {
        case .illegalByte, .bareLineEnd, .malformedStartLine, .notOriginForm, .foldedField, .malformedField, .badHost,
            .badContentLength:
            .badRequest
        case .unsupportedVersion: .versionNotSupported
        case .transferCoding: .notImplemented
        case .startLineTooLong: .targetTooLong
        case .headTooLarge, .tooManyFields: .headTooLarge
        }
    }

    /// The failure in words, without anything the peer sent.
    public var reason: String {
        switch self {
        case .illegalByte: "a byte that can't stand in a head"
        case .bareLineEnd: "a line end that is not CR LF"
        case .malformedStartLine: "malformed start line"
        case .notOriginForm: "the target is no path"
        case .unsupportedVersion: "HTTP version not supported"
        case .foldedField: "folded header field"
        case .malformedField: "malformed header field"
        case .badHost: "exactly one Host is needed"
        case .badContentLength: "bad Content-Length"
        case .transferCoding: "transfer codings are not supported"
        case .startLineTooLong: "request line too long"
        case .headTooLarge: "header block too large"
        case .tooManyFields: "too many header fields"
        }
    }
}
