// A history as bytes, for clients that keep it over a restart. What was under way is in it: see `ClientEngine.save`.

extension CBOREncoder {
    /// Writes a history.
    public mutating func undoStack(_ stack: UndoStack) {
        array(12)
        unsigned(stack.nextEntry)
        unsigned(stack.currentEpoch)
        for limit in [stack.levelsOfUndo, stack.byteBudget] { unsigned(UInt64(min(max(0, limit), Int(Int32.max)))) }
        unsigned(UInt64(stack.policy.overwritten.rawValue))
        unsigned(UInt64(stack.policy.creation.rawValue))
        entries(stack.undoEntries)
        array(stack.redoUnits.count)
        for unit in stack.redoUnits { entries(unit) }
        entries(stack.cleared)
        entries(stack.retired)
        touches(stack.touches)
        unsigned(stack.touches.unseenUntil)
    }

    /// Writes an item of a transaction that is under way.
    public mutating func undoItem(_ item: UndoStack.Item) {
        array(6)
        operation(item.operation)
        bool(item.isDormant)
        unsigned(UInt64(item.key))
        unsigned(item.entry)
        if let source = item.source { unsigned(source.transaction) } else { null() }
        unsigned(UInt64(item.source?.item ?? 0))
    }

    private mutating func entries(_ entries: [UndoStack.Entry]) {
        array(entries.count)
        for entry in entries {
            array(4)
            unsigned(entry.number)
            undoContents(entry.open)
        }
    }

    private mutating func touches(_ touches: UndoStack.Touches) {
        let all = touches.sorted
        array(all.count)
        for (shape, touch) in all {
            array(4)
            shapeID(shape)
            if let site = touch.site { unsigned(site.rawValue) } else { null() }
            unsigned(touch.revision)
            switch touch.aspect {
            case .key(let key): text(key.rawValue)
            case .placed: unsigned(0)
            case .hidden: unsigned(1)
            case .shown: unsigned(2)
            case .textInserted: unsigned(3)
            case .textHidden: unsigned(4)
            case .textShown: unsigned(5)
            }
        }
    }
}

extension CBORDecoder {
    /// Reads a history.
    public mutating func undoStack() throws(DecodingError) -> UndoStack {
        try fields(12)
        var stack = UndoStack()
        stack.nextEntry = try exactNumber()
        stack.currentEpoch = try exactNumber()
        let limits = 0...UInt64(Int32.max)
        stack.levelsOfUndo = Int(try unsigned(in: limits))
        let byteBudget = Int(try unsigned(in: limits))
        guard let overwritten = UndoPolicy.Overwritten(rawValue: UInt8(try unsigned(in: 0...1))),
            let creation = UndoPolicy.Creation(rawValue: UInt8(try unsigned(in: 0...1)))
        else { throw .outOfRange }
        stack.policy = UndoPolicy(overwritten: overwritten, creation: creation)
        stack.undoEntries = try entries()
        stack.redoUnits = try list { decoder throws(DecodingError) in try decoder.entries() }
        stack.cleared = try entries()
        stack.retired = try entries()
        let touches = try list { decoder throws(DecodingError) in try decoder.touch() }
        guard stack.isConsistent else { throw .outOfRange }
        stack.restore(touches)
        stack.touches.unseenUntil = try exactNumber()
        stack.byteBudget = byteBudget
        return stack
    }

    /// Reads an item of a transaction that was under way.
    public mutating func undoItem() throws(DecodingError) -> UndoStack.Item {
        try fields(6)
        let operation = try operation()
        if let flaw = operation.isServerOnly ? .purgeByClient : operation.flaw { throw .flawed(flaw) }
        let isDormant = try bool()
        let numbers = 0...UInt64(Int32.max)
        let key = Int(try unsigned(in: numbers))
        let entry = try exactNumber()
        let transaction = null() ? nil : try exactNumber()
        let sourceItem = Int(try unsigned(in: numbers))
        let source = transaction.map { UndoStack.Source(transaction: $0, item: sourceItem) }
        var item = UndoStack.Item(operation, key: key, entry: entry, source: source)
        item.isDormant = isDormant
        return item
    }

    private mutating func entries() throws(DecodingError) -> [UndoStack.Entry] {
        try list { decoder throws(DecodingError) in
            try decoder.fields(4)
            return UndoStack.Entry(number: try decoder.exactNumber(), try decoder.undoContents())
        }
    }

    private mutating func touch() throws(DecodingError) -> (ShapeID, UndoStack.Touches.Touch) {
        try fields(4)
        let shape = try shapeID()
        let site = null() ? nil : try siteID()
        let revision = try exactNumber()
        return (shape, UndoStack.Touches.Touch(site: site, aspect: try aspect(), revision: revision))
    }

    private mutating func aspect() throws(DecodingError) -> UndoStack.Touches.Aspect {
        if let first = next, first >> 5 == CBOREncoder.MajorType.text.rawValue { return .key(try propertyKey()) }
        let all: [UndoStack.Touches.Aspect] = [.placed, .hidden, .shown, .textInserted, .textHidden, .textShown]
        return all[Int(try unsigned(in: 0...UInt64(all.count - 1)))]
    }
}

extension UndoStack {
    /// Whether the entries are where their layers say, in order.
    fileprivate var isConsistent: Bool {
        let all = undoEntries + redoUnits.joined() + cleared + retired
        let isSorted = zip(undoEntries, undoEntries.dropFirst()).allSatisfy { $0.number < $1.number }
        return isSorted && redoUnits.allSatisfy { !$0.isEmpty }
            && all.allSatisfy { $0.number < nextEntry && !$0.open.layers.isEmpty }
            && undoEntries.allSatisfy { !$0.isUndone } && redoUnits.joined().allSatisfy { $0.isUndone }
    }

    /// Makes what is kept beside the entries.
    fileprivate mutating func restore(_ list: [(ShapeID, Touches.Touch)]) {
        heapBytes = (undoEntries + redoUnits.joined()).reduce(0) { $0 + $1.heapBytes }
        for entry in undoEntries + redoUnits.joined() + cleared + retired {
            touches.watch(entry)
            for share in entry.open.layers.flatMap({ $0.shares }) where !share.isFinal {
                underWay[share.transaction, default: []].append(entry.number)
            }
        }
        for (shape, touch) in list { touches.add(touch, to: shape) }
    }
}
