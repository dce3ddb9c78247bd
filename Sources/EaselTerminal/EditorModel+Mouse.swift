import EaselClient
import EaselCore

extension EditorModel {
    /// How far the wheel pans, in cells.
    private static let wheelStep = 3

    /// Handles the mouse. Cells are those of the screen; the canvas starts below the top line.
    mutating func handle(_ mouse: MouseInput) {
        let cell = CellPoint(column: mouse.cell.column, row: mouse.cell.row - EditorFrame.topLines)
        let isOnCanvas = (0..<viewport.columns).contains(cell.column) && (0..<viewport.rows).contains(cell.row)
        let place = viewport.canvas(cell)
        switch mouse.action {
        case .wheelUp, .wheelDown:
            let step = mouse.action == .wheelUp ? -Self.wheelStep : Self.wheelStep
            let isSideways = !mouse.modifiers.isEmpty
            viewport.pan(columns: isSideways ? step : 0, rows: isSideways ? 0 : step)
        case .press:
            guard isOnCanvas else { return }
            pointer = place
            press(place.cell, isAdding: !mouse.modifiers.isEmpty)
        case .drag:
            guard let gesture else { return }
            if isOnCanvas { pointer = place }
            self.gesture = gesture.moved(to: place.cell)
        case .release:
            guard let gesture else { return }
            if isOnCanvas { pointer = place }
            self.gesture = nil
            finish(gesture.moved(to: place.cell))
        }
    }

    /// Gives up the gesture under way. Nothing of it was committed, so nothing has to be restored.
    mutating func cancelGesture() {
        guard let gesture else { return }
        if case .band(_, _, let kept) = gesture { selection = kept }
        self.gesture = nil
        mode = .select
        message = "cancelled"
    }

    private mutating func press(_ cell: CellPoint, isAdding: Bool) {
        // A press while a gesture is under way means that its release was lost.
        gesture = nil
        message = ""
        switch mode {
        case .help:
            mode = .select
        case .tool(let kind):
            gesture = .draw(kind, from: cell, to: cell)
        case .text(var view):
            if let shape = currentScene().shape(view.shape), let box = shape.textBox, box.contains(cell) {
                placeCaret(&view, shape, box, cell)
            } else {
                endText(removedByOthers: false)
                pick(cell, isAdding: isAdding)
            }
        case .leaving, .select:
            mode = .select
            pick(cell, isAdding: isAdding)
        }
    }

    private mutating func placeCaret(_ view: inout TextView, _ shape: DrawnShape, _ box: CellBox, _ cell: CellPoint) {
        let layout = TextLayout(shape.string, width: box.width, lineLimit: Picture.textLines)
        let top = shape.isCentred ? max(0, box.height - layout.lines.count) / 2 : 0
        let line = max(0, min(layout.lines.count - 1, cell.row - box.row - top))
        let left = shape.isCentred ? max(0, box.width - layout.lines[line].width) / 2 : 0
        view.place(layout.offset(line: line, column: cell.column - box.column - left))
        store.endTyping()
        mode = .text(view)
    }

    /// Takes hold of what lies at a cell: a handle of the selected shape, a shape, or nothing for a rubber band.
    private mutating func pick(_ cell: CellPoint, isAdding: Bool) {
        let scene = currentScene()
        if !isAdding, let (shape, handle) = handle(at: cell, in: scene) {
            let origin = Gesture.Origin(id: shape.id, properties: geometry(of: shape))
            gesture = .resize(from: cell, to: cell, origin, handle)
            return
        }
        guard let hit = scene.hit(cell) else {
            let kept = isAdding ? selection : []
            gesture = .band(from: cell, to: cell, kept: kept)
            selection = kept
            return
        }
        if isAdding {
            if let index = selection.firstIndex(of: hit.id) {
                selection.remove(at: index)
            } else {
                selection.append(hit.id)
            }
            return
        }
        if !selection.contains(hit.id) { selection = [hit.id] }
        gesture = .move(from: cell, to: cell, origins())
    }

    /// The handle of the only selected shape at a cell, if there is one.
    private func handle(at cell: CellPoint, in scene: Scene) -> (DrawnShape, Gesture.Handle)? {
        guard selection.count == 1, let shape = scene.shape(selection[0]) else { return nil }
        if shape.kind == .line {
            if cell == shape.ends.1 { return (shape, .end) }
            return cell == shape.ends.0 ? (shape, .start) : nil
        }
        let corner = CellPoint(column: shape.box.lastColumn, row: shape.box.lastRow)
        return shape.kind != .text && cell == corner ? (shape, .corner) : nil
    }

    private func geometry(of shape: DrawnShape) -> Properties { store.canvas[shape.id]?.properties ?? Properties() }

    /// The selected shapes and what lies inside them, with their properties now.
    func origins() -> [Gesture.Origin] {
        let canvas = store.canvas
        var seen = Set<ShapeID>()
        var result: [Gesture.Origin] = []
        for id in selection.flatMap({ canvas.visibleTree(of: $0) }) where seen.insert(id).inserted {
            guard let shape = canvas[id] else { continue }
            result.append(Gesture.Origin(id: id, properties: shape.properties))
        }
        return result
    }

    /// Commits a gesture: one edit, or none if it ends where it began.
    private mutating func finish(_ gesture: Gesture) {
        switch gesture {
        case .move: commit(gesture, "Move \(title(of: selection))")
        case .resize: commit(gesture, "Resize \(title(of: selection))")
        case .draw(let kind, let from, let to):
            from == to ? create(kind, at: from) : create(kind, from: from, to: to)
        case .band(let from, let to, let kept):
            let band = CellBox(from, to)
            let inside = currentScene().shapes.filter { band.contains($0.box) }.map(\.id)
            selection = kept + inside.filter { !kept.contains($0) }
        }
    }

    private mutating func commit(_ gesture: Gesture, _ label: String) {
        let changes = gesture.changes
        guard !changes.isEmpty else { return }
        change(label, changes.map(\.id)) { draft, visible in
            let visible = Set(visible)
            for (id, changes) in changes where visible.contains(id) { draft.set(id, changes) }
        }
    }
}
