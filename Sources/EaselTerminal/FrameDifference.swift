/// What has to be written so that a screen that shows one grid shows another.
enum FrameDifference {
    /// Characters side by side in one style.
    struct Span: Equatable, Sendable {
        let column: Int
        let row: Int
        var text: String
        let style: Style
    }

    /// The spans that differ; all but blanks if there is no grid before, as after the screen was cleared.
    static func spans(from old: CellGrid?, to new: CellGrid) -> [Span] {
        let old = old ?? CellGrid(columns: new.columns, rows: new.rows)
        precondition(old.columns == new.columns && old.rows == new.rows, "grids of one size are compared")
        var spans: [Span] = []
        for row in 0..<new.rows { appendSpans(of: row, old, new, &spans) }
        return spans
    }

    private static func appendSpans(of row: Int, _ old: CellGrid, _ new: CellGrid, _ spans: inout [Span]) {
        var column = 0
        var end = -1
        while column < new.columns {
            let width = self.width(column, row, new)
            let differs = (column..<column + width).contains { old[$0, row] != new[$0, row] }
            if differs {
                let cell = new[column, row]
                let text = cell.isContinuation ? " " : cell.text
                if end == column, let last = spans.indices.last, spans[last].style == cell.style, spans[last].row == row
                {
                    spans[last].text += text
                } else {
                    spans.append(Span(column: column, row: row, text: text, style: cell.style))
                }
                end = column + width
            }
            column += width
        }
    }

    /// The cells that the character at a place takes.
    private static func width(_ column: Int, _ row: Int, _ grid: CellGrid) -> Int {
        var width = 1
        while column + width < grid.columns, grid[column + width, row].isContinuation { width += 1 }
        return width
    }
}
