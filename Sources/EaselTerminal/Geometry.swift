import EaselCore

/// A point of the canvas. One canvas unit is one cell wide and one cell high.
struct Point: Equatable, Sendable {
    var x: Double
    var y: Double

    /// The cell a point lies in, as canvas cells.
    var cell: CellPoint { CellPoint(column: Geometry.cell(x), row: Geometry.cell(y)) }
}

/// A cell, counted from the origin of whatever it lies in.
struct CellPoint: Hashable, Sendable {
    var column: Int
    var row: Int
}

/// A box of cells, at least one wide and high.
struct CellBox: Hashable, Sendable {
    var column: Int
    var row: Int
    var width: Int
    var height: Int

    var columnRange: Range<Int> { column..<column + width }
    var rowRange: Range<Int> { row..<row + height }
    var lastColumn: Int { column + width - 1 }
    var lastRow: Int { row + height - 1 }

    /// The box that two cells span, both included.
    init(_ first: CellPoint, _ second: CellPoint) {
        column = min(first.column, second.column)
        row = min(first.row, second.row)
        width = abs(first.column - second.column) + 1
        height = abs(first.row - second.row) + 1
    }

    init(column: Int, row: Int, width: Int, height: Int) {
        self.column = column
        self.row = row
        self.width = max(1, width)
        self.height = max(1, height)
    }

    func contains(_ point: CellPoint) -> Bool { columnRange.contains(point.column) && rowRange.contains(point.row) }

    func contains(_ other: CellBox) -> Bool {
        columnRange.lowerBound <= other.column && other.lastColumn <= lastColumn && row <= other.row
            && other.lastRow <= lastRow
    }

    func intersects(_ other: CellBox) -> Bool {
        columnRange.overlaps(other.columnRange) && rowRange.overlaps(other.rowRange)
    }

    func union(_ other: CellBox) -> CellBox {
        CellBox(
            CellPoint(column: min(column, other.column), row: min(row, other.row)),
            CellPoint(column: max(lastColumn, other.lastColumn), row: max(lastRow, other.lastRow)))
    }

    /// The box grown by a number of cells on each side.
    func grown(by count: Int) -> CellBox {
        CellBox(column: column - count, row: row - count, width: width + 2 * count, height: height + 2 * count)
    }

    func moved(columns: Int, rows: Int) -> CellBox {
        CellBox(column: column + columns, row: row + rows, width: width, height: height)
    }
}

/// Reading geometry out of properties that anybody may have written.
enum Geometry {
    /// The farthest cell from the canvas's origin that is drawn or reached, in either direction.
    static let reach = 1_000_000

    /// The cell a coordinate lies in. Coordinates beyond ``reach`` count as lying there.
    static func cell(_ value: Double) -> Int {
        Int(max(-Double(reach), min(Double(reach), value.rounded(.down))))
    }

    /// A size in cells, at least 1.
    static func extent(_ value: Double) -> Int {
        Int(max(1, min(Double(reach), value.rounded())))
    }

    /// A number among the properties.
    static func number(_ properties: Properties, _ key: PropertyKey) -> Double? { properties[key]?.asDouble }
}

/// The properties that the editor reads and writes.
enum Key {
    static let x: PropertyKey = PropertyKey("x")
    static let y: PropertyKey = PropertyKey("y")
    static let width: PropertyKey = PropertyKey("width")
    static let height: PropertyKey = PropertyKey("height")
    /// The other end of a line.
    static let x2: PropertyKey = PropertyKey("x2")
    static let y2: PropertyKey = PropertyKey("y2")
    static let stroke: PropertyKey = PropertyKey("stroke")
    static let fill: PropertyKey = PropertyKey("fill")
    /// The colour of text.
    static let color: PropertyKey = PropertyKey("color")
}
