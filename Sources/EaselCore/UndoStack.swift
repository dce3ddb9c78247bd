/// A client's own number for a transaction of its own. It stays the same when the transaction is sent again under another
/// sequence number.
public typealias LocalNumber = UInt64

/// One person's undo history on one canvas.
///
/// **Entries.** Each action is an entry with a rising number. An entry has *layers*: at the bottom the edit, on top of it
/// its undo, on that its redo, and so on, as far as they are not settled. The top layer says where the entry belongs: edit
/// or redo on the undo stack, undo on the redo stack. A layer has a *share* in each transaction it was made by: the inverses
/// of what the entry contributed. (An edit of several joined transactions, such as a typing burst, has several shares, and so
/// has a press that takes more than one message.)
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
///
/// **Limits.** `levelsOfUndo` bounds the number of actions, `byteBudget` the memory. The oldest actions go first; the newest
/// stays whatever it takes.
public struct UndoStack: Sendable {
    /// Names the inverse an operation of a press was taken from.
    public struct Source: Hashable, Sendable {
        /// The transaction whose share holds the inverse.
        public let transaction: LocalNumber
        let item: Int

        /// The inverse of an item of a transaction.
        public init(transaction: LocalNumber, item: Int) {
            self.transaction = transaction
            self.item = item
        }
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
        public var entry: UInt64
        /// Where it was taken from; nil in an edit.
        public var source: Source?

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

    /// Actions that can be undone, by rising number.
    var undoEntries: [Entry] = []
    /// What presses of undo took, the last press last; the entries of each in the order they were taken.
    var redoUnits: [[Entry]] = []
    /// Entries that left both stacks while their undo was not settled: a newer edit cleared them from the redo stack, or their
    /// group was cancelled. If the undo is refused, they come back.
    var cleared: [Entry] = []
    /// Entries that are gone for good while a transaction of theirs is under way. A press that is held takes its values from
    /// them until it is sent.
    var retired: [Entry] = []
    /// The entries that transactions under way belong to.
    var underWay: [LocalNumber: [UInt64]] = [:]
    /// What others did to the shapes in here.
    var touches = Touches()
    var nextEntry: UInt64 = 1
    var currentEpoch: UInt64 = 0
    /// Memory that the entries on both stacks take beside their own fields, bytes.
    var heapBytes = 0

    /// How many actions can be undone; 0 for no limit. Lowering it drops the oldest at once.
    public var levelsOfUndo: Int { didSet { dropOldest() } }
    /// How many bytes may be retained; 0 for no limit. Lowering it drops the oldest actions at once. The newest action stays
    /// even if it takes more.
    public var byteBudget = 0 { didSet { dropOldest() } }
    /// What undo does where others have worked since.
    public var policy = UndoPolicy()

    /// An empty history.
    public init(levelsOfUndo: Int = 100) { self.levelsOfUndo = levelsOfUndo }

    /// Number of actions on the undo stack, dead ones included.
    public var undoCount: Int { undoEntries.count }
    /// Number of units on the redo stack, dead ones included.
    public var redoCount: Int { redoUnits.count }
    /// Labels of the actions on the undo stack, the next to be undone first.
    public var undoLabels: [String] { undoEntries.reversed().map { $0.label } }
    /// Labels of the units on the redo stack, the next to be redone first.
    public var redoLabels: [String] { redoUnits.reversed().map { $0.last?.label ?? "" } }
    /// The number of the newest action on the undo stack.
    public var newestEntry: UInt64? { undoEntries.last?.number }

    /// Memory that what can be undone and redone takes, bytes, as the allocator hands it out. O(number of redo units).
    public var retainedBytes: Int {
        let stride = MemoryLayout<Entry>.stride
        var bytes = heapBytes + touches.heapBytes + Memory.array(undoEntries.count, of: stride)
        bytes += Memory.array(redoUnits.count, of: MemoryLayout<[Entry]>.stride)
        for unit in redoUnits { bytes += Memory.array(unit.count, of: stride) }
        return bytes
    }

    // MARK: Recording

    /// Records a transaction with an effect as a new action, or as part of `entry` if that is the newest one.
    ///
    /// Clears the redo stack. Returns the entry's number.
    public mutating func recordEdit(
        _ transaction: LocalNumber, label: String, joining entry: UInt64?, selection: SelectionChange? = nil
    ) -> UInt64 {
        clearRedo()
        currentEpoch += 1
        let share = Share(transaction: transaction, itemCount: 1)
        if let entry, isUntouchedNewest(entry) {
            change(.undo(undoEntries.count - 1)) { $0.append(share, selection: selection) }
            underWay[transaction] = [entry]
            return entry
        }
        let number = nextEntry
        nextEntry += 1
        let layer = Layer(cause: .edit, shares: [share], epoch: currentEpoch)
        let new = Entry(number: number, Entry.Open(label: label, layers: [layer], selection: selection))
        heapBytes += new.heapBytes
        packNewest()
        makeRoom()
        undoEntries.append(new)
        underWay[transaction] = [number]
        dropOldest()
        return number
    }

    /// Whether an entry is the newest, and an edit without presses on top of it. Apart, so that nothing holds the entry when it
    /// is changed in place.
    private func isUntouchedNewest(_ number: UInt64) -> Bool {
        guard let last = undoEntries.last, last.number == number else { return false }
        return last.open.layers.count == 1
    }

    // MARK: Forgetting

    /// Forgets everything. Transactions under way are not affected.
    public mutating func removeAll() {
        clearUndo()
        clearRedo()
        retired += cleared
        cleared = []
    }

    /// Forgets the newest action, as when a cancelled group had left nothing to restore.
    public mutating func forgetNewest() {
        retire(undoEntries.suffix(1))
        undoEntries.removeLast()
    }

    /// Forgets what can be undone.
    public mutating func clearUndo() {
        retire(undoEntries)
        undoEntries = []
        touches.forgetIfUnused(by: self)
    }

    /// Forgets what can be redone. What comes back if an undo under way is refused does so all the same.
    public mutating func clearRedo() {
        guard !redoUnits.isEmpty else { return }
        for entry in redoUnits.joined() {
            heapBytes -= entry.heapBytes
            if !entry.isSettled { cleared.append(entry) }
        }
        redoUnits = []
        touches.forgetIfUnused(by: self)
    }

    /// Lets go of entries, but for what is under way.
    private mutating func retire(_ entries: some Sequence<Entry>) {
        for entry in entries {
            heapBytes -= entry.heapBytes
            if !entry.isSettled { retired.append(entry) }
        }
    }

    /// Makes room for another action, an eighth more than there is: doubling would take much more than ``retainedBytes`` says.
    /// O(1) an action on average.
    mutating func makeRoom() {
        guard undoEntries.count == undoEntries.capacity else { return }
        undoEntries.reserveCapacity(undoEntries.count + undoEntries.count / 8 + 4)
    }

    /// Gives back the room of lists that have become much shorter. O(1) an entry dropped.
    private mutating func returnRoom() {
        if undoEntries.capacity > 4 * undoEntries.count + 16 { undoEntries = undoEntries.withoutSpareRoom }
        if redoUnits.capacity > 4 * redoUnits.count + 16 { redoUnits = redoUnits.withoutSpareRoom }
    }

    mutating func dropOldest() {
        if levelsOfUndo > 0, undoEntries.count > levelsOfUndo {
            let dropped = undoEntries.count - levelsOfUndo
            retire(undoEntries.prefix(dropped))
            undoEntries.removeFirst(dropped)
            touches.forgetDropped(from: self)
        }
        guard byteBudget > 0 else { return }
        while retainedBytes > byteBudget {
            touches.forgetDropped(from: self, above: Touches.shapesBeforeSaving)
            returnRoom()
            if retainedBytes <= byteBudget { return }
            // What was undone first is the farthest away; what is next to be undone and next to be redone stays.
            if undoEntries.count > 1 {
                retire(undoEntries.prefix(1))
                undoEntries.removeFirst()
            } else if redoUnits.count > 1 {
                retire(redoUnits[0])
                redoUnits.removeFirst()
            } else {
                return
            }
        }
    }
}

extension UndoStack {
    /// Checks that what is kept beside the entries agrees with them. Linear in them; for tests.
    public func checkInvariants() {
        let all = undoEntries + redoUnits.joined()
        precondition(heapBytes == all.reduce(0) { $0 + $1.heapBytes }, "sizes add up")
        precondition(zip(undoEntries, undoEntries.dropFirst()).allSatisfy { $0.number < $1.number }, "numbers rise")
        precondition(undoEntries.allSatisfy { !$0.isUndone } && redoUnits.joined().allSatisfy { $0.isUndone })
        precondition(redoUnits.allSatisfy { !$0.isEmpty }, "no unit is empty")
        precondition((cleared + retired).allSatisfy { !$0.isSettled }, "only what is under way is kept apart")
    }
}
