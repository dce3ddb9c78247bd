/// Reading what a scenario expects.
extension ScenarioParser {
    func expectation(_ fields: inout ScenarioFields) throws(ScenarioError) -> Expectation {
        let (named, includesServer, isAll) = try subjects(&fields)
        var shapes: [(name: String, facts: ShapeFacts)] = []
        for (name, value) in try fields.object("shapes") {
            guard case .object(let members) = value else {
                throw fields.error("what is expected of '\(name)' must be an object, not \(value.kindName)")
            }
            shapes.append((try shape(name, fields), try facts(members, of: name, fields)))
        }
        let history = HistoryFacts(
            canUndo: try fields.bool("canUndo"), canRedo: try fields.bool("canRedo"),
            undoLabel: try fields.stringOrNull("undoLabel"), redoLabel: try fields.stringOrNull("redoLabel"),
            undoCount: try fields.integer("undoCount", in: 0...Int64(Int32.max)),
            redoCount: try fields.integer("redoCount", in: 0...Int64(Int32.max)))
        let expectation = Expectation(
            clients: named, includesServer: includesServer, shapes: shapes,
            order: try names("order", &fields), history: history,
            pending: try fields.integer("pending", in: 0...Int64(Int32.max)), equal: try fields.bool("equal"))
        if named.isEmpty, !history.isEmpty || expectation.pending != nil {
            throw fields.error("the server has no history and nothing pending; name a client")
        }
        if expectation.equal != nil, !isAll { throw fields.error("'equal' can be expected of all only") }
        if shapes.isEmpty, history.isEmpty, expectation.order == nil, expectation.pending == nil,
            expectation.equal == nil
        {
            if fields.keys.isEmpty { throw fields.error("'expect' expects nothing") }
        }
        return expectation
    }

    /// Whom an expectation is about.
    private func subjects(
        _ fields: inout ScenarioFields
    ) throws(ScenarioError) -> (clients: [Int], includesServer: Bool, isAll: Bool) {
        let named = try fields.strings("expect")
        if named == ["all"] { return (Array(clients.indices), true, true) }
        if named.isEmpty { throw fields.error("'expect' must name clients, server or all") }
        var result: [Int] = []
        for name in named where name != "server" { result.append(try client(name, fields)) }
        return (result, named.contains("server"), false)
    }

    private func facts(
        _ members: [String: JSONValue], of name: String, _ line: ScenarioFields
    ) throws(ScenarioError) -> ShapeFacts {
        var fields = line.nested(members)
        let parent = try fields.stringOrNull("parent")
        if case .some(.some(let parent)) = parent { _ = try shape(parent, fields) }
        let facts = ShapeFacts(
            visible: try fields.bool("visible"), kind: try fields.optionalString("kind"),
            properties: try changes("properties", &fields), text: try fields.optionalString("text"), parent: parent,
            children: try names("children", &fields))
        try fields.finish("what is expected of '\(name)'")
        return facts
    }

    /// A list of shapes; nil where the member is not there.
    private func names(_ key: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> [String]? {
        guard let names = try fields.optionalStrings(key) else { return nil }
        for name in names { _ = try shape(name, fields) }
        return names
    }
}
