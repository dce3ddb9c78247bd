import EaselCore
import Foundation

/// Reads scenario files. Every mistake in one is an error that names its line.
struct ScenarioParser {
    /// Longest file, bytes.
    static let fileBytes = 16 * 1024 * 1024
    /// Most clients of a scenario.
    static let clients = 32
    /// What is no client's name, since steps and expectations use it for something else.
    static let reservedNames = ["all", "disk", "server"]

    let file: String
    private(set) var clients: [String] = []
    /// Names of the shapes created so far.
    private var shapes = Set<String>()
    /// Names of the marks set so far, for each client.
    private var marks: [Int: Set<String>] = [:]

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
        for name in clients where name.isEmpty || Self.reservedNames.contains(name) {
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

    /// The client that `by` names.
    func actor(_ fields: inout ScenarioFields) throws(ScenarioError) -> Int {
        try client(try fields.string("by"), fields)
    }

    /// The clients that the value of a verb names: one or a list.
    func clients(_ verb: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> [Int] {
        let names = try fields.strings(verb)
        if names.isEmpty { throw fields.error("'\(verb)' must name a client") }
        return try clients(named: names, fields)
    }

    func clients(named names: [String], _ fields: ScenarioFields) throws(ScenarioError) -> [Int] {
        var result: [Int] = []
        for name in names { result.append(try client(name, fields)) }
        return result
    }

    /// A shape's name, which an earlier line must have given.
    func shape(_ name: String, _ fields: ScenarioFields) throws(ScenarioError) -> String {
        guard shapes.contains(name) else { throw fields.error("no line above creates the shape '\(name)'") }
        return name
    }

    /// A list of shapes; nil where the member is not there.
    func shapes(_ key: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> [String]? {
        guard let names = try fields.optionalStrings(key) else { return nil }
        for name in names { _ = try shape(name, fields) }
        return names
    }

    /// A name for a shape, of one that was made before or a new one.
    mutating func anyShape(_ name: String, _ fields: ScenarioFields) throws(ScenarioError) -> String {
        if name.isEmpty { throw fields.error("a shape's name must not be empty") }
        shapes.insert(name)
        return name
    }

    mutating func newShape(_ name: String, _ fields: ScenarioFields) throws(ScenarioError) -> String {
        if name.isEmpty { throw fields.error("a shape's name must not be empty") }
        guard shapes.insert(name).inserted else { throw fields.error("the shape '\(name)' was created before") }
        return name
    }

    mutating func setMark(_ name: String, by client: Int, _ fields: ScenarioFields) throws(ScenarioError) {
        if name.isEmpty { throw fields.error("a mark's name must not be empty") }
        marks[client, default: []].insert(name)
    }

    /// A mark's name, which an earlier line of the same client must have given.
    func mark(_ name: String, by client: Int, _ fields: ScenarioFields) throws(ScenarioError) -> String {
        guard marks[client]?.contains(name) == true else {
            throw fields.error("no line above sets the mark '\(name)' for \(clients[client])")
        }
        return name
    }

    // MARK: Steps

    private static let editVerbs = [
        "back", "backward", "create", "delete", "erase", "forward", "front", "put", "replace", "set", "show", "type",
    ]
    private static let historyVerbs = [
        "begin", "bytes", "cancel", "clearHistory", "clearRedo", "clearUndo", "closeHistory", "end", "levels", "mark",
        "policy", "redo", "undo",
    ]
    private static let networkVerbs = [
        "connect", "disconnect", "duplicate", "fail", "hold", "kill", "purge", "refuse", "release", "restart", "return",
        "role", "wait",
    ]
    private static let verbs = (editVerbs + historyVerbs + networkVerbs + ["expect"]).sorted()

    private mutating func step(_ fields: inout ScenarioFields) throws(ScenarioError) -> ScenarioStep {
        var found = fields.keys.filter(Self.verbs.contains)
        // What is expected of a client's role has the verb's name.
        if found.contains("expect") { found.removeAll { $0 == "role" } }
        guard let verb = found.first else {
            throw fields.error("the line has no verb; verbs are \(Self.verbs.joined(separator: ", "))")
        }
        guard found.count == 1 else {
            throw fields.error("the line has the verbs \(found.joined(separator: " and ")); it must have one")
        }
        let step: ScenarioStep
        switch verb {
        case "expect": step = .expect(try expectation(&fields))
        case _ where Self.networkVerbs.contains(verb): step = try networkStep(verb, &fields)
        case _ where Self.historyVerbs.contains(verb): step = try historyStep(verb, &fields)
        default: step = try editStep(verb, &fields)
        }
        try fields.finish("'\(verb)'")
        return step
    }

    // MARK: Parts of several verbs

    func label(
        _ key: String, _ fields: inout ScenarioFields, default fallback: String
    ) throws(ScenarioError) -> String {
        let label = try fields.string(key, default: fallback)
        guard (1...Limits.labelBytes).contains(label.utf8.count) else {
            throw fields.error("'\(key)' must have 1 to \(Limits.labelBytes) bytes")
        }
        return label
    }

    /// The name of the history that a line is about: `main` unless it says another.
    func history(_ fields: inout ScenarioFields) throws(ScenarioError) -> String {
        let name = try fields.string("history", default: Self.mainHistory)
        if name.isEmpty { throw fields.error("a history's name must not be empty") }
        if name == Self.noHistory { throw fields.error("'history' must name one here") }
        return name
    }

    /// The name of the history that an edit is recorded in: `main` unless the line says another, nil for none.
    func historyOrNone(_ fields: inout ScenarioFields) throws(ScenarioError) -> String? {
        let name = try fields.string("history", default: Self.mainHistory)
        if name.isEmpty { throw fields.error("a history's name must not be empty") }
        return name == Self.noHistory ? nil : name
    }

    /// The name of the history that every client has.
    static let mainHistory = "main"
    private static let noHistory = "none"

    /// Registers and their values; null stands for absent.
    func changes(_ key: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> [PropertyChange] {
        var result: [PropertyChange] = []
        for (name, value) in try fields.object(key) {
            let property = try propertyKey(name, fields)
            let converted = value.propertyValue
            if converted == nil, value != .null {
                throw fields.error("the value of '\(name)' cannot be that of a property")
            }
            result.append(PropertyChange(property, converted))
        }
        return result
    }

    /// The properties of a new shape.
    func properties(_ fields: inout ScenarioFields) throws(ScenarioError) -> Properties {
        var properties = Properties()
        for change in try changes("properties", &fields) {
            guard let value = change.value else { throw fields.error("a new shape's properties cannot be null") }
            properties[change.key] = value
        }
        return properties
    }

    func propertyKey(_ name: String, _ fields: ScenarioFields) throws(ScenarioError) -> PropertyKey {
        guard let property = PropertyKey(name) else {
            throw fields.error("'\(name)' cannot be the name of a property; it must have 1 to 64 bytes")
        }
        return property
    }
}
