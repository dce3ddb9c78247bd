/// The name of a property: 1 to 64 bytes of UTF-8, compared as bytes.
public struct PropertyKey: Hashable, Sendable {
    /// The name as written.
    public let rawValue: String

    /// Nil unless `rawValue` has 1 to 64 bytes.
    public init?(_ rawValue: String) {
        guard (1...Limits.propertyKeyBytes).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }

    /// A key known when the program is written.
    public init(_ literal: StaticString) {
        let rawValue = literal.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
        precondition((1...Limits.propertyKeyBytes).contains(rawValue.utf8.count), "property key of a wrong length")
        self.rawValue = rawValue
    }

    /// Equal by bytes, never by Unicode equivalence.
    public static func == (left: PropertyKey, right: PropertyKey) -> Bool {
        left.rawValue.hasSameBytes(as: right.rawValue)
    }

    /// Feeds the bytes, as `==` compares them.
    public func hash(into hasher: inout Hasher) {
        rawValue.hashBytes(into: &hasher)
    }
}

extension PropertyKey: Comparable {
    /// Shorter keys first, then by bytes: the order of encoded CBOR text strings (RFC 8949 section 4.2.1).
    public static func < (left: PropertyKey, right: PropertyKey) -> Bool {
        let leftCount = left.rawValue.utf8.count
        let rightCount = right.rawValue.utf8.count
        guard leftCount == rightCount else { return leftCount < rightCount }
        return left.rawValue.bytesPrecede(right.rawValue)
    }
}

/// Property keys with their values, kept in canonical order of keys.
///
/// A sorted array: shapes have few properties, and this is small, and the same on every machine.
public struct Properties: Sendable, Equatable, RandomAccessCollection {
    /// A key and its value.
    public struct Element: Sendable, Equatable {
        /// The key.
        public let key: PropertyKey
        /// Its value.
        public internal(set) var value: Value
    }

    private var elements: [Element]

    /// No properties.
    public init() { elements = [] }

    /// Takes pairs in any order; of a repeated key the last value is kept. O(n²) for unsorted pairs.
    public init(_ pairs: [(PropertyKey, Value)]) {
        elements = []
        elements.reserveCapacity(pairs.count)
        for (key, value) in pairs { self[key] = value }
    }

    /// Zero.
    public var startIndex: Int { 0 }
    /// Number of properties.
    public var endIndex: Int { elements.count }
    /// The property at a position in canonical order of keys.
    public subscript(position: Int) -> Element { elements[position] }

    /// The value of a key; setting nil removes it. Reading is O(log n), writing O(n).
    public subscript(key: PropertyKey) -> Value? {
        get {
            let index = firstIndex(notBefore: key)
            guard index < elements.count, elements[index].key == key else { return nil }
            return elements[index].value
        }
        set { set(key, newValue) }
    }

    /// Sets a key, or removes it for nil, and gives the value that it had. O(n).
    @discardableResult
    mutating func set(_ key: PropertyKey, _ value: Value?) -> Value? {
        let index = firstIndex(notBefore: key)
        let exists = index < elements.count && elements[index].key == key
        let old = exists ? elements[index].value : nil
        switch (value, exists) {
        case (.some(let value), true): elements[index].value = value
        case (.some(let value), false): elements.insert(Element(key: key, value: value), at: index)
        case (.none, true): elements.remove(at: index)
        case (.none, false): break
        }
        return old
    }

    private func firstIndex(notBefore key: PropertyKey) -> Int {
        // Decoded maps arrive sorted, so the end is the likely place.
        if let last = elements.last, last.key < key { return elements.count }
        var low = 0
        var high = elements.count
        while low < high {
            let middle = (low + high) / 2
            if elements[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
