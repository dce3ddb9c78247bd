/// A client's own number for a transaction of its own. It stays the same when the transaction is sent again under another
/// sequence number.
public typealias LocalNumber = UInt64

/// One person's undo history on one canvas.
///
/// **Entries.** Each action is an entry with a rising number. An entry has *layers*: at the bottom the edit, on top of it
/// its undo, on that its redo, and so on, as far as they are not settled. The top layer says where the entry belongs: edit
/// or redo on the undo stack, undo on the redo stack. A layer has a *share* in each transaction it was made by: the inverses
/// of what the entry contributed. (An edit of several joined transactions, such as a typing burst, has several shares.)
///
/// **Inverses are made by applying.** Whenever a transaction is applied again because somebody else's commit came in front
/// of it, its inverses are made anew; the application on the confirmed canvas is the last one and makes the share *final*.
/// So an inverse holds the state just before the operation in server order.
///
/// **Pressing** undo takes the inverses of the topmost entry, as far as they would change anything, and goes on to the next
/// entry until something visible changes. Entries passed in one press form a *unit* on the redo stack and come back together.
/// If nothing visible would change, nothing is touched.
///
/// **Hold.** Values in a press that come from a share which is not final may still change; such a press must not be sent, nor
/// anything behind it, until they are (`holds`). While it waits its values are taken again from the shares (`refresh`).
public struct UndoStack: Sendable {
    /// The inverse of one item of a transaction.
    struct Inverse: Sendable {
        let item: Int
        let operation: Operation
    }

    struct Share: Sendable {
        let transaction: LocalNumber
        var inverses: [Inverse]
        /// How many items the entry contributed; 0 if it was only passed over.
        var itemCount: Int
        var isFinal: Bool
    }

    struct Layer: Sendable {
        let cause: Transaction.Cause
        var shares: [Share]
        /// The edits' epoch at the press; a refused redo does not come back after a newer edit.
        let epoch: UInt64

        /// Whether the entry was passed over without any operation.
        var isEmpty: Bool { shares.allSatisfy { $0.itemCount == 0 } }
    }

    struct Entry: Sendable {
        let number: UInt64
        let label: String
        var layers: [Layer]

        /// Whether no transaction of it is under way.
        var isSettled: Bool { layers.allSatisfy { $0.shares.allSatisfy { $0.isFinal } } }

        /// Index of the layer whose inverses a press takes. An empty undo and an empty redo on top of it cancel out.
        var topIndex: Int {
            var index = layers.count - 1
            while index >= 2, layers[index].isEmpty, layers[index - 1].isEmpty { index -= 2 }
            return index
        }
    }

    /// Names the inverse an operation of a press was taken from.
    public struct Source: Hashable, Sendable {
        /// The transaction whose share holds the inverse.
        public let transaction: LocalNumber
        let item: Int
    }

    /// One operation of a transaction with the entry it belongs to and, in a press, where it was taken from.
    public struct Item: Sendable {
        /// The operation.
        public var operation: Operation
        /// Whether it waits for an inverse: its source has none at the moment, and may have one again.
        public internal(set) var isDormant = false
        /// Its number within the transaction; stays the same when others are dropped.
        public let key: Int
        /// The entry it belongs to.
        public let entry: UInt64
        /// Where it was taken from; nil in an edit.
        public let source: Source?

        /// An operation of an edit.
        public init(_ operation: Operation, key: Int, entry: UInt64) {
            self.init(operation, key: key, entry: entry, source: nil)
        }

        init(_ operation: Operation, key: Int, entry: UInt64, source: Source?) {
            self.operation = operation
            self.key = key
            self.entry = entry
            self.source = source
        }
    }

    /// What pressing undo or redo would do.
    public struct Press: Sendable {
        /// Undo or redo.
        public let cause: Transaction.Cause
        /// The label of the action where the press stops.
        public let label: String
        /// What it does, in order.
        public let items: [Item]
        /// How many entries (undo) or units (redo) it takes.
        let count: Int
    }

    /// What must be done about pending transactions after one of them was refused.
    public struct Withdrawal: Sendable {
        /// Items of these entries must be taken out of later transactions.
        public internal(set) var entries = Set<UInt64>()
    }

    var undoEntries: [Entry] = []
    var redoUnits: [[Entry]] = []
    /// Entries that a newer edit cleared from the redo stack while their undo was not settled. If it is refused, they come
    /// back.
    var cleared: [Entry] = []
    /// Entries that are gone for good while a transaction of theirs is under way. A press that is held takes its values from
    /// them until it is sent.
    var retired: [Entry] = []
    private var nextEntry: UInt64 = 1
    private(set) var currentEpoch: UInt64 = 0

    /// How many actions can be undone; 0 for no limit. Lowering it drops the oldest at once.
    public var levelsOfUndo: Int { didSet { dropOldest() } }

    /// An empty history.
    public init(levelsOfUndo: Int = 100) { self.levelsOfUndo = levelsOfUndo }

    /// Number of actions on the undo stack, dead ones included.
    public var undoCount: Int { undoEntries.count }
    /// Number of units on the redo stack, dead ones included.
    public var redoCount: Int { redoUnits.count }
    /// Labels of the actions on the undo stack, the next to be undone first.
    public var undoLabels: [String] { undoEntries.reversed().map { $0.label } }
    /// The number of the newest action on the undo stack.
    public var newestEntry: UInt64? { undoEntries.last?.number }

    /// Records a transaction with an effect as a new action, or as part of `entry` if that is the newest one.
    ///
    /// Clears the redo stack. Returns the entry's number.
    public mutating func recordEdit(
        _ transaction: LocalNumber, label: String, joining entry: UInt64?
    ) -> UInt64 {
        cleared += redoUnits.joined().filter { !$0.isSettled }
        redoUnits = []
        currentEpoch += 1
        let share = Share(transaction: transaction, inverses: [], itemCount: 1, isFinal: false)
        if let entry, let last = undoEntries.last, last.number == entry, last.layers.count == 1 {
            undoEntries[undoEntries.count - 1].layers[0].shares.append(share)
            return entry
        }
        let number = nextEntry
        nextEntry += 1
        let layer = Layer(cause: .edit, shares: [share], epoch: currentEpoch)
        undoEntries.append(Entry(number: number, label: label, layers: [layer]))
        dropOldest()
        return number
    }

    private mutating func dropOldest() {
        guard levelsOfUndo > 0, undoEntries.count > levelsOfUndo else { return }
        let dropped = undoEntries.count - levelsOfUndo
        retired += undoEntries.prefix(dropped).filter { !$0.isSettled }
        undoEntries.removeFirst(dropped)
    }

    /// Forgets everything. Transactions under way are not affected.
    public mutating func removeAll() {
        retired += (undoEntries + redoUnits.joined() + cleared).filter { !$0.isSettled }
        undoEntries = []
        redoUnits = []
        cleared = []
    }

    // MARK: Pressing

    /// What pressing would do now in a person's view; nil if nothing visible would change.
    public func press(_ cause: Transaction.Cause, in view: Canvas) -> Press? {
        var copy = view
        var items: [Item] = []
        let units = cause == .undo ? undoEntries.reversed().map { [$0] } : redoUnits.reversed().map { $0.reversed() }
        for (index, unit) in units.enumerated() {
            let passed = items.count
            for entry in unit { take(entry, onto: &copy, into: &items) }
            // What was passed before made no visible difference, and what makes that visible now is itself visible.
            let operations = items[passed...].map { $0.operation }
            if copy.differsVisibly(from: view, after: operations), let label = unit.first?.label {
                return Press(cause: cause, label: label, items: items, count: index + 1)
            }
        }
        return nil
    }

    private func take(_ entry: Entry, onto canvas: inout Canvas, into items: inout [Item]) {
        let layer = entry.layers[entry.topIndex]
        for share in layer.shares.reversed() {
            for inverse in share.inverses.reversed() {
                guard let part = canvas.effectivePart(of: inverse.operation) else { continue }
                let outcome = canvas.apply([part])
                precondition(outcome.problems.isEmpty, "an effective part has an effect")
                let source = Source(transaction: share.transaction, item: inverse.item)
                items.append(Item(part, key: items.count, entry: entry.number, source: source))
            }
        }
    }

    /// Records a press as made by a transaction: its entries get a layer and change stacks.
    public mutating func record(_ press: Press, as transaction: LocalNumber) {
        var taken: [Entry] = []
        if press.cause == .undo {
            taken = undoEntries.suffix(press.count).reversed()
            undoEntries.removeLast(press.count)
        } else {
            taken = redoUnits.suffix(press.count).reversed().flatMap { $0 }
            redoUnits.removeLast(press.count)
        }
        for index in taken.indices {
            let count = press.items.count { $0.entry == taken[index].number }
            let share = Share(transaction: transaction, inverses: [], itemCount: count, isFinal: false)
            taken[index].layers.append(Layer(cause: press.cause, shares: [share], epoch: currentEpoch))
        }
        if press.cause == .undo {
            redoUnits.append(taken)
        } else {
            for entry in taken { insertSorted(entry) }
            dropOldest()
        }
    }

    mutating func insertSorted(_ entry: Entry) {
        let index = undoEntries.lastIndex { $0.number < entry.number }.map { $0 + 1 } ?? 0
        undoEntries.insert(entry, at: index)
    }
}
