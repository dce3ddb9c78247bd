import EaselClientEngine
import EaselCore
import EaselPlay

/// Makes random edits in a world, some of several operations, from a seed.
struct OracleEditor {
    /// Which edits are made.
    enum Repertoire: CaseIterable {
        /// All kinds.
        case everything
        /// Creating, deleting and text.
        case existenceAndText
        /// Typing and erasing in one text.
        case oneText
    }

    var random: SeededRandom
    let repertoire: Repertoire

    /// Undoes, redoes, opens or closes a group, or edits.
    mutating func act(_ client: Int, in world: inout OracleWorld) throws(OracleMismatch) {
        switch random.below(40) {
        case 0...7: try world.press(.undo, client)
        case 8...11: try world.press(.redo, client)
        case 12: world.beginGroup(client, "Group")
        case 13: world.endGroup(client)
        case 14: try pressGroup(client, in: &world)
        default: try edit(client, in: &world)
        }
    }

    /// The server purges some of what is hidden, and names some that is not.
    mutating func purge(in world: inout OracleWorld) throws(OracleMismatch) {
        var shapes: [Shape] = []
        world.network.canvas.forEachShape { shapes.append($0) }
        shapes.sort { $0.id < $1.id }
        guard !shapes.isEmpty else { return }
        if random.chance(50) {
            let share = 30 + random.below(70)
            let named = shapes.filter { _ in random.chance(share) }.map { $0.id }
            return named.isEmpty ? () : try world.purge(.shapes(named))
        }
        let shape = pick(shapes)
        let ranges = shape.text.storedRuns().filter { _ in random.chance(60) }.map {
            CharacterRange(first: $0.first, count: 1 + random.below($0.count + 1))
        }
        if !ranges.isEmpty { try world.purge(.characters(shape.id, ranges)) }
    }

    private mutating func edit(_ client: Int, in world: inout OracleWorld) throws(OracleMismatch) {
        var writer = self
        try world.edit(client, "Edit \(random.below(1_000))") { draft in writer.write(&draft) }
        random = writer.random
    }

    /// A group of several transactions, undone and perhaps redone before anything is known about it.
    private mutating func pressGroup(_ client: Int, in world: inout OracleWorld) throws(OracleMismatch) {
        world.beginGroup(client, "Group")
        for _ in 0..<2 + random.below(2) { try edit(client, in: &world) }
        world.endGroup(client)
        try world.press(.undo, client)
        for cause in [Transaction.Cause.redo, .undo, .redo] where random.chance(60) { try world.press(cause, client) }
    }

    /// Writes one operation, or several.
    private mutating func write(_ draft: inout TransactionDraft) {
        for _ in 0..<(random.chance(15) ? 2 + random.below(2) : 1) { writeOne(&draft) }
    }

    private mutating func writeOne(_ draft: inout TransactionDraft) {
        let shapes = draft.canvas.visibleShapes()
        if repertoire == .oneText {
            guard let shape = shapes.first else { return }
            return random.chance(55) ? type(shape, &draft) : erase(shape, &draft)
        }
        guard let shape = shapes.isEmpty || random.chance(8) ? nil : pick(shapes) else {
            let parent = !shapes.isEmpty && random.chance(40) ? pick(shapes).id : nil
            draft.create(kind: "note", in: parent, text: random.chance(60) ? "ab" : "")
            return
        }
        switch random.below(repertoire == .everything ? 12 : 6) {
        case 0...1: type(shape, &draft)
        case 2...3: erase(shape, &draft)
        case 4: draft.delete([shape.id])
        case 5: draft.delete([shape.id, pick(shapes).id])
        case 6...8: set(shape, &draft)
        case 9: draft.put(shape.id, into: random.chance(75) ? pick(shapes).id : nil)
        case 10: reorder(shape, &draft)
        default: showOrNest(shape, shapes, &draft)
        }
    }

    private mutating func pick(_ shapes: [Shape]) -> Shape { shapes[random.below(shapes.count)] }

    private mutating func type(_ shape: Shape, _ draft: inout TransactionDraft) {
        let letter = Character(Unicode.Scalar(UInt8(97 + random.below(26))))
        let typed = String(repeating: letter, count: 1 + random.below(3))
        draft.insertText(typed, at: random.below(shape.text.visibleCount + 1), in: shape.id)
    }

    private mutating func erase(_ shape: Shape, _ draft: inout TransactionDraft) {
        let start = random.below(shape.text.visibleCount + 1)
        draft.deleteText(start..<start + random.below(4), in: shape.id)
        // A word that is replaced stands hidden beside the new one.
        if random.chance(30) { draft.insertText("W", at: start, in: shape.id) }
    }

    private mutating func set(_ shape: Shape, _ draft: inout TransactionDraft) {
        func value(_ number: Int) -> Value? { number == 0 ? nil : .integer(Int64(number)) }
        let first = PropertyChange(PropertyKey("x"), value(random.below(4)))
        let second = PropertyChange(PropertyKey("color"), value(random.below(4)))
        switch random.below(3) {
        case 0: draft.set(shape.id, [first])
        case 1: draft.set(shape.id, [second])
        default: draft.set(shape.id, [first, second])
        }
    }

    private mutating func reorder(_ shape: Shape, _ draft: inout TransactionDraft) {
        switch random.below(4) {
        case 0: draft.bringToFront(shape.id)
        case 1: draft.sendToBack(shape.id)
        case 2: draft.bringForward(shape.id)
        default: draft.sendBackward(shape.id)
        }
    }

    /// Brings a deleted shape back by an edit of one's own, writes into a hidden one, or puts it into another.
    private mutating func showOrNest(_ shape: Shape, _ shapes: [Shape], _ draft: inout TransactionDraft) {
        var hidden: [ShapeID] = []
        draft.canvas.forEachShape { if !$0.isVisible { hidden.append($0.id) } }
        guard !hidden.isEmpty else { return draft.put(shape.id, into: pick(shapes).id) }
        let id = hidden.sorted()[random.below(hidden.count)]
        switch random.below(3) {
        case 0: draft.add(.show(.deleted, .shapes([id])))
        case 1: draft.put(id, into: shape.id)
        default: draft.set(id, PropertyKey("x"), .integer(Int64(random.below(4))))
        }
    }
}
