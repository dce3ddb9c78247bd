/// How a peer broke RFC 6455 or went over a limit.
public enum ReadFailure: Error, Equatable, Sendable {
    /// A reserved bit without an extension that gives it a meaning.
    case reservedBits
    /// A reserved opcode.
    case reservedOpcode
    /// A control frame that is not final.
    case fragmentedControl
    /// A control frame of more than 125 bytes.
    case controlTooLong
    /// A frame to a server without a mask.
    case unmasked
    /// A frame to a client with a mask.
    case masked
    /// A length in more bytes than it needs.
    case nonMinimalLength
    /// A 64-bit length with its highest bit set.
    case negativeLength
    /// A continuation without a message begun.
    case unexpectedContinuation
    /// A message begun within another.
    case interleavedMessage
    /// Text, or a close reason, that is not UTF-8.
    case invalidUTF8
    /// A close payload of one byte, or a code that must not travel.
    case invalidClose
    /// A message beyond `MessageLimits.messageBytes`.
    case messageTooBig
    /// A message of more than `MessageLimits.fragments` frames.
    case tooManyFragments

    /// The code to close with.
    public var closeCode: CloseCode {
        switch self {
        case .reservedBits, .reservedOpcode, .fragmentedControl, .controlTooLong, .unmasked, .masked,
            .nonMinimalLength, .negativeLength, .unexpectedContinuation, .interleavedMessage, .invalidClose:
            .protocolError
        case .invalidUTF8: .invalidPayload
        case .messageTooBig: .messageTooBig
        case .tooManyFragments: .policyViolation
        }
    }

    /// The failure in words, without anything the peer sent.
    public var reason: String {
        switch self {
        case .reservedBits: "reserved bits are set"
        case .reservedOpcode: "reserved opcode"
        case .fragmentedControl: "fragmented control frame"
        case .controlTooLong: "control frame too long"
        case .unmasked: "frame is not masked"
        case .masked: "frame is masked"
        case .nonMinimalLength: "length is not minimal"
        case .negativeLength: "length has its highest bit set"
        case .unexpectedContinuation: "continuation without a message"
        case .interleavedMessage: "message within a message"
        case .invalidUTF8: "invalid UTF-8"
        case .invalidClose: "invalid close frame"
        case .messageTooBig: "message too big"
        case .tooManyFragments: "too many fragments"
        }
    }
}
