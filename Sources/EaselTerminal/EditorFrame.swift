import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol

/// One picture of the editor: status, canvas with everybody's overlays, message and keys.
struct EditorFrame: Sendable {
    /// Rows above the canvas.
    static let topLines = 1
    /// Rows below it.
    static let bottomLines = 2
    /// The smallest terminal that the editor can be used in.
    static let minimum = (columns: 40, rows: 12)

    let grid: CellGrid
    /// Where the terminal's cursor stands; nil hides it.
    let cursor: CellPoint?

    /// Draws what an editor shows on a screen of a size, which must be the one its viewport was made for.
    init(_ model: inout EditorModel, canvas: CanvasID, columns: Int, rows: Int, isASCII: Bool) {
        guard columns >= Self.minimum.columns, rows >= Self.minimum.rows else {
            grid = Self.tooSmall(columns, rows, isASCII)
            cursor = nil
            return
        }
        var painter = EditorPainter(model: model, scene: model.currentScene(), isASCII: isASCII)
        painter.paint()
        var grid = CellGrid(columns: columns, rows: rows, isASCII: isASCII)
        for row in 0..<painter.picture.grid.rows {
            grid.copyRow(row, of: painter.picture.grid, to: row + Self.topLines)
        }
        if case .help = model.mode { Self.drawHelp(into: &grid) }
        StatusLine(canvas: canvas, status: model.store.status, others: model.store.participants).draw(into: &grid)
        model.people.meet(model.store.participants)
        Self.drawMessage(&model, into: &grid)
        Self.drawKeys(model, into: &grid)
        self.grid = grid
        let screenCursor = painter.cursor.map { model.viewport.screen($0) }
        cursor = screenCursor.flatMap { cell in
            guard (0..<model.viewport.columns).contains(cell.column), (0..<model.viewport.rows).contains(cell.row)
            else {
                return nil
            }
            return CellPoint(column: cell.column, row: cell.row + Self.topLines)
        }
    }

    private static func tooSmall(_ columns: Int, _ rows: Int, _ isASCII: Bool) -> CellGrid {
        var grid = CellGrid(columns: columns, rows: rows, isASCII: isASCII)
        grid.put("Easel needs \(minimum.columns)x\(minimum.rows) cells,", 0, 0, .plain)
        grid.put("here are \(columns)x\(rows).", 0, 1, .plain)
        return grid
    }

    /// The message, and in what room it leaves what undo and redo would do.
    private static func drawMessage(_ model: inout EditorModel, into grid: inout CellGrid) {
        let row = grid.rows - 2
        let message = CellWidth.shortened(model.message, to: grid.columns - 2, isASCII: grid.isASCII)
        let used = grid.put(message, 1, row, Style(isBold: true))
        var undoKey = "u"
        if case .text = model.mode { undoKey = "Alt-Z" }
        let line = UndoLine(offers: model.currentOffers(), undoKey: undoKey, people: model.people)
        let room = grid.columns - used - (used == 0 ? 2 : 4)
        let text = line.text(width: room, isASCII: grid.isASCII)
        grid.put(text, grid.columns - CellWidth.columns(text) - 1, row, .ink(.rgb(0x8A, 0x8F, 0x98)))
    }

    private static func drawKeys(_ model: EditorModel, into grid: inout CellGrid) {
        let row = grid.rows - 1
        let line = KeyTable.keyLine(
            model.mode, hasSelection: !model.selection.isEmpty, isDragging: model.gesture != nil)
        let bar = Style(isReversed: true)
        grid.fill(0..<grid.columns, row, bar)
        let tail = line.hasHelp ? "  ? help  q quit " : ""
        let title = grid.put(" \(line.title) ", 0, row, Style(isBold: true, isReversed: true))
        grid.put(line.keys, title + 1, row, bar, width: grid.columns - title - 1)
        if title + 1 + CellWidth.columns(line.keys) + CellWidth.columns(tail) <= grid.columns {
            grid.put(tail, grid.columns - CellWidth.columns(tail), row, bar)
        }
    }

    private static func drawHelp(into grid: inout CellGrid) {
        let lines = KeyTable.help
        let keyWidth = lines.reduce(0) { max($0, CellWidth.columns($1.keys)) }
        let textWidth = lines.reduce(0) { max($0, CellWidth.columns($1.text)) }
        let width = min(grid.columns - 2, keyWidth + textWidth + 6)
        let height = min(grid.rows - topLines - bottomLines, lines.count + 2)
        let left = (grid.columns - width) / 2
        let top = topLines + max(0, grid.rows - topLines - bottomLines - height) / 2
        for row in top..<top + height { grid.fill(left..<left + width, row, Style(isReversed: true)) }
        for (index, line) in lines.prefix(max(0, height - 2)).enumerated() {
            let row = top + 1 + index
            grid.put(line.keys, left + 2, row, Style(isBold: true, isReversed: true), width: width - 4)
            grid.put(
                line.text, left + keyWidth + 4, row, Style(isReversed: true), width: max(0, width - keyWidth - 5))
        }
    }
}
