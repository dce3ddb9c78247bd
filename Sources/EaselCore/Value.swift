/// What a property holds.
///
/// Canonical form: a double is finite, and one that is integral within ±2^53 is an `integer` instead, so that
/// CBOR and JSON agree; nesting is at most ``Limits/valueDepth`` levels. ``isCanonical`` checks it.
public enum Value: Sendable {
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A finite number that is not whole, or beyond ±2^53.
    case double(Double)
    /// Text; one register, without a history of its characters.
    case string(String)
    /// Values in order; one register as a whole.
    case list([Value])
    /// Values by key; one register as a whole.
    case map(Properties)

    /// The canonical value of a number, or nil if it is not finite.
    public static func number(_ value: Double) -> Value? {
        guard value.isFinite else { return nil }
        // By conversion, not by rounding: the latter calls the C library, which the core does not link.
        if value.magnitude <= 9_007_199_254_740_992, Double(Int64(value)) == value { return .integer(Int64(value)) }
        return .double(value)
    }

    /// Whether the value has canonical form. Linear in its size.
    public var isCanonical: Bool { isCanonical(levels: Limits.valueDepth) }

    private func isCanonical(levels: Int) -> Bool {
        guard levels > 0 else { return false }
        switch self {
        case .bool, .integer, .string:
            return true
        case .double(let value):
            guard let canonical = Value.number(value), case .double = canonical else { return false }
            return true
        case .list(let values):
            return values.allSatisfy { $0.isCanonical(levels: levels - 1) }
        case .map(let properties):
            return properties.count <= Limits.propertiesPerShape
                && properties.allSatisfy { $0.value.isCanonical(levels: levels - 1) }
        }
    }

    /// The number as a double, for integers and doubles.
    public var asDouble: Double? {
        switch self {
        case .integer(let value): return Double(value)
        case .double(let value): return value
        default: return nil
        }
    }

    /// The string, for strings.
    public var asString: String? {
        if case .string(let value) = self { return value }
        return nil
    }
}

extension Value: Equatable {
    /// Equal as stored: strings by their bytes, never by Unicode equivalence.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.bool(let a), .bool(let b)): return a == b
        case (.integer(let a), .integer(let b)): return a == b
        case (.double(let a), .double(let b)): return a.bitPattern == b.bitPattern
        case (.string(let a), .string(let b)): return a.hasSameBytes(as: b)
        case (.list(let a), .list(let b)): return a == b
        case (.map(let a), .map(let b)): return a == b
        default: return false
        }
    }
}

extension CBOREncoder {
    /// Writes a value in canonical form.
    public mutating func value(_ value: Value) {
        switch value {
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .double(let value): double(value)
        case .string(let value): text(value)
        case .list(let values):
            array(values.count)
            for value in values { self.value(value) }
        case .map(let properties): self.properties(properties)
        }
    }

    /// Writes properties as a map. Their order, by length and then bytes of the key, is RFC 8949's canonical one.
    public mutating func properties(_ properties: Properties) {
        map(properties.count)
        for entry in properties {
            text(entry.key.rawValue)
            value(entry.value)
        }
    }
}
