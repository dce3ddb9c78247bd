import EaselCore

/// Follows the log and tells whether each undo and redo puts back a value that stood just before one of the transactions it
/// takes back, in the server's order.
///
/// Which actions a press took back is known from its maker; presses are found in the log by maker, label and order. Where
/// some are missing, since they were refused or came to nothing, that maker is left out.
struct LawValues: Sendable {
    /// A property of a shape, its parent or its order key.
    private enum Slot: Hashable {
        case property(ShapeID, PropertyKey)
        case parent(ShapeID)
        case order(ShapeID)
    }

    private enum Content: Equatable {
        case value(Value?)
        case parent(ShapeID?)
        case order(OrderKey)
    }

    /// An action of one client and whether its edits and redos are meant, or its undos.
    private struct Side: Hashable {
        let client: Int
        let action: String
        let isUndone: Bool
    }

    private struct PressName: Hashable {
        let client: Int
        let label: String
    }

    private let people: [RandomPlayPerson]
    /// For each press in the log, in order, the actions it took.
    private var presses: [PressName: [[String]]] = [:]
    /// Clients with presses that are not in the log.
    private var unclear: Set<Int> = []
    /// What stood in each slot before each transaction of an action.
    private var before: [Side: [Slot: [Content]]] = [:]

    init(_ people: [RandomPlayPerson]) {
        self.people = people
        for (client, person) in people.enumerated() {
            for press in person.presses {
                presses[PressName(client: client, label: press.label), default: []].append(press.actions)
            }
            if !person.refused.isEmpty || person.isLimited { unclear.insert(client) }
        }
    }

    /// Takes the next transaction of the log, which a client made. Returns what is wrong with it, if something is.
    mutating func take(_ transaction: Transaction, of client: Int, on canvas: Canvas) -> String? {
        if unclear.contains(client) { return nil }
        guard transaction.cause != .edit else {
            let action = people[client].actions[transaction.label]
            if let action { note(transaction, [action], isUndone: false, client, canvas) }
            return nil
        }
        let name = PressName(client: client, label: transaction.label)
        guard var actions = presses[name], !actions.isEmpty else {
            unclear.insert(client)
            return nil
        }
        let taken = actions.removeFirst()
        presses[name] = actions
        let isUndone = transaction.cause == .undo
        for (slot, content) in transaction.operations.flatMap(Self.contents) {
            let candidates = taken.flatMap { action in
                before[Side(client: client, action: action, isUndone: !isUndone)]?[slot] ?? []
            }
            if !candidates.contains(content) {
                return "\(transaction.label) put back \(content), which did not stand before in \(slot)"
            }
        }
        note(transaction, taken, isUndone: isUndone, client, canvas)
        return nil
    }

    private mutating func note(
        _ transaction: Transaction, _ actions: [String], isUndone: Bool, _ client: Int, _ canvas: Canvas
    ) {
        var copy = canvas
        for operation in transaction.operations {
            for (slot, _) in Self.contents(of: operation) {
                guard let content = Self.content(of: slot, on: copy) else { continue }
                for action in actions {
                    let side = Side(client: client, action: action, isUndone: isUndone)
                    before[side, default: [:]][slot, default: []].append(content)
                }
            }
            _ = copy.apply([operation])
        }
    }

    /// What an operation writes, slot by slot.
    private static func contents(of operation: Operation) -> [(Slot, Content)] {
        switch operation {
        case .set(let id, let changes): return changes.map { (.property(id, $0.key), .value($0.value)) }
        case .place(let id, let placement):
            var result: [(Slot, Content)] = []
            if let parent = placement.parent { result.append((.parent(id), .parent(parent.id))) }
            if let order = placement.order { result.append((.order(id), .order(order))) }
            return result
        case .create, .hide, .show, .insertText, .purge: return []
        }
    }

    private static func content(of slot: Slot, on canvas: Canvas) -> Content? {
        switch slot {
        case .property(let id, let key): return canvas[id].map { .value($0[key]) }
        case .parent(let id): return canvas[id].map { .parent($0.parent) }
        case .order(let id): return canvas[id].map { .order($0.order) }
        }
    }
}
