/// What a frame is (RFC 6455 section 5.2); the other ten numbers are reserved.
public enum Opcode: UInt8, Sendable {
    /// The next part of the message begun before.
    case continuation = 0x0
    /// A message in UTF-8, or its first part.
    case text = 0x1
    /// A message of bytes, or its first part.
    case binary = 0x2
    /// The last frame of its sender.
    case close = 0x8
    /// Asks for a pong.
    case ping = 0x9
    /// Answers a ping, or just says that its sender lives.
    case pong = 0xA

    /// Whether frames of this kind may stand within a fragmented message, and are short.
    public var isControl: Bool { rawValue >= 0x8 }
}

/// The two kinds of message.
public enum MessageKind: Sendable {
    /// UTF-8, checked.
    case text
    /// Any bytes.
    case binary

    var opcode: Opcode { self == .text ? .text : .binary }
}

/// Which end of the connection is ours: clients mask what they send, servers don't.
public enum Role: Sendable {
    /// Reads masked frames.
    case server
    /// Reads unmasked frames.
    case client
}
