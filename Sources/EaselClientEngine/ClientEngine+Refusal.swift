import EaselCore

extension ClientEngine {
    /// Takes a refused transaction out, with all that rests on it: presses of the same action made since, and the places
    /// of later insertions beside its characters.
    ///
    /// - Parameter kept: The pending transactions that are not refused with it.
    mutating func withdraw(_ index: Int, keeping kept: Set<LocalNumber>) {
        let refused = pending.remove(at: index)
        moveInsertions(beside: refused, from: index)
        guard let history = refused.history else { return }
        let withdrawal = histories[history.index].stack.refuse(
            refused.number, items: refused.items, keeping: kept)
        renumber(withdrawal.renumbered, in: history)
        // What was taken from the refused transaction goes, and what was taken from that in turn.
        var gone = Set<UndoStack.Source>()
        for later in index..<pending.count where pending[later].history == history && pending[later].cause != .edit {
            let number = pending[later].number
            var kept: [UndoStack.Item] = []
            for item in pending[later].items {
                let rests = item.source.map { $0.transaction == refused.number || gone.contains($0) } ?? false
                if rests || withdrawal.entries.contains(item.entry) {
                    gone.insert(UndoStack.Source(transaction: number, item: item.key))
                } else {
                    kept.append(item)
                }
            }
            pending[later].items = kept
        }
    }

    /// Takes over the numbers that entries of a history have got.
    private mutating func renumber(_ numbers: [UInt64: UInt64], in history: HistoryID) {
        guard !numbers.isEmpty else { return }
        for index in pending.indices where pending[index].history == history {
            for item in pending[index].items.indices {
                guard let number = numbers[pending[index].items[item].entry] else { continue }
                pending[index].items[item].entry = number
            }
        }
    }

    /// Later insertions that name refused characters as neighbours take the nearest ones instead that are confirmed or
    /// pending in front of them, so that no text is reordered.
    private mutating func moveInsertions(beside refused: Pending, from index: Int) {
        var gone = Set<CharacterRange>()
        for item in refused.items {
            if let range = item.operation.insertedCharacters { gone.insert(range) }
        }
        guard !gone.isEmpty else { return }
        for later in index..<pending.count {
            for item in pending[later].items.indices {
                guard case .insertText(let shape, let insertion) = pending[later].items[item].operation else {
                    continue
                }
                let names = [insertion.left, insertion.right].compactMap { $0 }
                if names.contains(where: { name in gone.contains { $0.contains(name) } }),
                    let text = view[shape]?.text
                {
                    let unknown = gone.union(insertedCharacters(from: later, item))
                    let (left, right) = text.neighbours(of: insertion.first) { id in
                        !unknown.contains { $0.contains(id) }
                    }
                    pending[later].items[item].operation = .insertText(
                        shape,
                        TextInsertion(
                            first: insertion.first, characters: insertion.characters, left: left, right: right))
                }
            }
        }
    }

    /// The characters inserted by pending transactions from a given item on: not there yet when that item is applied.
    private func insertedCharacters(from transaction: Int, _ item: Int) -> Set<CharacterRange> {
        var ranges = Set<CharacterRange>()
        for index in transaction..<pending.count {
            let items = pending[index].items
            for position in (index == transaction ? item : 0)..<items.count {
                if let range = items[position].operation.insertedCharacters { ranges.insert(range) }
            }
        }
        return ranges
    }
}

extension Operation {
    /// The characters an operation brings into being.
    fileprivate var insertedCharacters: CharacterRange? {
        switch self {
        case .create(let creation): return creation.text?.range
        case .insertText(_, let insertion): return insertion.range
        case .set, .place, .hide, .show, .purge: return nil
        }
    }
}

extension CharacterRange {
    fileprivate func contains(_ id: CharacterID) -> Bool {
        id.site == first.site && id.counter >= first.counter && id.counter - first.counter < UInt64(count)
    }
}
