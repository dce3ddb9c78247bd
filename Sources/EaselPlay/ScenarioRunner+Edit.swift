import EaselClientEngine
import EaselCore

/// Editing, and what else clients do to their histories.
extension ScenarioRunner {
    mutating func make(
        _ edit: ScenarioEdit, _ terms: EditTerms, by client: Int
    ) -> [ScenarioFailure.Reason] {
        let name = name(of: client)
        var made: [String: ShapeID] = [:]
        let known = ids
        let history = terms.history.map { historyID($0, of: client) }
        let version = terms.mark.flatMap { marks[client][$0] }
        if let mark = terms.mark, version == nil {
            return [.impossible("\(name): the mark '\(mark)' went with the process that set it")]
        }
        let result: EditResult
        do throws(EditError) {
            result = try stage.edit(
                client, terms, history: history, unchangedSince: version,
                selection: { before, after in
                    terms.selection?.change(known.merging(made) { _, new in new }, before, after)
                },
                { draft in edit.write(to: &draft, known, &made) })
        } catch .stale where terms.effect == .stale {
            return []
        } catch {
            return [.impossible("\(name) cannot make the edit: \(Self.sentence(of: error))")]
        }
        ids.merge(made) { _, new in new }
        let found = Self.words(result.hasEffect ? .something : .nothing)
        let expected = Self.words(terms.effect)
        guard found != expected else { return [] }
        let problems = result.problems.map { sentence(of: $0) }.joined(separator: ", ")
        return [
            .mismatch(
                subject: "\(name): the edit", expected: expected,
                found: problems.isEmpty ? found : "\(found): \(problems)")
        ]
    }

    private static func words(_ effect: EditTerms.Effect) -> String {
        switch effect {
        case .something: "that it changes something"
        case .nothing: "that it changes nothing"
        case .stale: "that it is refused, since the view changed"
        }
    }

    /// Replaces everything by shapes: those with the names of shapes that were there before stay the same shapes.
    mutating func replace(
        with shapes: [ReplacementShape], _ label: String, _ history: String?, by client: Int
    ) -> [ScenarioFailure.Reason] {
        let name = name(of: client)
        let view = stage.engine(client).view
        var target = TransactionDraft(canvas: view, identities: importedIdentities)
        let kept = Set(shapes.compactMap { ids[$0.name] })
        target.delete(view.visibleShapes(in: nil).filter { !kept.contains($0) })
        for shape in shapes { ids[shape.name] = shape.write(to: &target, as: ids[shape.name]) }
        importedIdentities = target.identities
        let canvas = target.canvas
        let history = history.map { historyID($0, of: client) }
        do throws(EditError) {
            let result = try stage.act(client) { engine throws(EditError) in
                try engine.replaceAll(label, with: canvas, history: history)
            }
            if result.hasEffect { return [] }
            return [
                .mismatch(
                    subject: "\(name): the replacement", expected: Self.words(.something), found: Self.words(.nothing))
            ]
        } catch {
            return [.impossible("\(name) cannot replace everything: \(Self.sentence(of: error))")]
        }
    }

    /// Returns what is wrong, if something is.
    mutating func take(_ step: HistoryStep, _ history: HistoryID, by client: Int) -> String? {
        do throws(EditError) {
            try stage.act(client) { engine throws(EditError) in
                switch step {
                case .begin(let label): engine.beginGroup(label, history: history)
                case .end: engine.endGroup(history: history)
                case .cancel: try engine.cancelGroup(history: history)
                case .clear: engine.clearHistory(history)
                case .clearUndo: engine.clearUndo(history)
                case .clearRedo: engine.clearRedo(history)
                case .close: engine.closeHistory(history)
                case .levels(let levels): engine.setLevelsOfUndo(levels, history)
                case .bytes(let bytes): engine.setByteBudget(bytes, history)
                case .policy(let policy): engine.setUndoPolicy(policy, history)
                }
            }
            return nil
        } catch {
            return "\(name(of: client)) cannot cancel the group: \(Self.sentence(of: error))"
        }
    }

    // MARK: Words

    static func sentence(of error: EditError) -> String {
        switch error {
        case .readOnly: "it may only look"
        case .malformed(let flaw): "it is malformed (\(flaw))"
        case .tooLarge: "the edit does not fit into one message"
        case .insideEdit: "an edit is under way"
        case .stale: "the view has changed since the mark"
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
        case .charactersPurged(let id): "the text of \(name(of: id)) is purged"
        case .notPurged(let id): "\(name(of: id)) is not purged"
        }
    }
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
        case .show(let shapes): draft.add(.show(.deleted, .shapes(shapes.compactMap { ids[$0] })))
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

extension Canvas {
    /// Every visible shape in a parent, at any depth; nil is the canvas.
    fileprivate func visibleShapes(in parent: ShapeID?) -> [ShapeID] {
        visibleChildren(of: parent).flatMap { [$0.id] + visibleShapes(in: $0.id) }
    }
}

extension ReplacementShape {
    /// Makes the shape, or makes the shape that was there before like this, in front of what is on the canvas. Returns its id.
    fileprivate func write(to target: inout TransactionDraft, as id: ShapeID?) -> ShapeID {
        guard let id, let old = target.canvas[id] else {
            return target.create(kind: kind, properties: properties, text: text)
        }
        for cause in [HiddenCause.deleted, .retracted] { target.add(.show(cause, .shapes([id]))) }
        var changes = properties.map { PropertyChange($0.key, $0.value) }
        for property in old.properties where properties[property.key] == nil {
            changes.append(PropertyChange(property.key, nil))
        }
        target.set(id, changes)
        if !old.text.string.unicodeScalars.elementsEqual(text.unicodeScalars) {
            target.deleteText(0..<old.text.visibleCount, in: id)
            target.insertText(text, at: 0, in: id)
        }
        target.put(id, into: nil)
        target.bringToFront(id)
        return id
    }
}
