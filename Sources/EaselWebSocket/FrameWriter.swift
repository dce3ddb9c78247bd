/// Encodes frames (RFC 6455 section 5.2). A server's frame doesn't depend on whom it is for, so one encoded frame
/// serves a whole room; a client's needs a fresh `MaskingKey` each.
public enum FrameWriter {
    /// Bytes of the header before a payload of `payloadCount` bytes: 2 to 14.
    public static func headerCount(payloadCount: Int, isMasked: Bool) -> Int {
        let length = payloadCount < 126 ? 2 : payloadCount < 65_536 ? 4 : 10
        return length + (isMasked ? 4 : 0)
    }

    /// Appends a frame header, for a payload that the caller appends after it (masked with `key`, if there is one).
    public static func appendHeader(
        _ opcode: Opcode, payloadCount: Int, isFinal: Bool = true, key: MaskingKey? = nil, to bytes: inout [UInt8]
    ) {
        precondition(payloadCount >= 0, "a payload has no negative length")
        precondition(
            !opcode.isControl || (payloadCount <= FixedLimits.controlBytes && isFinal),
            "a control frame is one frame of at most 125 bytes")
        bytes.append((isFinal ? 0x80 : 0) | opcode.rawValue)
        let maskBit: UInt8 = key == nil ? 0 : 0x80
        if payloadCount < 126 {
            bytes.append(maskBit | UInt8(payloadCount))
        } else if payloadCount < 65_536 {
            bytes.append(maskBit | 126)
            appendBigEndian(UInt64(payloadCount), bytes: 2, to: &bytes)
        } else {
            bytes.append(maskBit | 127)
            appendBigEndian(UInt64(payloadCount), bytes: 8, to: &bytes)
        }
        if let key {
            let (first, second, third, fourth) = key.bytes
            bytes.append(first)
            bytes.append(second)
            bytes.append(third)
            bytes.append(fourth)
        }
    }

    /// Appends a whole frame; with `key` the payload is masked where it lands.
    public static func append(
        _ opcode: Opcode, payload: [UInt8], isFinal: Bool = true, key: MaskingKey? = nil, to bytes: inout [UInt8]
    ) {
        appendHeader(opcode, payloadCount: payload.count, isFinal: isFinal, key: key, to: &bytes)
        let start = bytes.count
        bytes.append(contentsOf: payload)
        key?.apply(to: &bytes, from: start)
    }

    /// A whole message in one frame: a server's without `key`, a client's with a fresh one.
    public static func message(_ kind: MessageKind, _ payload: [UInt8], key: MaskingKey? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerCount(payloadCount: payload.count, isMasked: key != nil) + payload.count)
        append(kind.opcode, payload: payload, key: key, to: &bytes)
        return bytes
    }

    /// Appends a close frame; a reason of more than 123 bytes is cut at a character.
    public static func appendClose(
        _ code: CloseCode?, reason: String = "", key: MaskingKey? = nil, to bytes: inout [UInt8]
    ) {
        var payload: [UInt8] = []
        if let code {
            appendBigEndian(UInt64(code.rawValue), bytes: 2, to: &payload)
            for scalar in reason.unicodeScalars {
                let encoded = Array(String(scalar).utf8)
                guard payload.count + encoded.count <= 2 + FixedLimits.closeReasonBytes else { break }
                payload.append(contentsOf: encoded)
            }
        }
        append(.close, payload: payload, key: key, to: &bytes)
    }

    private static func appendBigEndian(_ value: UInt64, bytes count: Int, to bytes: inout [UInt8]) {
        for place in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * place))) }
    }
}
