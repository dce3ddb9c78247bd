extension CBORDecoder {
    /// Reads a property value of canonical form (``Value/isCanonical``).
    public mutating func value() throws(DecodingError) -> Value { try value(levels: Limits.valueDepth) }

    private mutating func value(levels: Int) throws(DecodingError) -> Value {
        guard levels > 0 else { throw .tooDeep }
        guard let first = next else { throw .truncated }
        switch CBOREncoder.MajorType(rawValue: first >> 5) {
        case .unsigned, .negative: return .integer(try integer())
        case .text: return .string(try string(try textRange()))
        case .array:
            let count = try array()
            var values: [Value] = []
            values.reserveCapacity(min(count, Self.trustedCount))
            for _ in 0..<count { values.append(try value(levels: levels - 1)) }
            return .list(values)
        case .map: return .map(try properties(levels: levels - 1))
        case .simple: return try simpleValue(first)
        case .bytes, .tag, nil: throw .unexpectedItem
        }
    }

    private mutating func simpleValue(_ first: UInt8) throws(DecodingError) -> Value {
        if let value = Self.boolean(first) {
            _ = try bool()
            return .bool(value)
        }
        let number = try double()
        guard let canonical = Value.number(number), case .double = canonical else { throw .notCanonical }
        return canonical
    }

    /// Items for which room is made before they were read; beyond it, arrays grow as items come.
    package static var trustedCount: Int { 64 }

    /// Reads properties: a map with rising keys of 1 to ``Limits/propertyKeyBytes`` bytes, at most
    /// ``Limits/propertiesPerShape`` of them, to canonical values.
    public mutating func properties() throws(DecodingError) -> Properties {
        try properties(levels: Limits.valueDepth)
    }

    private mutating func properties(levels: Int) throws(DecodingError) -> Properties {
        let count = try map()
        guard count <= Limits.propertiesPerShape else { throw .outOfRange }
        var properties = Properties()
        var last: PropertyKey?
        for _ in 0..<count {
            let key = try propertyKey()
            if let last {
                guard last < key else { throw .keyOrder }
            }
            last = key
            properties[key] = try value(levels: levels)
        }
        return properties
    }

    // MARK: Floats

    /// Reads a finite float in its shortest width.
    public mutating func double() throws(DecodingError) -> Double {
        guard let first = next else { throw .truncated }
        switch first {
        case 0xF9:
            let half = UInt16(truncatingIfNeeded: try head().argument)
            guard half & 0x7C00 != 0x7C00 else { throw .notFinite }
            return Self.double(half: half)
        case 0xFA:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: try head().argument))
            guard value.isFinite else { throw .notFinite }
            guard !Self.fitsHalf(value) else { throw .notShortest }
            return Double(value)
        case 0xFB:
            let value = Double(bitPattern: try head().argument)
            guard value.isFinite else { throw .notFinite }
            guard Double(Float(value)) != value else { throw .notShortest }
            return value
        default:
            throw .unexpectedItem
        }
    }

    /// Reads a finite number as ``Value/number(_:)`` makes it: an integer, or a float that no integer within ±2^53 equals.
    package mutating func number() throws(DecodingError) -> Double {
        guard let first = next else { throw .truncated }
        guard first >> 5 == CBOREncoder.MajorType.simple.rawValue else {
            let value = try integer()
            guard value.magnitude <= 1 << 53 else { throw .outOfRange }
            return Double(value)
        }
        let value = try double()
        guard let canonical = Value.number(value), case .double = canonical else { throw .notCanonical }
        return value
    }

    /// The value of an IEEE 754 half precision pattern that is finite.
    private static func double(half: UInt16) -> Double {
        let exponent = Int(half >> 10) & 31
        let fraction = Double(half & 0x3FF)
        let magnitude =
            exponent == 0
            ? fraction * 0x1p-24
            : (1024 + fraction) * Double(sign: .plus, exponent: exponent - 25, significand: 1)
        return half & 0x8000 == 0 ? magnitude : -magnitude
    }

    /// Whether half precision holds a finite value: at most 11 significant bits, none of them below 2^-24.
    private static func fitsHalf(_ value: Float) -> Bool {
        guard value != 0 else { return true }
        guard value.magnitude <= 65_504 else { return false }
        let bits = value.bitPattern
        let exponent = Int(bits >> 23) & 0xFF
        guard exponent > 0 else { return false }
        let significand = bits & 0x7F_FFFF | 0x80_0000
        let lowestBit = exponent - 150 + significand.trailingZeroBitCount
        return lowestBit >= -24 && 24 - significand.trailingZeroBitCount <= 11
    }

    // MARK: Unknown items

    /// Passes over an item of any kind, checking its form.
    public mutating func skip() throws(DecodingError) { try skip(levels: Self.nesting) }

    private mutating func skip(levels: Int) throws(DecodingError) {
        guard levels > 0 else { throw .tooDeep }
        guard let first = next else { throw .truncated }
        switch CBOREncoder.MajorType(rawValue: first >> 5) {
        case .unsigned, .negative: _ = try head()
        case .bytes: _ = try byteString()
        case .text: _ = try string(try textRange())
        case .array:
            for _ in 0..<(try array()) { try skip(levels: levels - 1) }
        case .map: try skipPairs(levels: levels - 1)
        case .simple:
            if null() || Self.boolean(first) != nil {
                if first != 0xF6 { _ = try bool() }
            } else if (0xF9...0xFB).contains(first) {
                _ = try double()
            } else {
                throw .unsupportedItem
            }
        case .tag, nil: throw .unsupportedItem
        }
    }

    private mutating func skipPairs(levels: Int) throws(DecodingError) {
        var last: ArraySlice<UInt8>?
        for _ in 0..<(try map()) {
            let start = offset
            try skip(levels: levels)
            let key = slice(from: start)
            if let last {
                guard last.lexicographicallyPrecedes(key) else { throw .keyOrder }
            }
            last = key
            try skip(levels: levels)
        }
    }
}
