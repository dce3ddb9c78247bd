/// A site's supply of identities for what it makes.
public struct IdentitySource: Sendable {
    /// The number of shapes that a site may make is below this, 62^6.
    public static let shapes: UInt64 = 56_800_235_584

    /// The site.
    public let site: SiteID
    /// The number of the next shape.
    public private(set) var nextShape: UInt64
    /// The number of the next character.
    public private(set) var nextCharacter: UInt64

    /// A supply that starts behind what the site has used before; a fresh site starts at 1.
    public init(site: SiteID, nextShape: UInt64 = 1, nextCharacter: UInt64 = 1) {
        self.site = site
        self.nextShape = nextShape
        self.nextCharacter = nextCharacter
    }

    /// An id for a new shape.
    public mutating func shape() -> ShapeID {
        defer { nextShape += 1 }
        return ShapeID(site: site, counter: nextShape)
    }

    /// The first of `count` new characters.
    public mutating func characters(_ count: Int) -> CharacterID {
        defer { nextCharacter += UInt64(count) }
        return CharacterID(site: site, counter: nextCharacter)
    }
}

/// A transaction being written: a working copy of the canvas and the operations that lead to it.
///
/// Every change is made to the copy at once, so later ones see it. What would change nothing is left out, so that a
/// draft that changes nothing is empty. Whatever names a shape that does not exist is reported and left out, and so is a
/// malformed operation.
public struct TransactionDraft: Sendable {
    /// The canvas with the draft's operations applied.
    public private(set) var canvas: Canvas
    /// What has been written so far.
    public private(set) var operations: [Operation] = []
    /// For each operation its inverse, made from the state just before it.
    public private(set) var inverses: [Operation?] = []
    /// Why changes were left out: shapes that are gone, cycles, texts that are full.
    public private(set) var problems: [Problem] = []
    /// What is wrong with the first malformed operation that was left out, if there was one. A draft with a flaw lacks
    /// something its writer asked for and should not become a transaction.
    public private(set) var flaw: Flaw?
    /// What undo and redo of it select again; nil for nothing.
    public var selection: SelectionChange?
    /// Where new identities come from.
    public private(set) var identities: IdentitySource

    /// An empty draft on a canvas.
    public init(canvas: Canvas, identities: IdentitySource) {
        self.canvas = canvas
        self.identities = identities
    }

    /// Whether nothing has been changed.
    public var isEmpty: Bool { operations.isEmpty }

    /// Adds an operation as it is, if it would change anything and is well formed: see ``flaw``.
    public mutating func add(_ operation: Operation) {
        if let flaw = operation.isServerOnly ? .purgeByClient : operation.flaw {
            if self.flaw == nil { self.flaw = flaw }
            return
        }
        if let problem = canvas.missing(in: operation) { problems.append(problem) }
        guard let part = canvas.effectivePart(of: operation) else {
            if case .place(let id, let placement) = operation, let parent = placement.parent,
                let shape = canvas[id], parent.id != shape.parent, let problem = canvas.obstacle(to: parent.id, for: id)
            {
                problems.append(problem)
            }
            return
        }
        let outcome = canvas.apply([part])
        guard outcome.problems.isEmpty else {
            problems += outcome.problems
            return
        }
        operations.append(part)
        inverses += outcome.inverses
    }

    /// Creates a shape in front of its siblings and returns its id.
    ///
    /// More text than an operation may insert comes in several operations. More than a text can hold is reported, and
    /// nothing is created.
    @discardableResult
    public mutating func create(
        kind: String, in parent: ShapeID? = nil, properties: Properties = Properties(), text: String = ""
    ) -> ShapeID {
        let id = identities.shape()
        guard text.unicodeScalars.count <= Limits.charactersPerText else {
            problems.append(.textFull(id))
            return id
        }
        guard let order = frontKey(in: parent) else { return id }
        let insertions = insertions(of: text, left: nil, right: nil)
        add(
            .create(
                Creation(
                    id: id, kind: kind, parent: parent, order: order, properties: properties, text: insertions.first)))
        guard canvas[id] != nil else { return id }
        for insertion in insertions.dropFirst() { add(.insertText(id, insertion)) }
        return id
    }

    /// Replaces everything by another canvas: what differs is changed, what it lacks is deleted, what is the same stays.
    ///
    /// For imports, "replace all" and going back to an earlier state: characters that were purged since are typed anew, as new
    /// ones in their old places. Linear in what differs.
    public mutating func replaceAll(with canvas: Canvas) {
        let changed = canvas.changedShapes(since: self.canvas)
        for operation in canvas.difference(from: self.canvas) { add(operation) }
        typePurged(in: changed, of: canvas)
    }

    /// Brings back what people saw at an earlier state of this canvas's history: see ``Canvas/restoration(of:)``. Characters that were
    /// purged since are typed anew, as new ones in their old places.
    public mutating func restore(_ earlier: Canvas) {
        let changed = earlier.changedShapes(since: canvas)
        for operation in canvas.restoration(of: earlier) { add(operation) }
        typePurged(in: changed.filter { earlier[$0]?.isVisible == true }, of: earlier)
    }

    /// Types the characters that are visible in another state of some shapes and were purged here.
    private mutating func typePurged(in ids: [ShapeID], of other: Canvas) {
        for id in ids {
            guard let wanted = other[id]?.text, let text = canvas[id]?.text, text.purgedCount > 0 else { continue }
            for piece in wanted.visiblePieces(purgedIn: text) {
                guard let offset = canvas[id]?.text.offset(of: piece.range.first) else { continue }
                insertText(piece.characters, at: offset, in: id)
            }
        }
    }

    /// Sets a property; nil removes it.
    public mutating func set(_ id: ShapeID, _ key: PropertyKey, _ value: Value?) {
        add(.set(id, [PropertyChange(key, value)]))
    }

    /// Sets several properties of a shape at once; no changes are no operation.
    public mutating func set(_ id: ShapeID, _ changes: [PropertyChange]) {
        if changes.isEmpty { return }
        add(.set(id, changes))
    }

    /// Deletes shapes with all visible shapes inside them. They are hidden, so undo brings everything back.
    public mutating func delete(_ ids: [ShapeID]) {
        var named: [ShapeID] = []
        var seen = Set<ShapeID>()
        for id in ids {
            if canvas[id] == nil { problems.append(.unknownShape(id)) }
            for inner in canvas.visibleTree(of: id) where seen.insert(inner).inserted { named.append(inner) }
        }
        for targets in Targets.shapes(named).parts { add(.hide(.deleted, targets)) }
    }

    /// Inserts characters behind the first `offset` visible ones of a shape's text.
    ///
    /// More than an operation may insert comes in several operations. More than the text can hold is reported, and nothing
    /// is inserted.
    public mutating func insertText(_ string: String, at offset: Int, in id: ShapeID) {
        let count = string.unicodeScalars.count
        guard count > 0 else { return }
        guard let text = canvas[id]?.text else {
            problems.append(.unknownShape(id))
            return
        }
        guard count <= Limits.charactersPerText - (text.count - text.purgedCount) else {
            problems.append(.textFull(id))
            return
        }
        let (left, right) = text.neighbours(at: offset)
        for insertion in insertions(of: string, left: left, right: right) { add(.insertText(id, insertion)) }
    }

    /// Insertions that put a string between two neighbours, each no longer than an operation may be.
    private mutating func insertions(of string: String, left: CharacterID?, right: CharacterID?) -> [TextInsertion] {
        var insertions: [TextInsertion] = []
        var left = left
        var rest = string.unicodeScalars[...]
        while !rest.isEmpty {
            let part = rest.prefix(Limits.charactersPerInsertion)
            rest = rest[part.endIndex...]
            let count = part.count
            let first = identities.characters(count)
            insertions.append(TextInsertion(first: first, characters: String(part), left: left, right: right))
            left = first.advanced(by: count - 1)
        }
        return insertions
    }

    /// Deletes the visible characters at `offsets` of a shape's text.
    public mutating func deleteText(_ offsets: Range<Int>, in id: ShapeID) {
        guard let text = canvas[id]?.text else {
            problems.append(.unknownShape(id))
            return
        }
        let ranges = text.characters(at: offsets)
        for targets in Targets.characters(id, ranges).parts { add(.hide(.deleted, targets)) }
    }

    /// Puts a shape into another one, or onto the canvas, in front of what is there.
    public mutating func put(_ id: ShapeID, into parent: ShapeID?) {
        guard let order = frontKey(in: parent) else { return }
        add(.place(id, Placement(parent: Placement.Parent(parent), order: order)))
    }

    /// Puts a shape in front of all its siblings. What is the foremost that can be seen stays where it is.
    public mutating func bringToFront(_ id: ShapeID) {
        guard let shape = canvas[id] else { return reportUnknown(id) }
        guard let last = canvas.lastChild(of: shape.parent), last != id else { return }
        guard !shape.isVisible || canvas.hasVisible(after: shape) else { return }
        move(shape, behind: last, before: nil)
    }

    /// Puts a shape behind all its siblings. What is the rearmost that can be seen stays where it is.
    public mutating func sendToBack(_ id: ShapeID) {
        guard let shape = canvas[id] else { return reportUnknown(id) }
        guard let first = canvas.firstChild(of: shape.parent), first != id else { return }
        guard !shape.isVisible || canvas.hasVisible(before: shape) else { return }
        move(shape, behind: nil, before: first)
    }

    /// Puts a shape in front of the next visible sibling.
    public mutating func bringForward(_ id: ShapeID) {
        guard let shape = canvas[id] else { return reportUnknown(id) }
        guard let next = canvas.visibleSibling(after: shape) else { return }
        move(shape, behind: next, before: canvas.sibling(after: next, in: shape.parent))
    }

    /// Puts a shape behind the nearest visible sibling that is behind it.
    public mutating func sendBackward(_ id: ShapeID) {
        guard let shape = canvas[id] else { return reportUnknown(id) }
        guard let previous = canvas.visibleSibling(before: shape) else { return }
        move(shape, behind: canvas.sibling(before: previous, in: shape.parent), before: previous)
    }

    private mutating func reportUnknown(_ id: ShapeID) { problems.append(.unknownShape(id)) }

    private mutating func move(_ shape: Shape, behind left: ShapeID?, before right: ShapeID?) {
        guard let order = orderKey(in: shape.parent, behind: left, before: right) else { return }
        add(.place(shape.id, Placement(order: order)))
    }

    /// Hidden siblings that a new key is put behind, at most: each is looked at.
    private static let hiddenSiblingsPassed = 64
    /// Longest key put behind hidden siblings, digits. There keys grow with every shape; in front of everything they do not.
    private static let digitsBehindHidden = 32

    /// An order key in front of everything that is drawn in a shape. It lies behind the hidden siblings in front of that, so that
    /// one that is shown again stands in front as it did, unless there are many or keys between have become long.
    private mutating func frontKey(in parent: ShapeID?) -> OrderKey? {
        if let gap = canvas.gapBehindHidden(in: parent, passing: Self.hiddenSiblingsPassed),
            let key = between(gap.left, gap.right), key.rawValue.utf8.count <= Self.digitsBehindHidden
        {
            return key
        }
        return orderKey(in: parent, behind: canvas.lastChild(of: parent), before: nil)
    }

    /// An order key between two siblings. Where nothing fits between their keys, all siblings get new ones first.
    private mutating func orderKey(in parent: ShapeID?, behind left: ShapeID?, before right: ShapeID?) -> OrderKey? {
        if let key = between(left, right) { return key }
        let siblings = canvas.children(of: parent)
        for (sibling, key) in zip(siblings, OrderKey.spread(siblings.count, site: identities.site)) {
            add(.place(sibling.id, Placement(order: key)))
        }
        return between(left, right)
    }

    private func between(_ left: ShapeID?, _ right: ShapeID?) -> OrderKey? {
        OrderKey.between(
            left.flatMap { canvas[$0]?.order }, right.flatMap { canvas[$0]?.order }, site: identities.site)
    }
}

extension Canvas {
    /// The first shape named by an operation that does not exist, as a problem.
    fileprivate func missing(in operation: Operation) -> Problem? {
        switch operation {
        case .create(let creation):
            if shapes[creation.id] != nil { return .shapeExists(creation.id) }
            return obstacle(to: creation.parent, for: creation.id)
        case .set(let id, _), .place(let id, _), .insertText(let id, _), .hide(_, .characters(let id, _)),
            .show(_, .characters(let id, _)):
            return shapes[id] == nil ? .unknownShape(id) : nil
        case .hide(_, .shapes(let ids)), .show(_, .shapes(let ids)):
            return ids.first { shapes[$0] == nil }.map { .unknownShape($0) }
        case .purge: return nil
        }
    }

    // Keys are made against all siblings, hidden ones too, so that a hidden one keeps its place when it comes back.

    fileprivate func firstChild(of parent: ShapeID?) -> ShapeID? {
        var result: ShapeID?
        forEachChild(of: parent) {
            result = $0.id
            return false
        }
        return result
    }

    fileprivate func lastChild(of parent: ShapeID?) -> ShapeID? {
        guard let pair = siblings.last(before: SiblingKey(behind: parent)),
            pair.key.parent == parent?.rawValue ?? ""
        else { return nil }
        return ShapeID(pair.key.id)
    }

    /// The place in front of all children in whose places anything is drawn, as shapes in a hidden one are, and behind the hidden
    /// ones in front of them; nil if there are none of these, or more than `count`.
    fileprivate func gapBehindHidden(
        in parent: ShapeID?, passing count: Int
    ) -> (left: ShapeID?, right: ShapeID)? {
        var right: ShapeID?
        var next = lastChild(of: parent)
        for _ in 0...count {
            guard let id = next, !isDrawn(id) else { return right.map { (next, $0) } }
            right = id
            next = sibling(before: id, in: parent)
        }
        return nil
    }

    fileprivate func sibling(after id: ShapeID, in parent: ShapeID?) -> ShapeID? {
        guard let shape = shapes[id], let pair = siblings.first(after: shape.siblingKey),
            pair.key.parent == parent?.rawValue ?? ""
        else { return nil }
        return ShapeID(pair.key.id)
    }

    fileprivate func sibling(before id: ShapeID, in parent: ShapeID?) -> ShapeID? {
        guard let shape = shapes[id], let pair = siblings.last(before: shape.siblingKey),
            pair.key.parent == parent?.rawValue ?? ""
        else { return nil }
        return ShapeID(pair.key.id)
    }

    /// Whether anything is drawn in the place of a sibling in front of a shape; shapes in a hidden one are.
    fileprivate func hasVisible(after shape: Shape) -> Bool {
        var next = sibling(after: shape.id, in: shape.parent)
        while let id = next {
            if isDrawn(id) { return true }
            next = sibling(after: id, in: shape.parent)
        }
        return false
    }

    /// The same for the siblings behind it.
    fileprivate func hasVisible(before shape: Shape) -> Bool {
        var next = sibling(before: shape.id, in: shape.parent)
        while let id = next {
            if isDrawn(id) { return true }
            next = sibling(before: id, in: shape.parent)
        }
        return false
    }

    fileprivate func visibleSibling(after shape: Shape) -> ShapeID? {
        var next = sibling(after: shape.id, in: shape.parent)
        while let id = next, shapes[id]?.isVisible == false { next = sibling(after: id, in: shape.parent) }
        return next
    }

    fileprivate func visibleSibling(before shape: Shape) -> ShapeID? {
        var next = sibling(before: shape.id, in: shape.parent)
        while let id = next, shapes[id]?.isVisible == false { next = sibling(before: id, in: shape.parent) }
        return next
    }
}
