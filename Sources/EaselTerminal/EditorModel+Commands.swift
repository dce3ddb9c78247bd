import EaselClient
import EaselClientEngine
import EaselCore

extension EditorModel {
    /// Does what a key stands for.
    mutating func perform(_ command: Command, now: UInt64) {
        message = ""
        switch command {
        case .tool(let kind): choose(kind)
        case .selectNext: cycle(by: 1)
        case .selectPrevious: cycle(by: -1)
        case .selectAll: selection = currentScene().shapes.map(\.id)
        case .escape:
            selection = []
            pointer = nil
        case .nudge(let columns, let rows): nudge(columns, rows, now)
        case .pan(let columns, let rows): viewport.pan(columns: columns, rows: rows)
        case .resize(let columns, let rows): resize(columns, rows)
        case .colour: recolour("Recolor") { $0.colourKey }
        case .fill: recolour("Fill") { $0 == .text || $0 == .line ? $0.colourKey : Key.fill }
        case .delete: delete()
        case .duplicate: duplicate()
        case .forward: reorder({ "Bring \($0) Forward" }, fromFront: true) { $0.bringForward($1) }
        case .backward: reorder({ "Send \($0) Backward" }, fromFront: false) { $0.sendBackward($1) }
        case .front: reorder({ "Bring \($0) to Front" }, fromFront: false) { $0.bringToFront($1) }
        case .back: reorder({ "Send \($0) to Back" }, fromFront: true) { $0.sendToBack($1) }
        case .editText: editText()
        case .undo: press(.undo)
        case .redo: press(.redo)
        case .fit: if let box = currentScene().box { viewport.fit(box) }
        case .help: mode = .help
        case .leave: leave()
        }
    }

    /// Makes one edit on shapes, as far as they are still there. One that is gone is reported and never put back. Undo and redo
    /// of it select what is selected now, unless `body` says otherwise.
    mutating func change(
        _ label: String, _ ids: [ShapeID], _ body: (inout TransactionDraft, [ShapeID]) -> Void
    ) {
        guard !ids.isEmpty else { return message = "nothing is selected; Tab selects" }
        let selected = selection
        var visible: [ShapeID] = []
        do {
            try store.edit(label, from: Self.viewNumber) { draft in
                draft.select(selected, insteadOf: selected)
                visible = ids.filter { draft.canvas[$0]?.isVisible == true }
                if !visible.isEmpty { body(&draft, visible) }
            }
            if visible.count < ids.count {
                message = Sentences.shapeRemoved
                let gone = Set(ids).subtracting(visible)
                selection.removeAll { gone.contains($0) }
            }
        } catch {
            message = Sentences.of(error)
        }
    }

    // MARK: Selecting

    private mutating func cycle(by step: Int) {
        let shapes = currentScene().shapes
        guard !shapes.isEmpty else { return message = "the canvas is empty; r draws a rectangle" }
        let index = selection.last.flatMap { last in shapes.firstIndex { $0.id == last } }
        let next = index.map { ($0 + step + shapes.count) % shapes.count } ?? (step > 0 ? 0 : shapes.count - 1)
        selection = [shapes[next].id]
        viewport.reveal(shapes[next].box)
    }

    // MARK: Creating

    /// Places a shape of the default size where the mouse was, or in the middle.
    mutating func place(_ kind: ShapeKind) {
        let size = kind.defaultSize
        var cell = viewport.centre.cell
        if let pointer, viewport.box.contains(pointer.cell) {
            cell = pointer.cell
        } else {
            cell.column -= size.width / 2
            cell.row -= size.height / 2
        }
        let taken = Set(currentScene().shapes.map { CellPoint(column: $0.box.column, row: $0.box.row) })
        while taken.contains(cell) {
            cell.column += 2
            cell.row += 1
        }
        create(kind, at: cell)
    }

    /// Creates a shape of the default size with its top left at a canvas cell.
    mutating func create(_ kind: ShapeKind, at cell: CellPoint) {
        let size = kind.defaultSize
        create(
            kind, from: cell, to: CellPoint(column: cell.column + size.width - 1, row: cell.row + size.height - 1))
    }

    /// Creates a shape between two canvas cells, both included.
    mutating func create(_ kind: ShapeKind, from start: CellPoint, to end: CellPoint) {
        let selected = selection
        var created: ShapeID?
        do {
            try store.edit("Create \(kind.title)", from: Self.viewNumber) { draft in
                let new = draft.create(kind: kind.name, properties: kind.properties(from: start, to: end))
                draft.select([new], insteadOf: selected)
                created = new
            }
        } catch {
            message = Sentences.of(error)
        }
        mode = .select
        guard let created, store.canvas[created]?.isVisible == true else { return }
        selection = [created]
        if kind.startsWithText { editText() }
    }

    private mutating func duplicate() {
        let selected = selection
        var copies: [ShapeID] = []
        change("Duplicate \(title(of: selection))", selection) { draft, visible in
            var copyOf: [ShapeID: ShapeID] = [:]
            for id in visible.flatMap({ draft.canvas.visibleTree(of: $0) }) where copyOf[id] == nil {
                guard let shape = draft.canvas[id] else { continue }
                let moved = shape.properties.replacing(
                    with: Properties(shape.properties.moving(columns: 2, rows: 1)))
                let parent = shape.parent.map { copyOf[$0] ?? $0 }
                copyOf[id] = draft.create(
                    kind: shape.kind, in: parent, properties: moved, text: shape.text.string)
            }
            copies = visible.compactMap { copyOf[$0] }
            draft.select(copies, insteadOf: selected)
        }
        if !copies.isEmpty { selection = copies }
    }

    // MARK: Changing

    private mutating func nudge(_ columns: Int, _ rows: Int, _ now: UInt64) {
        guard !selection.isEmpty else { return viewport.pan(columns: columns, rows: rows) }
        if let deadline = nudgeDeadline, now > deadline { endNudging() }
        let label = "Move \(title(of: selection))"
        if nudgeDeadline == nil { store.beginGroup(label) }
        nudgeDeadline = now + Self.nudgeWindow
        let origins = origins()
        change(label, selection) { draft, visible in
            let moving = Set(visible.flatMap { draft.canvas.visibleTree(of: $0) })
            for origin in origins where moving.contains(origin.id) {
                draft.set(origin.id, origin.properties.moving(columns: columns, rows: rows))
            }
        }
    }

    private mutating func resize(_ columns: Int, _ rows: Int) {
        change("Resize \(title(of: selection))", selection) { draft, visible in
            for id in visible {
                guard let shape = draft.canvas[id] else { continue }
                let handle: Gesture.Handle = ShapeKind(shape.kind) == .line ? .end : .corner
                draft.set(id, shape.properties.resizing(handle, columns: columns, rows: rows))
            }
        }
    }

    /// Gives the selected shapes the next colour; the first of them says which that is.
    private mutating func recolour(_ verb: String, _ key: (ShapeKind) -> PropertyKey) {
        guard let first = selection.first.flatMap({ store.canvas[$0] }) else {
            return message = "nothing is selected; Tab selects"
        }
        let colour = Self.colour(after: first[key(ShapeKind(first.kind))]?.asString)
        change("\(verb) \(title(of: selection))", selection) { draft, visible in
            for id in visible {
                guard let shape = draft.canvas[id] else { continue }
                draft.set(id, key(ShapeKind(shape.kind)), colour.map { .string($0) })
            }
        }
    }

    private static func colour(after name: String?) -> String? {
        guard let name else { return Colour.cycle[0] }
        guard let index = Colour.cycle.firstIndex(of: name) else { return nil }
        return index + 1 < Colour.cycle.count ? Colour.cycle[index + 1] : nil
    }

    private mutating func delete() {
        let selected = selection
        change("Delete \(title(of: selection))", selected) { draft, visible in
            draft.delete(visible)
            draft.select([], insteadOf: selected)
        }
        let canvas = store.canvas
        selection = selection.filter { canvas[$0]?.isVisible == true }
    }

    /// Moves the selected shapes in the drawing order, one after the other from the front or from the back, so that they
    /// keep their order among themselves.
    private mutating func reorder(
        _ label: (String) -> String, fromFront: Bool, _ step: (inout TransactionDraft, ShapeID) -> Void
    ) {
        let selected = Set(selection)
        let ordered = currentScene().shapes.map(\.id).filter(selected.contains)
        change(label(title(of: selection)), ordered) { draft, visible in
            for id in fromFront ? visible.reversed() : visible { step(&draft, id) }
        }
    }
}

extension ShapeKind {
    /// The geometry of a new shape between two canvas cells.
    func properties(from start: CellPoint, to end: CellPoint) -> Properties {
        func number(_ value: Int) -> Value { .integer(Int64(value)) }
        if self == .line {
            return Properties([
                (Key.x, number(start.column)), (Key.y, number(start.row)), (Key.x2, number(end.column)),
                (Key.y2, number(end.row)),
            ])
        }
        let box = CellBox(start, end)
        var properties = Properties([(Key.x, number(box.column)), (Key.y, number(box.row))])
        // A text that was not dragged out grows with what is typed.
        if self != .text || box.width > 1 || box.height > 1 {
            properties[Key.width] = number(box.width)
            properties[Key.height] = number(box.height)
        }
        if self == .note { properties[Key.fill] = .string("yellow") }
        return properties
    }
}
