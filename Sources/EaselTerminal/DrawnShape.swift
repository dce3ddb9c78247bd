import EaselCore

/// A shape as the picture shows it: its kind, its place in canvas cells, its colours and its text.
struct DrawnShape: Sendable {
    let id: ShapeID
    let kind: ShapeKind
    /// The cells it covers.
    let box: CellBox
    /// The ends of a line.
    let ends: (CellPoint, CellPoint)
    let stroke: Colour
    /// The colour behind it; nil shows what lies there.
    let fill: Colour?
    let ink: Colour
    let string: String

    /// Reads a shape, with the properties of a gesture under way in place of its own where there are any.
    init(_ shape: Shape, preview: Properties = Properties()) {
        self.init(
            id: shape.id, kind: ShapeKind(shape.kind), properties: shape.properties.replacing(with: preview),
            string: shape.text.isEmpty ? "" : shape.text.string)
    }

    /// Makes a shape of properties, for one that is not on the canvas yet.
    init(id: ShapeID, kind: ShapeKind, properties: Properties, string: String = "") {
        self.id = id
        self.kind = kind
        self.string = string
        let start = CellPoint(
            column: Geometry.cell(Geometry.number(properties, Key.x) ?? 0),
            row: Geometry.cell(Geometry.number(properties, Key.y) ?? 0))
        let end = CellPoint(
            column: Geometry.number(properties, Key.x2).map(Geometry.cell) ?? start.column,
            row: Geometry.number(properties, Key.y2).map(Geometry.cell) ?? start.row)
        ends = (start, end)
        box = Self.box(kind, properties, start, end, string)
        stroke = Colour(properties[Key.stroke]) ?? .standard
        let fill = Colour(properties[Key.fill])
        self.fill = fill
        ink = Colour(properties[Key.color]) ?? fill?.contrast ?? .standard
    }

    private static func box(
        _ kind: ShapeKind, _ properties: Properties, _ start: CellPoint, _ end: CellPoint, _ string: String
    ) -> CellBox {
        if kind == .line { return CellBox(start, end) }
        var width = Geometry.number(properties, Key.width).map(Geometry.extent)
        var height = Geometry.number(properties, Key.height).map(Geometry.extent)
        if kind == .text, width == nil || height == nil {
            let layout = TextLayout(string, width: width ?? .max, lineLimit: Picture.textLines)
            width = width ?? layout.width
            height = height ?? layout.lines.count
        }
        return CellBox(column: start.column, row: start.row, width: width ?? 1, height: height ?? 1)
    }

    /// The cells its text may take; nil if there is no room for any.
    var textBox: CellBox? {
        switch kind {
        case .text: return box
        case .line: return nil
        case .rectangle, .ellipse, .note, .other:
            let inset = kind == .ellipse ? max(1, box.width / 6) : 1
            guard box.width > 2 * inset, box.height > 2 else { return nil }
            return CellBox(
                column: box.column + inset, row: box.row + 1, width: box.width - 2 * inset, height: box.height - 2)
        }
    }

    /// Whether text stands in the middle rather than at the top left.
    var isCentred: Bool { kind == .rectangle || kind == .ellipse }

    /// Whether a canvas cell belongs to the shape, for picking it.
    func isHit(_ cell: CellPoint) -> Bool {
        guard kind == .line else { return box.contains(cell) }
        return Picture.lineCells(ends.0, ends.1, within: CellBox(cell, cell)).contains(cell)
    }
}

extension Properties {
    /// These properties with those of `other` in place of the same keys.
    func replacing(with other: Properties) -> Properties {
        var result = self
        for entry in other { result[entry.key] = entry.value }
        return result
    }
}
