import EaselCore
import EaselProtocol

/// One client as the specification and the rules of undo under latency describe it.
///
/// Nothing is kept that can be worked out: the canvases and the inverses of all transactions come from replaying the whole
/// log and then what is pending, for each question anew. What is kept are lists: the log, the pending transactions, the
/// entries of the history with their layers, and which entries are on which stack.
struct OracleClient {
    /// Which operation of which transaction an operation of a press is the inverse of.
    struct Source: Equatable {
        let transaction: Int
        let item: Int
    }

    /// One operation of an own transaction.
    struct Item {
        /// Its number within the transaction.
        let key: Int
        var operation: Operation
        /// The entry it belongs to.
        let entry: Int
        /// Where a press took it from.
        let source: Source?

        /// Whether it holds values of an inverse, which may change until that is final.
        var takesValues: Bool {
            guard source != nil else { return false }
            switch operation {
            case .set, .place: return true
            case .create, .hide, .show, .insertText, .purge: return false
            }
        }
    }

    /// An own transaction.
    struct Own {
        let number: Int
        let label: String
        let cause: Transaction.Cause
        var items: [Item]
        /// The sequence number it was sent under; nil if it is to be sent (again).
        var sent: SequenceNumber?
    }

    /// A committed transaction; `own` says which of this client's it is.
    struct Committed {
        let operations: [Operation]
        let own: Own?
    }

    /// An edit, or an undo or redo of it, with the transactions that made it.
    struct Layer {
        let cause: Transaction.Cause
        var transactions: [Int]
        /// How many edits there had been.
        let epoch: Int
    }

    /// An action.
    struct Entry {
        let number: Int
        let label: String
        var layers: [Layer]
    }

    struct Group {
        let label: String
        var depth = 1
        var entry: Int?
    }

    enum Link: Equatable {
        case offline
        /// Hello was sent.
        case greeting
        /// Nothing is sent until this revision is here.
        case catchingUp(Revision)
        case live
    }

    let site: SiteID
    var log: [Committed] = []
    var pending: [Own] = []
    var entries: [Int: Entry] = [:]
    var undoStack: [Int] = []
    /// Units, each in the order in which its entries were undone.
    var redoStack: [[Int]] = []
    var epoch = 0
    var group: Group?
    var link = Link.live
    /// What has to be sent besides new transactions.
    var confirmations: [SequenceNumber] = []
    var resends: [Own] = []
    /// The highest number it has used.
    var highestSent: SequenceNumber?
    var nextTransaction = 1
    var nextEntry = 1

    init(site: SiteID) { self.site = site }
}

/// What replaying everything gives.
struct OracleReplay {
    /// After the log.
    var confirmed = OracleCanvas()
    /// With what is pending on top.
    var view = OracleCanvas()
    /// The inverse of each operation that had an effect, by transaction and item.
    var records: [Int: [Int: Operation]] = [:]
}

extension OracleClient {
    /// Builds everything from nothing.
    func replay() -> OracleReplay {
        var result = OracleReplay()
        for commit in log {
            guard let own = commit.own else {
                for operation in commit.operations { _ = result.confirmed.apply(operation) }
                continue
            }
            for item in own.items {
                result.records[own.number, default: [:]][item.key] = result.confirmed.apply(item.operation)
            }
        }
        result.view = result.confirmed
        for own in pending {
            for item in own.items {
                guard let operation = current(item, of: own, result.records) else { continue }
                result.records[own.number, default: [:]][item.key] = result.view.apply(operation)
            }
        }
        return result
    }

    /// What an item of a pending transaction does now. Until it is sent, the values of a press are those its source's inverse
    /// has now; nil while that has no inverse.
    func current(_ item: Item, of own: Own, _ records: [Int: [Int: Operation]]) -> Operation? {
        guard own.sent == nil, item.takesValues, let source = item.source else { return item.operation }
        switch (item.operation, records[source.transaction]?[source.item]) {
        case (.set(let id, let changes), .set(_, let recorded)):
            return .set(id, changes.compactMap { change in recorded.first { $0.key == change.key } })
        case (.place(let id, let placement), .place(_, let recorded)):
            return .place(
                id,
                Placement(
                    parent: placement.parent == nil ? nil : recorded.parent,
                    order: placement.order == nil ? nil : recorded.order))
        default: return nil
        }
    }

    func isFinal(_ transaction: Int) -> Bool { !pending.contains { $0.number == transaction } }

    /// Takes out values of presses whose source turned out to have no inverse for good, and transactions that are left
    /// with nothing.
    private mutating func drop() {
        guard pending.contains(where: { $0.items.isEmpty || $0.items.contains { $0.takesValues } }) else { return }
        let records = replay().records
        var kept: [Own] = []
        for own in pending {
            var rest = own
            if own.sent == nil {
                rest.items.removeAll { item in
                    guard item.takesValues, let source = item.source else { return false }
                    return !kept.contains { $0.number == source.transaction }
                        && records[source.transaction]?[source.item] == nil
                }
            }
            if !rest.items.isEmpty { kept.append(rest) }
        }
        pending = kept
    }

    // MARK: What people do

    /// Records an edit of which the engine says that it did these operations. Returns whether it is one.
    mutating func edit(_ operations: [Operation], label: String) -> Bool {
        let before = replay().view
        var after = before
        for operation in operations { _ = after.apply(operation) }
        guard !after.isEqual(to: before) else { return false }
        redoStack = []
        epoch += 1
        let number = nextTransaction
        nextTransaction += 1
        let entry: Int
        if let joined = group?.entry, undoStack.last == joined, entries[joined]?.layers.count == 1 {
            entry = joined
            entries[joined]?.layers[0].transactions.append(number)
        } else {
            entry = nextEntry
            nextEntry += 1
            let layer = Layer(cause: .edit, transactions: [number], epoch: epoch)
            entries[entry] = Entry(number: entry, label: group?.label ?? label, layers: [layer])
            undoStack.append(entry)
        }
        group?.entry = entry
        let items = operations.enumerated().map { Item(key: $0, operation: $1, entry: entry, source: nil) }
        pending.append(Own(number: number, label: label, cause: .edit, items: items))
        return true
    }

    mutating func beginGroup(_ label: String) {
        if group == nil { group = Group(label: label) } else { group?.depth += 1 }
    }

    mutating func endGroup() {
        group?.depth -= 1
        if group?.depth == 0 { group = nil }
    }

    mutating func clearHistory() {
        entries = [:]
        undoStack = []
        redoStack = []
        group = nil
    }

    // MARK: What the connection does

    mutating func connect() { link = .greeting }

    mutating func disconnect() {
        link = .offline
        confirmations = []
        resends = []
    }

    /// Takes the messages of one frame. Returns the first that must not come.
    mutating func receive(_ messages: some Sequence<ServerMessage>) -> ServerMessage? {
        // What a frame brings is seen when all of it is here.
        let seen = replay().view
        let unexpected = messages.first { !receive($0, seen) }
        drop()
        return unexpected
    }

    private mutating func receive(_ message: ServerMessage, _ seen: OracleCanvas) -> Bool {
        switch message {
        case .welcome(let welcome):
            guard link == .greeting, welcome.site == site else { return false }
            link = .catchingUp(welcome.revision)
        case .commits(let run):
            for commit in run.commits where commit.revision > Revision(log.count) {
                guard commit.revision == Revision(log.count) + 1 else { return false }
                commitArrived(commit)
            }
        case .refusal(let refusal):
            confirmations.append(refusal.sequence)
            if let index = pending.firstIndex(where: { $0.sent == refusal.sequence }) {
                refuse(index, seen)
            }
        case .presence: return true
        default: return false
        }
        catchUp()
        return true
    }

    private mutating func commitArrived(_ commit: Commit) {
        var own: Own?
        if commit.id.site == site, let index = pending.firstIndex(where: { $0.sent == commit.id.sequence }) {
            own = pending.remove(at: index)
        }
        log.append(Committed(operations: commit.transaction.operations, own: own))
    }

    /// RS-07: what was sent before and is not committed goes out again once everything missed is here.
    private mutating func catchUp() {
        guard case .catchingUp(let revision) = link, Revision(log.count) >= revision else { return }
        link = .live
        resends = pending.filter { $0.sent != nil }
    }

    /// How many of the pending transactions that were not sent go out now: up to the first that is held.
    func dueCount() -> Int {
        guard link == .live else { return 0 }
        var count = 0
        for own in pending where own.sent == nil {
            let isHeld = own.items.contains { item in
                guard item.takesValues, let source = item.source else { return false }
                return !isFinal(source.transaction)
            }
            if isHeld { break }
            count += 1
        }
        return count
    }

    /// Notes that a pending transaction was sent: from now on its content never changes.
    mutating func markSent(_ index: Int, as sequence: SequenceNumber) {
        let records = replay().records
        let own = pending[index]
        for place in own.items.indices {
            if let operation = current(own.items[place], of: own, records) {
                pending[index].items[place].operation = operation
            }
        }
        pending[index].sent = sequence
    }
}
