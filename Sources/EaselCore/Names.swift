/// What a message names many times and therefore lists once: its sites, its shape ids, and its words (labels, kinds and property
/// keys). Everything else in it names them by their places in the lists, from 0.
package struct Names: Sendable {
    package let sites: [SiteID]
    package let shapes: [ShapeID]
    package let words: [String]

    package init(sites: [SiteID], shapes: [ShapeID], words: [String]) {
        self.sites = sites
        self.shapes = shapes
        self.words = words
    }
}

/// The lists of ``Names`` while a message is being written.
package struct NameLists: Sendable {
    package private(set) var sites = NameList<SiteID>()
    package private(set) var shapes = NameList<ShapeID>()
    package private(set) var words = NameList<Word>()

    package init() {}

    /// The place of a site.
    package mutating func place(of site: SiteID) -> UInt64 { sites.place(of: site) }

    /// The place of a shape id.
    package mutating func place(of shape: ShapeID) -> UInt64 { shapes.place(of: shape) }

    /// The place of a word.
    package mutating func place(ofWord word: String) -> UInt64 { words.place(of: Word(text: word)) }
}

/// Names in the order in which they came first.
package struct NameList<Name: Hashable & Sendable>: Sendable {
    package private(set) var names: [Name] = []
    /// Empty while there are few, which are compared one by one: that costs less.
    private var places: [Name: UInt64] = [:]
    /// Where the last name stands.
    private var last = 0

    private static var few: Int { 8 }

    fileprivate mutating func place(of name: Name) -> UInt64 {
        // Sites and shapes come several times in a row.
        if last < names.count, names[last] == name { return UInt64(last) }
        last = knownPlace(of: name) ?? add(name)
        return UInt64(last)
    }

    private func knownPlace(of name: Name) -> Int? {
        names.count > Self.few ? places[name].map { Int($0) } : names.firstIndex(of: name)
    }

    private mutating func add(_ name: Name) -> Int {
        names.append(name)
        if names.count == Self.few + 1 {
            for (place, name) in names.enumerated() { places[name] = UInt64(place) }
        } else if names.count > Self.few {
            places[name] = UInt64(names.count - 1)
        }
        return names.count - 1
    }
}

/// A string that is equal to another if its bytes are, never by Unicode equivalence.
package struct Word: Hashable, Sendable {
    package let text: String
    /// Of the bytes: most words differ in it.
    private let digest: UInt64

    package init(text: String) {
        self.text = text
        digest = XXH64.hash(text)
    }

    package static func == (left: Word, right: Word) -> Bool {
        left.digest == right.digest && left.text.hasSameBytes(as: right.text)
    }

    // Not the digest: anybody can make words that have the same one.
    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}
