import CTickit

/// How many columns characters take, as the terminal library measures them.
enum CellWidth {
    /// What stands for a character that may not or cannot be shown.
    private static let replacement: Character = "?"

    /// The columns a string takes.
    static func columns(_ string: String) -> Int { string.reduce(0) { $0 + columns($1) } }

    /// The columns a character takes; 0 for a lone combining mark, 1 for what is replaced.
    static func columns(_ character: Character) -> Int { printable(character, isASCII: false).width }

    /// The beginning of a string that takes at most `width` columns.
    static func cut(_ string: String, to width: Int) -> String {
        var used = 0
        return String(
            string.prefix { character in
                used += columns(character)
                return used <= width
            })
    }

    /// A string in at most `width` columns, with a mark where its end had to go.
    static func shortened(_ string: String, to width: Int, isASCII: Bool) -> String {
        guard columns(string) > width else { return string }
        let mark = isASCII ? "..." : "…"
        return cut(cut(string, to: width - mark.count) + mark, to: width)
    }

    /// The text that is written for a character, and its columns. Control characters are replaced, in ASCII mode all
    /// characters beyond ASCII too.
    static func printable(_ character: Character, isASCII: Bool) -> (text: String, width: Int) {
        if let ascii = character.asciiValue, (0x20..<0x7F).contains(ascii) { return (String(character), 1) }
        if character.unicodeScalars.contains(where: isUnsafe) { return (String(replacement), 1) }
        let text = String(String.UnicodeScalarView(plainScalars(character)))
        let width = Int(tickit_utf8_mbswidth(text))
        if width < 0 { return (String(replacement), 1) }
        if isASCII { return (String(repeating: replacement, count: width), width) }
        return (text, width)
    }

    /// The scalars of a character without those that make another sign of an emoji. Terminals disagree about how wide what comes
    /// of it is, and then everything behind it on the row stands in the wrong place.
    private static func plainScalars(_ character: Character) -> [Unicode.Scalar] {
        let scalars = Array(character.unicodeScalars.prefix { $0 != zeroWidthJoiner })
        return scalars.prefix(1) + scalars.dropFirst().filter { !isEmojiModifier($0) }
    }

    private static let zeroWidthJoiner: Unicode.Scalar = "\u{200D}"

    /// The mark that asks for a picture, and skin tones.
    private static func isEmojiModifier(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0xFE0F || (0x1F3FB...0x1F3FF).contains(scalar.value)
    }

    /// Control characters, line separators and marks that turn the direction of writing: none may reach a terminal.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0xFFF9...0xFFFB: return true
        default: return false
        }
    }
}
