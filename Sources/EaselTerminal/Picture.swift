import EaselCore

/// Draws shapes into a grid of cells. It knows neither terminals nor stores, so it serves the editor, `easel show` and tests.
struct Picture: Sendable {
    /// The most lines of one text that are laid out.
    static let textLines = 1_000

    private(set) var grid: CellGrid
    let viewport: Viewport
    private let lines: LineCharacters

    /// A blank picture of what a viewport shows.
    init(viewport: Viewport, isASCII: Bool = false) {
        self.viewport = viewport
        grid = CellGrid(columns: viewport.columns, rows: viewport.rows, isASCII: isASCII)
        lines = isASCII ? .ascii : .unicode
    }

    /// Draws all visible shapes of a canvas, each in front of what was drawn before it.
    mutating func draw(_ canvas: Canvas) {
        for shape in canvas.visibleShapes() { draw(DrawnShape(shape)) }
    }

    /// Draws one shape; `outline` replaces its colour, for what somebody is moving.
    mutating func draw(_ shape: DrawnShape, outline: Colour? = nil) {
        guard shape.box.grown(by: 1).intersects(viewport.box) else { return }
        let style = Style(foreground: outline ?? shape.stroke, background: shape.fill ?? .standard)
        switch shape.kind {
        case .rectangle: drawBox(shape.box, style, lines.rectangle, isFilled: shape.fill != nil)
        case .note: drawBox(shape.box, style, lines.note, isFilled: true)
        case .ellipse: drawEllipse(shape.box, style, isFilled: shape.fill != nil)
        case .line: drawLine(shape.ends.0, shape.ends.1, style)
        case .text: break
        case .other(let name):
            drawBox(shape.box, style, lines.rectangle, isFilled: shape.fill != nil)
            put(name, CellPoint(column: shape.box.column + 1, row: shape.box.row), style, width: shape.box.width - 2)
        }
        drawText(shape, outline)
    }

    // MARK: Parts

    private mutating func drawBox(_ box: CellBox, _ style: Style, _ characters: BoxCharacters, isFilled: Bool) {
        if isFilled { fill(box, style) }
        let shown = box.clamped(to: viewport.box.grown(by: 1))
        for column in shown.columnRange {
            put(characters.horizontal, CellPoint(column: column, row: box.row), style)
            put(characters.horizontal, CellPoint(column: column, row: box.lastRow), style)
        }
        for row in shown.rowRange {
            put(characters.vertical, CellPoint(column: box.column, row: row), style)
            put(characters.vertical, CellPoint(column: box.lastColumn, row: row), style)
        }
        put(characters.topLeft, CellPoint(column: box.column, row: box.row), style)
        put(characters.topRight, CellPoint(column: box.lastColumn, row: box.row), style)
        put(characters.bottomLeft, CellPoint(column: box.column, row: box.lastRow), style)
        put(characters.bottomRight, CellPoint(column: box.lastColumn, row: box.lastRow), style)
    }

    private mutating func fill(_ box: CellBox, _ style: Style) {
        let shown = box.clamped(to: viewport.box.grown(by: 1))
        for row in shown.rowRange {
            let start = viewport.screen(CellPoint(column: shown.column, row: row))
            grid.fill(start.column..<start.column + shown.width, start.row, style)
        }
    }

    private mutating func drawEllipse(_ box: CellBox, _ style: Style, isFilled: Bool) {
        let ellipse = EllipseRows(box)
        for row in box.clamped(to: viewport.box.grown(by: 1)).rowRange {
            guard let span = ellipse.columns(row) else { continue }
            if isFilled { fill(CellBox(column: span.lowerBound, row: row, width: span.count, height: 1), style) }
            drawEllipseRow(span, above: ellipse.columns(row - 1), below: ellipse.columns(row + 1), row, style)
        }
    }

    /// One row of an ellipse: its ends, joined to the rows above and below where those are narrower.
    private mutating func drawEllipseRow(
        _ span: ClosedRange<Int>, above: ClosedRange<Int>?, below: ClosedRange<Int>?, _ row: Int, _ style: Style
    ) {
        let characters = lines.ellipse
        let (left, right) = (span.lowerBound, span.upperBound)
        let isTop = above.map { $0.lowerBound > left } ?? true
        let isBottom = below.map { $0.lowerBound > left } ?? true
        guard isTop != isBottom else {
            if above == nil { return drawHorizontal(left, right, row, style) }
            put(characters.vertical, CellPoint(column: left, row: row), style)
            put(characters.vertical, CellPoint(column: right, row: row), style)
            return
        }
        // The columns up to which the outline runs inwards; with no row beyond, to the other side.
        let inner = isTop ? above : below
        drawHorizontal(left, inner?.lowerBound ?? right, row, style)
        drawHorizontal(inner?.upperBound ?? left, right, row, style)
        let outerLeft = isTop ? characters.topLeft : characters.bottomLeft
        let outerRight = isTop ? characters.topRight : characters.bottomRight
        put(outerLeft, CellPoint(column: left, row: row), style)
        put(outerRight, CellPoint(column: right, row: row), style)
        guard let inner else { return }
        put(isTop ? characters.bottomRight : characters.topRight, CellPoint(column: inner.lowerBound, row: row), style)
        put(isTop ? characters.bottomLeft : characters.topLeft, CellPoint(column: inner.upperBound, row: row), style)
    }

    private mutating func drawHorizontal(_ first: Int, _ last: Int, _ row: Int, _ style: Style) {
        let span = CellBox(CellPoint(column: first, row: row), CellPoint(column: last, row: row))
        guard span.intersects(viewport.box) else { return }
        for column in span.clamped(to: viewport.box).columnRange {
            put(lines.horizontal, CellPoint(column: column, row: row), style)
        }
    }

    private mutating func drawLine(_ start: CellPoint, _ end: CellPoint, _ style: Style) {
        let character = lines.line(columns: end.column - start.column, rows: end.row - start.row)
        for cell in Self.lineCells(start, end, within: viewport.box) { put(character, cell, style) }
    }

    /// The cells of a straight line that lie within a box. O(size of the box), however long the line is.
    static func lineCells(_ start: CellPoint, _ end: CellPoint, within box: CellBox) -> [CellPoint] {
        let columns = end.column - start.column
        let rows = end.row - start.row
        if columns == 0, rows == 0 { return box.contains(start) ? [start] : [] }
        let span = CellBox(start, end)
        if abs(columns) >= abs(rows) {
            return span.columnRange.clamped(to: box.columnRange).map { column in
                let row = Double((column - start.column) * rows) / Double(columns)
                return CellPoint(column: column, row: start.row + Int(row.rounded()))
            }.filter(box.contains)
        }
        return span.rowRange.clamped(to: box.rowRange).map { row in
            let column = Double((row - start.row) * columns) / Double(rows)
            return CellPoint(column: start.column + Int(column.rounded()), row: row)
        }.filter(box.contains)
    }

    // MARK: Text

    private mutating func drawText(_ shape: DrawnShape, _ outline: Colour?) {
        guard let box = shape.textBox else { return }
        let style = Style(foreground: outline ?? shape.ink, background: shape.fill ?? .standard)
        if shape.string.isEmpty {
            // A text without characters would be neither seen nor found again.
            if shape.kind == .text { put(lines.emptyText, CellPoint(column: box.column, row: box.row), style) }
            return
        }
        for (cell, line) in Self.placedLines(shape, in: box) {
            var column = cell.column
            for glyph in line.characters where column + glyph.width <= box.lastColumn + 1 {
                var own = style
                let place = viewport.screen(CellPoint(column: column, row: cell.row))
                if shape.fill == nil, grid.contains(place.column, place.row) {
                    own.background = grid[place.column, place.row].style.background
                }
                grid.put(glyph.character, place.column, place.row, own)
                column += glyph.width
            }
        }
    }

    /// The lines of a shape's text with the canvas cell each starts at; those that do not fit are left out.
    static func placedLines(_ shape: DrawnShape, in box: CellBox) -> [(CellPoint, TextLayout.Line)] {
        let layout = TextLayout(shape.string, width: box.width, lineLimit: min(textLines, box.height))
        let top = shape.isCentred ? max(0, box.height - layout.lines.count) / 2 : 0
        return layout.lines.prefix(box.height).enumerated().map { index, line in
            let left = shape.isCentred ? max(0, box.width - line.width) / 2 : 0
            return (CellPoint(column: box.column + left, row: box.row + top + index), line)
        }
    }

    /// The canvas cell of a caret at an offset of a shape's text; nil if it lies beyond what fits.
    static func caretCell(_ shape: DrawnShape, offset: Int) -> CellPoint? {
        guard let box = shape.textBox else { return nil }
        let layout = TextLayout(shape.string, width: box.width, lineLimit: textLines)
        let (line, column) = layout.position(of: offset)
        guard line < box.height else { return nil }
        let top = shape.isCentred ? max(0, box.height - layout.lines.count) / 2 : 0
        let left = shape.isCentred ? max(0, box.width - layout.lines[line].width) / 2 : 0
        return CellPoint(column: box.column + left + min(column, box.width), row: box.row + top + line)
    }

    // MARK: Cells

    /// Writes a character at a canvas cell.
    mutating func put(_ character: Character, _ cell: CellPoint, _ style: Style) {
        let place = viewport.screen(cell)
        guard grid.contains(place.column, place.row) else { return }
        var style = style
        if style.background == .standard { style.background = grid[place.column, place.row].style.background }
        grid.put(character, place.column, place.row, style)
    }

    /// Writes a string from a canvas cell on.
    mutating func put(_ string: String, _ cell: CellPoint, _ style: Style, width: Int = .max) {
        let place = viewport.screen(cell)
        grid.put(string, place.column, place.row, style, width: width)
    }

    /// Changes how a canvas cell looks.
    mutating func restyle(_ cell: CellPoint, _ change: (inout Style) -> Void) {
        let place = viewport.screen(cell)
        grid.restyle(place.column, place.row, change)
    }
}

extension CellBox {
    /// The part of the box that lies within another, or an edge of that one if none does.
    func clamped(to other: CellBox) -> CellBox {
        let columns = columnRange.clamped(to: other.columnRange)
        let rows = rowRange.clamped(to: other.rowRange)
        return CellBox(column: columns.lowerBound, row: rows.lowerBound, width: columns.count, height: rows.count)
    }
}
