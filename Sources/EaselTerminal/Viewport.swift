/// The part of the canvas that is on the screen: one canvas unit is one cell.
struct Viewport: Equatable, Sendable {
    /// The canvas cell at the top left.
    var origin = CellPoint(column: 0, row: 0)
    /// How many cells are shown.
    var columns: Int
    var rows: Int

    /// The cells of the canvas that are shown.
    var box: CellBox { CellBox(column: origin.column, row: origin.row, width: columns, height: rows) }

    /// The canvas point in the middle.
    var centre: Point {
        Point(x: Double(origin.column + columns / 2), y: Double(origin.row + rows / 2))
    }

    /// Where a canvas cell is on the screen; it may lie outside.
    func screen(_ cell: CellPoint) -> CellPoint {
        CellPoint(column: cell.column - origin.column, row: cell.row - origin.row)
    }

    /// The canvas point shown at a screen cell.
    func canvas(_ cell: CellPoint) -> Point {
        Point(x: Double(cell.column + origin.column), y: Double(cell.row + origin.row))
    }

    /// Shows a part further right and down, as far as the canvas reaches.
    mutating func pan(columns: Int, rows: Int) {
        origin.column = max(-Geometry.reach, min(Geometry.reach, origin.column + columns))
        origin.row = max(-Geometry.reach, min(Geometry.reach, origin.row + rows))
    }

    /// Takes another size and keeps the middle where it is, where there was one.
    mutating func resize(columns: Int, rows: Int) {
        if self.columns > 0, self.rows > 0 {
            pan(columns: (self.columns - columns) / 2, rows: (self.rows - rows) / 2)
        }
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }

    /// Pans as little as possible so that a box is shown, its top left part if it is larger than the screen.
    mutating func reveal(_ box: CellBox) {
        guard columns > 0, rows > 0 else { return }
        origin.column = min(max(origin.column, box.lastColumn - columns + 1), box.column)
        origin.row = min(max(origin.row, box.lastRow - rows + 1), box.row)
    }

    /// Puts a box in the middle, or its top left part at the top left if it is larger than the screen.
    mutating func fit(_ box: CellBox) {
        origin.column = box.column - max(0, columns - box.width) / 2
        origin.row = box.row - max(0, rows - box.height) / 2
    }
}
