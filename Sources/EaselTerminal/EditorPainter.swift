import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol

/// Paints the canvas as an editor shows it: the shapes, with the gestures under way here and elsewhere, and on top of
/// them everybody's selections, carets and pointers in their colours.
struct EditorPainter: Sendable {
    private let model: EditorModel
    private let scene: Scene
    private let others: [Participant]
    private let isASCII: Bool
    /// Shapes in view as they are drawn now, previews included.
    private var shown: [ShapeID: DrawnShape] = [:]
    private(set) var picture: Picture
    /// The canvas cell of one's own caret.
    private(set) var cursor: CellPoint?

    /// One's own colour for selections and gestures.
    static let own: Colour = .rgb(0x4F, 0x8F, 0xE6)

    init(model: EditorModel, scene: Scene, isASCII: Bool) {
        self.model = model
        self.scene = scene
        self.isASCII = isASCII
        others = model.store.participants
        picture = Picture(viewport: model.viewport, isASCII: isASCII)
    }

    mutating func paint() {
        paintShapes()
        paintNewShape()
        for other in others { paintSelection(other.presence.selection, Colour.person(other.site), isOwn: false) }
        for other in others { paintCaret(other) }
        paintSelection(model.selection, Self.own, isOwn: true)
        paintBand()
        for other in others { paintPointer(other) }
        placeCursor()
    }

    // MARK: Shapes

    private mutating func paintShapes() {
        let previews = previews()
        let canvas = model.store.canvas
        let near = model.viewport.box.grown(by: 1)
        for shape in scene.shapes where shape.box.intersects(near) || previews[shape.id] != nil {
            if let preview = previews[shape.id], let stored = canvas[shape.id] {
                let moved = DrawnShape(stored, preview: preview.properties)
                shown[shape.id] = moved
                picture.draw(moved, outline: preview.colour)
            } else {
                shown[shape.id] = shape
                picture.draw(shape)
            }
        }
    }

    private struct Preview {
        let properties: Properties
        let colour: Colour?
    }

    /// What shapes would get from gestures; one's own counts before those of others.
    private func previews() -> [ShapeID: Preview] {
        var result: [ShapeID: Preview] = [:]
        for other in others {
            for preview in other.presence.preview {
                result[preview.shape] = Preview(properties: preview.properties, colour: Colour.person(other.site))
            }
        }
        for (id, changes) in model.gesture?.changes ?? [] {
            result[id] = Preview(properties: Properties(changes), colour: nil)
        }
        return result
    }

    /// The shape that is being drawn and is not on the canvas yet.
    private mutating func paintNewShape() {
        guard case .draw(let kind, let from, let to) = model.gesture, let id = ShapeID("drawing") else { return }
        let shape = DrawnShape(id: id, kind: kind, properties: kind.properties(from: from, to: to))
        picture.draw(shape, outline: Self.own)
        if kind == .text { paintDashes(CellBox(from, to), Self.own) }
    }

    // MARK: Overlays

    /// Marks the corners of selected shapes, or the ends of lines. Corners of texts stand outside, not on the letters.
    private mutating func paintSelection(_ ids: [ShapeID], _ colour: Colour, isOwn: Bool) {
        let mark: Character = isASCII ? (isOwn ? "#" : "@") : (isOwn ? "◆" : "◇")
        for id in ids {
            guard let shape = shown[id] else { continue }
            for cell in Self.corners(of: shape) { picture.put(mark, cell, .ink(colour, bold: true)) }
        }
    }

    private static func corners(of shape: DrawnShape) -> [CellPoint] {
        if shape.kind == .line { return [shape.ends.0, shape.ends.1] }
        var box = shape.box
        if shape.kind == .text {
            box = CellBox(column: box.column - 1, row: box.row, width: box.width + 2, height: box.height)
        }
        return [
            CellPoint(column: box.column, row: box.row), CellPoint(column: box.lastColumn, row: box.row),
            CellPoint(column: box.column, row: box.lastRow), CellPoint(column: box.lastColumn, row: box.lastRow),
        ]
    }

    private mutating func paintBand() {
        guard case .band(let from, let to, _) = model.gesture else { return }
        paintDashes(CellBox(from, to), Self.own)
    }

    private mutating func paintDashes(_ box: CellBox, _ colour: Colour) {
        let shown = box.clamped(to: model.viewport.box)
        let mark: Character = isASCII ? "." : "·"
        for column in shown.columnRange {
            picture.put(mark, CellPoint(column: column, row: box.row), .ink(colour))
            picture.put(mark, CellPoint(column: column, row: box.lastRow), .ink(colour))
        }
        for row in shown.rowRange {
            picture.put(mark, CellPoint(column: box.column, row: row), .ink(colour))
            picture.put(mark, CellPoint(column: box.lastColumn, row: row), .ink(colour))
        }
    }

    private mutating func paintPointer(_ other: Participant) {
        guard let point = other.presence.pointer, point.x.isFinite, point.y.isFinite else { return }
        let cell = Point(x: point.x, y: point.y).cell
        guard model.viewport.box.contains(cell) else { return }
        let style = Style.ink(Colour.person(other.site), bold: true)
        picture.put(isASCII ? "<" : "◂", cell, style)
        picture.put(other.presence.name, CellPoint(column: cell.column + 1, row: cell.row), style, width: 12)
    }

    private mutating func paintCaret(_ other: Participant) {
        guard let caret = other.presence.caret, let shape = shown[caret.shape],
            let text = model.store.canvas[caret.shape]?.text,
            let cell = Picture.caretCell(shape, offset: text.caret(behind: caret.behind))
        else { return }
        let colour = Colour.person(other.site)
        picture.restyle(cell) { style in
            style.background = colour
            style.foreground = colour.contrast
        }
    }

    private mutating func placeCursor() {
        guard case .text(let view) = model.mode, let shape = shown[view.shape] else { return }
        cursor = Picture.caretCell(shape, offset: view.caret)
    }
}
