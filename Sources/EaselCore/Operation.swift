/// One change of a canvas. Everything is addressed by identity, never by index, so operations need no transformation:
/// each replica applies the same operations in the same order.
public enum Operation: Sendable, Equatable {
    /// A new shape.
    case create(Creation)
    /// Sets registers of a shape.
    case set(ShapeID, [PropertyChange])
    /// Puts a shape under another parent, at another place among its siblings, or both.
    case place(ShapeID, Placement)
    /// Adds a hidden cause to what is named.
    case hide(HiddenCause, Targets)
    /// Takes a hidden cause away from what is named.
    case show(HiddenCause, Targets)
    /// Inserts a run of characters into a shape's text.
    case insertText(ShapeID, TextInsertion)
    /// Removes what is hidden for good: shapes as if they had never been, of characters the content.
    ///
    /// Only the server makes it (``SiteID/server``). Of what is named it leaves what can be seen, and each shape with something
    /// in it that is not purged with it. Nothing takes it back.
    case purge(Targets)
}

/// What a new shape starts with.
public struct Creation: Sendable, Equatable {
    /// Its identity, never used before.
    public let id: ShapeID
    /// What it is, 1 to 32 bytes.
    public let kind: String
    /// The shape it is put into, if any.
    public let parent: ShapeID?
    /// Its place among siblings.
    public let order: OrderKey
    /// Its properties.
    public let properties: Properties
    /// Its text, if it starts with one; the insertion's neighbours must be nil.
    public let text: TextInsertion?

    /// Describes a new shape.
    public init(
        id: ShapeID, kind: String, parent: ShapeID?, order: OrderKey, properties: Properties, text: TextInsertion? = nil
    ) {
        self.id = id
        self.kind = kind
        self.parent = parent
        self.order = order
        self.properties = properties
        self.text = text
    }
}

/// A register and what it is set to; nil removes the property.
public struct PropertyChange: Sendable, Equatable {
    /// The register.
    public let key: PropertyKey
    /// Its new value, or nil for absent.
    public let value: Value?

    /// Pairs a register with its new value.
    public init(_ key: PropertyKey, _ value: Value?) {
        self.key = key
        self.value = value
    }
}

/// Where a shape is put. At least one of the two parts is there.
public struct Placement: Sendable, Equatable {
    /// A change of parent.
    public enum Parent: Sendable, Equatable {
        /// Onto the canvas itself.
        case canvas
        /// Into a shape.
        case shape(ShapeID)

        /// The parent's id; nil for the canvas.
        public var id: ShapeID? {
            switch self {
            case .canvas: return nil
            case .shape(let id): return id
            }
        }

        /// The parent with an id; nil is the canvas.
        public init(_ id: ShapeID?) {
            self = id.map { .shape($0) } ?? .canvas
        }
    }

    /// The new parent, or nil to keep it.
    public let parent: Parent?
    /// The new order key, or nil to keep it.
    public let order: OrderKey?

    /// A place given by a new parent, a new order key, or both.
    public init(parent: Parent? = nil, order: OrderKey? = nil) {
        self.parent = parent
        self.order = order
    }
}

/// What `hide`, `show` and `purge` act on.
public enum Targets: Sendable, Equatable {
    /// Shapes. The writer of a deletion names the shape and each descendant it saw in it.
    case shapes([ShapeID])
    /// Characters of one shape's text.
    case characters(ShapeID, [CharacterRange])
}
