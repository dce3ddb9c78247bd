import EaselClient
import EaselClientEngine
import EaselCore

/// Comparing what is with what a scenario expects.
extension ScenarioRunner {
    /// Whatever is not as expected.
    mutating func mismatches(with expectation: Expectation) -> [ScenarioFailure.Reason] {
        var result: [ScenarioFailure.Reason] = []
        for client in expectation.clients {
            let name = name(of: client)
            guard stage.saved(client) == nil else {
                if !expectation.isAll { result.append(.impossible("\(name) was killed")) }
                continue
            }
            result += mismatches(with: expectation, in: stage.engine(client).view, name)
            result += mismatches(with: expectation.history, of: client)
            result += mismatches(with: expectation.client, of: client)
        }
        if expectation.includesServer {
            result += mismatches(with: expectation, in: stage.serverCanvas, "server")
        }
        if let equal = expectation.equal {
            let differences = differences()
            if equal {
                result += differences
            } else if differences.isEmpty {
                result.append(
                    .mismatch(subject: "all canvases", expected: "a difference", found: "that they are equal"))
            }
        }
        return result
    }

    private func mismatches(
        with expectation: Expectation, in canvas: Canvas, _ subject: String
    ) -> [ScenarioFailure.Reason] {
        var result: [ScenarioFailure.Reason] = []
        for (name, facts) in expectation.shapes {
            result += mismatches(with: facts, of: name, in: canvas, "\(subject): \(name)")
        }
        if let order = expectation.order {
            Self.compareNames("\(subject): order", order, names(of: canvas.visibleChildren(of: nil)), &result)
        }
        return result
    }

    private func mismatches(
        with facts: ShapeFacts, of name: String, in canvas: Canvas, _ subject: String
    ) -> [ScenarioFailure.Reason] {
        var result: [ScenarioFailure.Reason] = []
        let id = ids[name]
        let shape = id.flatMap { canvas[$0] }
        if let visible = facts.visible {
            Self.compare("\(subject).visible", visible, shape?.isVisible ?? false, &result)
        }
        guard let id, let shape else {
            if facts.visible != false { result.append(.impossible("\(subject) does not exist here")) }
            return result
        }
        if let kind = facts.kind { Self.compareText("\(subject).kind", kind, shape.kind, &result) }
        for property in facts.properties where shape[property.key] != property.value {
            result.append(
                .mismatch(
                    subject: "\(subject).properties.\(property.key.rawValue)", expected: JSONText.of(property.value),
                    found: JSONText.of(shape[property.key])))
        }
        // Characters are compared, not Swift's notion of equal strings: composed and decomposed letters differ.
        if let text = facts.text, !text.unicodeScalars.elementsEqual(shape.text.string.unicodeScalars) {
            result.append(
                .mismatch(
                    subject: "\(subject).text", expected: JSONText.of(text), found: JSONText.of(shape.text.string)))
        }
        if let parent = facts.parent {
            Self.compareText(
                "\(subject).parent", parent, canvas.livingParent(of: id).map { self.name(of: $0) }, &result)
        }
        if let children = facts.children {
            Self.compareNames("\(subject).children", children, names(of: canvas.visibleChildren(of: id)), &result)
        }
        return result
    }

    private mutating func mismatches(
        with facts: HistoryFacts, of client: Int
    ) -> [ScenarioFailure.Reason] {
        if facts.isEmpty { return [] }
        let isMain = facts.name == ScenarioParser.mainHistory
        let name = name(of: client) + (isMain ? "" : ", history \(facts.name)")
        let history = historyID(facts.name, of: client)
        let engine = stage.engine(client)
        let state = engine.historyState(history)
        var result: [ScenarioFailure.Reason] = []
        if let canUndo = facts.canUndo { Self.compare("\(name): canUndo", canUndo, state.canUndo, &result) }
        if let canRedo = facts.canRedo { Self.compare("\(name): canRedo", canRedo, state.canRedo, &result) }
        if let label = facts.undoLabel { Self.compareText("\(name): undoLabel", label, state.undoLabel, &result) }
        if let label = facts.redoLabel { Self.compareText("\(name): redoLabel", label, state.redoLabel, &result) }
        if let count = facts.undoCount { Self.compare("\(name): undoCount", count, state.undoCount, &result) }
        if let count = facts.redoCount { Self.compare("\(name): redoCount", count, state.redoCount, &result) }
        if let undo = facts.undoPreview {
            result += mismatches(
                with: undo, engine.preview(.undo, history), in: engine.view, "\(name): preview of undo")
        }
        if let redo = facts.redoPreview {
            result += mismatches(
                with: redo, engine.preview(.redo, history), in: engine.view, "\(name): preview of redo")
        }
        if let events = facts.events {
            Self.compare("\(name): historyEvents", events, self.events(of: client, history), &result)
        }
        if let most = facts.retainedBytesAtMost, engine.retainedBytes(history) > most {
            result.append(
                .mismatch(
                    subject: "\(name): retainedBytes", expected: "at most \(most)",
                    found: String(engine.retainedBytes(history))))
        }
        return result
    }

    private func mismatches(with facts: ClientFacts, of client: Int) -> [ScenarioFailure.Reason] {
        let name = name(of: client)
        let engine = stage.engine(client)
        var result: [ScenarioFailure.Reason] = []
        if let pending = facts.pending { Self.compare("\(name): pending", pending, engine.pendingCount, &result) }
        if let sent = facts.sent {
            Self.compare("\(name): sent", sent, stage.traffic(client).transactions, &result)
        }
        for (view, count) in facts.changes {
            Self.compare("\(name): changes of view \(view)", count, changes(of: client, in: view), &result)
        }
        if let role = facts.role { Self.compareText("\(name): role", "\(role)", "\(engine.role)", &result) }
        return result
    }

    private func names(of shapes: [Shape]) -> [String] { shapes.map { name(of: $0.id) } }

    // MARK: Comparing

    private static func compareText(
        _ subject: String, _ expected: String?, _ found: String?, _ result: inout [ScenarioFailure.Reason]
    ) {
        guard expected != found else { return }
        result.append(.mismatch(subject: subject, expected: JSONText.of(expected), found: JSONText.of(found)))
    }

    private static func compareNames(
        _ subject: String, _ expected: [String], _ found: [String], _ result: inout [ScenarioFailure.Reason]
    ) {
        guard expected != found else { return }
        result.append(.mismatch(subject: subject, expected: JSONText.of(expected), found: JSONText.of(found)))
    }

    private static func compare<Value: Equatable & CustomStringConvertible>(
        _ subject: String, _ expected: Value, _ found: Value, _ result: inout [ScenarioFailure.Reason]
    ) {
        guard expected != found else { return }
        result.append(.mismatch(subject: subject, expected: expected.description, found: found.description))
    }
}
