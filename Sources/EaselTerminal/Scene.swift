import EaselCore

/// The visible shapes of a canvas as they are drawn, rearmost first.
///
/// Most changes leave the order alone: then only the shapes that changed are read again.
struct Scene: Sendable {
    private(set) var shapes: [DrawnShape] = []
    private var places: [Place] = []
    private var indices: [ShapeID: Int] = [:]

    /// What decides where a shape stands in the drawing order.
    private struct Place: Equatable, Sendable {
        let parent: ShapeID?
        let order: OrderKey
    }

    /// Changes of more shapes than this are read as a whole.
    private static let mostChanges = 1_000

    /// Reads a whole canvas.
    init(_ canvas: Canvas) {
        let visible = canvas.visibleShapes()
        shapes.reserveCapacity(visible.count)
        places.reserveCapacity(visible.count)
        indices.reserveCapacity(visible.count)
        for shape in visible {
            indices[shape.id] = shapes.count
            shapes.append(DrawnShape(shape))
            places.append(Place(parent: shape.parent, order: shape.order))
        }
    }

    /// Reads the shapes that changed. Returns false if the canvas has to be read as a whole: shapes came, went or moved in
    /// the drawing order.
    mutating func update(_ changed: [ShapeID], from canvas: Canvas) -> Bool {
        guard changed.count <= Self.mostChanges else { return false }
        for id in changed {
            guard let shape = canvas[id] else { return false }
            guard let index = indices[id] else {
                // What lies in a hidden shape stands where that shape stands.
                if shape.isVisible || !canvas.children(of: id).isEmpty { return false }
                continue
            }
            guard shape.isVisible, places[index] == Place(parent: shape.parent, order: shape.order) else {
                return false
            }
            shapes[index] = DrawnShape(shape)
        }
        return true
    }

    /// The foremost shape at a canvas cell.
    func hit(_ cell: CellPoint) -> DrawnShape? { shapes.last { $0.isHit(cell) } }

    /// A shape by its id.
    func shape(_ id: ShapeID) -> DrawnShape? { indices[id].map { shapes[$0] } }

    /// The box around all shapes; nil if there are none.
    var box: CellBox? {
        guard let first = shapes.first else { return nil }
        return shapes.dropFirst().reduce(first.box) { $0.union($1.box) }
    }
}
