/// Operations that are applied whole or refused whole, with what people are told about them.
public struct Transaction: Sendable, Equatable {
    /// Whether its writer made an edit, or took one back, or brought one back.
    public enum Cause: UInt8, Sendable {
        /// It made an edit.
        case edit = 0
        /// It took back.
        case undo = 1
        /// It brought back.
        case redo = 2
    }

    /// What it does, in order; never empty.
    public let operations: [Operation]
    /// Its name for people, for example "Move Rectangle"; at most 256 bytes.
    public let label: String
    /// Edit, undo or redo.
    public let cause: Cause
    /// The writer's number for the view it came from, for the echo guard among views of one client; 0 for none.
    public let view: UInt32

    /// A transaction of at least one operation.
    public init(operations: [Operation], label: String, cause: Cause = .edit, view: UInt32 = 0) {
        self.operations = operations
        self.label = label
        self.cause = cause
        self.view = view
    }
}

/// A transaction with its place in the canvas's order.
public struct Commit: Sendable, Equatable {
    /// Its place.
    public let revision: Revision
    /// Who sent it, under which number.
    public let id: TransactionID
    /// When the server ordered it, milliseconds since 1970; for people only, nothing is computed from it.
    public let time: UInt64
    /// What it does.
    public let transaction: Transaction

    /// A transaction at a place.
    public init(revision: Revision, id: TransactionID, time: UInt64, transaction: Transaction) {
        self.revision = revision
        self.id = id
        self.time = time
        self.transaction = transaction
    }
}

/// Why an operation had no effect. The transaction is applied all the same, without that operation.
public enum Problem: Sendable, Equatable {
    /// The shape was never created, or its creation was refused, or it was purged.
    case unknownShape(ShapeID)
    /// A shape with that id exists.
    case shapeExists(ShapeID)
    /// The parent is the shape itself or lies inside it.
    case cycle(ShapeID)
    /// The parent lies deeper than ``Limits/nesting``.
    case tooDeep(ShapeID)
    /// The shape would have more than ``Limits/propertiesPerShape`` properties.
    case tooManyProperties(ShapeID)
    /// The text would have more than ``Limits/charactersPerText`` characters.
    case textFull(ShapeID)
    /// A neighbour of the insertion does not exist, or they are out of order.
    case neighbours(ShapeID)
    /// The characters' numbers are not above all that their site used in this text.
    case charactersExist(ShapeID)
    /// The characters to hide or show were purged.
    case charactersPurged(ShapeID)
    /// A purge leaves what it names: it can be seen, or something is in the shape that is not purged with it.
    case notPurged(ShapeID)
}

/// What applying operations did.
public struct Outcome: Sendable {
    /// For each operation its inverse, made from the state just before it; nil where it had no effect.
    public internal(set) var inverses: [Operation?] = []
    /// Why operations had no effect, in order.
    public internal(set) var problems: [Problem] = []
}
