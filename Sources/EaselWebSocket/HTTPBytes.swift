/// The byte classes of RFC 9110 and RFC 3986 that heads are made of.
enum HTTPBytes {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let slash = UInt8(ascii: "/")
    static let questionMark = UInt8(ascii: "?")
    static let percent = UInt8(ascii: "%")

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

    static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    /// `tchar` of RFC 9110 section 5.6.2.
    static func isToken(_ byte: UInt8) -> Bool {
        if isDigit(byte) || isLetter(byte) { return true }
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            return true
        default:
            return false
        }
    }

    /// What a field line may hold: tab, space, visible ASCII and `obs-text` (RFC 9110 section 5.5).
    static func isField(_ byte: UInt8) -> Bool { byte == tab || (byte >= 0x20 && byte != 0x7F) }

    /// What a request line may hold: visible ASCII and spaces.
    static func isStartLine(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

    /// `unreserved` and `sub-delims` of RFC 3986: every part of a URI may hold them.
    private static func isPlainInURI(_ byte: UInt8) -> Bool {
        if isDigit(byte) || isLetter(byte) { return true }
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"),
            UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), comma, UInt8(ascii: ";"), UInt8(ascii: "="):
            return true
        default:
            return false
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    static func isToken(_ bytes: some Collection<UInt8>) -> Bool { !bytes.isEmpty && bytes.allSatisfy(isToken) }

    /// Whether `bytes` are an `origin-form` target: a path from `/`, an optional query, sound percent escapes.
    static func isOriginForm(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.first == slash else { return false }
        var escapeDigits = 0
        for byte in bytes {
            if escapeDigits > 0 {
                guard isHexadecimal(byte) else { return false }
                escapeDigits -= 1
            } else if byte == percent {
                escapeDigits = 2
            } else {
                guard
                    isPlainInURI(byte) || byte == slash || byte == questionMark || byte == colon
                        || byte == UInt8(ascii: "@")
                else { return false }
            }
        }
        return escapeDigits == 0
    }

    /// Whether `bytes` can be a host with an optional port: the characters only, since no name is looked up here.
    static func isAuthority(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                isPlainInURI(byte) || byte == colon || byte == percent || byte == UInt8(ascii: "[")
                    || byte == UInt8(ascii: "]")
            }
    }

    /// ASCII letters of either case are equal; every other byte only to itself.
    static func equalIgnoringCase(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        for (one, other) in zip(left.utf8, right.utf8) where one != other {
            guard isLetter(one), one ^ other == 0x20 else { return false }
        }
        return true
    }

    /// `bytes` without the spaces and tabs around them.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return bytes[first...last]
    }

    /// Each byte as the character of the same number (ISO 8859-1).
    ///
    /// Lossless, and no two different byte strings give strings that Swift holds equal, as UTF-8 would: the Kelvin
    /// sign equals K there, which an allow-list of origins must not say.
    static func string(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }
}
