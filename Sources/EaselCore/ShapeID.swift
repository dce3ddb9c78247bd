/// A shape's identity: 1 to 32 bytes of printable ASCII without space. It never changes and is never used again.
public struct ShapeID: Hashable, Sendable, CustomStringConvertible {
    /// The id as written.
    public let rawValue: String

    /// Nil unless `rawValue` is 1 to 32 bytes of `!` to `~`.
    public init?(_ rawValue: String) {
        guard (1...Limits.shapeIDBytes).contains(rawValue.utf8.count),
            rawValue.bytesSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    /// An id that was checked before.
    init(checked rawValue: String) { self.rawValue = rawValue }

    /// The id of the `counter`-th shape a site makes: 9 base-62 digits of the site and 6 of the counter.
    ///
    /// Fifteen bytes fit Swift's inline strings. `counter` must be below 62^6.
    public init(site: SiteID, counter: UInt64) {
        precondition(counter < IdentitySource.shapes, "a site makes fewer than 62^6 shapes")
        let digits = Base62.digits(site.rawValue, count: 9) + Base62.digits(counter, count: 6)
        rawValue = String(decoding: digits, as: UTF8.self)
    }

    /// The id as written.
    public var description: String { rawValue }
}

extension ShapeID: Comparable {
    /// By bytes: for ASCII, the standard library's string order.
    public static func < (left: ShapeID, right: ShapeID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Numbers in the 62 digits `0-9 A-Z a-z`, whose byte order is their numeric order.
enum Base62 {
    static let radix = 62

    /// The lowest `count` digits of `value`, most significant first.
    static func digits(_ value: UInt64, count: Int) -> [UInt8] {
        var rest = value
        var digits = [UInt8](repeating: 0, count: count)
        for index in stride(from: count - 1, through: 0, by: -1) {
            digits[index] = character(Int(rest % 62))
            rest /= 62
        }
        return digits
    }

    /// The character of a digit, 0 to 61.
    static func character(_ digit: Int) -> UInt8 {
        switch digit {
        case 0..<10: return UInt8(ascii: "0") + UInt8(digit)
        case 10..<36: return UInt8(ascii: "A") + UInt8(digit - 10)
        default: return UInt8(ascii: "a") + UInt8(digit - 36)
        }
    }

    /// The digit of a character, or nil if it is none.
    static func digit(_ character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return Int(character - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return Int(character - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "a")...UInt8(ascii: "z"): return Int(character - UInt8(ascii: "a")) + 36
        default: return nil
        }
    }
}
