import EaselWebSocket

/// How a test writes a frame's length.
enum LengthForm {
    case minimal
    case two
    case eight
}

/// A frame written bit by bit, right or wrong, independent of the code under test.
func rawFrame(
    _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0, isMasked: Bool = true,
    form: LengthForm = .minimal, claiming claim: UInt64? = nil
) -> [UInt8] {
    let count = claim ?? UInt64(payload.count)
    let maskBit: UInt8 = isMasked ? 0x80 : 0
    var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | reserved | opcode]
    let big = (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> UInt64(8 * $0)) }
    switch form {
    case .minimal where count < 126: bytes.append(maskBit | UInt8(count))
    case .minimal where count < 65_536, .two: bytes += [maskBit | 126] + big.suffix(2)
    case .minimal, .eight: bytes += [maskBit | 127] + big
    }
    guard isMasked else { return bytes + payload }
    let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
}

/// Text of a test as bytes.
func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A close payload.
func closePayload(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
    [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)] + reason
}

/// All events of `bytes` given to a fresh reader in one piece.
func events(
    of bytes: [UInt8], role: Role = .server, limits: MessageLimits = .standard
) -> [MessageEvent] {
    var reader = MessageReader(role: role, limits: limits)
    var found: [MessageEvent] = []
    reader.receive(bytes, into: &found)
    return found
}

/// All actions of a fresh server connection for `bytes` in one piece.
func serverActions(
    for bytes: [UInt8], limits: MessageLimits = .standard
) -> [WebSocketConnection.Action] {
    var connection = WebSocketConnection.server(limits: limits)
    connection.receive(bytes)
    return connection.allActions()
}

extension WebSocketConnection {
    /// Every action until there is none.
    mutating func allActions() -> [Action] {
        var found: [Action] = []
        while let action = nextAction() { found.append(action) }
        return found
    }
}

/// What a server that breaks off with `failure` does: it says why, and ends TCP first.
func breakingOff(_ failure: ReadFailure) -> [WebSocketConnection.Action] {
    [
        .send(rawFrame(8, closePayload(failure.closeCode.rawValue, utf8(failure.reason)), isMasked: false)),
        .ended(.failed(failure)), .closeTransport(.afterSending),
    ]
}
