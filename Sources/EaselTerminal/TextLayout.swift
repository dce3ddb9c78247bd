/// A text broken into lines of a width: at its line ends, else at spaces, else where a line is full.
///
/// Offsets count Unicode scalars of the text, as the canvas does; columns count cells.
struct TextLayout: Equatable, Sendable {
    struct Line: Equatable, Sendable {
        /// Offset of its first character.
        let start: Int
        /// Its characters, without a line end.
        let characters: [Glyph]

        /// The columns it takes, spaces at a break included.
        var width: Int { characters.reduce(0) { $0 + $1.width } }
        /// Offset behind its last character.
        var end: Int { start + characters.reduce(0) { $0 + $1.scalars } }
        var string: String { String(characters.map(\.character)) }
    }

    /// A character with its number of scalars and its columns.
    struct Glyph: Equatable, Sendable {
        let character: Character
        let scalars: Int
        let width: Int
    }

    let lines: [Line]

    /// Breaks `text` into at most `lineLimit` lines of `width` columns (at least 1). There is always one line.
    init(_ text: String, width: Int = .max, lineLimit: Int = .max) {
        var breaker = LineBreaker(width: max(1, width))
        for character in text {
            breaker.add(character)
            if breaker.lines.count >= lineLimit { break }
        }
        lines = Array(breaker.finished().prefix(max(1, lineLimit)))
    }

    /// The columns of the widest line.
    var width: Int { lines.reduce(0) { max($0, $1.width) } }

    /// The line and column of a caret in front of the character at `offset`.
    func position(of offset: Int) -> (line: Int, column: Int) {
        let index = lines.lastIndex { $0.start <= offset } ?? 0
        var rest = offset - lines[index].start
        var column = 0
        for glyph in lines[index].characters {
            if rest < glyph.scalars { break }
            rest -= glyph.scalars
            column += glyph.width
        }
        return (index, column)
    }

    /// The offset nearest to a column of a line; lines beyond the ends count as the first or the last.
    func offset(line: Int, column: Int) -> Int {
        let line = lines[max(0, min(lines.count - 1, line))]
        var offset = line.start
        var used = 0
        for glyph in line.characters {
            if used + glyph.width > column { break }
            used += glyph.width
            offset += glyph.scalars
        }
        return offset
    }
}

/// Takes characters one by one and makes lines of them.
private struct LineBreaker {
    let width: Int
    private(set) var lines: [TextLayout.Line] = []
    private var start = 0
    private var current: [TextLayout.Glyph] = []
    private var currentWidth = 0

    init(width: Int) { self.width = width }

    mutating func add(_ character: Character) {
        let scalars = character.unicodeScalars.count
        if character.isNewline {
            let end = endLine()
            start = end + scalars
            return
        }
        let glyph = TextLayout.Glyph(character: character, scalars: scalars, width: CellWidth.columns(character))
        // A space that no longer fits hangs over the edge; the next character goes to a new line.
        if currentWidth + glyph.width > width, character != " ", !current.isEmpty { breakLine() }
        current.append(glyph)
        currentWidth += glyph.width
    }

    /// Breaks behind the last space of the line, or at its end if it has none.
    private mutating func breakLine() {
        let kept = current.lastIndex { $0.character == " " }.map { $0 + 1 } ?? current.count
        let moved = Array(current[kept...])
        current.removeSubrange(kept...)
        start = endLine()
        current = moved
        currentWidth = moved.reduce(0) { $0 + $1.width }
    }

    /// Puts the line away and returns the offset behind it.
    private mutating func endLine() -> Int {
        let line = TextLayout.Line(start: start, characters: current)
        lines.append(line)
        current = []
        currentWidth = 0
        return line.end
    }

    func finished() -> [TextLayout.Line] { lines + [TextLayout.Line(start: start, characters: current)] }
}
