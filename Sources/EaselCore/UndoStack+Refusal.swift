extension UndoStack {
    /// What a refusal means for transactions that are under way.
    public struct Withdrawal: Sendable {
        /// Entries whose items must be taken out of later presses.
        public internal(set) var entries: Set<UInt64> = []
        /// Entries of which a part goes on under another number.
        public internal(set) var renumbered: [UInt64: UInt64] = [:]
        /// What goes back onto the redo stack together.
        var unit: [Entry] = []
    }

    /// Takes a refused transaction out.
    ///
    /// An edit that was joined with others only loses its share. Otherwise the refused layer goes with all layers above it, and
    /// the entry belongs where its top layer then says; with no layer left it disappears. Entries of one refused redo go back as
    /// one unit, unless a newer edit has cleared the redo stack since.
    ///
    /// Of a press of several transactions the accepted ones stay: an entry with items in both becomes two, one that is
    /// pressed and one that is not.
    ///
    /// - Parameters:
    ///   - transaction: The refused one.
    ///   - items: What was in it.
    ///   - kept: The transactions under way that are not refused with it.
    public mutating func refuse(
        _ transaction: LocalNumber, items: [Item], keeping kept: Set<LocalNumber>
    ) -> Withdrawal {
        var withdrawal = Withdrawal()
        for number in underWay.removeValue(forKey: transaction) ?? [] {
            guard let location = location(of: number) else { continue }
            let old = entry(at: location)
            guard let place = old.open.place(of: transaction) else { continue }
            let refused = old.open.layers[place.layer]
            if refused.cause == .edit, refused.shares.count > 1 {
                update(location) { $0.layers[place.layer].shares.remove(at: place.share) }
            } else if let rest = old.dividing(transaction, kept, Set(items.compactMap { $0.source })) {
                divide(old, at: location, rest, &withdrawal)
            } else {
                withdrawal.entries.insert(number)
                remove(old, at: location, from: place.layer, &withdrawal)
            }
        }
        if !withdrawal.unit.isEmpty {
            for entry in withdrawal.unit { heapBytes += entry.heapBytes }
            redoUnits.append(withdrawal.unit.sorted { $0.number > $1.number })
        }
        dropOldest()
        return withdrawal
    }

    /// Takes the layers of an entry from `layer` on away.
    private mutating func remove(
        _ old: Entry, at location: Location, from layer: Int, _ withdrawal: inout Withdrawal
    ) {
        var rest = old
        rest.update { $0.layers.removeSubrange(layer...) }
        let isGone = rest.open.layers.isEmpty
        if !isGone, rest.isUndone == old.isUndone {
            update(location) { $0.layers.removeSubrange(layer...) }
            return
        }
        take(location)
        if !isGone { putBack(rest, from: location, pressedAt: old.open.layers[layer].epoch, &withdrawal) }
    }

    /// Puts an entry where its top layer says.
    private mutating func putBack(
        _ entry: Entry, from origin: Location, pressedAt epoch: UInt64, _ withdrawal: inout Withdrawal
    ) {
        if case .retired = origin {
            if !entry.isSettled { retired.append(entry) }
        } else if !entry.isUndone {
            heapBytes += entry.heapBytes
            insertSorted(entry)
        } else if epoch == currentEpoch {
            withdrawal.unit.append(entry)
        } else if !entry.isSettled {
            cleared.append(entry)
        }
    }

    /// Makes two of an entry whose press was refused in part.
    private mutating func divide(
        _ old: Entry, at location: Location, _ rest: Division, _ withdrawal: inout Withdrawal
    ) {
        guard let open = rest.open else {
            update(location) { $0 = rest.pressed }
            return
        }
        // The one that can be undone keeps the number, which is its place among the others.
        let isRedo = rest.cause == .redo
        let number = nextEntry
        nextEntry += 1
        let pressed = Entry(number: isRedo ? old.number : number, rest.pressed)
        if !isRedo {
            withdrawal.renumbered[old.number] = number
            for other in rest.pressed.layers.lazy.flatMap({ $0.shares }) where underWay[other.transaction] != nil {
                underWay[other.transaction] = underWay[other.transaction]?.map { $0 == old.number ? number : $0 }
            }
        }
        replace(location, by: pressed)
        putBack(
            Entry(number: isRedo ? number : old.number, open), from: location, pressedAt: rest.epoch, &withdrawal)
    }

    /// Puts an entry in the place of another.
    private mutating func replace(_ location: Location, by entry: Entry) {
        switch location {
        case .undo:
            take(location)
            heapBytes += entry.heapBytes
            insertSorted(entry)
        case .redo(let unit, let index):
            heapBytes += entry.heapBytes - redoUnits[unit][index].heapBytes
            redoUnits[unit][index] = entry
        case .cleared, .retired:
            take(location)
            guard !entry.isSettled else { return }
            if case .cleared = location { cleared.append(entry) } else { retired.append(entry) }
        }
    }

    private mutating func take(_ location: Location) {
        switch location {
        case .undo(let index): heapBytes -= undoEntries.remove(at: index).heapBytes
        case .redo(let unit, let index):
            heapBytes -= redoUnits[unit].remove(at: index).heapBytes
            if redoUnits[unit].isEmpty { redoUnits.remove(at: unit) }
        case .cleared(let index): cleared.remove(at: index)
        case .retired(let index): retired.remove(at: index)
        }
    }
}

extension UndoStack {
    /// An entry of which a press was refused in part.
    fileprivate struct Division {
        /// What stays pressed.
        let pressed: Entry.Open
        /// What is as before the press; nil if that is nothing.
        let open: Entry.Open?
        /// The press.
        let cause: Transaction.Cause
        /// When it was made.
        let epoch: UInt64
    }
}

extension UndoStack.Entry {
    /// What becomes of an entry if one transaction of a press is refused and others are not; nil if the whole press goes.
    ///
    /// - Parameters:
    ///   - kept: Transactions under way that are not refused.
    ///   - sources: Where the refused items were taken from.
    fileprivate func dividing(
        _ transaction: LocalNumber, _ kept: Set<LocalNumber>, _ sources: Set<UndoStack.Source>
    ) -> UndoStack.Division? {
        var pressed = open
        guard let place = pressed.place(of: transaction) else { return nil }
        let layer = pressed.layers[place.layer]
        let others = layer.shares.filter {
            $0.transaction != transaction && ($0.isFinal || kept.contains($0.transaction))
        }
        // While the edit itself is under way, its inverses belong together.
        guard layer.cause != .edit, !others.isEmpty, pressed.layers[..<place.layer].allSatisfy({ $0.isFinal })
        else { return nil }
        let isWhole = others.allSatisfy { $0.itemCount == 0 }
        if isWhole, layer.shares[place.share].itemCount > 0 { return nil }
        pressed.layers[place.layer].shares.remove(at: place.share)
        var rest: Open?
        if layer.shares[place.share].itemCount > 0 {
            let below = Open(label: pressed.label, layers: Array(pressed.layers[..<place.layer]), selection: nil)
                .topIndex
            var before = pressed
            before.layers = [pressed.layers[below].restricted { sources.contains($0) }]
            rest = before
            pressed.layers[below] = pressed.layers[below].restricted { !sources.contains($0) }
        }
        pressed.settle(place.layer)
        return UndoStack.Division(pressed: pressed, open: rest, cause: layer.cause, epoch: layer.epoch)
    }
}

extension UndoStack.Layer {
    /// The layer with the inverses only that are meant.
    fileprivate func restricted(_ isMeant: (UndoStack.Source) -> Bool) -> Self {
        var layer = self
        for index in shares.indices {
            let transaction = shares[index].transaction
            layer.shares[index].inverses.removeAll {
                !isMeant(UndoStack.Source(transaction: transaction, item: $0.item))
            }
        }
        return layer
    }
}

extension UndoStack.Entry {
    /// Whether the top layer is an undo: then it belongs on the redo stack.
    var isUndone: Bool { open.layers.last?.cause == .undo }
}
