import EaselCore

/// What a press would do.
struct OraclePress {
    /// The label of the entry where it stops.
    let label: String
    let items: [OracleClient.Item]
    /// How many entries of the undo stack, or units of the redo stack, it takes.
    let count: Int
}

/// What a press comes to.
struct OracleAttempt {
    /// Nil if it would do nothing anybody sees.
    var press: OraclePress?
    /// The shapes of which it says that they, or characters of theirs, are gone for good.
    var purged: Set<ShapeID> = []
}

extension OracleClient {
    /// The operations that an entry contributed to a transaction, as far as they stand.
    private func hasItems(_ entry: Int, in transaction: Int) -> Bool {
        let owns = log.compactMap { $0.own } + pending
        return owns.contains { $0.number == transaction && $0.items.contains { $0.entry == entry } }
    }

    /// The layer whose inverses a press takes. A press that did nothing for the entry and the opposite one on top of it leave
    /// it as it was, so that what was undone and redone together can be undone again.
    private func top(_ entry: Entry) -> Layer? {
        var layers = entry.layers
        while layers.count >= 3,
            layers.suffix(2).allSatisfy({ layer in !layer.transactions.contains { hasItems(entry.number, in: $0) } })
        {
            layers.removeLast(2)
        }
        return layers.last
    }

    /// What a press would do in the view now.
    ///
    /// `seen` is the picture of the view.
    func attempt(_ cause: Transaction.Cause, _ replay: OracleReplay, _ seen: OraclePicture) -> OracleAttempt {
        var attempt = OracleAttempt()
        let units: [[Int]] = cause == .undo ? undoStack.reversed().map { [$0] } : redoStack.reversed()
        var copy = replay.view
        var items: [Item] = []
        for (index, unit) in units.enumerated() {
            for number in cause == .undo ? unit : unit.reversed() {
                guard let entry = entries[number] else { continue }
                for source in sources(of: entry, replay.records) {
                    guard let record = replay.records[source.transaction]?[source.item] else { continue }
                    if isFinal(source.transaction) { attempt.purged.formUnion(replay.view.purged(in: record)) }
                    guard let part = copy.effectivePart(of: record) else { continue }
                    _ = copy.apply(part)
                    items.append(Item(key: items.count, operation: part, entry: number, source: source))
                }
            }
            if OraclePicture(copy) != seen {
                // The undo that made a unit stopped at its last entry.
                let label = unit.last.flatMap { entries[$0]?.label } ?? ""
                attempt.press = OraclePress(label: label, items: items, count: index + 1)
                return attempt
            }
        }
        return attempt
    }

    /// Where a press finds the inverses of an entry, the last first.
    private func sources(of entry: Entry, _ records: [Int: [Int: Operation]]) -> [Source] {
        let owns = log.compactMap { $0.own } + pending
        return (top(entry)?.transactions ?? []).reversed().flatMap { number in
            let items = (owns.first { $0.number == number }?.items ?? []).filter { $0.entry == entry.number }
            return items.reversed().map { Source(transaction: number, item: $0.key) }
        }
    }

    /// Makes a press. Returns it; nil if nothing was touched.
    mutating func press(_ cause: Transaction.Cause) -> OraclePress? {
        group = nil
        let replay = replay()
        guard let press = attempt(cause, replay, OraclePicture(replay.view)).press else { return nil }
        let number = nextTransaction
        nextTransaction += 1
        let taken: [Int]
        if cause == .undo {
            taken = undoStack.suffix(press.count).reversed()
            undoStack.removeLast(press.count)
            redoStack.append(taken)
        } else {
            taken = redoStack.suffix(press.count).flatMap { $0 }
            redoStack.removeLast(press.count)
            undoStack = (undoStack + taken).sorted()
        }
        for entry in taken {
            entries[entry]?.layers.append(Layer(cause: cause, transactions: [number], epoch: epoch))
        }
        let label = (cause == .undo ? "Undo " : "Redo ") + press.label
        pending.append(Own(number: number, label: label, cause: cause, items: press.items))
        return press
    }

    // MARK: Refusal

    /// Takes a refused transaction out: rules 2.4 of the semantic model.
    ///
    /// `seen` is the view so far.
    mutating func refuse(_ index: Int, _ seen: OracleCanvas) {
        let refused = pending.remove(at: index)
        for later in index..<pending.count { pending[later].sent = nil }
        moveInsertions(beside: refused, from: index, in: seen)
        var cancelled: [Int] = []
        var unit: [Int] = []
        for number in entries.keys.sorted() {
            guard var entry = entries[number],
                let layer = entry.layers.firstIndex(where: { $0.transactions.contains(refused.number) })
            else { continue }
            entry.layers[layer].transactions.removeAll { $0 == refused.number }
            if !entry.layers[layer].transactions.isEmpty {
                entries[number] = entry
                continue
            }
            cancelled.append(number)
            let epoch = entry.layers[layer].epoch
            entry.layers.removeSubrange(layer...)
            entries[number] = entry
            rehouse(entry, epoch, &unit)
        }
        if !unit.isEmpty { redoStack.append(unit.sorted(by: >)) }
        withdrawItems(of: refused, cancelled, from: index)
    }

    /// Puts an entry where its top layer says; onto the redo stack only if no edit was made since the refused redo.
    private mutating func rehouse(_ entry: Entry, _ epoch: Int, _ unit: inout [Int]) {
        let number = entry.number
        let isOnRedo = redoStack.contains { $0.contains(number) }
        switch entry.layers.last?.cause {
        case .undo:
            undoStack.removeAll { $0 == number }
            if !isOnRedo, epoch == self.epoch { unit.append(number) }
        case .edit, .redo:
            removeFromRedo(number)
            undoStack = (undoStack.filter { $0 != number } + [number]).sorted()
        case nil:
            removeFromRedo(number)
            undoStack.removeAll { $0 == number }
            entries[number] = nil
        }
    }

    private mutating func removeFromRedo(_ number: Int) {
        redoStack = redoStack.map { unit in unit.filter { $0 != number } }.filter { !$0.isEmpty }
    }

    /// UN-07: later presses lose what they took from the refused transaction, at first or second hand, and all that belongs
    /// to entries of which nothing or less is left.
    private mutating func withdrawItems(of refused: Own, _ cancelled: [Int], from index: Int) {
        var gone = refused.items.map { Source(transaction: refused.number, item: $0.key) }
        for later in index..<pending.count where pending[later].cause != .edit {
            var kept: [Item] = []
            for item in pending[later].items {
                if cancelled.contains(item.entry) || item.source.map({ gone.contains($0) }) == true {
                    gone.append(Source(transaction: pending[later].number, item: item.key))
                } else {
                    kept.append(item)
                }
            }
            pending[later].items = kept
        }
    }

    /// AK-08: insertions beside refused characters take the nearest neighbours of their place in the view so far that are
    /// confirmed or pending in front of them.
    private mutating func moveInsertions(beside refused: Own, from index: Int, in view: OracleCanvas) {
        let gone = refused.items.flatMap { $0.operation.newCharacters }
        for later in index..<pending.count {
            for place in pending[later].items.indices {
                guard case .insertText(let id, let insertion) = pending[later].items[place].operation,
                    [insertion.left, insertion.right].contains(where: { $0.map { gone.contains($0) } == true }),
                    let text = view[id]?.text, let position = text.firstIndex(where: { $0.id == insertion.first })
                else { continue }
                let unknown = gone + newCharacters(from: later, place)
                let left = text[..<position].last { !unknown.contains($0.id) }
                let right = text[position...].first { !unknown.contains($0.id) }
                pending[later].items[place].operation = .insertText(
                    id,
                    TextInsertion(
                        first: insertion.first, characters: insertion.characters, left: left?.id, right: right?.id))
            }
        }
    }

    /// What pending transactions insert from an item on.
    private func newCharacters(from index: Int, _ place: Int) -> [CharacterID] {
        let rest = pending[index].items[place...] + pending[(index + 1)...].flatMap { $0.items }
        return rest.flatMap { $0.operation.newCharacters }
    }
}

extension OracleCanvas {
    /// The shapes named by an operation that had an effect once which are gone, or of which named characters are purged.
    fileprivate func purged(in operation: Operation) -> [ShapeID] {
        switch operation {
        case .create(let creation): return [creation.id].filter { self[$0] == nil }
        case .set(let id, _), .place(let id, _), .insertText(let id, _): return [id].filter { self[$0] == nil }
        case .hide(_, .shapes(let ids)), .show(_, .shapes(let ids)): return ids.filter { self[$0] == nil }
        case .hide(_, .characters(let id, let ranges)), .show(_, .characters(let id, let ranges)):
            guard let shape = self[id] else { return [id] }
            let characters = ranges.characters
            return shape.text.contains { $0.flags.isPurged && characters.contains($0.id) } ? [id] : []
        case .purge: return []
        }
    }
}
