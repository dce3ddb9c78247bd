import EaselClientEngine
import EaselCore

/// One press.
struct ExhaustivePress: CustomStringConvertible, Sendable {
    let cause: Transaction.Cause
    let client: Int

    static let all = [0, 1].flatMap { client in
        [ExhaustivePress(cause: .undo, client: client), ExhaustivePress(cause: .redo, client: client)]
    }

    var description: String { (cause == .undo ? "U" : "R") + (client == 0 ? "A" : "B") }
}

// The laws of undo that need no prediction: they are asked of the engine itself, wherever a case has led it.

extension OracleWorld {
    /// Presses, and checks that the press was what canUndo or canRedo promised, was seen, and left alone what the presser
    /// never touched. Returns whether anything was done.
    mutating func pressByTheLaws(_ press: ExhaustivePress) throws(OracleMismatch) -> Bool {
        let before = OracleCanvas(network.clients[press.client].view)
        let state = network.clients[press.client].historyState()
        let isDone = try self.press(press.cause, press.client)
        try expect(isDone, press.cause == .undo ? state.canUndo : state.canRedo, "P11: a press as promised")
        let after = OracleCanvas(network.clients[press.client].view)
        try expect(OraclePicture(before) != OraclePicture(after), isDone, "P9: a press is seen")
        let touched = clients[press.client].touched
        for change in after.changes(from: before) where !touched.contains(change) {
            try fail("P1: the press changed \(change)")
        }
        return isDone
    }

    /// P2: as many redos as undos lead back to the same view and the same stacks.
    func checkNeutral() throws(OracleMismatch) {
        for client in clients.indices {
            var copy = network
            func state() -> [String] {
                let history = copy.clients[client].historyState()
                let labels = copy.clients[client].undoLabels()
                return OracleCanvas(copy.clients[client].view).words + labels + ["\(history)"]
            }
            let before = state()
            var count = 0
            while copy.undo(client) { count += 1 }
            if count == 0 { continue }
            for _ in 0..<count { try expect(copy.redo(client), true, "P2: redo of what was undone") }
            try expect(state(), before, "P2: undone and redone")
        }
    }

    /// P8: everybody undoing everything leads back to the existence and text of the start.
    func checkReturn(to start: [String]) throws(OracleMismatch) {
        var copy = network
        copy.settle()
        var isPressed = true
        while isPressed {
            isPressed = false
            for client in copy.clients.indices where copy.undo(client) {
                isPressed = true
                copy.settle()
            }
        }
        try expect(ExhaustiveCanvas.existence(copy.canvas), start, "P8: everybody undoes everything")
    }

    /// P10: an edit without effect leaves redo alone, one with an effect clears it.
    func checkRedoIsCleared(_ shape: ShapeID) throws(OracleMismatch) {
        for client in clients.indices {
            let count = network.clients[client].historyState().redoCount
            if count == 0 { continue }
            var copy = network
            let x = copy.clients[client].view[shape]?.properties[PropertyKey("x")]
            copy.edit(client) { $0.set(shape, PropertyKey("x"), x) }
            try expect(copy.clients[client].historyState().redoCount, count, "P10: redo after no edit")
            copy.edit(client) { $0.set(shape, PropertyKey("x"), .integer(99)) }
            try expect(copy.clients[client].historyState().redoCount, 0, "P10: redo after an edit")
        }
    }

    /// Delivers everything and checks that everybody is equal. That nobody's redo is cleared by what others did is checked on
    /// the way, against the oracle.
    mutating func settleByTheLaws(first: Int) throws(OracleMismatch) {
        try settle(first: first)
        try checkConvergence()
    }
}

extension OracleClient {
    /// What the edits of a client have touched.
    fileprivate var touched: Set<String> {
        let own = log.compactMap { $0.own } + pending
        let operations = own.filter { $0.cause == .edit }.flatMap { $0.items.map { $0.operation } }
        return Set(operations.flatMap { $0.touched })
    }
}

extension Operation {
    fileprivate var touched: [String] {
        switch self {
        case .create(let creation): return ["flags \(creation.id)"]
        case .set(let id, let changes): return changes.map { "\($0.key.rawValue) of \(id)" }
        case .place(let id, _): return ["place of \(id)"]
        case .hide(_, .shapes(let ids)), .show(_, .shapes(let ids)): return ids.map { "flags \($0)" }
        case .hide(_, .characters(let id, let ranges)), .show(_, .characters(let id, let ranges)):
            return ranges.characters.map { "\($0) of \(id)" }
        case .insertText(let id, _): return newCharacters.map { "\($0) of \(id)" }
        case .purge: return []
        }
    }
}

extension OracleCanvas {
    /// What is stored otherwise than in another state, in the words of `touched`.
    fileprivate func changes(from old: OracleCanvas) -> [String] {
        shapes.flatMap { shape -> [String] in
            guard let before = old[shape.id] else { return ["existence of \(shape.id)"] }
            var changes: [String] = []
            if shape.flags != before.flags { changes.append("flags \(shape.id)") }
            if shape.parent != before.parent || shape.order != before.order { changes.append("place of \(shape.id)") }
            for key in Set(shape.registers.keys).union(before.registers.keys).sorted()
            where shape.registers[key] != before.registers[key] {
                changes.append("\(key) of \(shape.id)")
            }
            for character in shape.text where !before.text.contains(character) {
                changes.append("\(character.id) of \(shape.id)")
            }
            return changes
        }
    }
}
