/// Why stored parts cannot be a canvas.
public enum CanvasDamage: Error, Sendable, Equatable {
    /// The revision is above ``Limits/counter``.
    case revision
    /// A site's number is 0 or above ``Limits/counter``, or sites do not rise.
    case site
    /// Shapes do not rise by parent, order key and id.
    case shapeOrder
    /// A shape id is used twice.
    case repeatedShape
    /// A parent is no shape of the canvas.
    case unknownParent
    /// Parents form a cycle.
    case cycle
    /// A kind is empty or longer than ``Limits/kindBytes``.
    case kindLength
    /// A shape has more than ``Limits/propertiesPerShape`` properties.
    case tooManyProperties
    /// A run has no characters, or numbers outside 1 to ``Limits/counter``.
    case characterNumber
    /// A text has more than ``Limits/charactersPerText`` characters.
    case tooManyCharacters
    /// A character's number is used twice.
    case repeatedCharacter
    /// A left origin does not stand in front of its run.
    case unknownOrigin
    /// Two runs in a row could be one.
    case runNotMaximal
    /// The rebuilt canvas does not have the digest it should have.
    case digest
}

extension Canvas {
    /// Calls `body` with each shape, hidden ones included, by parent (those on the canvas first), order key and id: an order
    /// that depends on the state alone. O(n log n).
    public func forEachShapeBySibling(_ body: (Shape) -> Void) {
        siblings.forEach { key, _ in
            body(shape(key))
            return true
        }
    }
}

/// Puts a canvas together from stored parts that may be damaged or hostile: every mistake in them is thrown, none traps.
///
/// Parts come in order: sites by number, then shapes as ``Canvas/forEachShapeBySibling(_:)`` gives them. Values must have
/// canonical form. Adding a shape costs O(log n); `finish` is linear in the number of shapes that have children.
public struct CanvasBuilder: Sendable {
    private var canvas = Canvas()
    private var lastSite: SiteID?
    private var lastSibling: SiblingKey?
    /// Every shape that has children, once.
    private var parents: [ShapeID] = []
    /// Shared by all shapes without text.
    private let emptyText = Text()

    /// Starts a canvas of a revision.
    public init(revision: Revision) throws(CanvasDamage) {
        guard revision <= Limits.counter else { throw .revision }
        canvas.revision = revision
    }

    /// Adds a site with its highest committed number.
    public mutating func add(_ site: SiteID, lastSequence: SequenceNumber) throws(CanvasDamage) {
        guard (1...Limits.counter).contains(lastSequence), lastSite.map({ $0 < site }) ?? true else { throw .site }
        canvas.lastSequences.set(site, lastSequence)
        canvas.digest &+= Canvas.siteHash(site, lastSequence)
        lastSite = site
    }

    /// Adds a shape: what it was created with (`creation.text` is not looked at), why it is hidden, and its text.
    public mutating func add(_ creation: Creation, causes: HiddenCauses, runs: [StoredRun]) throws(CanvasDamage) {
        guard (1...Limits.kindBytes).contains(creation.kind.utf8.count) else { throw .kindLength }
        guard creation.properties.count <= Limits.propertiesPerShape else { throw .tooManyProperties }
        let sibling = SiblingKey(parent: creation.parent, order: creation.order, id: creation.id)
        if let lastSibling {
            guard lastSibling < sibling else { throw .shapeOrder }
        }
        guard canvas.shapes[creation.id] == nil else { throw .repeatedShape }
        let text = runs.isEmpty ? emptyText : try Text(storedRuns: runs)
        let shape = Shape(
            id: creation.id, kind: creation.kind, parent: creation.parent, order: creation.order,
            properties: creation.properties, text: text, causes: causes)
        if let parent = creation.parent, parent.rawValue != lastSibling?.parent { parents.append(parent) }
        canvas.shapes.insert(shape)
        canvas.siblings.set(sibling, true)
        canvas.visibleShapeCount += shape.isVisible ? 1 : 0
        canvas.digest &+= Canvas.shapeHash(shape)
        lastSibling = sibling
    }

    /// Digest of the parts added so far.
    public var digest: UInt64 { canvas.digest }

    /// The canvas, if every parent exists, none lies inside itself, and the digest is the one expected.
    public consuming func finish(digest: UInt64) throws(CanvasDamage) -> Canvas {
        try checkParents()
        guard canvas.digest == digest else { throw .digest }
        return canvas
    }

    /// Follows each parent up to the canvas or to a shape that was followed before, so each is visited once.
    private func checkParents() throws(CanvasDamage) {
        var followed: Set<ShapeID> = []
        for parent in parents {
            var path: [ShapeID] = []
            var next: ShapeID? = parent
            while let id = next, !followed.contains(id) {
                guard path.count < parents.count else { throw .cycle }
                guard let shape = canvas.shapes[id] else { throw .unknownParent }
                path.append(id)
                next = shape.parent
            }
            followed.formUnion(path)
        }
    }
}
