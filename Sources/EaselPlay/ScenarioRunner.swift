import EaselClient
import EaselClientEngine
import EaselCore

/// Plays a scenario, step by step, and stops at the first step that fails.
///
/// After each step everything that is not held reaches everybody. Where nothing is held and everybody is connected, all
/// canvases must then be the same and nothing may be pending, whether the scenario asks or not. Before each press the
/// history must have announced what the press then does.
struct ScenarioRunner {
    private let scenario: Scenario
    private(set) var stage: Stage
    /// The ids of the shapes made so far.
    private(set) var ids: [String: ShapeID] = [:]

    private init(_ scenario: Scenario, _ stage: Stage) {
        self.scenario = scenario
        self.stage = stage
    }

    /// Plays a scenario in this process over the simulated network. The same scenario always takes the same course.
    static func play(_ scenario: Scenario) throws(ScenarioFailure) {
        let stage = SimulatedStage(clients: scenario.clients)
        var runner = ScenarioRunner(scenario, .simulated(stage))
        try runner.run()
    }

    /// Plays a scenario with real clients on a fresh canvas of a server.
    ///
    /// Precondition: the scenario has no obstacle.
    static func play(_ scenario: Scenario, on server: ServerAddress) throws(ScenarioFailure) {
        precondition(scenario.obstacle == nil, "a scenario with an obstacle needs the simulation")
        var stage = LiveStage(clients: scenario.clients, server: server)
        if let problem = stage.open() {
            stage.close()
            throw ScenarioFailure(file: scenario.file, line: nil, reasons: [.impossible(problem)])
        }
        var runner = ScenarioRunner(scenario, .live(stage))
        defer { runner.stage.close() }
        try runner.run()
    }

    private mutating func run() throws(ScenarioFailure) {
        try fail(settled(), at: nil)
        for line in scenario.lines {
            try fail(reasons(against: line.step), at: line.number)
        }
    }

    private func fail(_ reasons: [ScenarioFailure.Reason], at line: Int?) throws(ScenarioFailure) {
        if !reasons.isEmpty { throw ScenarioFailure(file: scenario.file, line: line, reasons: reasons) }
    }

    /// Takes a step and returns what is wrong with it or after it.
    private mutating func reasons(against step: ScenarioStep) -> [ScenarioFailure.Reason] {
        if case .expect(let expectation) = step { return mismatches(with: expectation) }
        let reasons = take(step)
        return reasons.isEmpty ? settled() : reasons
    }

    /// Takes a step and returns what is wrong with it.
    private mutating func take(_ step: ScenarioStep) -> [ScenarioFailure.Reason] {
        var problems: [String?] = []
        switch step {
        case .edit(let client, let edit, let terms): return make(edit, terms, by: client)
        case .press(let client, let press, let outcome): return self.press(press, outcome, by: client)
        case .begin(let client, let label): stage.begin(client, label)
        case .end(let client): stage.end(client)
        case .clearHistory(let client): stage.clearHistory(client)
        case .disconnect(let clients): for client in clients { stage.disconnect(client) }
        case .connect(let clients): problems = clients.map { stage.connect($0) }
        case .hold(let clients, let direction): for client in clients { stage.hold(client, direction) }
        case .release(let clients, let direction, let count):
            problems = clients.map { stage.release($0, direction, count: count) }
        case .restart: stage.restartServer()
        case .wait(let milliseconds): stage.wait(milliseconds)
        case .expect: preconditionFailure("expectations are not taken")
        }
        return problems.compactMap { $0.map { .impossible($0) } }
    }

    /// Brings to everybody what is not held, and returns what is wrong then.
    private mutating func settled() -> [ScenarioFailure.Reason] {
        if let problem = stage.settle() { return [.impossible(problem)] }
        return stage.isOpen ? differences() : []
    }

    /// The clients whose canvas is not the server's, though nothing keeps it from that.
    func differences() -> [ScenarioFailure.Reason] {
        let digest = stage.serverCanvas.digest
        var reasons: [ScenarioFailure.Reason] = []
        for (client, name) in scenario.clients.enumerated() {
            let pending = stage.pendingCount(client)
            if pending != 0 {
                reasons.append(
                    .mismatch(subject: "\(name): edits not acknowledged", expected: "0", found: String(pending)))
            }
            let confirmed = stage.confirmedDigest(client)
            let shown = stage.view(client).digest
            if confirmed != digest || (pending == 0 && shown != digest) {
                let found = Self.hexDigits(confirmed == digest ? shown : confirmed)
                reasons.append(
                    .mismatch(
                        subject: "\(name): digest of the canvas", expected: "the server's, \(Self.hexDigits(digest))",
                        found: found))
            }
        }
        return reasons
    }

    private static func hexDigits(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    // MARK: Acting

    private mutating func make(
        _ edit: ScenarioEdit, _ terms: EditTerms, by client: Int
    ) -> [ScenarioFailure.Reason] {
        let name = scenario.clients[client]
        var made: [String: ShapeID] = [:]
        let known = ids
        let result: EditResult
        do throws(EditError) {
            result = try stage.edit(client, terms) { draft in edit.write(to: &draft, known, &made) }
        } catch {
            return [.impossible("\(name) cannot make the edit: \(Self.sentence(of: error))")]
        }
        ids.merge(made) { _, new in new }
        guard result.hasEffect != terms.hasEffect else { return [] }
        var found = result.hasEffect ? "that it does" : "that it changes nothing"
        let problems = result.problems.map { sentence(of: $0) }
        if !problems.isEmpty { found += ": " + problems.joined(separator: ", ") }
        let expected = terms.hasEffect ? "that it changes something" : "that it changes nothing"
        return [.mismatch(subject: "\(name): the edit", expected: expected, found: found)]
    }

    private mutating func press(
        _ press: ScenarioStep.Press, _ outcome: ScenarioStep.PressOutcome, by client: Int
    ) -> [ScenarioFailure.Reason] {
        let verb = press == .undo ? "undo" : "redo"
        let subject = "\(scenario.clients[client]): \(verb)"
        let offered = stage.history(client)
        let announced = press == .undo ? offered.undoLabel : offered.redoLabel
        let result: PressResult
        do throws(EditError) {
            result = try stage.press(client, press)
        } catch {
            return [.impossible("\(subject) is refused: \(Self.sentence(of: error))")]
        }
        let label = result.label
        guard label == announced else {
            return [
                .mismatch(
                    subject: "\(subject): what the history announced", expected: JSONText.of(label),
                    found: JSONText.of(announced))
            ]
        }
        let found = label.map { "that it does \(JSONText.of($0))" } ?? "that it does nothing"
        switch outcome {
        case .something:
            return label == nil ? [.mismatch(subject: subject, expected: "that it does something", found: found)] : []
        case .nothing:
            return label != nil ? [.mismatch(subject: subject, expected: "that it does nothing", found: found)] : []
        case .named(let name):
            let expected = "that it does \(JSONText.of(name))"
            return label != name ? [.mismatch(subject: subject, expected: expected, found: found)] : []
        }
    }

    // MARK: Words

    private static func sentence(of error: EditError) -> String {
        switch error {
        case .readOnly: "it may only look"
        case .malformed(let flaw): "it is malformed (\(flaw))"
        case .tooLarge: "the edit does not fit into one message"
        case .stale: "the canvas has changed since"
        case .insideEdit: "an edit is under way"
        }
    }

    private func sentence(of problem: Problem) -> String {
        switch problem {
        case .unknownShape(let id): "it does not know \(name(of: id))"
        case .shapeExists(let id): "\(name(of: id)) exists"
        case .cycle(let id): "\(name(of: id)) would lie inside itself"
        case .tooDeep(let id): "\(name(of: id)) would lie too deep"
        case .tooManyProperties(let id): "\(name(of: id)) has too many properties"
        case .textFull(let id): "the text of \(name(of: id)) is full"
        case .neighbours(let id), .charactersExist(let id): "the text of \(name(of: id)) does not fit"
        }
    }

    /// The name a scenario gave a shape.
    func name(of id: ShapeID) -> String { ids.first { $0.value == id }?.key ?? id.rawValue }

    /// A scenario's name for a client.
    func clientName(_ client: Int) -> String { scenario.clients[client] }
}

extension ScenarioEdit {
    /// Writes the edit to a draft. A shape it creates goes into `made` under its name.
    fileprivate func write(
        to draft: inout TransactionDraft, _ ids: [String: ShapeID], _ made: inout [String: ShapeID]
    ) {
        switch self {
        case .create(let name, let kind, let parent, let properties, let text):
            made[name] = draft.create(
                kind: kind, in: parent.flatMap { ids[$0] }, properties: properties, text: text)
        case .set(let shape, let changes): if let id = ids[shape] { draft.set(id, changes) }
        case .delete(let shapes): draft.delete(shapes.compactMap { ids[$0] })
        case .type(let text, let shape, let offset):
            if let id = ids[shape] { draft.insertText(text, at: offset, in: id) }
        case .erase(let count, let shape, let offset):
            if let id = ids[shape] { draft.deleteText(offset..<offset + count, in: id) }
        case .put(let shape, let parent): if let id = ids[shape] { draft.put(id, into: parent.flatMap { ids[$0] }) }
        case .reorder(let shape, let reordering):
            guard let id = ids[shape] else { return }
            switch reordering {
            case .front: draft.bringToFront(id)
            case .back: draft.sendToBack(id)
            case .forward: draft.bringForward(id)
            case .backward: draft.sendBackward(id)
            }
        }
    }
}
