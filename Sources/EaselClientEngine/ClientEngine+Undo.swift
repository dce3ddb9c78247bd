public import EaselCore
import EaselProtocol

/// What a press of undo or redo did, or would do.
public enum PressResult: Sendable, Equatable {
    /// Nothing visible would change; nothing is touched. The remarks say why, if there are actions at all.
    case nothing([Remark])
    /// An action is undone or redone.
    case done(PressReport)

    /// The name of the action that is undone or redone; nil if none is.
    public var label: String? {
        switch self {
        case .nothing: return nil
        case .done(let report): return report.label
        }
    }
}

/// What a history offers, for menus and keys.
public struct HistoryState: Sendable, Equatable {
    /// The name of what undo would take back now; nil if it would do nothing visible.
    public let undoLabel: String?
    /// The name of what redo would bring back now; nil if it would do nothing visible.
    public let redoLabel: String?
    /// Number of actions on the undo stack, those included that would do nothing visible now.
    public let undoCount: Int
    /// Number of units on the redo stack, those included that would do nothing visible now.
    public let redoCount: Int

    /// Whether undo would do something visible.
    public var canUndo: Bool { undoLabel != nil }
    /// Whether redo would do something visible.
    public var canRedo: Bool { redoLabel != nil }
}

/// Which button is pressed.
public enum PressDirection: Sendable {
    /// Take back.
    case undo
    /// Bring back.
    case redo

    var cause: Transaction.Cause { self == .undo ? .undo : .redo }
}

extension ClientEngine {
    /// Takes back the newest action of a history that would change something visible.
    ///
    /// An open group is closed and undone; a gesture that is shown to others is cancelled first.
    public mutating func undo(_ history: HistoryID = .main) throws(EditError) -> PressResult {
        try press(.undo, history)
    }

    /// Brings back what the last undo of a history took.
    public mutating func redo(_ history: HistoryID = .main) throws(EditError) -> PressResult {
        try press(.redo, history)
    }

    private mutating func press(
        _ direction: PressDirection, _ history: HistoryID
    ) throws(EditError) -> PressResult {
        guard role == .editor else { throw .readOnly }
        histories[history.index].group = nil
        histories[history.index].burst = nil
        endGesture()
        switch histories[history.index].stack.press(direction.cause, in: view) {
        case .nothing(let remarks): return .nothing(remarks)
        case .press(let press):
            try make(press, direction == .undo ? "Undo " : "Redo ", history)
            return .done(press.report)
        }
    }

    /// What pressing undo or redo would do now, and why less than its action did.
    public func preview(_ direction: PressDirection, _ history: HistoryID = .main) -> PressResult {
        guard role == .editor else { return .nothing([]) }
        switch histories[history.index].stack.press(direction.cause, in: view) {
        case .nothing(let remarks): return .nothing(remarks)
        case .press(let press): return .done(press.report)
        }
    }

    /// Makes the transactions of a press: one, or several if one message does not hold it.
    mutating func make(_ press: UndoStack.Press, _ verb: String, _ history: HistoryID) throws(EditError) {
        let label = Self.shortened(verb + press.label)
        let operations = press.items.map { $0.operation }
        let ranges = try Self.parts(of: operations, operations.indices, label)
        let parts = ranges.enumerated().map { index, range in
            (transaction: nextLocal + LocalNumber(index), items: range)
        }
        nextLocal += LocalNumber(parts.count)
        histories[history.index].stack.record(press, as: parts)
        let before = view
        for part in parts {
            let items = Array(press.items[part.items])
            histories[history.index].stack.update(
                part.transaction, items: items, inverses: Array(press.inverses[part.items]))
            pending.append(
                Pending(
                    number: part.transaction, label: label, cause: press.cause, view: 0, history: history,
                    items: items, sentAs: nil))
        }
        view = press.canvas
        reportHistories()
        reportChange(from: before, press.cause == .undo ? .undo : .redo)
    }

    /// Cuts a press that waited, if the values that came in meanwhile made it larger than a message.
    mutating func divideIfTooLarge(_ index: Int) {
        let whole = pending[index]
        guard let history = whole.history,
            let ranges = try? Self.parts(of: whole.operations, whole.items.indices, whole.label), ranges.count > 1
        else { return }
        var parts: [(transaction: LocalNumber, items: [UndoStack.Item])] = []
        for range in ranges {
            let number = parts.isEmpty ? whole.number : nextLocal
            if !parts.isEmpty { nextLocal += 1 }
            parts.append((number, Array(whole.items[range])))
        }
        histories[history.index].stack.divide(whole.number, into: parts)
        pending.replaceSubrange(
            index...index,
            with: parts.map { part in
                Pending(
                    number: part.transaction, label: whole.label, cause: whole.cause, view: whole.view,
                    history: history, items: part.items, sentAs: nil)
            })
        var sources: [UndoStack.Source: UndoStack.Source] = [:]
        for part in parts.dropFirst() {
            for item in part.items {
                sources[UndoStack.Source(transaction: whole.number, item: item.key)] = UndoStack.Source(
                    transaction: part.transaction, item: item.key)
            }
        }
        for later in (index + parts.count)..<pending.count where pending[later].history == history {
            for item in pending[later].items.indices {
                guard let source = pending[later].items[item].source, let moved = sources[source] else { continue }
                pending[later].items[item].source = moved
            }
        }
    }

    /// Ranges of operations that fit into a message each.
    static func parts(
        of operations: [Operation], _ range: Range<Int>, _ label: String
    ) throws(EditError) -> [Range<Int>] {
        do throws(EditError) {
            try check(Transaction(operations: Array(operations[range]), label: label))
            return [range]
        } catch {
            guard range.count > 1 else { throw error }
            let middle = range.lowerBound + range.count / 2
            return try parts(of: operations, range.lowerBound..<middle, label)
                + parts(of: operations, middle..<range.upperBound, label)
        }
    }

    /// The longest beginning of a label that may be sent.
    static func shortened(_ label: String) -> String {
        var result = label
        while result.utf8.count > Limits.labelBytes { result.unicodeScalars.removeLast() }
        return result
    }

    /// A gesture under way is not committed; what others are shown of it goes.
    private mutating func endGesture() {
        guard !presence.preview.isEmpty else { return }
        var rest = presence
        rest.preview = []
        show(rest)
    }

    /// What a history offers now. Computed from the view, so it is true after edits of others too.
    public func historyState(_ history: HistoryID = .main) -> HistoryState {
        let stack = histories[history.index].stack
        let isEditor = role == .editor
        return HistoryState(
            undoLabel: isEditor ? stack.label(.undo, in: view) : nil,
            redoLabel: isEditor ? stack.label(.redo, in: view) : nil,
            undoCount: stack.undoCount, redoCount: stack.redoCount)
    }

    /// The labels of a history's actions, the next to be undone first.
    public func undoLabels(_ history: HistoryID = .main) -> [String] { histories[history.index].stack.undoLabels }

    /// The labels of what a history can redo, the next to be redone first.
    public func redoLabels(_ history: HistoryID = .main) -> [String] { histories[history.index].stack.redoLabels }
}
