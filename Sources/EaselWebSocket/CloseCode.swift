/// A status that may stand in a close frame (RFC 6455 section 7.4 and the IANA registry).
///
/// 1004, 1005, 1006 and 1015 can't be written: they never travel. That a peer gave no code is a nil `CloseCode`.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    /// 1000 to 1003, 1007 to 1014, or 3000 to 4999.
    public let rawValue: UInt16

    /// Nil for a code that must not travel.
    public init?(rawValue: UInt16) {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: self.rawValue = rawValue
        default: return nil
        }
    }

    private init(known: UInt16) { rawValue = known }

    /// 1000: the purpose is fulfilled.
    public static let normal = CloseCode(known: 1000)
    /// 1001: the server stops, or the page is left.
    public static let goingAway = CloseCode(known: 1001)
    /// 1002: the peer broke the protocol.
    public static let protocolError = CloseCode(known: 1002)
    /// 1003: a kind of message this end doesn't take.
    public static let unsupportedData = CloseCode(known: 1003)
    /// 1007: text that is not UTF-8.
    public static let invalidPayload = CloseCode(known: 1007)
    /// 1008: the peer may not do this.
    public static let policyViolation = CloseCode(known: 1008)
    /// 1009: a message over the limit.
    public static let messageTooBig = CloseCode(known: 1009)
    /// 1011: this end failed.
    public static let internalError = CloseCode(known: 1011)
    /// 1012: the server restarts; come back soon.
    public static let serviceRestart = CloseCode(known: 1012)
    /// 1013: overload; come back later.
    public static let tryAgainLater = CloseCode(known: 1013)
}
