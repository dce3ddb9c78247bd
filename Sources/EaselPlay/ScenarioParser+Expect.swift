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
        let expectation = Expectation(
            isAll: isAll, clients: named, includesServer: includesServer, shapes: shapes,
            order: try self.shapes("order", &fields), history: try historyFacts(&fields),
            client: try clientFacts(&fields), equal: try fields.bool("equal"))
        if named.isEmpty, !expectation.history.isEmpty || !expectation.client.isEmpty {
            throw fields.error("the server has no history and nothing pending; name a client")
        }
        if expectation.equal != nil, !isAll { throw fields.error("'equal' can be expected of all only") }
        if shapes.isEmpty, expectation.history.isEmpty, expectation.client.isEmpty, expectation.order == nil,
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
        return (try clients(named: named.filter { $0 != "server" }, fields), named.contains("server"), false)
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
            children: try shapes("children", &fields))
        try fields.finish("what is expected of '\(name)'")
        return facts
    }

    private func historyFacts(_ fields: inout ScenarioFields) throws(ScenarioError) -> HistoryFacts {
        var undoPreview: PressFacts?
        var redoPreview: PressFacts?
        if let members = try fields.optionalMembers("preview") {
            var presses = fields.nested(members)
            undoPreview = try preview("undo", &presses)
            redoPreview = try preview("redo", &presses)
            try presses.finish("'preview'")
        }
        let facts = HistoryFacts(
            name: try history(&fields),
            canUndo: try fields.bool("canUndo"), canRedo: try fields.bool("canRedo"),
            undoLabel: try fields.stringOrNull("undoLabel"), redoLabel: try fields.stringOrNull("redoLabel"),
            undoCount: try count("undoCount", &fields), redoCount: try count("redoCount", &fields),
            undoPreview: undoPreview, redoPreview: redoPreview, events: try count("historyEvents", &fields),
            retainedBytesAtMost: try count("retainedBytesAtMost", &fields))
        if facts.isEmpty, facts.name != Self.mainHistory {
            throw fields.error("nothing is expected of the history '\(facts.name)'")
        }
        return facts
    }

    private func clientFacts(_ fields: inout ScenarioFields) throws(ScenarioError) -> ClientFacts {
        var changes: [(view: UInt32, count: Int)] = []
        for (name, value) in try fields.object("changes") {
            guard let view = UInt32(name), view > 0 else {
                throw fields.error("'\(name)' is no view; views are 1 and up")
            }
            guard case .integer(let number) = value, number >= 0 else {
                throw fields.error("the changes of view \(view) must be a whole number, 0 or more")
            }
            changes.append((view, Int(number)))
        }
        return ClientFacts(
            pending: try count("pending", &fields), sent: try count("sent", &fields), changes: changes,
            role: try role("role", &fields))
    }

    private func count(_ key: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> Int? {
        try fields.integer(key, in: 0...Int64(Int32.max))
    }
}
