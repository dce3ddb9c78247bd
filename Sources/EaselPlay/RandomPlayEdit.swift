import EaselCore

/// An edit with all its choices made. Shapes go by `Name`: their ids on a canvas, or the numbers they have in a history.
enum RandomPlayEdit<Name: Sendable>: Sendable {
    case create(parent: Name?, text: String, width: Int?)
    case set(Name, [Change])
    case delete([Name])
    case type(String, into: Name, at: Int)
    case erase(Int, from: Name, at: Int)
    case put(Name, into: Name?)
    case reorder(Name, ScenarioEdit.Reordering)

    /// A register and what it is set to; nil removes it.
    struct Change: Sendable, Equatable {
        let key: PropertyKey
        let value: Int?

        /// The value as a canvas holds it.
        var propertyChange: PropertyChange { PropertyChange(key, value.map { .integer(Int64($0)) }) }
    }

    /// The register that a new shape may start with.
    static var width: PropertyKey { PropertyKey("width") }

    /// The edit with other names; nil if one of them has none.
    func renamed<Other>(_ other: (Name) -> Other?) -> RandomPlayEdit<Other>? {
        switch self {
        case .create(nil, let text, let width): return .create(parent: nil, text: text, width: width)
        case .create(.some(let parent), let text, let width):
            return other(parent).map { .create(parent: $0, text: text, width: width) }
        case .set(let name, let changes):
            let renamed = changes.map { RandomPlayEdit<Other>.Change(key: $0.key, value: $0.value) }
            return other(name).map { .set($0, renamed) }
        case .delete(let names):
            let renamed = names.compactMap(other)
            return renamed.count == names.count ? .delete(renamed) : nil
        case .type(let text, let name, let offset): return other(name).map { .type(text, into: $0, at: offset) }
        case .erase(let count, let name, let offset): return other(name).map { .erase(count, from: $0, at: offset) }
        case .put(let name, nil): return other(name).map { .put($0, into: nil) }
        case .put(let name, .some(let parent)):
            guard let parent = other(parent) else { return nil }
            return other(name).map { .put($0, into: parent) }
        case .reorder(let name, let reordering): return other(name).map { .reorder($0, reordering) }
        }
    }

    /// What the edit is called.
    var verb: String {
        switch self {
        case .create: "Create"
        case .set: "Set"
        case .delete: "Delete"
        case .type: "Type"
        case .erase: "Erase"
        case .put: "Put"
        case .reorder: "Reorder"
        }
    }
}

extension RandomPlayEdit: Equatable where Name: Equatable {}

extension RandomPlayEdit where Name == ShapeID {
    /// Writes the edit to a draft. Returns the shape it creates, if it creates one.
    @discardableResult
    func write(to draft: inout TransactionDraft) -> ShapeID? {
        switch self {
        case .create(let parent, let text, let width):
            let properties = Properties(width.map { [(Self.width, .integer(Int64($0)))] } ?? [])
            return draft.create(kind: "note", in: parent, properties: properties, text: text)
        case .set(let id, let changes): draft.set(id, changes.map(\.propertyChange))
        case .delete(let ids): draft.delete(ids)
        case .type(let text, let id, let offset): draft.insertText(text, at: offset, in: id)
        case .erase(let count, let id, let offset): draft.deleteText(offset..<offset + count, in: id)
        case .put(let id, let parent): draft.put(id, into: parent)
        case .reorder(let id, .front): draft.bringToFront(id)
        case .reorder(let id, .back): draft.sendToBack(id)
        case .reorder(let id, .forward): draft.bringForward(id)
        case .reorder(let id, .backward): draft.sendBackward(id)
        }
        return nil
    }
}
