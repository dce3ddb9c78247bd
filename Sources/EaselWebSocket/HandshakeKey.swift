/// SHA-1 of `bytes`, 20 bytes; the shell gives it, so that this module needs no library for digests.
public typealias SHA1Function = (_ bytes: [UInt8]) -> [UInt8]

/// Sec-WebSocket-Key and the Sec-WebSocket-Accept that answers it (RFC 6455 sections 4.1 and 4.2.2).
enum HandshakeKey {
    /// What every server appends to the key before it takes the digest.
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    private static let characters = 24
    private static let digestBytes = 20
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The key for 16 random bytes, given as two numbers.
    static func key(nonce: (UInt64, UInt64)) -> String {
        var bytes: [UInt8] = []
        for word in [nonce.0, nonce.1] {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return base64(bytes)
    }

    /// Whether `key` is the base64 of 16 bytes.
    static func isValid(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        return bytes.count == characters && bytes.suffix(2).allSatisfy { $0 == padding }
            && bytes.dropLast(2).allSatisfy {
                HTTPBytes.isDigit($0) || HTTPBytes.isLetter($0) || $0 == 0x2B || $0 == 0x2F
            }
    }

    static func accept(for key: String, sha1: SHA1Function) -> String {
        let digest = sha1(Array(key.utf8) + Array(suffix.utf8))
        precondition(digest.count == digestBytes, "a SHA-1 digest has 20 bytes")
        return base64(digest)
    }

    /// RFC 4648 section 4, with padding.
    static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var word: UInt32 = 0
            for byte in group { word = word << 8 | UInt32(byte) }
            word <<= 8 * UInt32(3 - group.count)
            for place in 0..<4 {
                let digit = Int(word >> (18 - 6 * UInt32(place)) & 0x3F)
                text.append(place <= group.count ? alphabet[digit] : padding)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
