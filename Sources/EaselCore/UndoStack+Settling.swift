extension UndoStack {
    /// Where an entry is.
    enum Location {
        case undo(Int)
        case redo(unit: Int, Int)
        case cleared(Int)
        case retired(Int)
    }

    func location(of number: UInt64) -> Location? {
        let index = undoIndex(of: number)
        if index < undoEntries.count, undoEntries[index].number == number { return .undo(index) }
        for unit in redoUnits.indices.reversed() {
            if let index = redoUnits[unit].firstIndex(where: { $0.number == number }) {
                return .redo(unit: unit, index)
            }
        }
        if let index = cleared.firstIndex(where: { $0.number == number }) { return .cleared(index) }
        return retired.firstIndex { $0.number == number }.map { .retired($0) }
    }

    func entry(at location: Location) -> Entry {
        switch location {
        case .undo(let index): return undoEntries[index]
        case .redo(let unit, let index): return redoUnits[unit][index]
        case .cleared(let index): return cleared[index]
        case .retired(let index): return retired[index]
        }
    }

    /// Changes what is in an entry where it is.
    mutating func update(_ location: Location, _ body: (inout Entry.Open) -> Void) {
        change(location) { $0.update(body) }
    }

    /// Changes an entry where it is.
    mutating func change(_ location: Location, _ body: (inout Entry) -> Void) {
        switch location {
        case .undo(let index):
            heapBytes -= undoEntries[index].heapBytes
            body(&undoEntries[index])
            heapBytes += undoEntries[index].heapBytes
        case .redo(let unit, let index):
            heapBytes -= redoUnits[unit][index].heapBytes
            body(&redoUnits[unit][index])
            heapBytes += redoUnits[unit][index].heapBytes
        case .cleared(let index):
            body(&cleared[index])
            if cleared[index].isSettled { cleared.remove(at: index) }
        case .retired(let index):
            body(&retired[index])
            if retired[index].isSettled { retired.remove(at: index) }
        }
    }

    /// Whether an entry is the one that the next edit may join: packing it each time would make long typing slow.
    private func isNewest(_ location: Location) -> Bool {
        if case .undo(let index) = location { return index == undoEntries.count - 1 }
        return false
    }

    /// Packs the newest entry, before another comes on top of it.
    mutating func packNewest() {
        if !undoEntries.isEmpty { change(.undo(undoEntries.count - 1)) { $0.pack() } }
    }

    /// Takes the inverses that applying a transaction made. `revision` says that it was applied on the confirmed canvas as
    /// that commit: then the layers below are settled and go.
    public mutating func update(
        _ transaction: LocalNumber, items: [Item], inverses: [Operation?], committedAt revision: Revision? = nil
    ) {
        guard let numbers = underWay[transaction] else { return }
        for number in numbers {
            guard let location = location(of: number) else { continue }
            var made: [Inverse] = []
            var count = 0
            for (item, inverse) in zip(items, inverses) where item.entry == number {
                count += 1
                guard let inverse else { continue }
                touches.watch(inverse)
                made.append(Inverse(item: item.key, operation: inverse, written: item.operation.writtenHashes))
            }
            let staysOpen = isNewest(location)
            change(location) { entry in
                entry.updateShare(in: transaction, at: revision, staysOpen: staysOpen && entry.isJoined) { share in
                    share.inverses = made
                    share.itemCount = count
                }
            }
        }
        if revision != nil { underWay[transaction] = nil }
        // Now it is known what the entry takes.
        dropOldest()
    }

    /// Marks a transaction final with the inverses it has. For a client that came back by a snapshot of `revision` and cannot
    /// see the transaction applied: flags are unaffected, values stay the last known ones.
    public mutating func settle(_ transaction: LocalNumber, at revision: Revision) {
        for number in underWay.removeValue(forKey: transaction) ?? [] {
            guard let location = location(of: number) else { continue }
            update(location) { open in
                guard let place = open.place(of: transaction) else { return }
                open.layers[place.layer].shares[place.share].isLimited = true
                open.settle(place.layer, place.share, at: revision)
            }
        }
        dropOldest()
    }

    /// Cuts a press that has not been sent into several transactions: it was held, and the values that came in made it too large.
    ///
    /// - Parameters:
    ///   - transaction: the press.
    ///   - parts: the transactions with their items, in order; the first keeps its number.
    public mutating func divide(_ transaction: LocalNumber, into parts: [(transaction: LocalNumber, items: [Item])]) {
        let numbers = underWay[transaction] ?? []
        for part in parts { underWay[part.transaction] = numbers }
        for number in numbers {
            guard let location = location(of: number) else { continue }
            update(location) { open in
                guard let place = open.place(of: transaction) else { return }
                let whole = open.layers[place.layer].shares[place.share]
                let shares = parts.map { part in
                    let keys = Set(part.items.lazy.filter { $0.entry == number }.map { $0.key })
                    var share = Share(transaction: part.transaction, itemCount: keys.count)
                    share.inverses = whole.inverses.filter { keys.contains($0.item) }
                    return share
                }
                open.layers[place.layer].shares.replaceSubrange(place.share...place.share, with: shares)
            }
        }
        dropOldest()
    }

    /// Whether a transaction must wait: it holds values taken from an inverse that is not final.
    public func holds(_ items: [Item]) -> Bool {
        items.contains { item in
            guard let source = item.source, item.operation.takesValues, underWay[source.transaction] != nil,
                let share = share(item.entry, source)
            else { return false }
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
            if let inverse = share.inverse(of: source.item),
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
        guard let location = location(of: number) else { return nil }
        let open = entry(at: location).open
        return open.place(of: source.transaction).map { open.layers[$0.layer].shares[$0.share] }
    }

    /// Notes a commit of somebody else, so that presses can say whose work they touch.
    public mutating func note(_ commit: Commit) {
        touches.note(commit.transaction.operations, by: commit.id.site, at: commit.revision)
        // What is known of others takes memory, too.
        dropOldest()
    }

    /// Notes what others did while this client was away, if it came back by a snapshot.
    ///
    /// - Parameters:
    ///   - expected: What the client held before, with its own transactions that were committed meanwhile; nil if that is not
    ///     known. Then presses treat what differs from what they left as work of others.
    ///   - canvas: The canvas of the snapshot. O(what differs), O(shapes) where nothing is shared.
    public mutating func noteMissed(since expected: Canvas?, in canvas: Canvas) {
        if undoEntries.isEmpty, redoUnits.isEmpty, cleared.isEmpty { return }
        guard let expected else {
            touches.unseenUntil = canvas.revision
            return
        }
        touches.note(canvas.difference(from: expected), by: nil, at: canvas.revision)
        dropOldest()
    }
}

extension Operation {
    /// Whether an inverse carries values, which depend on the order of commits. Flags do not.
    var takesValues: Bool {
        switch self {
        case .set, .place: return true
        case .create, .hide, .show, .insertText, .purge: return false
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

    /// What it leaves in each register, or in parent and order key, as hashes; 0 for absent and for what it does not write.
    fileprivate var writtenHashes: [UInt64] {
        switch self {
        case .set(let id, let changes):
            return changes.map { change in change.value.map { Canvas.propertyHash(id, change.key, $0) } ?? 0 }
        case .place(_, let placement): return placement.hashes
        case .create, .hide, .show, .insertText, .purge: return []
        }
    }
}

extension Placement {
    fileprivate var hashes: [UInt64] {
        [parent.map { Self.hash($0.id) } ?? 0, order.map { XXH64.hash($0.rawValue) } ?? 0]
    }

    private static func hash(_ parent: ShapeID?) -> UInt64 { XXH64.hash(parent?.rawValue ?? "") }

    /// Whether a shape is at another place than the one that `written` stands for, in what this placement would restore.
    func isOverwritten(in shape: Shape, written: [UInt64]) -> Bool {
        guard written.count == 2 else { return false }
        let isMoved = parent != nil && Self.hash(shape.parent) != written[0]
        return isMoved || order != nil && XXH64.hash(shape.order.rawValue) != written[1]
    }
}
