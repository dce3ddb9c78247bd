import EaselCore

func site(_ number: UInt64) -> SiteID {
    guard let site = SiteID(number) else { preconditionFailure("a site number") }
    return site
}

func shapeID(_ name: String) -> ShapeID {
    guard let id = ShapeID(name) else { preconditionFailure("a shape id") }
    return id
}

func order(_ digits: String) -> OrderKey {
    guard let key = OrderKey(digits) else { preconditionFailure("an order key") }
    return key
}

func propertyKey(_ name: String) -> PropertyKey {
    guard let key = PropertyKey(name) else { preconditionFailure("a property key") }
    return key
}

func character(_ siteNumber: UInt64, _ counter: UInt64) -> CharacterID {
    CharacterID(site: site(siteNumber), counter: counter)
}

func range(_ siteNumber: UInt64, _ counter: UInt64, _ count: Int) -> CharacterRange {
    CharacterRange(first: character(siteNumber, counter), count: count)
}

/// An operation that creates a shape.
func creating(
    _ name: String, in parent: String? = nil, order digits: String = "V", properties: [(PropertyKey, Value)] = [],
    text: TextInsertion? = nil
) -> Operation {
    .create(
        Creation(
            id: shapeID(name), kind: "rectangle", parent: parent.map(shapeID), order: order(digits),
            properties: Properties(properties), text: text))
}

/// An operation that inserts text of site 1 at the start.
func typing(_ name: String, _ characters: String, from counter: UInt64 = 1) -> Operation {
    .insertText(
        shapeID(name), TextInsertion(first: character(1, counter), characters: characters, left: nil, right: nil))
}

extension Canvas {
    /// The names of the children of a shape, rearmost first.
    func childNames(of parent: String? = nil) -> [String] { children(of: parent.map(shapeID)).map(\.id.rawValue) }

    /// The names of the visible shapes drawn in a shape.
    func visibleChildNames(of parent: String? = nil) -> [String] {
        visibleChildren(of: parent.map(shapeID)).map(\.id.rawValue)
    }

    /// The canvas after operations that are all expected to have an effect.
    static func holding(_ operations: [Operation]) -> Canvas {
        var canvas = Canvas()
        let outcome = canvas.apply(operations)
        precondition(outcome.problems.isEmpty, "a sample canvas is made of operations that have an effect")
        return canvas
    }
}

/// Everything a canvas holds, as plain values that can be compared.
struct Contents: Equatable {
    struct Item: Equatable {
        let id: ShapeID
        let kind: String
        let parent: ShapeID?
        let order: OrderKey
        let properties: Properties
        let text: [Sign]
        let causes: HiddenCauses
    }

    struct Sign: Equatable {
        let id: CharacterID
        /// 0 for a purged one.
        var scalar: UInt32
        let origin: CharacterID?
        var causes: HiddenCauses
    }

    let items: [Item]

    init(_ canvas: Canvas) {
        var items: [Item] = []
        canvas.forEachShape { shape in
            items.append(
                Item(
                    id: shape.id, kind: shape.kind, parent: shape.parent, order: shape.order,
                    properties: shape.properties, text: shape.text.signs, causes: shape.causes))
        }
        self.items = items.sorted { $0.id < $1.id }
    }
}
