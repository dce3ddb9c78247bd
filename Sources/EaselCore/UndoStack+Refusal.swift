extension UndoStack {
    /// Takes a refused transaction out, and returns the entries whose items must be taken out of later presses.
    ///
    /// An edit that was joined with others only loses its share. Otherwise the refused layer goes with all layers above it, and
    /// the entry belongs where its top layer then says; with no layer left it disappears. Entries of one refused redo go back as
    /// one unit, unless a newer edit has cleared the redo stack since.
    public mutating func refuse(_ transaction: LocalNumber) -> Set<UInt64> {
        var withdrawn = Set<UInt64>()
        var unit: [Entry] = []
        for number in underWay.removeValue(forKey: transaction) ?? [] {
            guard let location = location(of: number),
                let (entry, origin) = remove(location, transaction, &withdrawn), let rest = entry.rest
            else { continue }
            switch origin {
            case .retired:
                if !rest.isSettled { retired.append(rest) }
            case .undo, .redo, .cleared:
                if !rest.isUndone {
                    heapBytes += rest.heapBytes
                    insertSorted(rest)
                } else if entry.epoch == currentEpoch {
                    unit.append(rest)
                } else if !rest.isSettled {
                    cleared.append(rest)
                }
            }
        }
        if !unit.isEmpty {
            for entry in unit { heapBytes += entry.heapBytes }
            redoUnits.append(unit.sorted { $0.number > $1.number })
        }
        dropOldest()
        return withdrawn
    }

    /// What is left of an entry, and when the press was made that was refused.
    private struct Remainder {
        let rest: Entry?
        let epoch: UInt64
    }

    /// Takes the refused share out of an entry. Returns what is left if that must move, and from where; nil if the entry stays.
    private mutating func remove(
        _ location: Location, _ transaction: LocalNumber, _ withdrawn: inout Set<UInt64>
    ) -> (Remainder, Location)? {
        let old = entry(at: location)
        guard let place = old.open.place(of: transaction) else { return nil }
        let refused = old.open.layers[place.layer]
        if refused.cause == .edit, refused.shares.count > 1 {
            update(location) { $0.layers[place.layer].shares.remove(at: place.share) }
            return nil
        }
        withdrawn.insert(old.number)
        var rest = old
        rest.update { $0.layers.removeSubrange(place.layer...) }
        let isGone = rest.open.layers.isEmpty
        if !isGone, rest.isUndone == old.isUndone {
            update(location) { $0.layers.removeSubrange(place.layer...) }
            return nil
        }
        take(location)
        return (Remainder(rest: isGone ? nil : rest, epoch: refused.epoch), location)
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

extension UndoStack.Entry {
    /// Whether the top layer is an undo: then it belongs on the redo stack.
    var isUndone: Bool { open.layers.last?.cause == .undo }
}
