/// The versions of HTTP a head may name.
public enum HTTPVersion: Equatable, Sendable {
    /// HTTP/1.0: answered when plain, never upgraded.
    case http10
    /// HTTP/1.1.
    case http11

    init?(_ bytes: ArraySlice<UInt8>) {
        if bytes.elementsEqual("HTTP/1.1".utf8) {
            self = .http11
        } else if bytes.elementsEqual("HTTP/1.0".utf8) {
            self = .http10
        } else {
            return nil
        }
    }

    /// Whether `bytes` have the shape `HTTP/digit.digit`, whatever the digits.
    static func isWellFormed(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = bytes.dropFirst(5)
        return bytes.starts(with: "HTTP/".utf8) && digits.count == 3 && HTTPBytes.isDigit(digits[digits.startIndex])
            && digits[digits.startIndex + 1] == UInt8(ascii: ".") && HTTPBytes.isDigit(digits[digits.startIndex + 2])
    }
}

/// A request's start line and fields, well-formed by RFC 9112 and within `HeadLimits`.
public struct RequestHead: Equatable, Sendable {
    /// The method as sent: a token, in capitals for the standard ones.
    public let method: String
    /// The path, from its leading slash, percent escapes left as they are (each is sound).
    ///
    /// Dot segments are left too: compare it with routes, never hand it to a file system.
    public let path: String
    /// What follows the first question mark, escapes left as they are; nil without one.
    public let query: String?
    /// The version the request is in.
    public let version: HTTPVersion
    /// The fields, in the order they came.
    public let fields: HeaderFields
    /// Bytes of body that follow the head, nil when the request announces none.
    public let contentLength: UInt64?

    /// The value of the Host field, nil only for HTTP/1.0.
    public var host: String? { fields.first("Host") }

    /// Checks `line` and `fields` together; the failure says what is wrong.
    static func parse(line: [UInt8], fields: HeaderFields) -> Result<RequestHead, HeadFailure> {
        let parts = line.split(separator: HTTPBytes.space, omittingEmptySubsequences: false)
        guard parts.count == 3, HTTPBytes.isToken(parts[0]) else { return .failure(.malformedStartLine) }
        guard let version = HTTPVersion(parts[2]) else {
            return .failure(HTTPVersion.isWellFormed(parts[2]) ? .unsupportedVersion : .malformedStartLine)
        }
        guard HTTPBytes.isOriginForm(parts[1]) else { return .failure(.notOriginForm) }
        let hosts = fields.values("Host")
        guard hosts.count == 1 || (hosts.isEmpty && version == .http10),
            hosts.allSatisfy({ HTTPBytes.isAuthority($0.utf8) })
        else { return .failure(.badHost) }
        return length(of: fields).map { contentLength in
            let target = parts[1].split(
                separator: HTTPBytes.questionMark, maxSplits: 1, omittingEmptySubsequences: false)
            return RequestHead(
                method: HTTPBytes.string(parts[0]), path: HTTPBytes.string(target[0]),
                query: target.count == 2 ? HTTPBytes.string(target[1]) : nil, version: version, fields: fields,
                contentLength: contentLength)
        }
    }

    /// The body's length by RFC 9112 section 6.3, without transfer codings.
    private static func length(of fields: HeaderFields) -> Result<UInt64?, HeadFailure> {
        let lengths = fields.values("Content-Length")
        guard fields.first("Transfer-Encoding") == nil else {
            return .failure(lengths.isEmpty ? .transferCoding : .badContentLength)
        }
        guard let digits = lengths.first?.utf8 else { return .success(nil) }
        guard lengths.count == 1, (1...FixedLimits.contentLengthDigits).contains(digits.count) else {
            return .failure(.badContentLength)
        }
        var length: UInt64 = 0
        for digit in digits {
            guard HTTPBytes.isDigit(digit) else { return .failure(.badContentLength) }
            length = length * 10 + UInt64(digit & 0x0F)
        }
        return .success(length)
    }
}
