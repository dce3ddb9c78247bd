/// What a peer sent.
public enum MessageEvent: Equatable, Sendable {
    /// A complete message; text is valid UTF-8.
    case message(MessageKind, [UInt8])
    /// A ping, at most 125 bytes, to be answered by a pong of the same payload.
    case ping([UInt8])
    /// A pong, at most 125 bytes.
    case pong([UInt8])
    /// The peer's close frame; nothing is emitted after it.
    case close(CloseCode?, reason: String)
    /// The peer broke the protocol or a limit; nothing is emitted after it.
    case failure(ReadFailure)
}

/// Reads RFC 6455 frames and puts messages together, for either side.
///
/// Splitting the input differently never changes the events. Memory is what has come of one message and one control
/// frame, never what a header promises; time is linear in the bytes.
public struct MessageReader: Sendable {
    private struct Frame {
        let header: FrameHeader
        var remaining: Int
        /// Turned to where the payload has come to.
        var key: MaskingKey?
    }

    private enum State {
        case header(FrameHeaderDecoder)
        case payload(Frame)
        case stopped
    }

    private let role: Role
    private let limits: MessageLimits
    private var state = State.header(FrameHeaderDecoder())
    /// The kind of the message begun and not ended; its bytes so far are `message`.
    private var unfinished: MessageKind?
    private var message: [UInt8] = []
    private var fragments = 0
    private var validator = UTF8Validator()
    private var control: [UInt8] = []

    /// A reader for `role`'s end of the connection.
    public init(role: Role, limits: MessageLimits = .standard) {
        self.role = role
        self.limits = limits
    }

    /// Takes the next bytes off the wire and appends what they complete to `events`.
    public mutating func receive(_ bytes: Span<UInt8>, into events: inout [MessageEvent]) {
        var position = 0
        while true {
            switch state {
            case .stopped:
                return
            case .header(var decoder):
                guard position < bytes.count else { return }
                let step = decoder.consume(bytes[position], in: context)
                position += 1
                switch step {
                case .success(.needMore): state = .header(decoder)
                case .success(.header(let header)): begin(header)
                case .failure(let failure): fail(failure, into: &events)
                }
            case .payload(let frame):
                if frame.remaining == 0 {
                    finish(frame.header, into: &events)
                } else {
                    guard position < bytes.count else { return }
                    let count = min(frame.remaining, bytes.count - position)
                    if let failure = take(bytes, from: position, count: count, of: frame) {
                        fail(failure, into: &events)
                    }
                    position += count
                }
            }
        }
    }

    /// `receive(_:into:)` for an array.
    public mutating func receive(_ bytes: [UInt8], into events: inout [MessageEvent]) {
        receive(bytes.span, into: &events)
    }

    private var context: FrameHeaderDecoder.Context {
        FrameHeaderDecoder.Context(
            role: role, isWithinMessage: unfinished != nil, room: limits.messageBytes - message.count,
            fragmentsLeft: limits.fragments - fragments)
    }

    private mutating func begin(_ header: FrameHeader) {
        switch header.opcode {
        case .text: unfinished = .text
        case .binary: unfinished = .binary
        case .continuation, .close, .ping, .pong: break
        }
        if !header.opcode.isControl { fragments += 1 }
        state = .payload(Frame(header: header, remaining: header.payloadCount, key: header.key))
    }

    private mutating func take(
        _ bytes: Span<UInt8>, from position: Int, count: Int, of frame: Frame
    ) -> ReadFailure? {
        state = .payload(
            Frame(header: frame.header, remaining: frame.remaining - count, key: frame.key?.advanced(by: count)))
        guard !frame.header.opcode.isControl else {
            let start = control.count
            control.append(bytes, from: position, count: count)
            frame.key?.apply(to: &control, from: start)
            return nil
        }
        let start = message.count
        message.append(bytes, from: position, count: count)
        frame.key?.apply(to: &message, from: start)
        guard unfinished == .text else { return nil }
        var checked = validator
        defer { validator = checked }
        return checked.accepts(message.span, from: start) ? nil : .invalidUTF8
    }

    private mutating func finish(_ header: FrameHeader, into events: inout [MessageEvent]) {
        state = .header(FrameHeaderDecoder())
        switch header.opcode {
        case .ping: events.append(.ping(takeControl()))
        case .pong: events.append(.pong(takeControl()))
        case .close: finishClose(into: &events)
        case .text, .binary, .continuation: finishData(header, into: &events)
        }
    }

    private mutating func finishData(_ header: FrameHeader, into events: inout [MessageEvent]) {
        guard header.isFinal, let kind = unfinished else { return }
        guard validator.isAtBoundary else { return fail(.invalidUTF8, into: &events) }
        var complete: [UInt8] = []
        swap(&complete, &message)
        unfinished = nil
        fragments = 0
        events.append(.message(kind, complete))
    }

    private mutating func finishClose(into events: inout [MessageEvent]) {
        let payload = takeControl()
        switch Self.parseClose(payload) {
        case .success(let event):
            stop()
            events.append(event)
        case .failure(let failure):
            fail(failure, into: &events)
        }
    }

    private static func parseClose(_ payload: [UInt8]) -> Result<MessageEvent, ReadFailure> {
        guard !payload.isEmpty else { return .success(.close(nil, reason: "")) }
        guard payload.count >= 2,
            let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        else { return .failure(.invalidClose) }
        var validator = UTF8Validator()
        guard validator.accepts(payload.span, from: 2), validator.isAtBoundary else { return .failure(.invalidUTF8) }
        return .success(.close(code, reason: String(decoding: payload[2...], as: UTF8.self)))
    }

    private mutating func takeControl() -> [UInt8] {
        var payload: [UInt8] = []
        swap(&payload, &control)
        return payload
    }

    private mutating func fail(_ failure: ReadFailure, into events: inout [MessageEvent]) {
        stop()
        events.append(.failure(failure))
    }

    /// Ends reading and gives back what an unfinished message held.
    private mutating func stop() {
        state = .stopped
        message = []
        control = []
    }
}
