import EaselClientEngine
import EaselCore
import Foundation

/// Reads scenario files. Every mistake in one is an error that names its line.
struct ScenarioParser {
    /// Longest file, bytes.
    static let fileBytes = 16 * 1024 * 1024
    /// Most clients of a scenario.
    static let clients = 32

    let file: String
    private(set) var clients: [String] = []
    /// Names of the shapes created so far.
    private var shapes = Set<String>()

    private init(file: String) { self.file = file }

    /// Reads the scenario in a file.
    ///
    /// - Parameters:
    ///   - path: where the file is; messages name its last part.
    static func read(path: String) throws(ScenarioError) -> Scenario {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw ScenarioError(file: path, line: nil, sentence: "the file cannot be read")
        }
        guard bytes.count <= fileBytes else {
            throw ScenarioError(file: path, line: nil, sentence: "the file has more than \(fileBytes) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ScenarioError(file: path, line: nil, sentence: "the file is not UTF-8 text")
        }
        return try parse(text, file: name)
    }

    /// Reads the scenario in a text.
    static func parse(_ text: String, file: String) throws(ScenarioError) -> Scenario {
        var parser = ScenarioParser(file: file)
        var header: Header?
        var lines: [Scenario.Line] = []
        // A carriage return with a line feed is one Character.
        let rows = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, row) in rows.enumerated() {
            let content = row.drop { $0 == " " || $0 == "\t" }
            if content.isEmpty || content.hasPrefix("#") || content.hasPrefix("//") { continue }
            guard let value = JSONValue(line: String(content)), case .object(let members) = value else {
                throw ScenarioError(file: file, line: index + 1, sentence: "a line must be one JSON object")
            }
            var fields = ScenarioFields(members, file: file, line: index + 1)
            if header == nil {
                header = try parser.header(&fields)
            } else {
                lines.append(Scenario.Line(number: index + 1, step: try parser.step(&fields)))
            }
        }
        guard let header else { throw ScenarioError(file: file, line: nil, sentence: "the file has no scenario in it") }
        return Scenario(
            file: file, id: header.id, title: header.title, clients: parser.clients,
            needsSimulation: header.needsSimulation, lines: lines)
    }

    /// What the first line says besides the clients.
    private struct Header {
        let id: String
        let title: String
        let needsSimulation: Bool
    }

    private mutating func header(_ fields: inout ScenarioFields) throws(ScenarioError) -> Header {
        guard fields.keys.contains("scenario") else {
            throw fields.error("the first line must be the header, with 'scenario', 'title' and 'clients'")
        }
        let id = try fields.string("scenario")
        let title = try fields.string("title")
        clients = try fields.strings("clients")
        let needs = try fields.optionalString("needs")
        try fields.finish("the header")
        guard needs == nil || needs == "simulation" else { throw fields.error("'needs' must be simulation") }
        if id.isEmpty || title.isEmpty { throw fields.error("'scenario' and 'title' must not be empty") }
        guard (1...Self.clients).contains(clients.count), Set(clients).count == clients.count else {
            throw fields.error("'clients' must be 1 to \(Self.clients) different names")
        }
        for name in clients where name.isEmpty || name == "all" || name == "server" {
            throw fields.error("a client cannot have the name '\(name)'")
        }
        return Header(id: id, title: title, needsSimulation: needs != nil)
    }

    // MARK: Names

    func client(_ name: String, _ fields: ScenarioFields) throws(ScenarioError) -> Int {
        guard let index = clients.firstIndex(of: name) else {
            throw fields.error("there is no client '\(name)'; there are \(clients.joined(separator: ", "))")
        }
        return index
    }

    /// The clients that the value of a verb names: one or a list.
    private func clients(_ verb: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> [Int] {
        var result: [Int] = []
        for name in try fields.strings(verb) { result.append(try client(name, fields)) }
        return result
    }

    /// A shape's name, which an earlier line must have given.
    func shape(_ name: String, _ fields: ScenarioFields) throws(ScenarioError) -> String {
        guard shapes.contains(name) else { throw fields.error("no line above creates the shape '\(name)'") }
        return name
    }

    private mutating func newShape(_ name: String, _ fields: ScenarioFields) throws(ScenarioError) -> String {
        if name.isEmpty { throw fields.error("a shape's name must not be empty") }
        guard shapes.insert(name).inserted else { throw fields.error("the shape '\(name)' was created before") }
        return name
    }

    // MARK: Steps

    private static let verbs: [String] = [
        "back", "backward", "begin", "clearHistory", "connect", "create", "delete", "disconnect", "end", "erase",
        "expect",
        "forward", "front", "hold", "put", "redo", "release", "restart", "set", "type", "undo", "wait",
    ]

    private mutating func step(_ fields: inout ScenarioFields) throws(ScenarioError) -> ScenarioStep {
        let found = fields.keys.filter(Self.verbs.contains)
        guard let verb = found.first else {
            throw fields.error("the line has no verb; verbs are \(Self.verbs.joined(separator: ", "))")
        }
        guard found.count == 1 else {
            throw fields.error("the line has the verbs \(found.joined(separator: " and ")); it must have one")
        }
        let step: ScenarioStep
        switch verb {
        case "expect": step = .expect(try expectation(&fields))
        case "hold", "release", "connect", "disconnect", "restart", "wait": step = try networkStep(verb, &fields)
        case "undo", "redo", "begin", "end", "clearHistory": step = try historyStep(verb, &fields)
        default: step = try editStep(verb, &fields)
        }
        try fields.finish("'\(verb)'")
        return step
    }

    private func networkStep(_ verb: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> ScenarioStep {
        switch verb {
        case "hold": return .hold(clients: try clients(verb, &fields), try direction(&fields))
        case "release":
            let clients = try clients(verb, &fields)
            let direction = try direction(&fields)
            let count = try fields.integer("count", in: 1...Int64(Int32.max))
            if count != nil, direction == .both { throw fields.error("'count' needs a 'direction', up or down") }
            return .release(clients: clients, direction, count: count)
        case "connect": return .connect(clients: try clients(verb, &fields))
        case "disconnect": return .disconnect(clients: try clients(verb, &fields))
        case "restart":
            guard try fields.string(verb) == "server" else { throw fields.error("only the server can be restarted") }
            return .restart
        default:
            let longest: Int64 = 3_600_000
            return .wait(milliseconds: UInt64(try fields.requiredInteger(verb, in: 0...longest)))
        }
    }

    private func direction(_ fields: inout ScenarioFields) throws(ScenarioError) -> ScenarioStep.Direction {
        switch try fields.string("direction", default: "both") {
        case "up": return .up
        case "down": return .down
        case "both": return .both
        default: throw fields.error("'direction' must be up, down or both")
        }
    }

    private func historyStep(_ verb: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> ScenarioStep {
        let actor = try client(try fields.string("by"), fields)
        switch verb {
        case "undo", "redo":
            let press: ScenarioStep.Press = verb == "undo" ? .undo : .redo
            switch fields.take(verb) {
            case .bool(true): return .press(client: actor, press, .something)
            case .bool(false): return .press(client: actor, press, .nothing)
            case .string(let label): return .press(client: actor, press, .named(label))
            default: throw fields.error("'\(verb)' must be true, false or the name of the action")
            }
        case "begin": return .begin(client: actor, label: try label(verb, &fields, default: ""))
        case "end":
            try fields.isTrue(verb)
            return .end(client: actor)
        default:
            try fields.isTrue(verb)
            return .clearHistory(client: actor)
        }
    }

    private func label(
        _ key: String, _ fields: inout ScenarioFields, default fallback: String
    ) throws(ScenarioError) -> String {
        let label = try fields.string(key, default: fallback)
        guard (1...Limits.labelBytes).contains(label.utf8.count) else {
            throw fields.error("'\(key)' must have 1 to \(Limits.labelBytes) bytes")
        }
        return label
    }

    // MARK: Edits

    private mutating func editStep(_ verb: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> ScenarioStep
    {
        let actor = try client(try fields.string("by"), fields)
        let (edit, name) = try edit(verb, &fields)
        let label = try label("label", &fields, default: name)
        let isTyping = verb == "type" || verb == "erase"
        var coalescing = Coalescing.none
        if isTyping, let text = try fields.optionalString("coalescing") {
            guard text == "typing" else { throw fields.error("'coalescing' must be typing") }
            coalescing = .typing
        }
        let history = try fields.string("history", default: "main")
        guard history == "main" || history == "none" else { throw fields.error("'history' must be main or none") }
        let hasEffect = try fields.bool("effect") ?? true
        let terms = EditTerms(
            label: label, isRecorded: history == "main", coalescing: coalescing, hasEffect: hasEffect)
        return .edit(client: actor, edit, terms)
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
            let names = try fields.strings(verb)
            if names.isEmpty { throw fields.error("'delete' must name a shape") }
            for name in names { _ = try shape(name, fields) }
            return (.delete(shapes: names), "Delete " + names.joined(separator: ", "))
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

    private mutating func creation(_ fields: inout ScenarioFields) throws(ScenarioError) -> (ScenarioEdit, String) {
        let name = try newShape(try fields.string("create"), fields)
        let kind = try fields.string("kind", default: "rectangle")
        let parent = try fields.optionalString("in")
        if let parent { _ = try shape(parent, fields) }
        var properties = Properties()
        for change in try changes("properties", &fields) {
            guard let value = change.value else { throw fields.error("a new shape's properties cannot be null") }
            properties[change.key] = value
        }
        let text = try fields.string("text", default: "")
        let edit = ScenarioEdit.create(name: name, kind: kind, parent: parent, properties: properties, text: text)
        return (edit, "Create \(name)")
    }

    /// Registers and their values; null stands for absent.
    func changes(_ key: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> [PropertyChange] {
        var result: [PropertyChange] = []
        for (name, value) in try fields.object(key) {
            guard let property = PropertyKey(name) else {
                throw fields.error("'\(name)' cannot be the name of a property; it must have 1 to 64 bytes")
            }
            let converted = value.propertyValue
            if converted == nil, value != .null {
                throw fields.error("the value of '\(name)' cannot be that of a property")
            }
            result.append(PropertyChange(property, converted))
        }
        return result
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
