/// The state of a canvas: a value that every replica, server and client alike, holds the same at each revision.
///
/// `apply` is a pure function of the canvas and the operations: no clock, no randomness, no hash order. Copying is O(1),
/// since all parts are shared until they are changed; a copy is a snapshot.
///
/// The parts: `shapes` by id; `siblings`, the same shapes sorted by parent and order key; `lastSequences`, the highest
/// committed number of each site, which recognises what is sent twice for ever; and `digest`, which two replicas compare.
public struct Canvas: Sendable {
    var shapes = ShapeMap()
    var siblings = SortedMap<SiblingKey, Bool>()
    var lastSequences = SortedMap<SiteID, SequenceNumber>()

    /// Place of the last commit applied; 0 for the empty canvas.
    public internal(set) var revision: Revision = 0
    /// Number of shapes that nothing hides.
    public internal(set) var visibleShapeCount = 0
    /// A 64-bit sum over shapes, texts and sites that is equal on equal replicas: see `Canvas+Digest`.
    public internal(set) var digest: UInt64 = 0

    /// The empty canvas.
    public init() {}

    /// Number of shapes, hidden ones included.
    public var shapeCount: Int { shapes.count }

    /// The shape with an id, hidden or not. O(1).
    public subscript(id: ShapeID) -> Shape? { shapes[id] }

    /// Whether a shape exists and nothing hides it. O(1).
    public func isVisible(_ id: ShapeID) -> Bool { shapes.read(id) { $0.isVisible } ?? false }

    /// The highest committed number of a site, or 0.
    public func lastSequence(of site: SiteID) -> SequenceNumber { lastSequences[site] ?? 0 }

    /// Calls `body` with each shape, hidden ones included, in an order that depends only on their ids.
    public func forEachShape(_ body: (Shape) -> Void) { shapes.forEach(body) }

    /// Calls `body` with each site that committed something and its highest number, by site.
    public func forEachSite(_ body: (SiteID, SequenceNumber) -> Void) {
        lastSequences.forEach {
            body($0, $1)
            return true
        }
    }

    /// The children of a shape (nil: of the canvas), hidden ones included, from the rearmost to the foremost.
    public func children(of parent: ShapeID?) -> [Shape] {
        var result: [Shape] = []
        forEachChild(of: parent) {
            result.append($0)
            return true
        }
        return result
    }

    /// Calls `body` with each child, rearmost first, until it returns false.
    func forEachChild(of parent: ShapeID?, _ body: (Shape) -> Bool) {
        forEachChildKey(of: parent) { body(shape($0)) }
    }

    private func forEachChildKey(of parent: ShapeID?, _ body: (SiblingKey) -> Bool) {
        let name = parent?.rawValue ?? ""
        siblings.forEach(from: SiblingKey(before: parent)) { key, _ in key.parent == name && body(key) }
    }

    func shape(_ key: SiblingKey) -> Shape {
        guard let shape = shapes[ShapeID(checked: key.id)] else {
            preconditionFailure("siblings name shapes that exist")
        }
        return shape
    }

    /// The nearest ancestor that is visible; nil is the canvas. A shape whose parent is hidden is drawn there.
    public func livingParent(of id: ShapeID) -> ShapeID? {
        var parent = shapes[id]?.parent
        while let candidate = parent, let shape = shapes[candidate] {
            if shape.isVisible { return candidate }
            parent = shape.parent
        }
        return nil
    }

    /// The visible shapes drawn directly in a visible shape (nil: on the canvas), rearmost first. Children of a hidden
    /// shape stand where that shape stood.
    public func visibleChildren(of parent: ShapeID?) -> [Shape] {
        var result: [Shape] = []
        forEachDescendant(of: parent) { shape in
            if shape.isVisible { result.append(shape) }
            return !shape.isVisible
        }
        return result
    }

    /// Every visible shape in drawing order: a shape in front of what was drawn before it, children on their parent.
    public func visibleShapes() -> [Shape] {
        var result: [Shape] = []
        result.reserveCapacity(visibleShapeCount)
        forEachDescendant(of: nil) { shape in
            if shape.isVisible { result.append(shape) }
            return true
        }
        return result
    }

    /// The visible shapes inside a shape, at any depth, the shape itself first if it is visible.
    public func visibleTree(of id: ShapeID) -> [ShapeID] {
        guard let shape = shapes[id] else { return [] }
        var result: [ShapeID] = shape.isVisible ? [id] : []
        forEachDescendant(of: id) { shape in
            if shape.isVisible { result.append(shape.id) }
            return true
        }
        return result
    }

    /// Calls `body` with each shape inside another (nil: on the canvas), hidden ones included, a shape before what is in
    /// it, rearmost first; `body` says whether to go on inside the shape.
    ///
    /// Without recursion: moves of deep trees can nest shapes deeper than any call stack.
    private func forEachDescendant(of parent: ShapeID?, _ body: (Shape) -> Bool) {
        var waiting: [SiblingKey] = []
        var next = parent
        while true {
            let first = waiting.count
            forEachChildKey(of: next) {
                waiting.append($0)
                return true
            }
            waiting[first...].reverse()
            repeat {
                guard let key = waiting.popLast() else { return }
                let shape = shape(key)
                next = body(shape) ? shape.id : nil
            } while next == nil
        }
    }
}
