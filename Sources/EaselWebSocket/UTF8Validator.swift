/// Checks UTF-8 as it comes in, refusing at the first byte that can't be part of it (RFC 3629).
struct UTF8Validator {
    /// Continuation bytes the current character still needs.
    private var missing: UInt8 = 0
    /// The range of the next continuation byte: narrower after the leads that could begin an overlong form, a
    /// surrogate or a character beyond U+10FFFF.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether the text may end here.
    var isAtBoundary: Bool { missing == 0 }

    /// Reads `bytes` from `start` on; false when they are not UTF-8, after which the validator is spent.
    mutating func accepts(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        var position = start
        while position < bytes.count {
            if missing == 0 {
                position = Self.skipASCII(bytes, from: position)
                guard position < bytes.count else { break }
                guard begin(bytes[position]) else { return false }
            } else {
                guard (lowest...highest).contains(bytes[position]) else { return false }
                missing -= 1
                lowest = 0x80
                highest = 0xBF
            }
            position += 1
        }
        return true
    }

    /// The position of the first byte beyond ASCII, or one at most seven bytes before it.
    private static func skipASCII(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        let raw = bytes.bytes
        while bytes.count - position >= 8,
            raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            position += 8
        }
        return position
    }

    private mutating func begin(_ lead: UInt8) -> Bool {
        switch lead {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
