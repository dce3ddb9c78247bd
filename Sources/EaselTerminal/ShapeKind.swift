import EaselCore

/// The kinds of shapes that the editor draws in a way of their own.
enum ShapeKind: Hashable, Sendable {
    case rectangle
    case ellipse
    case line
    case text
    case note
    /// A kind of some other program; it is drawn as a box with its name.
    case other(String)

    init(_ kind: String) {
        switch kind {
        case "rectangle": self = .rectangle
        case "ellipse": self = .ellipse
        case "line": self = .line
        case "text": self = .text
        case "note": self = .note
        default: self = .other(kind)
        }
    }

    /// The kind as shapes hold it.
    var name: String {
        switch self {
        case .rectangle: return "rectangle"
        case .ellipse: return "ellipse"
        case .line: return "line"
        case .text: return "text"
        case .note: return "note"
        case .other(let name): return name
        }
    }

    /// The kind as people read it in the names of actions: "Rectangle".
    var title: String { name.prefix(1).uppercased() + name.dropFirst() }

    /// The size of a shape that is placed without dragging it out, in canvas units.
    var defaultSize: (width: Int, height: Int) {
        switch self {
        case .rectangle, .other: return (16, 5)
        case .ellipse: return (18, 7)
        case .line: return (16, 1)
        case .text: return (1, 1)
        case .note: return (20, 6)
        }
    }

    /// Whether one starts to type as soon as the shape is there.
    var startsWithText: Bool { self == .text || self == .note }

    /// The property that the key for colours changes.
    var colourKey: PropertyKey {
        switch self {
        case .rectangle, .ellipse, .line, .other: return Key.stroke
        case .note: return Key.fill
        case .text: return Key.color
        }
    }
}
