/// An ordered map with structural sharing: a B+ tree (Comer, "The Ubiquitous B-Tree", 1979).
///
/// Copying is O(1); a look-up or change is O(log n) and copies, after a copy, one path of nodes. Values are kept
/// in the leaves; a branch keeps the smallest key of each child.
struct SortedMap<Key: Comparable & Sendable, Element: Sendable>: Sendable {
    /// Number of pairs.
    private(set) var count = 0
    /// Nil while nothing was ever added: most texts are empty, and each has a map.
    private(set) var root: Node?

    /// A leaf has keys and values, a branch keys and children.
    ///
    /// Reason for `@unchecked Sendable`: a node is changed only while one map holds the only reference to it. So accesses cannot
    /// overlap either, and need not be checked while the program runs.
    final class Node: @unchecked Sendable {
        @exclusivity(unchecked) var keys: [Key] = []
        @exclusivity(unchecked) var values: [Element] = []
        @exclusivity(unchecked) var children: [Node] = []

        init() {}

        var isLeaf: Bool { children.isEmpty }

        func copy() -> Node {
            let node = Node()
            node.keys = keys
            node.values = values
            node.children = children
            return node
        }

        /// Index of the last key that is not after `key`, or -1.
        func floorIndex(_ key: Key) -> Int {
            var low = 0
            var high = keys.count
            while low < high {
                let middle = (low + high) / 2
                if key < keys[middle] { high = middle } else { low = middle + 1 }
            }
            return low - 1
        }

        /// Moves what lies from `index` on into a new node. Both get arrays of their own size, since most leaves
        /// stay as they are for long.
        func split(at index: Int) -> Node {
            let right = Node()
            right.keys = Array(keys[index...])
            keys = Array(keys[..<index])
            if isLeaf {
                right.values = Array(values[index...])
                values = Array(values[..<index])
            } else {
                right.children = Array(children[index...])
                children = Array(children[..<index])
            }
            return right
        }

        func absorb(_ right: Node) {
            keys.append(contentsOf: right.keys)
            values.append(contentsOf: right.values)
            children.append(contentsOf: right.children)
        }
    }

    private static var capacity: Int { 64 }

    subscript(key: Key) -> Element? {
        guard let pair = floor(key), pair.key == key else { return nil }
        return pair.value
    }

    /// The pair with the largest key that is not after `key`.
    func floor(_ key: Key) -> (key: Key, value: Element)? {
        guard var node = root else { return nil }
        while true {
            let index = node.floorIndex(key)
            guard index >= 0 else { return nil }
            if node.isLeaf { return (node.keys[index], node.values[index]) }
            node = node.children[index]
        }
    }

    /// The pair with the largest key before `key`.
    func last(before key: Key) -> (key: Key, value: Element)? {
        var result: (key: Key, value: Element)?
        forEachDescending(before: key) {
            result = ($0, $1)
            return false
        }
        return result
    }

    /// The pair with the smallest key after `key`.
    func first(after key: Key) -> (key: Key, value: Element)? {
        var result: (key: Key, value: Element)?
        forEach(from: key) {
            if $0 == key { return true }
            result = ($0, $1)
            return false
        }
        return result
    }

    /// Adds a pair or replaces the value of its key.
    mutating func set(_ key: Key, _ value: Element) {
        var root = take()
        if Self.set(key, value, in: &root) { count += 1 }
        if let right = Self.splitIfLarge(root, lastAdded: key) {
            let branch = Node()
            branch.keys = [root.keys[0], right.keys[0]]
            branch.children = [root, right]
            root = branch
        }
        self.root = root
    }

    /// The root, taken out so that this map holds no second reference to it.
    private mutating func take() -> Node {
        defer { root = nil }
        return root ?? Node()
    }

    /// Cuts a node with too many keys in two and gives the right one. Where keys come in rising order the left one
    /// stays full.
    private static func splitIfLarge(_ node: Node, lastAdded key: Key) -> Node? {
        let count = node.keys.count
        guard count > capacity else { return nil }
        return node.split(at: node.keys[count - 1] <= key ? count - 1 : count / 2)
    }

    private static func set(_ key: Key, _ value: Element, in node: inout Node) -> Bool {
        if !isKnownUniquelyReferenced(&node) { node = node.copy() }
        let index = node.floorIndex(key)
        if node.isLeaf {
            if index >= 0, node.keys[index] == key {
                node.values[index] = value
                return false
            }
            node.keys.insert(key, at: index + 1)
            node.values.insert(value, at: index + 1)
            return true
        }
        let child = max(index, 0)
        let added = set(key, value, in: &node.children[child])
        if index < 0 { node.keys[child] = key }
        if let right = splitIfLarge(node.children[child], lastAdded: key) {
            node.keys.insert(right.keys[0], at: child + 1)
            node.children.insert(right, at: child + 1)
        }
        return added
    }

    /// Removes a key that is in the map.
    mutating func remove(_ key: Key) {
        var root = take()
        Self.remove(key, from: &root)
        count -= 1
        if root.children.count == 1 { root = root.children[0] }
        self.root = root
    }

    private static func remove(_ key: Key, from node: inout Node) {
        if !isKnownUniquelyReferenced(&node) { node = node.copy() }
        let index = node.floorIndex(key)
        precondition(index >= 0, "the key is in the map")
        if node.isLeaf {
            precondition(node.keys[index] == key, "the key is in the map")
            node.keys.remove(at: index)
            node.values.remove(at: index)
            return
        }
        remove(key, from: &node.children[index])
        if node.children[index].keys.isEmpty {
            node.keys.remove(at: index)
            node.children.remove(at: index)
            return
        }
        if node.keys[index] == key { node.keys[index] = node.children[index].keys[0] }
        mergeIfSmall(index, in: node)
        if index > 0 { mergeIfSmall(index - 1, in: node) }
    }

    /// Joins a child with its right neighbour when both fit well within one node.
    private static func mergeIfSmall(_ index: Int, in node: Node) {
        guard index + 1 < node.children.count,
            node.children[index].keys.count + node.children[index + 1].keys.count <= capacity / 2
        else { return }
        if !isKnownUniquelyReferenced(&node.children[index]) {
            node.children[index] = node.children[index].copy()
        }
        node.children[index].absorb(node.children[index + 1])
        node.children.remove(at: index + 1)
        node.keys.remove(at: index + 1)
    }

    /// Calls `body` with each pair from the first key not before `key`, in order, until it returns false.
    func forEach(from key: Key? = nil, _ body: (Key, Element) -> Bool) {
        guard let root else { return }
        _ = Self.forEach(root, from: key, body)
    }

    private static func forEach(_ node: Node, from key: Key?, _ body: (Key, Element) -> Bool) -> Bool {
        var index = 0
        if let key {
            index = node.floorIndex(key)
            if node.isLeaf && (index < 0 || node.keys[index] < key) { index += 1 }
            index = max(index, 0)
        }
        var from = key
        while index < node.keys.count {
            if node.isLeaf {
                if !body(node.keys[index], node.values[index]) { return false }
            } else {
                if !forEach(node.children[index], from: from, body) { return false }
                from = nil
            }
            index += 1
        }
        return true
    }

    /// Calls `body` with each pair whose key is before `key`, largest first, until it returns false.
    func forEachDescending(before key: Key, _ body: (Key, Element) -> Bool) {
        guard let root else { return }
        _ = Self.forEachDescending(root, before: key, body)
    }

    private static func forEachDescending(_ node: Node, before key: Key?, _ body: (Key, Element) -> Bool) -> Bool {
        var index = key.map { node.floorIndex($0) } ?? node.keys.count - 1
        var bound = key
        while index >= 0 {
            if node.isLeaf {
                let isBefore = bound.map { node.keys[index] < $0 } ?? true
                if isBefore && !body(node.keys[index], node.values[index]) { return false }
            } else if !forEachDescending(node.children[index], before: bound, body) {
                return false
            } else {
                bound = nil
            }
            index -= 1
        }
        return true
    }
}
