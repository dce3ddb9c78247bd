/// Sizes of what Swift keeps on the heap, bytes, as a 64-bit system with glibc's allocator hands them out.
///
/// They follow from how much there is, not from the room that lists happen to have: that depends on the allocator, and then a
/// byte budget would drop other actions in another process. `make bench` compares the sums with what the allocator says.
enum Memory {
    /// A block with `size` bytes in it: eight bytes go in front, and sizes are multiples of 16, 32 at least.
    static func block(_ size: Int) -> Int { max(32, (size + 8 + 15) & ~15) }

    /// An array's storage; an empty one has none.
    static func array(_ count: Int, of stride: Int) -> Int { count == 0 ? 0 : block(32 + count * stride) }

    /// The storage of a set or dictionary: a power of two of places, at most three quarters of them taken.
    static func table(_ count: Int, of stride: Int) -> Int {
        if count == 0 { return 0 }
        var places = 2
        while places * 3 < count * 4 { places *= 2 }
        return block(64 + places * stride + places / 8)
    }

    /// A string's storage; up to 15 bytes stand in the string itself.
    static func string(_ string: String) -> Int {
        let count = string.utf8.count
        return count <= 15 ? 0 : block(32 + count + 1)
    }

    static func id(_ id: ShapeID?) -> Int { id.map { string($0.rawValue) } ?? 0 }
}

extension UndoStack.Entry.Open {
    /// Memory its parts take, bytes; of parts that are shared with others, all. Linear in them.
    var measuredBytes: Int {
        var bytes = Memory.block(16 + MemoryLayout<Self>.stride) + Memory.string(label)
        bytes += Memory.array(layers.count, of: MemoryLayout<UndoStack.Layer>.stride)
        for layer in layers { bytes += layer.listBytes + layer.shares.reduce(0) { $0 + $1.heapBytes } }
        for selection in [selection?.before, selection?.after] {
            guard let selection else { continue }
            bytes += Memory.array(selection.shapes.count, of: MemoryLayout<ShapeID>.stride)
        }
        return bytes
    }
}

extension Array {
    /// A copy with the room it needs. Made from a slice of everything it would share the storage, spare room included.
    var withoutSpareRoom: [Element] { withUnsafeBufferPointer { Array($0) } }
}

extension UndoStack.Layer {
    /// Memory the list of its shares takes, bytes.
    var listBytes: Int { Memory.array(shares.count, of: MemoryLayout<UndoStack.Share>.stride) }
}

extension UndoStack.Share {
    /// Memory its inverses take, bytes.
    var heapBytes: Int {
        Memory.array(inverses.count, of: MemoryLayout<UndoStack.Inverse>.stride)
            + inverses.reduce(0) { $0 + Memory.array($1.written.count, of: 8) + $1.operation.heapBytes }
    }

    /// The inverse of an item. O(log inverses), since items rise.
    func inverse(of item: Int) -> UndoStack.Inverse? {
        var (low, high) = (0, inverses.count)
        while low < high {
            let middle = (low + high) / 2
            if inverses[middle].item < item { low = middle + 1 } else { high = middle }
        }
        return low < inverses.count && inverses[low].item == item ? inverses[low] : nil
    }
}

extension Operation {
    /// Memory it takes beside its own fields, bytes.
    var heapBytes: Int {
        switch self {
        case .create(let creation):
            let own = Memory.id(creation.id) + Memory.string(creation.kind) + Memory.id(creation.parent)
            let text = creation.text.map { Memory.string($0.characters) } ?? 0
            return own + Memory.string(creation.order.rawValue) + creation.properties.heapBytes + text
        case .set(let id, let changes):
            var bytes = Memory.id(id) + Memory.array(changes.count, of: MemoryLayout<PropertyChange>.stride)
            for change in changes {
                bytes += Memory.string(change.key.rawValue) + (change.value?.heapBytes ?? 0)
            }
            return bytes
        case .place(let id, let placement):
            let parent = Memory.id(placement.parent?.id)
            return Memory.id(id) + parent + Memory.string(placement.order?.rawValue ?? "")
        case .hide(_, .shapes(let ids)), .show(_, .shapes(let ids)), .purge(.shapes(let ids)):
            return Memory.array(ids.count, of: MemoryLayout<ShapeID>.stride)
                + ids.reduce(0) { $0 + Memory.id($1) }
        case .hide(_, .characters(let id, let ranges)), .show(_, .characters(let id, let ranges)),
            .purge(.characters(let id, let ranges)):
            return Memory.id(id) + Memory.array(ranges.count, of: MemoryLayout<CharacterRange>.stride)
        case .insertText(let id, let insertion):
            return Memory.id(id) + Memory.string(insertion.characters)
        }
    }
}

extension Value {
    fileprivate var heapBytes: Int {
        switch self {
        case .bool, .integer, .double: return 0
        case .string(let string): return Memory.string(string)
        case .list(let values):
            return Memory.array(values.count, of: MemoryLayout<Value>.stride)
                + values.reduce(0) { $0 + $1.heapBytes }
        case .map(let properties): return properties.heapBytes
        }
    }
}

extension Properties {
    fileprivate var heapBytes: Int {
        // Their array is not seen from here; it has little more room than it needs.
        var bytes = Memory.array(count, of: MemoryLayout<Element>.stride)
        for property in self { bytes += Memory.string(property.key.rawValue) + property.value.heapBytes }
        return bytes
    }
}
