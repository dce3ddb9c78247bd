/// One thing on the canvas. Nobody's edit destroys one: hiding it keeps everything it holds, and hidden shapes go on
/// receiving edits, so that showing one brings back everybody's work.
public struct Shape: Sendable {
    /// Identity; never changes.
    public let id: ShapeID
    /// What it is, for example `rectangle`; 1 to 32 bytes, never changes.
    public let kind: String
    /// The shape it was put into; nil for the canvas itself. May be hidden: see ``Canvas/livingParent(of:)``.
    public internal(set) var parent: ShapeID?
    /// Its place among the shapes with the same parent.
    public internal(set) var order: OrderKey
    /// Its properties; each key is a register of its own, the last write in server order wins.
    public internal(set) var properties: Properties
    /// Its text; empty for shapes that have none.
    public internal(set) var text: Text
    /// Why it is hidden; visible when empty.
    public internal(set) var causes: HiddenCauses

    /// Whether nothing hides the shape itself.
    public var isVisible: Bool { causes.isEmpty }

    /// The value of a property.
    public subscript(key: PropertyKey) -> Value? { properties[key] }

    var siblingKey: SiblingKey { SiblingKey(parent: parent, order: order, id: id) }
}

/// Sorts shapes by parent, then by order key, then by id: children of one parent stand together, in their order.
struct SiblingKey: Comparable, Sendable {
    /// The parent's id, or empty.
    let parent: String
    /// The order key, or empty to stand in front of all children of the parent.
    let order: String
    let id: String

    init(parent: ShapeID?, order: OrderKey, id: ShapeID) {
        self.parent = parent?.rawValue ?? ""
        self.order = order.rawValue
        self.id = id.rawValue
    }

    /// In front of all children of `parent`.
    init(before parent: ShapeID?) {
        self.parent = parent?.rawValue ?? ""
        order = ""
        id = ""
    }

    /// Behind all children of `parent`.
    init(behind parent: ShapeID?) {
        self.parent = parent?.rawValue ?? ""
        order = "~"
        id = ""
    }

    static func < (left: SiblingKey, right: SiblingKey) -> Bool {
        if left.parent != right.parent { return left.parent < right.parent }
        if left.order != right.order { return left.order < right.order }
        return left.id < right.id
    }
}
