/// The identity of one character of text: the site that typed it and that site's running number.
public struct CharacterID: Hashable, Sendable {
    /// Who typed it.
    public let site: SiteID
    /// The site's running number, 1 to 2^53 - 1.
    public let counter: UInt64

    /// Pairs a site with its running number.
    public init(site: SiteID, counter: UInt64) {
        self.site = site
        self.counter = counter
    }

    func advanced(by count: Int) -> CharacterID { CharacterID(site: site, counter: counter + UInt64(count)) }
}

extension CharacterID: Comparable {
    /// By site, then by number. It says nothing about places in the text.
    public static func < (left: CharacterID, right: CharacterID) -> Bool {
        left.site == right.site ? left.counter < right.counter : left.site < right.site
    }
}

/// Characters with consecutive numbers of one site.
public struct CharacterRange: Hashable, Sendable {
    /// The first of them.
    public let first: CharacterID
    /// How many, at least 1.
    public let count: Int

    /// Names `count` characters from `first` on.
    public init(first: CharacterID, count: Int) {
        self.first = first
        self.count = count
    }

    /// Joins ranges that continue each other; the order of ranges is kept.
    static func append(_ range: CharacterRange, to ranges: inout [CharacterRange]) {
        if let last = ranges.last, last.first.advanced(by: last.count) == range.first {
            ranges[ranges.count - 1] = CharacterRange(first: last.first, count: last.count + range.count)
        } else {
            ranges.append(range)
        }
    }
}
