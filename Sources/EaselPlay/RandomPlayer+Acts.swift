import EaselClientEngine
import EaselCore
import EaselProtocol

/// What people do, with the laws that are looked at when they do it.
extension RandomPlayer {
    /// One in so many edits has its inverse tried out.
    private static let inverseInterval = 8
    /// One in so many edits has the counts of its history looked at, which costs as much as the edit.
    private static let stackInterval = 8

    /// A history of a client; the second is made when it is first used.
    mutating func historyID(_ client: Int, _ history: Int) -> HistoryID {
        if history == 0 { return .main }
        if let second = people[client].second { return second }
        let second = simulation.act(client) { $0.addHistory() }
        people[client].second = second
        if let levels = people[client].levels {
            simulation.act(client) { $0.setLevelsOfUndo(levels, second) }
            script?.limit(client, levels, 1)
            rest()
        }
        return second
    }

    mutating func edit(_ client: Int, _ number: Int, _ edit: RandomPlayEdit<Int>, _ manner: RandomPlayStep.Manner) {
        guard let known = edit.renamed({ shapes[$0] }), mayEdit(client) else { return }
        let history = manner.history.map { historyID(client, $0) }
        for other in people[client].groups.indices where other != manner.history {
            people[client].groups[other]?.isAlone = false
        }
        let label = "\(number) \(edit.verb)"
        let before = EditGlimpse(
            simulation.stations[client].engine, history: history, isCounting: number % Self.stackInterval == 0)
        let now = simulation.now
        var operations: [Operation] = []
        var made: ShapeID?
        let result: EditResult
        do throws(EditError) {
            result = try simulation.act(client) { engine throws(EditError) in
                try engine.edit(
                    label, from: manner.view, history: history, coalescing: manner.isTyping ? .typing : .none, now: now
                ) { draft in
                    made = known.write(to: &draft)
                    operations = draft.operations
                }
            }
        } catch {
            check(.order, false, "client \(client) cannot make the edit \(label): \(error)")
            return
        }
        if let made, result.hasEffect {
            shapes[number] = made
            numbers[made] = number
        }
        script?.edit(client, number, edit, manner, label: label, hasEffect: result.hasEffect)
        checkEdit(client, before, label, manner, hasEffect: result.hasEffect)
        if result.hasEffect {
            people[client].note(operations, label: label, history: manner.history)
            if let history, let top = simulation.stations[client].engine.undoLabels(history).first {
                people[client].actions[label] = top
            }
            if number % Self.inverseInterval == 0 { checkInverse(of: operations, on: before.view, label) }
        }
        rest()
    }

    mutating func press(_ client: Int, _ cause: Transaction.Cause, _ history: Int) {
        guard mayEdit(client), history == 0 || people[client].second != nil else { return }
        people[client].groups[history] = nil
        people[client].groups[1 - history]?.isAlone = false
        let id = historyID(client, history)
        let before = PressGlimpse(simulation.stations[client].engine, id, pendingUp: simulation.pendingUp(client))
        let result: PressResult
        do throws(EditError) {
            result = try simulation.act(client) { engine throws(EditError) in
                cause == .undo ? try engine.undo(id) : try engine.redo(id)
            }
        } catch {
            check(.order, false, "client \(client) cannot press \(cause): \(error)")
            return
        }
        tally.presses += 1
        script?.press(client, cause, history, result.label)
        checkPress(client, cause, history, id, before, result.label)
        rest()
    }

    mutating func begin(_ client: Int, _ number: Int, _ history: Int) {
        guard people[client].saved == nil else { return }
        let id = historyID(client, history)
        let label = "\(number) Group"
        simulation.act(client) { $0.beginGroup(label, history: id) }
        if people[client].groups[history] == nil {
            let engine = simulation.stations[client].engine
            people[client].groups[history] = RandomPlayPerson.Group(depth: 1, view: engine.view)
        } else {
            people[client].groups[history]?.depth += 1
        }
        script?.begin(client, label, history)
        rest()
    }

    mutating func end(_ client: Int, _ history: Int) {
        guard people[client].saved == nil, history == 0 || people[client].second != nil else { return }
        let id = historyID(client, history)
        simulation.act(client) { $0.endGroup(history: id) }
        people[client].groups[history]?.depth -= 1
        if people[client].groups[history]?.depth == 0 { people[client].groups[history] = nil }
        script?.end(client, history)
        rest()
    }

    mutating func cancel(_ client: Int, _ history: Int) {
        guard mayEdit(client), let group = people[client].groups[history] else { return }
        let id = historyID(client, history)
        let redoCount = simulation.stations[client].engine.historyState(id).redoCount
        people[client].groups[history] = nil
        // What is taken back is not there any more for a group of the other history, either.
        for other in people[client].groups.indices { people[client].groups[other]?.isAlone = false }
        do throws(EditError) {
            _ = try simulation.act(client) { engine throws(EditError) in try engine.cancelGroup(history: id) }
        } catch {
            check(.order, false, "client \(client) cannot give up a group: \(error)")
            return
        }
        script?.cancel(client, history)
        let after = simulation.stations[client].engine
        check(.cancelled, after.historyState(id).redoCount <= redoCount, "giving up a group left something to redo")
        if group.isAlone {
            check(.cancelled, !Drawing.differs(after.view, from: group.view), "giving up a group left something of it")
        }
        _ = simulation.takeEvents(client)
        rest()
    }

    /// Whether a client runs and may change something; if it may only look, it must find that out.
    private mutating func mayEdit(_ client: Int) -> Bool {
        guard people[client].saved == nil else { return false }
        guard simulation.stations[client].engine.role == .viewer else { return true }
        let before = StackGlimpse(simulation.stations[client].engine)
        let isRefused = (try? simulation.act(client) { try $0.undo() }) == nil
        let state = simulation.stations[client].engine.historyState()
        check(
            .readOnly, isRefused && !state.canUndo && !state.canRedo,
            "\(ScenarioWriter.name(of: client)) may only look and can undo")
        checkStacks(client, before, "a press of somebody who may only look")
        return false
    }

    // MARK: Processes

    mutating func kill(_ client: Int) {
        guard people[client].saved == nil else { return }
        let engine = simulation.stations[client].engine
        people[client].saved = RandomPlayPerson.Saved(
            whole: engine.save(includingCanvas: true), withoutCanvas: engine.save(includingCanvas: false))
        people[client].groups = [nil, nil]
        simulation.disconnect(client)
        script?.kill(client)
        rest()
    }

    mutating func revive(_ client: Int, _ hasCanvas: Bool) {
        guard let saved = people[client].saved else { return }
        people[client].saved = nil
        let old = simulation.stations[client].engine
        do throws(RestoreError) {
            let engine = try ClientEngine.restore(from: hasCanvas ? saved.whole : saved.withoutCanvas)
            simulation.replaceClient(client, with: engine)
        } catch {
            check(.saved, false, "client \(client) cannot be restored: \(error)")
            return
        }
        let new = simulation.stations[client].engine
        let name = ScenarioWriter.name(of: client)
        let keepsAll = people[client].bytes == 0
        check(
            .saved, new.pendingCount == old.pendingCount && (!keepsAll || new.undoLabels() == old.undoLabels()),
            "\(name) came back with another history or other pending work")
        if hasCanvas, !people[client].isLimited {
            let changed = new.view.changedShapes(since: old.view)
            let isSame = changed.isEmpty && (!keepsAll || StackGlimpse(new) == StackGlimpse(old))
            check(.saved, isSame, "\(name) came back with another view")
        }
        if !hasCanvas { people[client].isLimited = true }
        tally.reconnects += 1
        script?.revive(client, hasCanvas)
        rest()
    }

    mutating func budget(_ client: Int, _ bytes: Int) {
        guard people[client].saved == nil else { return }
        people[client].bytes = bytes
        simulation.act(client) { $0.setByteBudget(bytes) }
        script?.budget(client, bytes)
        rest()
    }

    mutating func clear(_ client: Int, _ history: Int) {
        guard people[client].saved == nil, history == 0 || people[client].second != nil else { return }
        let id = historyID(client, history)
        people[client].groups[history] = nil
        simulation.act(client) { $0.clearHistory(id) }
        script?.clear(client, history)
        rest()
    }

    mutating func limit(_ client: Int, _ levels: Int) {
        guard people[client].saved == nil else { return }
        people[client].levels = levels
        for history in 0...(people[client].second == nil ? 0 : 1) {
            let id = historyID(client, history)
            simulation.act(client) { $0.setLevelsOfUndo(levels, id) }
            script?.limit(client, levels, history)
            rest()
        }
    }
}

/// What is kept about a client, for laws that look back.
struct RandomPlayPerson: Sendable {
    /// Something an edit brought into being.
    struct Made: Sendable {
        let shape: ShapeID
        /// The shape it was created in; nil for characters and for what lies on the canvas.
        let parent: ShapeID?
        /// The characters; nil for the shape itself.
        let characters: CharacterRange?
        let label: String
    }

    /// A press that did something.
    struct Press: Sendable {
        let cause: Transaction.Cause
        /// The label of its transaction.
        let label: String
        /// The actions that it took back or brought back.
        let actions: [String]
    }

    /// It stays without a connection.
    var isOffline = false
    var second: HistoryID?
    /// The limit of its histories, 0 for none; nil for the usual one.
    var levels: Int?
    /// The bytes its main history may keep; 0 for any number.
    var bytes = 0
    /// Its open groups, by history.
    var groups: [Group?] = [nil, nil]
    /// What it left behind when its process ended; nil while it runs.
    var saved: Saved?
    /// Whether it came back without its canvas, so that some values it could put back are older ones.
    var isLimited = false

    /// Whether it has a connection or gets one.
    var mayConnect: Bool { !isOffline && saved == nil }

    /// An open group.
    struct Group: Sendable {
        var depth: Int
        /// What was seen when it was opened.
        let view: Canvas
        /// Whether nothing else has changed the view since.
        var isAlone = true
    }

    /// What a process leaves behind.
    struct Saved: Sendable {
        let whole: [UInt8]
        let withoutCanvas: [UInt8]
    }

    /// What was touched by what each history recorded.
    var touched = [Touched(), Touched()]
    var made: [Made] = []
    /// Labels of its transactions that were refused.
    var refused: Set<String> = []
    /// The action that the edit with a label is part of.
    var actions: [String: String] = [:]
    var presses: [Press] = []

    /// What a history's edits named: a press may change no more.
    struct Touched: Sendable {
        var registers: Set<Register> = []
        var places: Set<ShapeID> = []
        var deleted: Set<ShapeID> = []
        var created: Set<ShapeID> = []
        var deletedCharacters: Set<CharacterID> = []
        var typedCharacters: Set<CharacterID> = []
    }

    /// A property of a shape.
    struct Register: Hashable, Sendable {
        let shape: ShapeID
        let key: PropertyKey
    }

    /// Notes what an edit did.
    mutating func note(_ operations: [Operation], label: String, history: Int?) {
        for operation in operations {
            switch operation {
            case .create(let creation):
                made.append(Made(shape: creation.id, parent: creation.parent, characters: nil, label: label))
            case .insertText(let id, let insertion):
                made.append(Made(shape: id, parent: nil, characters: insertion.range, label: label))
            case .set, .place, .hide, .show, .purge: break
            }
            if let history { touched[history].insert(operation) }
        }
    }
}

extension RandomPlayPerson.Touched {
    fileprivate mutating func insert(_ operation: Operation) {
        switch operation {
        case .create(let creation): created.insert(creation.id)
        case .set(let id, let changes):
            for change in changes { registers.insert(.init(shape: id, key: change.key)) }
        case .place(let id, _): places.insert(id)
        case .hide(_, .shapes(let ids)), .show(_, .shapes(let ids)): deleted.formUnion(ids)
        case .hide(_, .characters(_, let ranges)), .show(_, .characters(_, let ranges)):
            for range in ranges { deletedCharacters.formUnion(range.ids) }
        case .insertText(_, let insertion): typedCharacters.formUnion(insertion.range.ids)
        case .purge: break
        }
    }
}

extension CharacterRange {
    /// The characters one by one.
    var ids: [CharacterID] {
        (0..<UInt64(count)).map { CharacterID(site: first.site, counter: first.counter + $0) }
    }
}
