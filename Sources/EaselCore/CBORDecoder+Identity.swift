// Ids and numbers as they stand in messages, operations and snapshots.
extension CBORDecoder {
    package mutating func shapeID() throws(DecodingError) -> ShapeID {
        if let names { return try named(names.shapes) }
        guard let id = ShapeID(try text(1...Limits.shapeIDBytes)) else { throw .outOfRange }
        return id
    }

    /// A label, kind or property key of an operation.
    package mutating func word(_ lengths: ClosedRange<Int>) throws(DecodingError) -> String {
        guard let names else { return try text(lengths) }
        let word = try named(names.words)
        guard lengths.contains(word.utf8.count) else { throw .outOfRange }
        return word
    }

    private mutating func named<Name>(_ list: [Name]) throws(DecodingError) -> Name {
        let place = try unsigned()
        guard place < UInt64(list.count) else { throw .outOfRange }
        return list[Int(place)]
    }

    package mutating func orderKey() throws(DecodingError) -> OrderKey {
        guard let key = OrderKey(try text(1...Limits.orderKeyBytes)) else { throw .outOfRange }
        return key
    }

    package mutating func propertyKey() throws(DecodingError) -> PropertyKey {
        guard let key = PropertyKey(try text(1...Limits.propertyKeyBytes)) else { throw .outOfRange }
        return key
    }

    package mutating func siteID() throws(DecodingError) -> SiteID {
        if let names { return try named(names.sites) }
        guard let site = SiteID(try unsigned()) else { throw .outOfRange }
        return site
    }

    /// A number that is exact in JavaScript: 0 to 2^53 - 1.
    package mutating func exactNumber() throws(DecodingError) -> UInt64 { try unsigned(in: 0...Limits.counter) }

    package mutating func sequenceNumber() throws(DecodingError) -> SequenceNumber {
        try unsigned(in: 1...Limits.counter)
    }

    /// Site and number as two items in a row.
    package mutating func bareCharacterID() throws(DecodingError) -> CharacterID {
        CharacterID(site: try siteID(), counter: try unsigned(in: 1...Limits.counter))
    }

    /// `[site, number]`.
    package mutating func characterID() throws(DecodingError) -> CharacterID {
        try fields(2)
        return try bareCharacterID()
    }

    package mutating func optionalShapeID() throws(DecodingError) -> ShapeID? { null() ? nil : try shapeID() }

    package mutating func optionalCharacterID() throws(DecodingError) -> CharacterID? {
        null() ? nil : try characterID()
    }

    /// Reads the head of an array that has exactly `count` items.
    package mutating func fields(_ count: Int) throws(DecodingError) {
        let found = try array()
        guard found >= count else { throw .missingField }
        guard found == count else { throw .surplusField }
    }

    /// Reads an array of at most `limit` items, which `body` reads.
    package mutating func list<Item>(
        atMost limit: Int = .max, _ body: (inout CBORDecoder) throws(DecodingError) -> Item
    ) throws(DecodingError) -> [Item] {
        let count = try array()
        guard count <= limit else { throw .outOfRange }
        var items: [Item] = []
        items.reserveCapacity(min(count, Self.trustedCount))
        for _ in 0..<count { items.append(try body(&self)) }
        return items
    }
}

extension CBOREncoder {
    package mutating func shapeID(_ id: ShapeID) {
        if let place = names?.place(of: id) { unsigned(place) } else { text(id.rawValue) }
    }

    package mutating func siteID(_ site: SiteID) {
        unsigned(names?.place(of: site) ?? site.rawValue)
    }

    /// A label, kind or property key of an operation.
    package mutating func word(_ word: String) {
        if let place = names?.place(ofWord: word) { unsigned(place) } else { text(word) }
    }

    package mutating func optionalShapeID(_ id: ShapeID?) {
        if let id { shapeID(id) } else { null() }
    }

    package mutating func bareCharacterID(_ id: CharacterID) {
        siteID(id.site)
        unsigned(id.counter)
    }

    package mutating func characterID(_ id: CharacterID) {
        array(2)
        bareCharacterID(id)
    }

    package mutating func optionalCharacterID(_ id: CharacterID?) {
        if let id { characterID(id) } else { null() }
    }
}
