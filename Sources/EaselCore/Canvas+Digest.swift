extension Canvas {
    // The digest is a sum modulo 2^64, so that a change costs only the parts it touches. With s = XXH64(id, seed 0) a
    // shape adds
    //   XXH64(head, seed s)      head = CBOR [id, kind, parent or null, order key, causes]
    //   XXH64(property, seed s)  for each property = CBOR [key, value]
    //   XXH64(text, seed s)      text = its text's digest as 8 little-endian bytes, unless the text is empty
    // and each site with commits adds XXH64(CBOR [site, highest number], seed 0).

    static func seed(_ id: ShapeID) -> UInt64 { XXH64.hash(id.rawValue) }

    static func headHash(_ shape: Shape) -> UInt64 {
        var encoder = CBOREncoder()
        return headHash(shape, seed: seed(shape.id), &encoder)
    }

    private static func headHash(_ shape: Shape, seed: UInt64, _ encoder: inout CBOREncoder) -> UInt64 {
        encoder.restart()
        encoder.array(5)
        encoder.text(shape.id.rawValue)
        encoder.text(shape.kind)
        if let parent = shape.parent { encoder.text(parent.rawValue) } else { encoder.null() }
        encoder.text(shape.order.rawValue)
        encoder.unsigned(UInt64(shape.causes.rawValue))
        return XXH64.hash(encoder.bytes, seed: seed)
    }

    static func propertyHash(_ id: ShapeID, _ key: PropertyKey, _ value: Value) -> UInt64 {
        var encoder = CBOREncoder()
        return propertyHash(key, value, seed: seed(id), &encoder)
    }

    /// The same with an encoder that has been used before, since most of what a small part costs is the room to encode it in.
    static func propertyHash(
        _ key: PropertyKey, _ value: Value, seed: UInt64, _ encoder: inout CBOREncoder
    ) -> UInt64 {
        encoder.restart()
        encoder.array(2)
        encoder.text(key.rawValue)
        encoder.value(value)
        return XXH64.hash(encoder.bytes, seed: seed)
    }

    static func textHash(_ id: ShapeID, _ text: Text) -> UInt64 { textHash(text, seed: seed(id)) }

    private static func textHash(_ text: Text, seed: UInt64) -> UInt64 {
        guard !text.isEmpty else { return 0 }
        return withUnsafeBytes(of: text.digest.littleEndian) { XXH64.hash($0, seed: seed) }
    }

    static func shapeHash(_ shape: Shape) -> UInt64 {
        let seed = seed(shape.id)
        var encoder = CBOREncoder()
        encoder.reserve(128)
        var sum = headHash(shape, seed: seed, &encoder) &+ textHash(shape.text, seed: seed)
        for property in shape.properties {
            sum &+= propertyHash(property.key, property.value, seed: seed, &encoder)
        }
        return sum
    }

    static func siteHash(_ site: SiteID, _ sequence: SequenceNumber) -> UInt64 {
        var encoder = CBOREncoder()
        encoder.reserve(19)
        encoder.array(2)
        encoder.unsigned(site.rawValue)
        encoder.unsigned(sequence)
        return XXH64.hash(encoder.bytes)
    }

    /// The digest computed anew from every part; linear, for tests and `verify`.
    public func recomputedDigest() -> UInt64 {
        var sum: UInt64 = 0
        shapes.forEach { sum &+= Self.shapeHash($0) }
        forEachSite { sum &+= Self.siteHash($0, $1) }
        return sum
    }

    /// Traps unless the parts agree with each other; linear, for tests.
    public func checkInvariants() {
        var visible = 0
        shapes.forEach { shape in
            if shape.isVisible { visible += 1 }
            precondition(siblings[shape.siblingKey] != nil, "each shape stands among its siblings")
            precondition(ancestorCount(of: shape.parent) != nil, "parents form no cycle")
            shape.text.checkInvariants()
        }
        precondition(siblings.count == shapes.count, "siblings are the shapes")
        precondition(visible == visibleShapeCount, "the count of visible shapes")
        precondition(recomputedDigest() == digest, "the digest is kept")
    }

    private func ancestorCount(of parent: ShapeID?) -> Int? {
        var count = 0
        var next = parent
        while let id = next {
            count += 1
            guard count <= shapes.count, let shape = shapes[id] else { return nil }
            next = shape.parent
        }
        return count
    }
}
