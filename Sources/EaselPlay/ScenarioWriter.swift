import EaselCore

/// Writes what happens in a random history as a scenario: everything is held, and each delivery is released by count, so that
/// it takes the same course when it is played.
struct ScenarioWriter: Sendable {
    private let clients: [String]
    private var lines: [String] = []

    /// A scenario of clients that have joined an empty canvas.
    init(clients count: Int) {
        clients = (0..<count).map(Self.name)
        lines.append("{\"hold\":\(JSONText.of(clients))}")
        lines.append("{\"hold\":\"disk\"}")
    }

    /// A client's name: A, B, C and so on.
    static func name(of client: Int) -> String {
        client < 26 ? String(Unicode.Scalar(UInt8(65 + client))) : "C\(client + 1)"
    }

    /// The name of the shape that a step created.
    static func shape(_ number: Int) -> String { "s\(number)" }

    /// The whole file.
    ///
    /// - Parameters:
    ///   - notes: lines of comment behind the header.
    func text(id: String, title: String, notes: [String] = []) -> String {
        let header =
            "{\"scenario\":\(JSONText.of(id)),\"title\":\(JSONText.of(title)),\"clients\":\(JSONText.of(clients))}"
        return ([header] + notes.map { "# \($0)" } + lines).joined(separator: "\n") + "\n"
    }

    private mutating func add(_ members: [(String, String)]) {
        lines.append("{" + members.map { "\(JSONText.of($0.0)):\($0.1)" }.joined(separator: ",") + "}")
    }

    // MARK: People

    mutating func edit(
        _ client: Int, _ number: Int, _ edit: RandomPlayEdit<Int>, _ manner: RandomPlayStep.Manner, label: String,
        hasEffect: Bool
    ) {
        var members = [("by", JSONText.of(clients[client]))] + Self.members(of: edit, number)
        members.append(("label", JSONText.of(label)))
        if manner.isTyping { members.append(("coalescing", "\"typing\"")) }
        switch manner.history {
        case nil: members.append(("history", "\"none\""))
        case .some(let history): members += Self.members(ofHistory: history)
        }
        if manner.view > 0 { members.append(("view", String(manner.view))) }
        if !hasEffect { members.append(("effect", "false")) }
        add(members)
    }

    private static func members(of edit: RandomPlayEdit<Int>, _ number: Int) -> [(String, String)] {
        func name(_ shape: Int) -> String { JSONText.of(Self.shape(shape)) }
        switch edit {
        case .create(let parent, let text, let width):
            var members = [("create", name(number)), ("kind", "\"note\"")]
            if let parent { members.append(("in", name(parent))) }
            if let width { members.append(("properties", "{\"width\":\(width)}")) }
            if !text.isEmpty { members.append(("text", JSONText.of(text))) }
            return members
        case .set(let shape, let changes):
            let properties = changes.map {
                "\(JSONText.of($0.key.rawValue)):\($0.value.map { String($0) } ?? "null")"
            }
            return [("set", name(shape)), ("properties", "{\(properties.joined(separator: ","))}")]
        case .delete(let shapes): return [("delete", JSONText.of(shapes.map(Self.shape)))]
        case .type(let text, let shape, let offset):
            return [("type", JSONText.of(text)), ("in", name(shape)), ("at", String(offset))]
        case .erase(let count, let shape, let offset):
            return [("erase", String(count)), ("in", name(shape)), ("at", String(offset))]
        case .put(let shape, let parent): return [("put", name(shape)), ("into", parent.map { name($0) } ?? "null")]
        case .reorder(let shape, let reordering): return [(reordering.rawValue, name(shape))]
        }
    }

    private static func members(ofHistory history: Int) -> [(String, String)] {
        history == 0 ? [] : [("history", "\"second\"")]
    }

    mutating func press(_ client: Int, _ cause: Transaction.Cause, _ history: Int, _ label: String?) {
        let verb = cause == .undo ? "undo" : "redo"
        act(client, verb, label.map { JSONText.of($0) } ?? "false", history)
    }

    mutating func begin(_ client: Int, _ label: String, _ history: Int) {
        act(client, "begin", JSONText.of(label), history)
    }

    mutating func end(_ client: Int, _ history: Int) { act(client, "end", "true", history) }

    mutating func cancel(_ client: Int, _ history: Int) { act(client, "cancel", "true", history) }

    mutating func budget(_ client: Int, _ bytes: Int) { act(client, "bytes", String(bytes), 0) }

    mutating func clear(_ client: Int, _ history: Int) { act(client, "clearHistory", "true", history) }

    mutating func limit(_ client: Int, _ levels: Int, _ history: Int) {
        act(client, "levels", String(levels), history)
    }

    private mutating func act(_ client: Int, _ verb: String, _ value: String, _ history: Int) {
        add([("by", JSONText.of(clients[client])), (verb, value)] + Self.members(ofHistory: history))
    }

    // MARK: Network, server and time

    mutating func release(_ client: Int, _ direction: ScenarioStep.Direction, _ count: Int) {
        let way = direction == .up ? "\"up\"" : "\"down\""
        add([("release", JSONText.of(clients[client])), ("direction", way), ("count", String(count))])
    }

    mutating func duplicate(_ client: Int) { add([("duplicate", JSONText.of(clients[client]))]) }

    mutating func connect(_ client: Int) { add([("connect", JSONText.of(clients[client]))]) }

    mutating func disconnect(_ client: Int) { add([("disconnect", JSONText.of(clients[client]))]) }

    mutating func releaseDisk(_ count: Int) { add([("release", "\"disk\""), ("count", String(count))]) }

    mutating func failDisk(_ isKept: Bool) {
        add([("fail", "\"disk\"")] + (isKept ? [("kept", "true")] : []))
    }

    mutating func restart() { add([("restart", "\"server\"")]) }

    mutating func refuse(_ client: Int) { add([("refuse", JSONText.of(clients[client]))]) }

    mutating func purge(_ shapes: [Int], _ isText: Bool) {
        add([("purge", JSONText.of(shapes.map(Self.shape)))] + (isText ? [("text", "true")] : []))
    }

    mutating func role(_ client: Int, _ isViewer: Bool) {
        add([("role", isViewer ? "\"viewer\"" : "\"editor\""), ("of", JSONText.of(clients[client]))])
    }

    mutating func kill(_ client: Int) { add([("kill", JSONText.of(clients[client]))]) }

    mutating func revive(_ client: Int, _ hasCanvas: Bool) {
        add([("return", JSONText.of(clients[client]))] + (hasCanvas ? [] : [("canvas", "false")]))
    }

    mutating func wait(_ milliseconds: UInt64) { add([("wait", String(milliseconds))]) }

    /// Nothing is held any more.
    mutating func releaseEverything() {
        add([("release", JSONText.of(clients))])
        add([("release", "\"disk\"")])
    }

    // MARK: Expectations

    /// Expects of a client, or of the server, that shapes are as a canvas has them.
    mutating func expect(_ client: Int?, _ ids: [ShapeID], as canvas: Canvas, _ numbers: [ShapeID: Int]) {
        let facts = ids.compactMap { id -> String? in
            guard let number = numbers[id] else { return nil }
            return "\(JSONText.of(Self.shape(number))):\(Self.facts(of: canvas[id], canvas, numbers))"
        }
        guard !facts.isEmpty else { return }
        let subject = client.map { clients[$0] } ?? "server"
        add([("expect", JSONText.of(subject)), ("shapes", "{\(facts.joined(separator: ","))}")])
    }

    private static func facts(of shape: Shape?, _ canvas: Canvas, _ numbers: [ShapeID: Int]) -> String {
        guard let shape else { return "{\"visible\":false}" }
        var members = ["\"visible\":\(shape.isVisible)"]
        let keys: [PropertyKey] = [PropertyKey("color"), PropertyKey("width"), PropertyKey("x")]
        let properties = keys.map { "\(JSONText.of($0.rawValue)):\(JSONText.of(shape[$0]))" }
        members.append("\"properties\":{\(properties.joined(separator: ","))}")
        members.append("\"text\":\(JSONText.of(shape.text.string))")
        let parent = canvas.livingParent(of: shape.id).flatMap { numbers[$0] }
        members.append("\"parent\":\(parent.map { JSONText.of(Self.shape($0)) } ?? "null")")
        return "{\(members.joined(separator: ","))}"
    }
}
