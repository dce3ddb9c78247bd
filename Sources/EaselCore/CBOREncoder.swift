/// Writes CBOR in the core deterministic form of RFC 8949 section 4.2.1: shortest heads, definite lengths.
///
/// It is the one encoder of the project: digests hash what it writes, and the wire and the log carry it.
public struct CBOREncoder: Sendable {
    /// The major types of RFC 8949 section 3.1.
    public enum MajorType: UInt8, Sendable {
        /// An integer from 0 on.
        case unsigned = 0
        /// An integer below 0, as -1 minus the argument.
        case negative = 1
        /// Bytes without a meaning of their own.
        case bytes = 2
        /// Text in UTF-8.
        case text = 3
        /// Items, as many as the argument says.
        case array = 4
        /// Pairs of items, as many as the argument says.
        case map = 5
        /// A tag for the item behind it; not used here.
        case tag = 6
        /// False, true, null, or a floating-point number.
        case simple = 7
    }

    /// What has been written so far.
    public private(set) var bytes: [UInt8] = []

    /// The lists by whose places sites, shape ids and words are named; nil where they stand themselves.
    package var names: NameLists?

    /// An empty encoder.
    public init() {}

    /// Makes room for `count` more bytes.
    public mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    /// Forgets what was written and keeps the room for it.
    mutating func restart() { bytes.removeAll(keepingCapacity: true) }

    /// Writes a head: major type and argument.
    public mutating func head(_ type: MajorType, _ argument: UInt64) {
        let major = type.rawValue << 5
        if argument < 24 {
            bytes.append(major | UInt8(argument))
        } else if argument <= 0xFF {
            bytes.append(major | 24)
            bytes.append(UInt8(argument))
        } else if argument <= 0xFFFF {
            bytes.append(major | 25)
            bigEndian(argument, count: 2)
        } else if argument <= 0xFFFF_FFFF {
            bytes.append(major | 26)
            bigEndian(argument, count: 4)
        } else {
            bytes.append(major | 27)
            bigEndian(argument, count: 8)
        }
    }

    /// Writes an unsigned integer.
    public mutating func unsigned(_ value: UInt64) { head(.unsigned, value) }

    /// Writes an integer of either sign.
    public mutating func integer(_ value: Int64) {
        if value >= 0 {
            head(.unsigned, UInt64(value))
        } else {
            head(.negative, UInt64(-1 - value))
        }
    }

    /// Writes a double in the shortest of the three widths that keeps its value; every NaN as the one of two bytes.
    public mutating func double(_ value: Double) {
        if let half = Self.halfPattern(value) {
            bytes.append(0xF9)
            bigEndian(UInt64(half), count: 2)
        } else if Double(Float(value)) == value {
            bytes.append(0xFA)
            bigEndian(UInt64(Float(value).bitPattern), count: 4)
        } else {
            bytes.append(0xFB)
            bigEndian(value.bitPattern, count: 8)
        }
    }

    /// Writes a text string as its UTF-8 bytes.
    public mutating func text(_ value: String) {
        head(.text, UInt64(value.utf8.count))
        var value = value
        value.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Writes a byte string.
    public mutating func byteString(_ value: [UInt8]) {
        head(.bytes, UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Writes the head of an array of `count` items, which the caller writes next.
    public mutating func array(_ count: Int) { head(.array, UInt64(count)) }

    /// Writes the head of a map of `count` pairs, which the caller writes next in canonical order of keys.
    public mutating func map(_ count: Int) { head(.map, UInt64(count)) }

    /// Writes a boolean.
    public mutating func bool(_ value: Bool) { bytes.append(value ? 0xF5 : 0xF4) }

    /// Writes null.
    public mutating func null() { bytes.append(0xF6) }

    /// Appends an item that was encoded before.
    public mutating func encoded(_ item: [UInt8]) { bytes.append(contentsOf: item) }

    private mutating func bigEndian(_ value: UInt64, count: Int) {
        withUnsafeBytes(of: value.bigEndian) {
            // Rebased, it is copied at once and not byte by byte.
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[(8 - count)...]))
        }
    }

    /// The IEEE 754 half precision pattern of `value`, or nil if it cannot be held exactly.
    ///
    /// Written with bit arithmetic, since `Float16` is not available on every platform the core builds for.
    private static func halfPattern(_ value: Double) -> UInt16? {
        let bits = value.bitPattern
        let sign = UInt16(truncatingIfNeeded: bits >> 48) & 0x8000
        let exponent = Int((bits >> 52) & 0x7FF) - 1023
        let fraction = bits & 0xF_FFFF_FFFF_FFFF
        if exponent == -1023 && fraction == 0 { return sign }
        if exponent == 1024 { return fraction == 0 ? sign | 0x7C00 : 0x7E00 }
        if exponent >= -14 && exponent <= 15 {
            guard fraction & ((1 << 42) - 1) == 0 else { return nil }
            return sign | UInt16(exponent + 15) << 10 | UInt16(fraction >> 42)
        }
        if exponent >= -24 && exponent < -14 {
            let shift = UInt64(42 + (-14 - exponent))
            let significand = fraction | (1 << 52)
            guard significand & ((1 << shift) - 1) == 0 else { return nil }
            return sign | UInt16(significand >> shift)
        }
        return nil
    }
}
