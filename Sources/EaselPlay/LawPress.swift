import EaselClientEngine
import EaselCore

/// Laws about a press and about an edit, looked at when it is made.
extension RandomPlayer {
    mutating func checkPress(
        _ client: Int, _ cause: Transaction.Cause, _ history: Int, _ id: HistoryID, _ before: PressGlimpse,
        _ label: String?
    ) {
        let name = "\(ScenarioWriter.name(of: client))'s \(cause)"
        let announced = cause == .undo ? before.state.undoLabel : before.state.redoLabel
        check(
            .announced, label == announced, "\(name) did \(label ?? "nothing"), announced was \(announced ?? "nothing")"
        )
        let reported = changes(at: client)
        guard let label else {
            checkEmptyPress(client, id, before, reported.count, name)
            return
        }
        let view = simulation.stations[client].engine.view
        let labels = simulation.stations[client].engine.undoLabels(id)
        let changed = reported.first?.shapes ?? view.changedShapes(since: before.view)
        check(
            .visible, Drawing.differs(view, from: before.view, in: changed),
            "\(name) of \(label) changed nothing visible")
        check(.echo, reported.count == 1, "\(name) of \(label) was reported as \(reported.count) changes")
        if let problem = people[client].touched[history].trespass(from: before.view, to: view, in: changed) {
            check(.untouched, false, "\(name) of \(label) changed \(problem.sentence)")
            script?.expect(client, [problem.shape], as: before.view, numbers)
        } else {
            check(.untouched, true, "")
        }
        checkBound(client, labels.count)
        let taken = Set(cause == .undo ? labels : before.undoLabels)
        let actions = (cause == .undo ? before.undoLabels : labels).filter { !taken.contains($0) }
        let verb = cause == .undo ? "Undo " : "Redo "
        people[client].presses.append(RandomPlayPerson.Press(cause: cause, label: verb + label, actions: actions))
    }

    private mutating func checkEmptyPress(
        _ client: Int, _ id: HistoryID, _ before: PressGlimpse, _ changes: Int, _ name: String
    ) {
        let engine = simulation.stations[client].engine
        let after = PressGlimpse(engine, id, pendingUp: simulation.pendingUp(client))
        check(
            .emptyPress,
            after.view.digest == before.view.digest && after.view.revision == before.view.revision
                && after.state == before.state && after.undoLabels == before.undoLabels
                && after.pendingCount == before.pendingCount && after.pendingUp == before.pendingUp && changes == 0,
            "\(name) did nothing and yet touched something")
    }

    mutating func checkEdit(
        _ client: Int, _ before: EditGlimpse, _ label: String, _ manner: RandomPlayStep.Manner, hasEffect: Bool
    ) {
        let engine = simulation.stations[client].engine
        let sent = engine.pendingCount - before.pendingCount
        let reported = changes(at: client)
        let expected = hasEffect ? 1 : 0
        check(
            .echo,
            reported.count == expected && sent == expected
                && reported.allSatisfy { $0.origin == .edit(view: manner.view) },
            "\(label) was reported as \(reported.count) changes and made \(sent) transactions")
        guard let history = before.history, people[client].bytes == 0 else { return }
        let after = engine.historyState(history)
        if hasEffect, manner.history != nil {
            check(.redoLives, after.redoCount == 0, "\(label) did not end redo")
            checkBound(client, after.undoCount)
        } else {
            check(
                .redoLives, after.redoCount == before.redoCount && after.undoCount == before.undoCount,
                "\(label) was not to be recorded and changed the history")
        }
    }

    private mutating func checkBound(_ client: Int, _ count: Int) {
        let limit = people[client].levels ?? Self.usualLevels
        check(.bounded, limit == 0 || count <= limit, "\(count) actions are kept, \(limit) are allowed")
    }

    /// How many actions are kept unless a client wants more or fewer.
    static let usualLevels = 100

    /// A lost connection and the like must leave histories and pending work alone.
    mutating func checkStacks(_ client: Int, _ before: StackGlimpse, _ cause: String) {
        if people[client].bytes > 0 { return }
        let after = StackGlimpse(simulation.stations[client].engine)
        check(.redoLives, after == before, "\(cause) changed the history of \(ScenarioWriter.name(of: client))")
    }

    /// The changes reported since events were last taken.
    private mutating func changes(at client: Int) -> [CanvasChange] {
        simulation.takeEvents(client).compactMap { event in
            if case .changed(let change) = event { change } else { nil }
        }
    }

    /// Applies an edit's inverse to a copy, then the inverse of that: it must lead back, and then forth.
    mutating func checkInverse(of operations: [Operation], on before: Canvas, _ label: String) {
        var canvas = before
        let first = canvas.apply(operations)
        let edited = canvas
        let second = canvas.apply(first.inverses.reversed().compactMap { $0 })
        check(.inverse, !Drawing.differs(canvas, from: before), "the inverse of \(label) does not lead back")
        _ = canvas.apply(second.inverses.reversed().compactMap { $0 })
        check(
            .inverse, canvas.changedShapes(since: edited).isEmpty,
            "the inverse of the inverse of \(label) does not lead to where it was")
    }
}

extension RandomPlayPerson.Touched {
    /// Something that a press changed though the presser never touched it.
    struct Trespass {
        let shape: ShapeID
        let sentence: String
    }

    /// What lies between two canvases and was never touched; nil if nothing.
    ///
    /// - Parameters:
    ///   - changed: the shapes that differ.
    func trespass(from before: Canvas, to after: Canvas, in changed: [ShapeID]) -> Trespass? {
        for id in changed {
            guard let new = after[id], let old = before[id] else {
                return Trespass(shape: id, sentence: "whether \(id) exists")
            }
            if let sentence = trespass(from: old, to: new) { return Trespass(shape: id, sentence: sentence) }
        }
        return nil
    }

    private func trespass(from old: Shape, to new: Shape) -> String? {
        if new.parent != old.parent || new.order != old.order, !places.contains(new.id) {
            return "the place of \(new.id)"
        }
        let flipped = new.causes.symmetricDifference(old.causes)
        if flipped.contains(.deleted), !deleted.contains(new.id) { return "whether \(new.id) is deleted" }
        if flipped.contains(.retracted), !created.contains(new.id) { return "whether \(new.id) was created" }
        for property in old.properties where new[property.key] == nil {
            if !registers.contains(.init(shape: new.id, key: property.key)) { return name(property.key, new) }
        }
        for property in new.properties where old[property.key] != property.value {
            if !registers.contains(.init(shape: new.id, key: property.key)) { return name(property.key, new) }
        }
        return trespass(from: old.text, to: new.text, new.id)
    }

    private func name(_ key: PropertyKey, _ shape: Shape) -> String { "\(key.rawValue) of \(shape.id)" }

    private func trespass(from old: Text, to new: Text, _ id: ShapeID) -> String? {
        let (before, after) = (Self.causes(old), Self.causes(new))
        guard before.count == after.count else { return "the number of characters of \(id)" }
        for (left, right) in zip(before, after) {
            guard left.id == right.id else { return "the order of characters of \(id)" }
            let flipped = left.causes.symmetricDifference(right.causes)
            if flipped.contains(.deleted), !deletedCharacters.contains(left.id) {
                return "whether a character of \(id) is deleted"
            }
            if flipped.contains(.retracted), !typedCharacters.contains(left.id) {
                return "whether a character of \(id) was typed"
            }
        }
        return nil
    }

    private static func causes(_ text: Text) -> [(id: CharacterID, causes: HiddenCauses)] {
        text.storedRuns().flatMap { run in
            CharacterRange(first: run.first, count: run.count).ids.map { ($0, run.causes) }
        }
    }
}
