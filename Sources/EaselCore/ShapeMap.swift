/// Shapes by id: a hash array mapped trie with structural sharing (Bagwell, "Ideal Hash Trees", 2001).
///
/// Copying the map is O(1). The first change after a copy copies one path of nodes, at most 13 and about
/// log32(n); later changes of that path are made in place. The hash is fixed, so two replicas iterate in the
/// same order. Ids whose whole hash agrees share a bucket at the deepest level.
struct ShapeMap: Sendable {
    /// Number of shapes.
    private(set) var count = 0
    private var root = Node()

    /// A node of the trie. A slot is named by five bits of the hash; `shapeBits` and `childBits` say which
    /// slots hold a shape or a deeper node, and the arrays hold those in order of slot.
    ///
    /// Reason for `@unchecked Sendable`: a node is changed only while one map holds the only reference to it. So accesses cannot
    /// overlap either, and need not be checked while the program runs, which would take a twentieth of what a change costs.
    final class Node: @unchecked Sendable {
        @exclusivity(unchecked) var shapeBits: UInt32 = 0
        @exclusivity(unchecked) var childBits: UInt32 = 0
        @exclusivity(unchecked) var shapes: [Shape] = []
        @exclusivity(unchecked) var children: [Node] = []

        init() {}

        func copy() -> Node {
            let node = Node()
            node.shapeBits = shapeBits
            node.childBits = childBits
            node.shapes = shapes
            node.children = children
            return node
        }
    }

    private static let bitsPerLevel: UInt64 = 5
    private static let deepestShift: UInt64 = 60

    private static func slot(_ hash: UInt64, _ shift: UInt64) -> UInt32 {
        UInt32(1) << UInt32((hash >> shift) & 31)
    }

    private static func index(_ bits: UInt32, _ slot: UInt32) -> Int { (bits & (slot &- 1)).nonzeroBitCount }

    /// The shape with an id. O(1) in the number of shapes.
    subscript(id: ShapeID) -> Shape? {
        let hash = XXH64.hash(id.rawValue)
        var node = root
        var shift: UInt64 = 0
        while true {
            let slot = Self.slot(hash, shift)
            if shift == Self.deepestShift { return node.shapes.first { $0.id == id } }
            if node.shapeBits & slot != 0 {
                let shape = node.shapes[Self.index(node.shapeBits, slot)]
                return shape.id == id ? shape : nil
            }
            guard node.childBits & slot != 0 else { return nil }
            node = node.children[Self.index(node.childBits, slot)]
            shift += Self.bitsPerLevel
        }
    }

    /// What `body` says of the shape with an id, which is not copied for it; nil if there is none.
    func read<Result>(_ id: ShapeID, _ body: (Shape) -> Result) -> Result? {
        let hash = XXH64.hash(id.rawValue)
        var node = root
        var shift: UInt64 = 0
        while shift < Self.deepestShift {
            let slot = Self.slot(hash, shift)
            if node.shapeBits & slot != 0 {
                let index = Self.index(node.shapeBits, slot)
                return node.shapes.withUnsafeBufferPointer { $0[index].id == id ? body($0[index]) : nil }
            }
            guard node.childBits & slot != 0 else { return nil }
            node = node.children[Self.index(node.childBits, slot)]
            shift += Self.bitsPerLevel
        }
        return node.shapes.first { $0.id == id }.map(body)
    }

    /// Adds a shape whose id is not in the map.
    mutating func insert(_ shape: Shape) {
        Self.insert(shape, hash: XXH64.hash(shape.id.rawValue), shift: 0, into: &root)
        count += 1
    }

    private static func insert(_ shape: Shape, hash: UInt64, shift: UInt64, into node: inout Node) {
        if !isKnownUniquelyReferenced(&node) { node = node.copy() }
        if shift == deepestShift {
            // By id, so that the order of iteration does not tell in which order shapes were made.
            let index = node.shapes.firstIndex { shape.id < $0.id } ?? node.shapes.count
            node.shapes.insert(shape, at: index)
            return
        }
        let slot = slot(hash, shift)
        if node.childBits & slot != 0 {
            let index = index(node.childBits, slot)
            insert(shape, hash: hash, shift: shift + bitsPerLevel, into: &node.children[index])
        } else if node.shapeBits & slot != 0 {
            let resident = node.shapes.remove(at: index(node.shapeBits, slot))
            precondition(resident.id != shape.id, "a shape id is inserted once")
            node.shapeBits &= ~slot
            var child = Node()
            let residentHash = XXH64.hash(resident.id.rawValue)
            insert(resident, hash: residentHash, shift: shift + bitsPerLevel, into: &child)
            insert(shape, hash: hash, shift: shift + bitsPerLevel, into: &child)
            node.childBits |= slot
            node.children.insert(child, at: index(node.childBits, slot))
        } else {
            node.shapeBits |= slot
            node.shapes.insert(shape, at: index(node.shapeBits, slot))
        }
    }

    /// Removes a shape. The id must be in the map, and what is left has the form it would have without it.
    mutating func remove(_ id: ShapeID) {
        Self.remove(id, hash: XXH64.hash(id.rawValue), shift: 0, from: &root)
        count -= 1
    }

    private static func remove(_ id: ShapeID, hash: UInt64, shift: UInt64, from node: inout Node) {
        if !isKnownUniquelyReferenced(&node) { node = node.copy() }
        if shift == deepestShift {
            guard let index = node.shapes.firstIndex(where: { $0.id == id }) else {
                preconditionFailure("the shape is in the map")
            }
            node.shapes.remove(at: index)
            return
        }
        let slot = slot(hash, shift)
        if node.shapeBits & slot != 0 {
            let shape = node.shapes.remove(at: index(node.shapeBits, slot))
            precondition(shape.id == id, "the shape is in the map")
            node.shapeBits &= ~slot
            return
        }
        precondition(node.childBits & slot != 0, "the shape is in the map")
        let index = index(node.childBits, slot)
        remove(id, hash: hash, shift: shift + bitsPerLevel, from: &node.children[index])
        // A shape alone needs no node of its own.
        let child = node.children[index]
        guard child.children.isEmpty, child.shapes.count == 1 else { return }
        node.children.remove(at: index)
        node.childBits &= ~slot
        node.shapeBits |= slot
        node.shapes.insert(child.shapes[0], at: Self.index(node.shapeBits, slot))
    }

    /// Changes a shape in place. The id must be in the map, and `body` must not change it.
    mutating func update<Result>(_ id: ShapeID, _ body: (inout Shape) -> Result) -> Result {
        Self.update(id, hash: XXH64.hash(id.rawValue), shift: 0, in: &root, body)
    }

    private static func update<Result>(
        _ id: ShapeID, hash: UInt64, shift: UInt64, in node: inout Node, _ body: (inout Shape) -> Result
    ) -> Result {
        if !isKnownUniquelyReferenced(&node) { node = node.copy() }
        if shift == deepestShift {
            guard let index = node.shapes.firstIndex(where: { $0.id == id }) else {
                preconditionFailure("the shape is in the map")
            }
            return body(&node.shapes[index])
        }
        let slot = slot(hash, shift)
        if node.shapeBits & slot != 0 {
            let index = index(node.shapeBits, slot)
            precondition(node.shapes[index].id == id, "the shape is in the map")
            return body(&node.shapes[index])
        }
        precondition(node.childBits & slot != 0, "the shape is in the map")
        let index = index(node.childBits, slot)
        return update(id, hash: hash, shift: shift + bitsPerLevel, in: &node.children[index], body)
    }

    /// Calls `body` with every shape, in an order that depends only on the ids.
    func forEach(_ body: (Shape) -> Void) { Self.forEach(root, body) }

    private static func forEach(_ node: Node, _ body: (Shape) -> Void) {
        for shape in node.shapes { body(shape) }
        for child in node.children { forEach(child, body) }
    }

    /// Calls `body` with the ids of shapes that `areEqual` does not find the same in both maps; parts shared by both are skipped.
    ///
    /// In no particular order. O(changes since the two maps were copies of each other, times the depth).
    func forEachDifference(
        from other: ShapeMap, _ areEqual: (Shape, Shape) -> Bool, _ body: (ShapeID) -> Void
    ) {
        Self.compare(root, other.root, areEqual, body)
    }

    private static func compare(
        _ new: Node, _ old: Node, _ areEqual: (Shape, Shape) -> Bool, _ body: (ShapeID) -> Void
    ) {
        if new === old { return }
        guard new.childBits == old.childBits, new.shapes.count == old.shapes.count,
            new.shapes.indices.allSatisfy({ new.shapes[$0].id == old.shapes[$0].id })
        else { return compareUnlike(new, old, areEqual, body) }
        // Through pointers, since taking shapes out of arrays would copy them.
        new.shapes.withUnsafeBufferPointer { new in
            old.shapes.withUnsafeBufferPointer { old in
                for index in new.indices where !areEqual(new[index], old[index]) { body(new[index].id) }
            }
        }
        for index in new.children.indices { compare(new.children[index], old.children[index], areEqual, body) }
    }

    /// The same for nodes of different form: shape by shape.
    private static func compareUnlike(
        _ new: Node, _ old: Node, _ areEqual: (Shape, Shape) -> Bool, _ body: (ShapeID) -> Void
    ) {
        var rest: [ShapeID: Shape] = [:]
        forEach(old) { rest[$0.id] = $0 }
        forEach(new) { shape in
            if let before = rest.removeValue(forKey: shape.id), areEqual(shape, before) { return }
            body(shape.id)
        }
        for id in rest.keys { body(id) }
    }
}
