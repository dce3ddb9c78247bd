/// A place among siblings: a fraction written in base-62 digits, compared as bytes.
///
/// Fractional indexing: between two different keys there is room for another, so a move writes one shape only.
/// A generated key ends in two digits that depend on the site, so keys made concurrently for one place differ.
public struct OrderKey: Hashable, Sendable, CustomStringConvertible {
    /// The digits as written.
    public let rawValue: String

    /// Nil unless `rawValue` is 1 to 128 base-62 digits.
    public init?(_ rawValue: String) {
        guard (1...Limits.orderKeyBytes).contains(rawValue.utf8.count),
            rawValue.bytesSatisfy({ Base62.digit($0) != nil })
        else { return nil }
        self.rawValue = rawValue
    }

    /// The digits as written.
    public var description: String { rawValue }

    /// Digits that count up when a shape is put in front of or behind all others: room for 62^6 of them.
    private static let headDigits = 6
    private static let headCount: UInt64 = 56_800_235_584

    /// A key between two others, either of which may be open.
    ///
    /// - Returns: nil if nothing fits: the keys are equal or out of order, or the key would be longer than
    ///   ``Limits/orderKeyBytes``. The caller then spreads the siblings' keys out again.
    public static func between(_ lower: OrderKey?, _ upper: OrderKey?, site: SiteID) -> OrderKey? {
        let low = lower.map { $0.rawValue.utf8.map { Base62.digit($0) ?? 0 } }
        let high = upper.map { $0.rawValue.utf8.map { Base62.digit($0) ?? 0 } }
        guard var digits = head(low, high) ?? midpoint(low ?? [], high) else { return nil }
        let suffix = Int(XXH64.hash(site.description) % UInt64(62 * 61))
        digits.append(suffix / 61)
        digits.append(suffix % 61 + 1)
        guard digits.count <= Limits.orderKeyBytes else { return nil }
        return OrderKey(digits: digits)
    }

    /// Keys for `count` siblings, spread evenly.
    public static func spread(_ count: Int, site: SiteID) -> [OrderKey] {
        var keys: [OrderKey] = []
        keys.reserveCapacity(count)
        for _ in 0..<count {
            guard let key = between(keys.last, nil, site: site) else {
                preconditionFailure("fewer siblings than heads")
            }
            keys.append(key)
        }
        return keys
    }

    private init(digits: [Int]) {
        rawValue = String(decoding: digits.map { Base62.character($0) }, as: UTF8.self)
    }

    /// A key that differs from its neighbours in the head, where there is room: such keys stay short however
    /// many shapes are put in front or behind.
    private static func head(_ low: [Int]?, _ high: [Int]?) -> [Int]? {
        switch (low.map(headNumber), high.map(headNumber)) {
        case (nil, nil): return digits(head: headCount / 2)
        case (let low?, nil): return low + 1 < headCount ? digits(head: low + 1) : nil
        case (nil, let high?): return high > 0 ? digits(head: high - 1) : nil
        case (let low?, let high?):
            return high > low && high - low >= 2 ? digits(head: low + (high - low) / 2) : nil
        }
    }

    private static func headNumber(_ digits: [Int]) -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<headDigits { number = number * 62 + UInt64(index < digits.count ? digits[index] : 0) }
        return number
    }

    private static func digits(head: UInt64) -> [Int] {
        Base62.digits(head, count: headDigits).map { Base62.digit($0) ?? 0 }
    }

    /// The shortest digits strictly between `low` and `high` (nil: no upper bound) that no suffix can push out.
    private static func midpoint(_ low: [Int], _ high: [Int]?) -> [Int]? {
        var result: [Int] = []
        var high = high
        while result.count < Limits.orderKeyBytes {
            let index = result.count
            let lowDigit = index < low.count ? low[index] : 0
            if let bound = high, index >= bound.count { return nil }
            let highDigit = high.map { $0[index] } ?? Base62.radix
            if highDigit < lowDigit { return nil }
            if highDigit - lowDigit >= 2 {
                result.append((lowDigit + highDigit) / 2)
                return result
            }
            if highDigit - lowDigit == 1 { high = nil }
            result.append(lowDigit)
        }
        return nil
    }
}

extension OrderKey: Comparable {
    /// By bytes, never by locale: for ASCII, the standard library's string order.
    public static func < (left: OrderKey, right: OrderKey) -> Bool {
        left.rawValue < right.rawValue
    }
}
