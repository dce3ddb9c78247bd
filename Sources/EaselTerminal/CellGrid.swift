/// How a cell looks.
struct Style: Hashable, Sendable {
    var foreground: Colour = .standard
    var background: Colour = .standard
    var isBold = false
    var isUnderlined = false
    var isReversed = false

    static let plain = Style()

    /// A style in one colour.
    static func ink(_ colour: Colour, bold: Bool = false) -> Style { Style(foreground: colour, isBold: bold) }
}

/// One place of the grid: a character that starts here, or the rest of a wide one that starts further left.
struct Cell: Hashable, Sendable {
    /// The character; empty where a wide one continues.
    var text: String
    var style: Style

    static let blank = Cell(text: " ", style: .plain)
    var isContinuation: Bool { text.isEmpty }
}

/// A picture made of character cells, without any terminal.
///
/// Whatever is written is clipped to the grid, and can hold no control character: texts and names come from other
/// people, and nothing of theirs may reach a terminal as a command. Wide characters are kept whole: writing over a part
/// of one blanks the rest.
struct CellGrid: Equatable, Sendable {
    let columns: Int
    let rows: Int
    private var cells: [Cell]
    /// Whether characters beyond ASCII are written as `?`.
    let isASCII: Bool

    /// A blank grid. Negative sizes count as 0.
    init(columns: Int, rows: Int, isASCII: Bool = false) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        self.isASCII = isASCII
        cells = Array(repeating: .blank, count: self.columns * self.rows)
    }

    /// The cell at a place inside the grid.
    fileprivate(set) subscript(column: Int, row: Int) -> Cell {
        get { cells[row * columns + column] }
        set { cells[row * columns + column] = newValue }
    }

    func contains(_ column: Int, _ row: Int) -> Bool {
        (0..<columns).contains(column) && (0..<rows).contains(row)
    }

    /// Writes a character and returns how many columns it takes. One that does not fit whole leaves blanks.
    @discardableResult
    mutating func put(_ character: Character, _ column: Int, _ row: Int, _ style: Style) -> Int {
        let shown = CellWidth.printable(character, isASCII: isASCII)
        guard shown.width > 0 else { return 0 }
        guard (0..<rows).contains(row), column < columns, column + shown.width > 0 else { return shown.width }
        if column >= 0, column + shown.width <= columns {
            write(Cell(text: shown.text, style: style), column, row)
            for extra in stride(from: 1, to: shown.width, by: 1) {
                write(Cell(text: "", style: style), column + extra, row)
            }
            blankRest(after: column + shown.width, row)
        } else {
            for part in max(0, column)..<min(columns, column + shown.width) {
                write(Cell(text: " ", style: style), part, row)
            }
            blankRest(after: min(columns, column + shown.width), row)
        }
        return shown.width
    }

    /// Writes a string on one row, at most `width` columns of it, and returns how many columns it takes.
    @discardableResult
    mutating func put(_ string: String, _ column: Int, _ row: Int, _ style: Style, width: Int = .max) -> Int {
        var used = 0
        for character in string {
            let next = CellWidth.printable(character, isASCII: isASCII).width
            if used + next > width { break }
            used += put(character, column + used, row, style)
        }
        return used
    }

    /// Changes how a cell looks and leaves its character. Does nothing outside the grid.
    mutating func restyle(_ column: Int, _ row: Int, _ change: (inout Style) -> Void) {
        guard contains(column, row) else { return }
        change(&cells[row * columns + column].style)
    }

    /// Blanks a part of a row in a style.
    mutating func fill(_ columnRange: Range<Int>, _ row: Int, _ style: Style) {
        let clipped = columnRange.clamped(to: 0..<columns)
        guard (0..<rows).contains(row), !clipped.isEmpty else { return }
        for column in clipped { write(Cell(text: " ", style: style), column, row) }
        blankRest(after: clipped.upperBound, row)
    }

    /// Puts a cell down; if it hits the middle of a wide character, what stands left of it of that character is blanked.
    private mutating func write(_ cell: Cell, _ column: Int, _ row: Int) {
        let index = row * columns + column
        if cells[index].isContinuation, !cell.isContinuation {
            var left = index
            var isLead = false
            while !isLead, left > row * columns {
                left -= 1
                isLead = !cells[left].isContinuation
                cells[left].text = " "
            }
        }
        cells[index] = cell
    }

    /// Blanks the continuation cells from `column` on: their character was written over.
    private mutating func blankRest(after column: Int, _ row: Int) {
        var column = column
        while column < columns, cells[row * columns + column].isContinuation {
            cells[row * columns + column].text = " "
            column += 1
        }
    }

    /// A row as text, without the blanks at its end.
    func text(_ row: Int) -> String {
        var line = ""
        for column in 0..<columns { line += self[column, row].text }
        while line.hasSuffix(" ") { line.removeLast() }
        return line
    }

    /// All rows as text, one line each.
    var text: String { (0..<rows).map { text($0) }.joined(separator: "\n") }
}

extension CellGrid {
    /// Copies a row of another grid, which must be as wide.
    mutating func copyRow(_ row: Int, of other: CellGrid, to target: Int) {
        for column in 0..<min(columns, other.columns) where contains(column, target) {
            self[column, target] = other[column, row]
        }
    }
}
