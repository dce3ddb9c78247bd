import EaselClientEngine
import EaselCore

/// Reading presses, and what else clients do to their histories.
extension ScenarioParser {
    mutating func historyStep(_ verb: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> ScenarioStep {
        let actor = try actor(&fields)
        if verb == "mark" {
            let name = try fields.string(verb)
            try setMark(name, by: actor, fields)
            return .mark(client: actor, name: name)
        }
        let history = try history(&fields)
        if verb == "undo" || verb == "redo" {
            let outcome = try outcome(verb, &fields)
            return .press(
                client: actor, verb == "undo" ? .undo : .redo, history: history, try pressFacts(outcome, &fields))
        }
        return .history(client: actor, try step(verb, &fields), history: history)
    }

    private func step(_ verb: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> HistoryStep {
        let most = Int64(Int32.max)
        switch verb {
        case "begin": return .begin(label: try label(verb, &fields, default: ""))
        case "levels": return .levels(try fields.requiredInteger(verb, in: 0...most))
        case "bytes": return .bytes(try fields.requiredInteger(verb, in: 0...most))
        case "policy": return .policy(try policy(&fields))
        default:
            try fields.isTrue(verb)
            switch verb {
            case "end": return .end
            case "cancel": return .cancel
            case "clearHistory": return .clear
            case "clearUndo": return .clearUndo
            case "clearRedo": return .clearRedo
            case "closeHistory": return .close
            default: preconditionFailure("every verb is handled")
            }
        }
    }

    private func policy(_ line: inout ScenarioFields) throws(ScenarioError) -> UndoPolicy {
        var fields = line.nested(try line.members("policy"))
        var policy = UndoPolicy()
        switch try fields.optionalString("overwritten") {
        case nil: break
        case "restoreMine": policy.overwritten = .restoreMine
        case "yieldToRemote": policy.overwritten = .yieldToRemote
        default: throw fields.error("'overwritten' must be restoreMine or yieldToRemote")
        }
        switch try fields.optionalString("creation") {
        case nil: break
        case "hide": policy.creation = .hide
        case "keepIfOthersEdited": policy.creation = .keepIfOthersEdited
        default: throw fields.error("'creation' must be hide or keepIfOthersEdited")
        }
        try fields.finish("'policy'")
        return policy
    }

    // MARK: Presses

    private func outcome(
        _ key: String, _ fields: inout ScenarioFields
    ) throws(ScenarioError) -> PressFacts.Outcome {
        switch fields.take(key) {
        case .bool(true): return .something
        case .bool(false): return .nothing
        case .string(let label): return .named(label)
        default: throw fields.error("'\(key)' must be true, false or the name of the action")
        }
    }

    /// What else is said of a press.
    private func pressFacts(
        _ outcome: PressFacts.Outcome, _ fields: inout ScenarioFields
    ) throws(ScenarioError) -> PressFacts {
        let passed = try fields.optionalStrings("passed")
        let selection = try selection("selection", &fields)
        if outcome == .nothing, passed != nil || selection != nil {
            throw fields.error("a press that does nothing has no 'passed' and no 'selection'")
        }
        return PressFacts(
            outcome: outcome, passed: passed, remarks: try remarks(&fields), selection: selection)
    }

    /// What is expected of a press that was not made; nil where the member is not there.
    func preview(_ key: String, _ line: inout ScenarioFields) throws(ScenarioError) -> PressFacts? {
        switch line.take(key) {
        case nil: return nil
        case .null: return PressFacts(outcome: .nothing, passed: nil, remarks: nil, selection: nil)
        case .object(let members):
            var fields = line.nested(members)
            let label = try fields.optionalString("label")
            let facts = try pressFacts(label.map { .named($0) } ?? .something, &fields)
            try fields.finish("'\(key)'")
            return facts
        case .some(let value): throw line.error("'\(key)' must be an object or null, not \(value.kindName)")
        }
    }

    private func remarks(_ line: inout ScenarioFields) throws(ScenarioError) -> [RemarkFacts]? {
        guard let value = line.take("remarks") else { return nil }
        guard case .array(let elements) = value else {
            throw line.error("'remarks' must be a list, not \(value.kindName)")
        }
        var result: [RemarkFacts] = []
        for element in elements {
            guard case .object(let members) = element else {
                throw line.error("a remark must be an object, not \(element.kindName)")
            }
            result.append(try remark(line.nested(members)))
        }
        return result
    }

    private func remark(_ members: ScenarioFields) throws(ScenarioError) -> RemarkFacts {
        var fields = members
        let name = try fields.string("reason")
        guard let reason = Remark.Reason(name: name) else {
            let names = Remark.Reason.allCases.map(\.name).joined(separator: ", ")
            throw fields.error("there is no reason '\(name)'; there are \(names)")
        }
        let shape = try shape(try fields.string("shape"), fields)
        var keys: [PropertyKey]?
        if let names = try fields.optionalStrings("keys") {
            keys = []
            for name in names { keys?.append(try propertyKey(name, fields)) }
        }
        var clients: [Int]?
        if let names = try fields.optionalStrings("by") { clients = try self.clients(named: names, fields) }
        try fields.finish("a remark")
        return RemarkFacts(reason: reason, shape: shape, keys: keys, clients: clients)
    }

    // MARK: Selections

    /// What was selected before and after an edit; nil where the member is not there.
    func selectionTerms(_ line: inout ScenarioFields) throws(ScenarioError) -> SelectionTerms? {
        guard let value = line.take("selection") else { return nil }
        guard case .object(let members) = value else {
            throw line.error("'selection' must be an object with 'before' and 'after', not \(value.kindName)")
        }
        var fields = line.nested(members)
        let before = try selection("before", &fields)
        let after = try selection("after", &fields)
        try fields.finish("'selection'")
        guard let before, let after else { throw line.error("'selection' must have 'before' and 'after'") }
        return SelectionTerms(before: before, after: after)
    }

    /// A selection or null where the member is there; nil where it is not.
    func selection(_ key: String, _ line: inout ScenarioFields) throws(ScenarioError) -> SelectionFacts?? {
        guard let value = line.take(key) else { return nil }
        if value == .null { return .some(nil) }
        guard case .object(let members) = value else {
            throw line.error("'\(key)' must be an object or null, not \(value.kindName)")
        }
        var fields = line.nested(members)
        let result: SelectionFacts
        if let shapes = try shapes("shapes", &fields) {
            result = .shapes(shapes)
        } else {
            let most = Int64(Limits.charactersPerText)
            guard fields.keys.contains("text") else { throw line.error("'\(key)' must have 'shapes' or 'text'") }
            result = .text(
                shape: try shape(try fields.string("text"), fields),
                anchor: try fields.requiredInteger("from", in: 0...most),
                head: try fields.requiredInteger("to", in: 0...most))
        }
        try fields.finish("'\(key)'")
        return result
    }
}

extension Remark.Reason {
    /// The name it has in scenarios.
    var name: String { "\(self)" }

    fileprivate init?(name: String) {
        guard let reason = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = reason
    }
}
