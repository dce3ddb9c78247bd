import EaselClientEngine
import EaselCore

/// Reading edits.
extension ScenarioParser {
    mutating func editStep(_ verb: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> ScenarioStep {
        let actor = try actor(&fields)
        if verb == "replace" { return try replacement(by: actor, &fields) }
        let (edit, name) = try edit(verb, &fields)
        let label = try label("label", &fields, default: name)
        let isTyping = verb == "type" || verb == "erase"
        var coalescing = Coalescing.none
        if isTyping, let text = try fields.optionalString("coalescing") {
            guard text == "typing" else { throw fields.error("'coalescing' must be typing") }
            coalescing = .typing
        }
        let history = try historyOrNone(&fields)
        let selection = try selectionTerms(&fields)
        if selection != nil, history == nil { throw fields.error("'selection' needs a 'history' that keeps it") }
        var mark: String?
        if let name = try fields.optionalString("since") { mark = try self.mark(name, by: actor, fields) }
        let terms = EditTerms(
            label: label, view: UInt32(try fields.integer("view", in: 1...Int64(UInt32.max)) ?? 0), history: history,
            coalescing: coalescing, selection: selection, mark: mark, effect: try effect(mark, &fields))
        return .edit(client: actor, edit, terms)
    }

    private func effect(_ mark: String?, _ fields: inout ScenarioFields) throws(ScenarioError) -> EditTerms.Effect {
        switch fields.take("effect") {
        case nil, .bool(true): return .something
        case .bool(false): return .nothing
        case .string("stale"):
            if mark == nil { throw fields.error("an edit can be stale only with 'since'") }
            return .stale
        case .some(let value):
            throw fields.error("'effect' must be true, false or \"stale\", not \(value.kindName)")
        }
    }

    /// An edit and the name it has unless the line gives one.
    private mutating func edit(
        _ verb: String, _ fields: inout ScenarioFields
    ) throws(ScenarioError) -> (ScenarioEdit, String) {
        switch verb {
        case "create": return try creation(&fields)
        case "set":
            let shape = try shape(try fields.string(verb), fields)
            let changes = try changes("properties", &fields)
            if changes.isEmpty { throw fields.error("'properties' is missing or empty") }
            return (.set(shape: shape, changes), "Set \(shape)")
        case "delete":
            let names = try targets(verb, &fields)
            return (.delete(shapes: names), "Delete " + names.joined(separator: ", "))
        case "show":
            let names = try targets(verb, &fields)
            return (.show(shapes: names), "Show " + names.joined(separator: ", "))
        case "type":
            let text = try fields.string(verb)
            let shape = try shape(try fields.string("in"), fields)
            let end = Int64(Limits.charactersPerText)
            let offset = try fields.integer("at", in: 0...end) ?? Limits.charactersPerText
            return (.type(text, shape: shape, offset: offset), "Type in \(shape)")
        case "erase":
            let most = Int64(Limits.charactersPerText)
            let count = try fields.requiredInteger(verb, in: 1...most)
            let shape = try shape(try fields.string("in"), fields)
            let offset = try fields.requiredInteger("at", in: 0...most)
            return (.erase(count: count, shape: shape, offset: offset), "Erase in \(shape)")
        case "put":
            let shape = try shape(try fields.string(verb), fields)
            guard let parent = try fields.stringOrNull("into") else { throw fields.error("'into' is missing") }
            if let parent { _ = try self.shape(parent, fields) }
            return (.put(shape: shape, parent: parent), "Put \(shape)")
        default:
            guard let reordering = ScenarioEdit.Reordering(rawValue: verb) else {
                preconditionFailure("every verb is handled")
            }
            let shape = try shape(try fields.string(verb), fields)
            return (.reorder(shape: shape, reordering), reordering.label(of: shape))
        }
    }

    /// The shapes that the value of a verb names: one or a list.
    private func targets(_ verb: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> [String] {
        let names = try fields.strings(verb)
        if names.isEmpty { throw fields.error("'\(verb)' must name a shape") }
        for name in names { _ = try shape(name, fields) }
        return names
    }

    private mutating func creation(_ fields: inout ScenarioFields) throws(ScenarioError) -> (ScenarioEdit, String) {
        let name = try newShape(try fields.string("create"), fields)
        let kind = try fields.string("kind", default: Self.usualKind)
        let parent = try fields.optionalString("in")
        if let parent { _ = try shape(parent, fields) }
        let properties = try properties(&fields)
        let text = try fields.string("text", default: "")
        let edit = ScenarioEdit.create(name: name, kind: kind, parent: parent, properties: properties, text: text)
        return (edit, "Create \(name)")
    }

    private static let usualKind = "rectangle"

    private mutating func replacement(
        by actor: Int, _ line: inout ScenarioFields
    ) throws(ScenarioError) -> ScenarioStep {
        var shapes: [ReplacementShape] = []
        for (name, value) in try line.object("replace") {
            guard case .object(let members) = value else {
                throw line.error("what '\(name)' is to be must be an object, not \(value.kindName)")
            }
            var fields = line.nested(members)
            let shape = ReplacementShape(
                name: try anyShape(name, fields), kind: try fields.string("kind", default: Self.usualKind),
                properties: try properties(&fields), text: try fields.string("text", default: ""))
            try fields.finish("what '\(name)' is to be")
            shapes.append(shape)
        }
        return .replace(
            client: actor, shapes, label: try label("label", &line, default: "Replace all"),
            history: try historyOrNone(&line))
    }
}

extension ScenarioEdit.Reordering {
    /// The name of the edit unless the line gives one.
    fileprivate func label(of shape: String) -> String {
        switch self {
        case .front: "Bring \(shape) to front"
        case .back: "Send \(shape) to back"
        case .forward: "Bring \(shape) forward"
        case .backward: "Send \(shape) backward"
        }
    }
}
