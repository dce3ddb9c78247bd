extension UndoStack {
    /// What pressing undo or redo would do.
    public struct Press: Sendable {
        /// Undo or redo.
        public let cause: Transaction.Cause
        /// The label of the action where the press stops.
        public let label: String
        /// What it does, in order.
        public let items: [Item]
        /// For each item its inverse.
        public let inverses: [Operation?]
        /// The view after it.
        public let canvas: Canvas
        /// What there is to say about it.
        public let report: PressReport
        /// The entries it takes, in order.
        let entries: [UInt64]
        /// How many entries (undo) or units (redo) it takes.
        let count: Int
        /// Whether the entries are forgotten instead of going onto the redo stack.
        let isCancellation: Bool
    }

    /// What pressing comes to.
    public enum Attempt: Sendable {
        /// It does this.
        case press(Press)
        /// Nothing visible would change; what there is to say about the actions that it would pass over.
        case nothing([Remark])
    }

    /// What pressing would do now in a person's view.
    public func press(_ cause: Transaction.Cause, in view: Canvas) -> Attempt {
        var taking = Taking(self, view)
        guard let stop = stop(cause, &taking) else { return .nothing(taking.remarks) }
        return .press(taking.press(cause, label: stop.label, count: stop.count))
    }

    /// The name of the action that pressing would stop at; nil if nothing visible would change. The same as in ``press(_:in:)``
    /// for less work.
    public func label(_ cause: Transaction.Cause, in view: Canvas) -> String? {
        var taking = Taking(self, view, isReporting: false)
        return stop(cause, &taking)?.label
    }

    /// Takes entry after entry until something visible changes; nil if nothing does.
    private func stop(_ cause: Transaction.Cause, _ taking: inout Taking) -> (label: String, count: Int)? {
        var count = 0
        while let (unit, label) = unit(cause, at: count) {
            count += 1
            let passed = taking.items.count
            for entry in unit { taking.take(entry, cause) }
            // What was passed before made no visible difference, and what makes that visible now is itself visible.
            let operations = taking.items[passed...].map { $0.operation }
            guard taking.canvas.differsVisibly(from: taking.view, after: operations) else {
                taking.passed += unit.map { $0.label }
                continue
            }
            return (label, count)
        }
        return nil
    }

    /// What one step of a press takes: an entry to undo, or the entries of a unit to redo, in the order to take them.
    private func unit(_ cause: Transaction.Cause, at depth: Int) -> (entries: [Entry], label: String)? {
        switch cause {
        case .undo:
            guard depth < undoEntries.count else { return nil }
            let entry = undoEntries[undoEntries.count - 1 - depth]
            return ([entry], entry.label)
        case .redo:
            guard depth < redoUnits.count, let live = redoUnits[redoUnits.count - 1 - depth].last else { return nil }
            return (redoUnits[redoUnits.count - 1 - depth].reversed(), live.label)
        case .edit:
            preconditionFailure("an edit is not pressed")
        }
    }

    /// What it takes to restore the state before the newest entry, visible or not, and to forget the entry; nil if it is not the
    /// newest.
    public func cancellation(of entry: UInt64, in view: Canvas) -> Press? {
        guard let last = undoEntries.last, last.number == entry else { return nil }
        var taking = Taking(self, view)
        taking.take(last, .undo)
        return taking.press(.undo, label: last.label, count: 1, isCancellation: true)
    }

    /// Records a press as made by transactions: its entries get a layer and change stacks.
    ///
    /// - Parameters:
    ///   - press: what ``press(_:in:)`` or ``cancellation(of:in:)`` gave, with nothing changed since.
    ///   - parts: the transactions with the items of the press that are in each, in order; one but for presses that do not fit
    ///     into one message.
    public mutating func record(_ press: Press, as parts: [(transaction: LocalNumber, items: Range<Int>)]) {
        for part in parts { underWay[part.transaction] = press.entries }
        var taken: [Entry]
        if press.cause == .undo {
            taken = undoEntries.suffix(press.count).reversed()
            undoEntries.removeLast(press.count)
        } else {
            taken = redoUnits.suffix(press.count).reversed().flatMap { $0.reversed() }
            redoUnits.removeLast(press.count)
        }
        for entry in taken { heapBytes -= entry.heapBytes }
        for index in taken.indices {
            let number = taken[index].number
            let shares = parts.map { part in
                Share(
                    transaction: part.transaction, itemCount: press.items[part.items].count { $0.entry == number })
            }
            let layer = Layer(cause: press.cause, shares: shares, epoch: currentEpoch)
            taken[index].update { $0.layers.append(layer) }
        }
        if press.isCancellation {
            cleared += taken
            return
        }
        for entry in taken { heapBytes += entry.heapBytes }
        if press.cause == .undo {
            redoUnits.append(taken)
        } else {
            for entry in taken { insertSorted(entry) }
            dropOldest()
        }
    }

    mutating func insertSorted(_ entry: Entry) {
        packNewest()
        makeRoom()
        undoEntries.insert(entry, at: undoIndex(of: entry.number))
    }

    /// Index of the first entry on the undo stack whose number is not below `number`.
    func undoIndex(of number: UInt64) -> Int {
        var (low, high) = (0, undoEntries.count)
        while low < high {
            let middle = (low + high) / 2
            if undoEntries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A press being put together on a copy of the view.
private struct Taking {
    let view: Canvas
    var canvas: Canvas
    var items: [UndoStack.Item] = []
    var inverses: [Operation?] = []
    var entries: [UInt64] = []
    var passed: [String] = []
    var remarks: [Remark] = []
    private var selection: Selection?
    private let policy: UndoPolicy
    private let touches: UndoStack.Touches
    /// Whether somebody wants to know more than whether it does anything.
    private let isReporting: Bool

    /// Most remarks of one press; more say nothing new.
    private static let mostRemarks = 100

    init(_ stack: UndoStack, _ view: Canvas, isReporting: Bool = true) {
        self.isReporting = isReporting
        self.view = view
        canvas = view
        policy = stack.policy
        touches = stack.touches
    }

    /// Takes the inverses of an entry's top layer, last first, as far as they change what the canvas stores.
    mutating func take(_ entry: UndoStack.Entry, _ cause: Transaction.Cause) {
        let open = entry.open
        entries.append(entry.number)
        if let restored = cause == .undo ? open.selection?.before : open.selection?.after { selection = restored }
        for share in open.layers[open.topIndex].shares.reversed() {
            for inverse in share.inverses.reversed() {
                if isReporting { remarkPurged(inverse.operation, share) }
                guard let wanted = permitted(inverse, share), let effective = canvas.effectivePart(of: wanted),
                    let part = fittingPart(of: effective)
                else {
                    if isReporting { remarkObstacle(inverse.operation) }
                    continue
                }
                let source = UndoStack.Source(transaction: share.transaction, item: inverse.item)
                for piece in part.pieces(ofFixedSize: share.isFinal) {
                    let outcome = canvas.apply([piece])
                    precondition(outcome.problems.isEmpty, "an effective part has an effect")
                    inverses += outcome.inverses
                    items.append(UndoStack.Item(piece, key: items.count, entry: entry.number, source: source))
                }
                if isReporting { remarkEffect(part, isLimited: share.isLimited) }
            }
        }
    }

    /// What a shape has room for: others may have filled it with registers since.
    private mutating func fittingPart(of operation: Operation) -> Operation? {
        guard case .set(let id, let changes) = operation, let properties = canvas[id]?.properties else {
            return operation
        }
        let added = changes.count { $0.value != nil && properties[$0.key] == nil }
        let removed = changes.count { $0.value == nil }
        var surplus = properties.count + added - removed - Limits.propertiesPerShape
        guard surplus > 0 else { return operation }
        var left: [PropertyKey] = []
        let rest = changes.reversed().filter { change in
            guard surplus > 0, change.value != nil, properties[change.key] == nil else { return true }
            surplus -= 1
            left.append(change.key)
            return false
        }
        remark(.obstructed, id, keys: left.reversed(), [])
        return rest.isEmpty ? nil : .set(id, rest.reversed())
    }

    func press(
        _ cause: Transaction.Cause, label: String, count: Int, isCancellation: Bool = false
    ) -> UndoStack.Press {
        let changed = items.map { $0.operation }.flatMap { $0.visiblyChanged(from: view, to: canvas) }
        let report = PressReport(
            label: label, passed: passed, shapes: Set(changed).sorted(), remarks: remarks,
            selection: selection?.visible(on: canvas))
        return UndoStack.Press(
            cause: cause, label: label, items: items, inverses: inverses, canvas: canvas, report: report,
            entries: entries, count: count, isCancellation: isCancellation)
    }

    // MARK: Others' work

    /// The part of an inverse that the policy allows, with a remark where others have worked since.
    private mutating func permitted(_ inverse: UndoStack.Inverse, _ share: UndoStack.Share) -> Operation? {
        guard let revision = share.revision else { return inverse.operation }
        let isUnseen = revision < touches.unseenUntil
        if touches.isEmpty, !isUnseen { return inverse.operation }
        switch inverse.operation {
        case .set(let id, let changes):
            guard canvas[id] != nil else { return inverse.operation }
            let overwritten = zip(changes, inverse.written).filter { change, written in
                guard let current = canvas[id]?[change.key] else { return written != 0 }
                return Canvas.propertyHash(id, change.key, current) != written
            }.map { $0.0.key }
            let differing = overwritten.filter { key in
                (isUnseen || touchers(id, revision) { $0 == .key(key) } != nil)
                    && changes.contains { $0.key == key && $0.value != canvas[id]?[key] }
            }
            guard !differing.isEmpty else { return inverse.operation }
            let sites = touchers(id, revision) { aspect in differing.contains { aspect == .key($0) } } ?? []
            if policy.overwritten == .restoreMine {
                remark(.overwritten, id, keys: differing, sites)
                return inverse.operation
            }
            remark(.yielded, id, keys: differing, sites)
            let rest = changes.filter { !differing.contains($0.key) }
            return rest.isEmpty ? nil : .set(id, rest)
        case .place(let id, let placement):
            guard let shape = canvas[id], placement.isOverwritten(in: shape, written: inverse.written),
                canvas.effectivePart(of: .place(id, placement)) != nil
            else { return inverse.operation }
            let sites = touchers(id, revision) { $0 == .placed }
            guard isUnseen || sites != nil else { return inverse.operation }
            remark(policy.overwritten == .restoreMine ? .overwritten : .yielded, id, sites ?? [])
            return policy.overwritten == .restoreMine ? inverse.operation : nil
        case .hide(.retracted, .shapes(let ids)):
            return retracting(ids, isUnseen)
        case .create, .hide, .show, .insertText, .purge:
            return inverse.operation
        }
    }

    /// Taking back the creation of shapes that others may have worked on.
    ///
    /// - Parameter isUnseen: Whether they may have done so without this client knowing.
    private mutating func retracting(_ ids: [ShapeID], _ isUnseen: Bool) -> Operation? {
        var rest: [ShapeID] = []
        for id in ids {
            guard canvas.isVisible(id), let sites = touchers(id, 0, { $0.isWork }) else {
                if isUnseen, canvas.isVisible(id) { remark(.limited, id, []) }
                rest.append(id)
                continue
            }
            if policy.creation == .keepIfOthersEdited {
                remark(.kept, id, sites)
            } else {
                remark(.edited, id, sites)
                rest.append(id)
            }
        }
        return rest.isEmpty ? nil : .hide(.retracted, .shapes(rest))
    }

    private func touchers(
        _ id: ShapeID, _ revision: Revision, _ isMeant: (UndoStack.Touches.Aspect) -> Bool
    ) -> [SiteID]? {
        touches.sites(id, after: revision, where: isMeant)
    }

    // MARK: Remarks

    private mutating func remarkObstacle(_ operation: Operation) {
        guard case .place(let id, let placement) = operation, let parent = placement.parent, let shape = canvas[id],
            parent.id != shape.parent, canvas.obstacle(to: parent.id, for: id) != nil
        else { return }
        remark(.obstructed, id, [])
    }

    /// Says why an operation that was taken cannot be seen, or not wholly.
    private mutating func remarkEffect(_ operation: Operation, isLimited: Bool) {
        switch operation {
        case .set(let id, let changes):
            remarkHidden(id)
            if isLimited { remark(.limited, id, keys: changes.map { $0.key }, []) }
        case .place(let id, _):
            remarkHidden(id)
            if isLimited { remark(.limited, id, []) }
        case .hide(_, .shapes(let ids)), .show(_, .shapes(let ids)):
            for id in ids { remarkHidden(id) }
        case .hide(_, .characters(let id, let ranges)), .show(_, .characters(let id, let ranges)):
            remarkHidden(id)
            guard !touches.isEmpty, let old = view[id]?.text, let new = canvas[id]?.text else { return }
            if let sites = touchers(id, 0, { $0 == .textHidden }),
                ranges.contains(where: { !new.differsWholly(from: old, $0) })
            {
                remark(.charactersRemoved, id, sites)
            }
        case .create, .insertText, .purge: break
        }
    }

    /// Says what is gone for good of what an inverse speaks of.
    ///
    /// It speaks of what there was. A view that is not as far as the share says nothing about that: it may have to come yet.
    private mutating func remarkPurged(_ operation: Operation, _ share: UndoStack.Share) {
        guard let revision = share.revision, revision <= view.revision else { return }
        // Of what was committed while nobody here looked it is not known whether it ever came into being.
        let gone: Remark.Reason = share.isLimited ? .limited : .purged
        switch operation {
        case .set(let id, _), .place(let id, _):
            if view[id] == nil { remark(gone, id, []) }
        case .hide(_, .shapes(let ids)), .show(_, .shapes(let ids)):
            for id in ids where view[id] == nil { remark(gone, id, []) }
        case .hide(_, .characters(let id, let ranges)), .show(_, .characters(let id, let ranges)):
            guard let text = view[id]?.text else { return remark(gone, id, []) }
            if text.hasPurged(ranges) { remark(.purged, id, []) }
        case .create, .insertText, .purge: break
        }
    }

    private mutating func remarkHidden(_ id: ShapeID) {
        guard !canvas.isVisible(id), !view.isVisible(id) else { return }
        remark(.removed, id, touchers(id, 0) { $0 == .hidden } ?? [])
    }

    private mutating func remark(
        _ reason: Remark.Reason, _ id: ShapeID, keys: [PropertyKey] = [], _ sites: [SiteID]
    ) {
        guard isReporting else { return }
        let remark = Remark(reason: reason, shape: id, keys: keys, sites: sites)
        if remarks.count < Self.mostRemarks, !remarks.contains(remark) { remarks.append(remark) }
    }
}

extension Operation {
    /// Registers whose values fit into one message whatever they are, with room for all else: 15 of 256 KiB in 4 MiB.
    private static let registersPerPiece = 15
    /// Memory of an operation from which on it is looked whether it fits into a message, bytes.
    private static let bytesOfOne = 1 << 20

    /// The same as operations that each fit into a message. The values of one that is not of fixed size may still grow.
    fileprivate func pieces(ofFixedSize isFixed: Bool) -> [Operation] {
        guard case .set(let id, let changes) = self, changes.count > Self.registersPerPiece,
            !isFixed || heapBytes > Self.bytesOfOne
        else { return [self] }
        // What goes makes room for what comes.
        let sorted = changes.filter { $0.value == nil } + changes.filter { $0.value != nil }
        return stride(from: 0, to: sorted.count, by: Self.registersPerPiece).map {
            .set(id, Array(sorted[$0...].prefix(Self.registersPerPiece)))
        }
    }

    /// The shapes it names that look different on two canvases.
    fileprivate func visiblyChanged(from old: Canvas, to new: Canvas) -> [ShapeID] {
        switch self {
        case .hide(_, .shapes(let ids)), .show(_, .shapes(let ids)):
            return ids.filter { old.isVisible($0) != new.isVisible($0) }
        case .create(let creation):
            return [creation.id]
        case .purge:
            return []
        case .set(let id, _), .place(let id, _), .insertText(let id, _), .hide(_, .characters(let id, _)),
            .show(_, .characters(let id, _)):
            return new.differsVisibly(from: old, after: [self]) ? [id] : []
        }
    }
}

extension Text {
    /// Whether every character of a range is visible in one of the texts and hidden in the other.
    fileprivate func differsWholly(from old: Text, _ range: CharacterRange) -> Bool {
        (0..<range.count).allSatisfy { offset in
            let id = range.first.advanced(by: offset)
            return isVisible(id) != old.isVisible(id)
        }
    }
}
