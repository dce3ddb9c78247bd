/// Bounds on one HTTP/1.1 head and on what a handshake offers.
public struct HeadLimits: Equatable, Sendable {
    /// Longest head in bytes, from the first byte of the start line to the empty line's line feed; beyond it 431.
    public let blockBytes: Int
    /// Longest start line in bytes without its line end; beyond it 414.
    public let startLineBytes: Int
    /// Most header fields; beyond it 431.
    public let fields: Int
    /// Most subprotocols one client may offer; beyond it 400.
    public let subprotocols: Int

    /// The bounds a server facing the open network uses.
    public static let standard = HeadLimits()

    /// Each bound defaults to the standard one and must be positive.
    public init(
        blockBytes: Int = 16_384, startLineBytes: Int = 8_192, fields: Int = 100, subprotocols: Int = 16
    ) {
        precondition(blockBytes > 0 && startLineBytes > 0 && fields > 0 && subprotocols > 0, "a limit is positive")
        self.blockBytes = blockBytes
        self.startLineBytes = startLineBytes
        self.fields = fields
        self.subprotocols = subprotocols
    }
}

/// Bounds on what a peer may make a connection hold.
public struct MessageLimits: Equatable, Sendable {
    /// Longest message in bytes, all fragments together; a longer one fails with 1009 at the header that says so.
    public let messageBytes: Int
    /// Most frames of one message; one more fails with 1008, so endless empty fragments end too.
    public let fragments: Int
    /// Most pong bytes given out for sending before the transport reports that they left; beyond it only the newest
    /// ping is remembered, and answered then (RFC 6455 section 5.5.3 permits that).
    public let unsentPongBytes: Int

    /// The bounds a server facing the open network uses: messages of 1 MiB.
    public static let standard = MessageLimits()

    /// Each bound defaults to the standard one and must be positive.
    public init(messageBytes: Int = 1_048_576, fragments: Int = 1_024, unsentPongBytes: Int = 65_536) {
        precondition(messageBytes > 0 && fragments > 0 && unsentPongBytes > 0, "a limit is positive")
        self.messageBytes = messageBytes
        self.fragments = fragments
        self.unsentPongBytes = unsentPongBytes
    }
}

/// Bounds that the protocols themselves set, or that no program needs to change.
enum FixedLimits {
    /// Longest payload of a control frame in bytes (RFC 6455 section 5.5).
    static let controlBytes = 125
    /// Longest close reason in bytes: a control payload without the two bytes of its code.
    static let closeReasonBytes = 123
    /// Most interim (1xx) responses a client skips before the final one.
    static let interimResponses = 4
    /// Longest Content-Length in digits, so that its value always fits 64 bits.
    static let contentLengthDigits = 18
    /// Entries a connection's empty queue keeps room for: an idle connection costs little even after a burst.
    static let queueKept = 16
}
