import EaselClientEngine
import EaselCore

/// Pressing undo and redo, and comparing what a press does or would do with what a scenario says.
extension ScenarioRunner {
    mutating func press(
        _ direction: PressDirection, _ name: String, _ facts: PressFacts, by client: Int
    ) -> [ScenarioFailure.Reason] {
        let subject = "\(self.name(of: client)): \(direction == .undo ? "undo" : "redo")"
        let history = historyID(name, of: client)
        let engine = stage.engine(client)
        let offered = engine.historyState(history)
        let announced = direction == .undo ? offered.undoLabel : offered.redoLabel
        let preview = engine.preview(direction, history)
        let result: PressResult
        do throws(EditError) {
            result = try stage.press(client, direction, history)
        } catch {
            return [.impossible("\(subject) is refused: \(Self.sentence(of: error))")]
        }
        guard result.label == announced else {
            return [
                .mismatch(
                    subject: "\(subject): what the history announced", expected: JSONText.of(result.label),
                    found: JSONText.of(announced))
            ]
        }
        guard result == preview else {
            return [
                .mismatch(subject: "\(subject): what it would do", expected: "\(result)", found: "\(preview)")
            ]
        }
        return mismatches(with: facts, result, in: stage.engine(client).view, subject)
    }

    /// Whatever a press does, or would do, that is not as expected.
    func mismatches(
        with facts: PressFacts, _ result: PressResult, in view: Canvas, _ subject: String
    ) -> [ScenarioFailure.Reason] {
        let label = result.label
        let found = label.map { "that it does \(JSONText.of($0))" } ?? "that it does nothing"
        switch facts.outcome {
        case .something where label == nil:
            return [.mismatch(subject: subject, expected: "that it does something", found: found)]
        case .nothing where label != nil:
            return [.mismatch(subject: subject, expected: "that it does nothing", found: found)]
        case .named(let name) where label != name:
            return [.mismatch(subject: subject, expected: "that it does \(JSONText.of(name))", found: found)]
        case .something, .nothing, .named: break
        }
        var reasons: [ScenarioFailure.Reason] = []
        if let remarks = facts.remarks, !areAs(remarks, result.remarks) {
            reasons.append(
                .mismatch(
                    subject: "\(subject): remarks", expected: words(remarks), found: words(result.remarks)))
        }
        guard case .done(let report) = result else { return reasons }
        if let passed = facts.passed, passed != report.passed {
            reasons.append(
                .mismatch(
                    subject: "\(subject): passed", expected: JSONText.of(passed), found: JSONText.of(report.passed)))
        }
        if let selection = facts.selection {
            let (expected, found) = (words(selection), words(report.selection, on: view))
            if expected != found {
                reasons.append(.mismatch(subject: "\(subject): selection", expected: expected, found: found))
            }
        }
        return reasons
    }

    // MARK: Remarks

    private func areAs(_ expected: [RemarkFacts], _ found: [Remark]) -> Bool {
        expected.count == found.count && zip(expected, found).allSatisfy { isAs($0, $1) }
    }

    private func isAs(_ expected: RemarkFacts, _ found: Remark) -> Bool {
        guard expected.reason == found.reason, ids[expected.shape] == found.shape else { return false }
        if let keys = expected.keys, keys != found.keys { return false }
        guard let clients = expected.clients else { return true }
        return Set(clients.map { stage.engine($0).site }) == Set(found.sites.map { Optional($0) })
    }

    private func words(_ remarks: [RemarkFacts]) -> String {
        let parts = remarks.map { remark in
            var words = "\(remark.reason.name) \(remark.shape)"
            if let keys = remark.keys { words += " " + JSONText.of(keys.map(\.rawValue)) }
            if let clients = remark.clients { words += " by \(JSONText.of(clients.map { name(of: $0) }.sorted()))" }
            return words
        }
        return "[" + parts.joined(separator: ", ") + "]"
    }

    private func words(_ remarks: [Remark]) -> String {
        let parts = remarks.map { remark in
            let sites = remark.sites.map { siteName($0) }.sorted()
            return "\(remark.reason.name) \(name(of: remark.shape)) \(JSONText.of(remark.keys.map(\.rawValue))) "
                + "by \(JSONText.of(sites))"
        }
        return "[" + parts.joined(separator: ", ") + "]"
    }

    private func siteName(_ site: SiteID) -> String {
        scenario.clients.indices.first { stage.engine($0).site == site }.map { name(of: $0) } ?? "\(site)"
    }
}

extension PressResult {
    /// What the press has to say of what others did.
    var remarks: [Remark] {
        switch self {
        case .nothing(let remarks): remarks
        case .done(let report): report.remarks
        }
    }
}
