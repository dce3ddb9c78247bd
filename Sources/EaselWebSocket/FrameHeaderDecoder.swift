/// A frame header that has been read and checked.
struct FrameHeader {
    let opcode: Opcode
    let isFinal: Bool
    let payloadCount: Int
    let key: MaskingKey?
}

/// Reads one frame header byte by byte (RFC 6455 section 5.2), failing at the first byte that is wrong.
struct FrameHeaderDecoder {
    /// What the bytes before this frame permit it to be.
    struct Context {
        let role: Role
        /// Whether a message has begun and not ended.
        let isWithinMessage: Bool
        /// Payload bytes the message may still get.
        let room: Int
        /// Frames the message may still get.
        let fragmentsLeft: Int
    }

    enum Step {
        case needMore
        case header(FrameHeader)
    }

    private enum State {
        case first
        case second(Opcode, isFinal: Bool)
        case length(Opcode, isFinal: Bool, bytesLeft: Int, value: UInt64, least: UInt64)
        case key(Opcode, isFinal: Bool, payloadCount: Int, bytesLeft: UInt32, word: UInt32)
    }

    private var state = State.first

    mutating func consume(_ byte: UInt8, in context: Context) -> Result<Step, ReadFailure> {
        switch state {
        case .first:
            return first(byte, in: context)
        case .second(let opcode, let isFinal):
            return second(byte, opcode, isFinal, in: context)
        case .length(let opcode, let isFinal, let bytesLeft, let value, let least):
            if bytesLeft == 8, byte & 0x80 != 0 { return .failure(.negativeLength) }
            let count = value << 8 | UInt64(byte)
            guard bytesLeft == 1 else {
                state = .length(opcode, isFinal: isFinal, bytesLeft: bytesLeft - 1, value: count, least: least)
                return .success(.needMore)
            }
            guard count >= least else { return .failure(.nonMinimalLength) }
            return payload(count, opcode, isFinal, in: context)
        case .key(let opcode, let isFinal, let payloadCount, let bytesLeft, let word):
            let key = word >> 8 | UInt32(byte) << 24
            guard bytesLeft == 1 else {
                state = .key(opcode, isFinal: isFinal, payloadCount: payloadCount, bytesLeft: bytesLeft - 1, word: key)
                return .success(.needMore)
            }
            return .success(
                .header(
                    FrameHeader(opcode: opcode, isFinal: isFinal, payloadCount: payloadCount, key: MaskingKey(key))))
        }
    }

    private mutating func first(_ byte: UInt8, in context: Context) -> Result<Step, ReadFailure> {
        guard byte & 0x70 == 0 else { return .failure(.reservedBits) }
        guard let opcode = Opcode(rawValue: byte & 0x0F) else { return .failure(.reservedOpcode) }
        let isFinal = byte & 0x80 != 0
        if opcode.isControl {
            guard isFinal else { return .failure(.fragmentedControl) }
        } else {
            guard context.isWithinMessage || opcode != .continuation else { return .failure(.unexpectedContinuation) }
            guard !context.isWithinMessage || opcode == .continuation else { return .failure(.interleavedMessage) }
            guard context.fragmentsLeft > 0 else { return .failure(.tooManyFragments) }
        }
        state = .second(opcode, isFinal: isFinal)
        return .success(.needMore)
    }

    private mutating func second(
        _ byte: UInt8, _ opcode: Opcode, _ isFinal: Bool, in context: Context
    ) -> Result<Step, ReadFailure> {
        let isMasked = byte & 0x80 != 0
        guard isMasked == (context.role == .server) else { return .failure(isMasked ? .masked : .unmasked) }
        let length = byte & 0x7F
        guard !opcode.isControl || length <= FixedLimits.controlBytes else { return .failure(.controlTooLong) }
        switch length {
        case 126: state = .length(opcode, isFinal: isFinal, bytesLeft: 2, value: 0, least: 126)
        case 127: state = .length(opcode, isFinal: isFinal, bytesLeft: 8, value: 0, least: 65_536)
        default: return payload(UInt64(length), opcode, isFinal, in: context)
        }
        return .success(.needMore)
    }

    private mutating func payload(
        _ count: UInt64, _ opcode: Opcode, _ isFinal: Bool, in context: Context
    ) -> Result<Step, ReadFailure> {
        guard opcode.isControl || count <= UInt64(context.room) else { return .failure(.messageTooBig) }
        let payloadCount = Int(count)
        guard context.role == .server else {
            return .success(
                .header(FrameHeader(opcode: opcode, isFinal: isFinal, payloadCount: payloadCount, key: nil)))
        }
        state = .key(opcode, isFinal: isFinal, payloadCount: payloadCount, bytesLeft: 4, word: 0)
        return .success(.needMore)
    }
}
