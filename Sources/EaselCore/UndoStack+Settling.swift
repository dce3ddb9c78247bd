extension UndoStack {
    /// Takes the inverses that applying a transaction made. `isFinal` says it was applied on the confirmed canvas: then the
    /// layers below are settled and go.
    public mutating func update(
        _ transaction: LocalNumber, items: [Item], inverses: [Operation?], isFinal: Bool
    ) {
        forEachEntry { entry in
            for layerIndex in entry.layers.indices {
                guard let index = entry.layers[layerIndex].shares.firstIndex(where: { $0.transaction == transaction })
                else { continue }
                var made: [Inverse] = []
                var count = 0
                for (item, inverse) in zip(items, inverses) where item.entry == entry.number {
                    count += 1
                    if let inverse { made.append(Inverse(item: item.key, operation: inverse)) }
                }
                entry.layers[layerIndex].shares[index].inverses = made
                entry.layers[layerIndex].shares[index].itemCount = count
                if isFinal { entry.settle(layerIndex, index) }
                return
            }
        }
    }

    /// Marks a transaction final with the inverses it has. For a client that came back by a snapshot and cannot see the
    /// transaction applied: flags are unaffected, values stay the last known ones.
    public mutating func settle(_ transaction: LocalNumber) {
        forEachEntry { entry in
            for layerIndex in entry.layers.indices {
                if let index = entry.layers[layerIndex].shares.firstIndex(where: { $0.transaction == transaction }) {
                    entry.settle(layerIndex, index)
                    return
                }
            }
        }
    }

    /// Whether a transaction must wait: it holds values taken from an inverse that is not final.
    public func holds(_ items: [Item]) -> Bool {
        items.contains { item in
            guard let source = item.source, item.operation.takesValues, let share = share(item.entry, source) else {
                return false
            }
            return !share.isFinal
        }
    }

    /// The items of a transaction that has not been sent, with the values their sources hold now. Items whose source has no
    /// effect at the moment are dormant; once the source is final they are dropped. Flags are never taken again.
    public func refresh(_ items: [Item]) -> [Item] {
        items.compactMap { item in
            guard let source = item.source, item.operation.takesValues else { return item }
            // Without a share the source came to nothing, and a press that took it back came to nothing too.
            guard let share = share(item.entry, source) else { return nil }
            var refreshed = item
            if let inverse = share.inverses.first(where: { $0.item == source.item }),
                let operation = item.operation.takingValues(from: inverse.operation)
            {
                refreshed.operation = operation
                refreshed.isDormant = false
            } else if share.isFinal {
                return nil
            } else {
                refreshed.isDormant = true
            }
            return refreshed
        }
    }

    private func share(_ number: UInt64, _ source: Source) -> Share? {
        guard let entry = entry(number) else { return nil }
        for layer in entry.layers {
            if let share = layer.shares.first(where: { $0.transaction == source.transaction }) { return share }
        }
        return nil
    }

    private func entry(_ number: UInt64) -> Entry? {
        if let entry = undoEntries.last(where: { $0.number == number }) { return entry }
        for unit in redoUnits {
            if let entry = unit.first(where: { $0.number == number }) { return entry }
        }
        return (cleared + retired).first { $0.number == number }
    }

    private mutating func forEachEntry(_ body: (inout Entry) -> Void) {
        for index in undoEntries.indices { body(&undoEntries[index]) }
        for unit in redoUnits.indices {
            for index in redoUnits[unit].indices { body(&redoUnits[unit][index]) }
        }
        for index in cleared.indices { body(&cleared[index]) }
        for index in retired.indices { body(&retired[index]) }
        cleared.removeAll { $0.isSettled }
        retired.removeAll { $0.isSettled }
    }

    /// Takes a refused transaction out of the history.
    ///
    /// An edit joined with others loses its share. Otherwise the refused layer goes with all layers above it, and the entry
    /// belongs where its top layer then says; with no layer left it disappears. Entries of one refused redo go back as one
    /// unit, unless a newer edit has cleared the redo stack since.
    public mutating func refuse(_ transaction: LocalNumber) -> Withdrawal {
        var withdrawal = Withdrawal()
        var homeless: [(entry: Entry, epoch: UInt64)] = []
        undoEntries = undoEntries.compactMap { withdraw(transaction, $0, &withdrawal, &homeless) }
        redoUnits = redoUnits.compactMap { unit in
            let rest = unit.compactMap { withdraw(transaction, $0, &withdrawal, &homeless) }
            return rest.isEmpty ? nil : rest
        }
        cleared = cleared.compactMap { withdraw(transaction, $0, &withdrawal, &homeless) }
        cleared.removeAll { $0.isSettled }
        var forgotten: [(entry: Entry, epoch: UInt64)] = []
        retired = retired.compactMap { withdraw(transaction, $0, &withdrawal, &forgotten) }
        retired.removeAll { $0.isSettled }
        var unit: [Entry] = []
        for (entry, epoch) in homeless {
            if entry.layers.last?.cause != .undo {
                insertSorted(entry)
            } else if epoch == currentEpoch {
                unit.append(entry)
            }
        }
        if !unit.isEmpty { redoUnits.append(unit.sorted { $0.number > $1.number }) }
        return withdrawal
    }

    /// The entry if it stays on its stack; nil if it disappears or, then being among `homeless`, must move.
    private func withdraw(
        _ transaction: LocalNumber, _ entry: Entry, _ withdrawal: inout Withdrawal,
        _ homeless: inout [(entry: Entry, epoch: UInt64)]
    ) -> Entry? {
        guard
            let index = entry.layers.firstIndex(where: { $0.shares.contains { $0.transaction == transaction } })
        else { return entry }
        var rest = entry
        rest.layers[index].shares.removeAll { $0.transaction == transaction }
        if !rest.layers[index].shares.isEmpty { return rest }
        withdrawal.entries.insert(entry.number)
        let refused = entry.layers[index]
        rest.layers.removeSubrange(index...)
        guard let top = rest.layers.last else { return nil }
        let wasOnRedo = entry.layers.last?.cause == .undo
        if (top.cause == .undo) == wasOnRedo { return rest }
        homeless.append((rest, refused.epoch))
        return nil
    }
}

extension UndoStack.Entry {
    /// Marks a share final. What lies below a layer that is final throughout is settled; a layer that only passed the entry
    /// over settles nothing, since pressing the other way must find what lies below.
    fileprivate mutating func settle(_ layerIndex: Int, _ shareIndex: Int) {
        layers[layerIndex].shares[shareIndex].isFinal = true
        guard layers[layerIndex].shares.allSatisfy({ $0.isFinal }) else { return }
        if !layers[layerIndex].isEmpty {
            layers.removeSubrange(..<layerIndex)
        } else if layerIndex >= 2, layers[layerIndex - 1].isEmpty,
            layers[layerIndex - 1].shares.allSatisfy({ $0.isFinal })
        {
            layers.removeSubrange(layerIndex - 1...layerIndex)
        }
    }
}

extension Operation {
    /// Whether an inverse carries values, which depend on the order of commits. Flags do not.
    var takesValues: Bool {
        switch self {
        case .set, .place: return true
        case .create, .hide, .show, .insertText: return false
        }
    }

    /// This operation with the values that a newer inverse has for the same registers; nil if it has none of them.
    func takingValues(from inverse: Operation) -> Operation? {
        switch (self, inverse) {
        case (.set(let id, let changes), .set(_, let newer)):
            let refreshed = changes.compactMap { change in newer.first { $0.key == change.key } }
            return refreshed.isEmpty ? nil : .set(id, refreshed)
        case (.place(let id, let placement), .place(_, let newer)):
            let parent = placement.parent == nil ? nil : newer.parent
            let order = placement.order == nil ? nil : newer.order
            return parent == nil && order == nil ? nil : .place(id, Placement(parent: parent, order: order))
        default:
            return nil
        }
    }
}
