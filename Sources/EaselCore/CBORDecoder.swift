/// Reads CBOR and accepts only the core deterministic form of RFC 8949 section 4.2.1: shortest heads and floats, definite
/// lengths, UTF-8 strings, rising map keys. Tags, NaN, infinities and simple values but false, true and null are refused.
///
/// It reads items one after the other where they lie; nothing is built that was not asked for. No input traps, and no
/// count is believed: there must be at least one byte for each item promised.
public struct CBORDecoder: Sendable {
    /// Nesting of arrays and maps that are skipped.
    public static let nesting = 16

    private let bytes: [UInt8]
    private let end: Int

    /// The lists by whose places sites, shape ids and words are named; nil where they stand themselves.
    package var names: Names?

    /// Where the next item begins.
    public private(set) var offset: Int

    /// Reads `bytes` from `offset` on, which must lie within them or at their end.
    public init(_ bytes: [UInt8], from offset: Int = 0) {
        precondition((0...bytes.count).contains(offset), "the start lies within the bytes")
        self.bytes = bytes
        self.offset = offset
        end = bytes.count
    }

    /// Whether no byte is left.
    public var isAtEnd: Bool { offset == end }

    /// Number of bytes left.
    public var remaining: Int { end - offset }

    // MARK: Heads

    /// Reads a head with major type and argument. Of floats the argument is the pattern, and its width is not checked.
    package mutating func head() throws(DecodingError) -> (type: CBOREncoder.MajorType, argument: UInt64) {
        guard offset < end else { throw .truncated }
        let first = bytes[offset]
        guard let type = CBOREncoder.MajorType(rawValue: first >> 5) else { throw .unsupportedItem }
        let information = first & 31
        offset += 1
        if information < 24 { return (type, UInt64(information)) }
        guard information < 28 else { throw .indefiniteOrReserved }
        let width = 1 << Int(information - 24)
        guard remaining >= width else { throw .truncated }
        var argument: UInt64 = 0
        for index in offset..<offset + width { argument = argument << 8 | UInt64(bytes[index]) }
        offset += width
        if type != .simple {
            let smallest: UInt64 = width == 1 ? 24 : 1 << UInt64(width * 4)
            guard argument >= smallest else { throw .notShortest }
        }
        return (type, argument)
    }

    private mutating func argument(_ type: CBOREncoder.MajorType) throws(DecodingError) -> UInt64 {
        guard offset < end else { throw .truncated }
        guard bytes[offset] >> 5 == type.rawValue else { throw .unexpectedItem }
        return try head().argument
    }

    private mutating func length(_ type: CBOREncoder.MajorType, bytesEach: UInt64) throws(DecodingError) -> Int {
        let count = try argument(type)
        guard count <= UInt64(remaining) / bytesEach else { throw .truncated }
        return Int(count)
    }

    // MARK: Items

    /// Reads the head of an array and returns its number of items, at most the number of bytes left.
    public mutating func array() throws(DecodingError) -> Int { try length(.array, bytesEach: 1) }

    /// Reads the head of a map and returns its number of pairs, at most half the number of bytes left.
    public mutating func map() throws(DecodingError) -> Int { try length(.map, bytesEach: 2) }

    /// Reads an unsigned integer.
    public mutating func unsigned() throws(DecodingError) -> UInt64 { try argument(.unsigned) }

    /// Reads an unsigned integer within `range`.
    public mutating func unsigned(in range: ClosedRange<UInt64>) throws(DecodingError) -> UInt64 {
        let value = try unsigned()
        guard range.contains(value) else { throw .outOfRange }
        return value
    }

    /// Reads an integer of either sign.
    public mutating func integer() throws(DecodingError) -> Int64 {
        guard offset < end else { throw .truncated }
        if bytes[offset] >> 5 == CBOREncoder.MajorType.negative.rawValue {
            guard let value = Int64(exactly: try head().argument) else { throw .outOfRange }
            return -1 - value
        }
        guard let value = Int64(exactly: try unsigned()) else { throw .outOfRange }
        return value
    }

    /// Reads a text string whose length in bytes lies within `lengths`.
    public mutating func text(_ lengths: ClosedRange<Int>) throws(DecodingError) -> String {
        let range = try textRange()
        guard lengths.contains(range.count) else { throw .outOfRange }
        return try string(range)
    }

    /// Reads a byte string.
    public mutating func byteString() throws(DecodingError) -> [UInt8] {
        let count = try length(.bytes, bytesEach: 1)
        let start = offset
        offset += count
        return Array(bytes[start..<offset])
    }

    /// Reads a boolean.
    public mutating func bool() throws(DecodingError) -> Bool {
        guard offset < end else { throw .truncated }
        guard let value = Self.boolean(bytes[offset]) else { throw .unexpectedItem }
        offset += 1
        return value
    }

    /// Reads null if it comes next, and says whether it did.
    public mutating func null() -> Bool {
        guard offset < end, bytes[offset] == 0xF6 else { return false }
        offset += 1
        return true
    }

    /// The first byte of the next item: its major type in the upper three bits.
    package var next: UInt8? { offset < end ? bytes[offset] : nil }

    /// The bytes from `start` up to the next item.
    package func slice(from start: Int) -> ArraySlice<UInt8> { bytes[start..<offset] }

    package static func boolean(_ byte: UInt8) -> Bool? {
        switch byte {
        case 0xF4: return false
        case 0xF5: return true
        default: return nil
        }
    }

    // MARK: Strings

    /// Reads the head of a text string and passes over its bytes, without looking at them.
    package mutating func textRange() throws(DecodingError) -> Range<Int> {
        let count = try length(.text, bytesEach: 1)
        let start = offset
        offset += count
        return start..<offset
    }

    /// The string of bytes passed over.
    package func string(_ range: Range<Int>) throws(DecodingError) -> String {
        let string = bytes.withUnsafeBufferPointer { bytes -> String? in
            let text = UnsafeBufferPointer(rebasing: bytes[range])
            // What is not UTF-8 is repaired and therefore not the same. `String(validating:)` looks up generic types on every call,
            // which takes longer than all of this.
            let repaired = String(decoding: text, as: UTF8.self)
            return text.allSatisfy { $0 < 0x80 } || repaired.utf8.elementsEqual(text) ? repaired : nil
        }
        guard let string else { throw .invalidUTF8 }
        return string
    }
}
