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
    private var places: [Name: UInt64] = [:]

    fileprivate mutating func place(of name: Name) -> UInt64 {
        if let place = places[name] { return place }
        let place = UInt64(names.count)
        places[name] = place
        names.append(name)
        return place
    }
}

/// A string that is equal to another if its bytes are, never by Unicode equivalence.
package struct Word: Hashable, Sendable {
    package let text: String

    package static func == (left: Word, right: Word) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
