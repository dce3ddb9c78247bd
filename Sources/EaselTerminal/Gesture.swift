import EaselCore

/// Something a person does with the mouse button held down. Nothing of it is committed before the button goes up.
enum Gesture: Sendable {
    /// Moving shapes: where the button went down, where the mouse is, and the shapes as they were.
    case move(from: CellPoint, to: CellPoint, [Origin])
    /// Dragging the corner of a box or an end of a line.
    case resize(from: CellPoint, to: CellPoint, Origin, Handle)
    /// Drawing a new shape.
    case draw(ShapeKind, from: CellPoint, to: CellPoint)
    /// Selecting with a rubber band; `kept` was selected before.
    case band(from: CellPoint, to: CellPoint, kept: [ShapeID])

    /// A shape with the geometry it had when the gesture began. What others change meanwhile is not fed into the gesture.
    struct Origin: Sendable {
        let id: ShapeID
        let properties: Properties
    }

    /// What is being dragged of a shape.
    enum Handle: Sendable {
        /// The bottom right corner.
        case corner
        /// The first end of a line.
        case start
        /// The second end of a line.
        case end
    }

    /// The gesture with the mouse somewhere else.
    func moved(to cell: CellPoint) -> Gesture {
        switch self {
        case .move(let from, _, let origins): return .move(from: from, to: cell, origins)
        case .resize(let from, _, let origin, let handle): return .resize(from: from, to: cell, origin, handle)
        case .draw(let kind, let from, _): return .draw(kind, from: from, to: cell)
        case .band(let from, _, let kept): return .band(from: from, to: cell, kept: kept)
        }
    }

    /// What the shapes would get if the button went up now; empty if nothing would change.
    var changes: [(id: ShapeID, changes: [PropertyChange])] {
        switch self {
        case .move(let from, let to, let origins):
            let (columns, rows) = (to.column - from.column, to.row - from.row)
            guard columns != 0 || rows != 0 else { return [] }
            return origins.map { ($0.id, $0.properties.moving(columns: columns, rows: rows)) }
        case .resize(let from, let to, let origin, let handle):
            let (columns, rows) = (to.column - from.column, to.row - from.row)
            guard columns != 0 || rows != 0 else { return [] }
            return [(origin.id, origin.properties.resizing(handle, columns: columns, rows: rows))]
        case .draw, .band:
            return []
        }
    }
}

extension Properties {
    /// The changes that move a shape with these properties.
    func moving(columns: Int, rows: Int) -> [PropertyChange] {
        shifting([(Key.x, columns), (Key.y, rows)], absent: 0)
            + shifting([(Key.x2, columns), (Key.y2, rows)], absent: nil)
    }

    /// The changes that drag a corner or an end of a shape with these properties.
    func resizing(_ handle: Gesture.Handle, columns: Int, rows: Int) -> [PropertyChange] {
        switch handle {
        case .corner:
            return shifting([(Key.width, columns), (Key.height, rows)], absent: 1).map { change in
                let size = Swift.max(1, change.value?.asDouble ?? 1)
                return PropertyChange(change.key, Value.number(size))
            }
        case .start: return shifting([(Key.x, columns), (Key.y, rows)], absent: 0)
        case .end: return shifting([(Key.x2, columns), (Key.y2, rows)], absent: 0)
        }
    }

    /// Adds to numbers. A property that is absent counts as `absent`, or is left out if that is nil.
    private func shifting(_ shifts: [(PropertyKey, Int)], absent: Double?) -> [PropertyChange] {
        shifts.compactMap { key, shift in
            guard shift != 0, let old = self[key]?.asDouble ?? absent, let new = Value.number(old + Double(shift))
            else {
                return nil
            }
            return PropertyChange(key, new)
        }
    }

    /// These changes as properties, for a preview.
    init(_ changes: [PropertyChange]) {
        self.init()
        for change in changes { self[change.key] = change.value }
    }
}
