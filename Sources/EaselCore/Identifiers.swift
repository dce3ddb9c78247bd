/// A canvas's name: 1 to 128 of `A-Z a-z 0-9 . _ ~ -`, so it stands unescaped in a URL.
public struct CanvasID: Hashable, Sendable, CustomStringConvertible {
    /// The name as written.
    public let rawValue: String

    /// Nil unless `rawValue` is 1 to 128 bytes of the permitted characters.
    public init?(_ rawValue: String) {
        guard (1...128).contains(rawValue.utf8.count), rawValue.bytesSatisfy(Self.permits) else { return nil }
        self.rawValue = rawValue
    }

    private static func permits(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "-"):
            return true
        default:
            return false
        }
    }

    /// The name as written.
    public var description: String { rawValue }
}

/// One running client instance: a random number from 1 to 2^53 - 1, exact in JavaScript.
///
/// Two live instances never share a site; the server hands out a fresh one when they would.
public struct SiteID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The largest site number, 2^53 - 1.
    public static let maximum: UInt64 = (1 << 53) - 1

    /// Under which the server commits its own transactions, the largest number. No client ever has it.
    public static let server = SiteID(known: maximum)

    private init(known rawValue: UInt64) { self.rawValue = rawValue }

    /// The number, 1 to `maximum`.
    public let rawValue: UInt64

    /// Nil unless `rawValue` is within 1 to `maximum`.
    public init?(_ rawValue: UInt64) {
        guard (1...Self.maximum).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// The client's site that a random number stands for: any but the server's.
    public init(random: UInt64) { rawValue = random % (Self.maximum - 1) + 1 }

    /// By number.
    public static func < (left: SiteID, right: SiteID) -> Bool { left.rawValue < right.rawValue }

    /// The number in decimal digits.
    public var description: String { String(rawValue) }
}

/// Position in a canvas's total order: the first committed transaction has revision 1, the empty canvas 0.
public typealias Revision = UInt64

/// A site's running number for what it sends, counted from 1.
public typealias SequenceNumber = UInt64

/// Names a transaction for ever: content under a used id never changes.
public struct TransactionID: Hashable, Sendable {
    /// Who made it.
    public let site: SiteID
    /// The site's running number for it.
    public let sequence: SequenceNumber

    /// Pairs a site with its running number.
    public init(site: SiteID, sequence: SequenceNumber) {
        self.site = site
        self.sequence = sequence
    }
}
