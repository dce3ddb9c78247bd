import EaselCore
import EaselProtocol

/// What a press of undo or redo did.
public enum PressResult: Sendable, Equatable {
    /// Nothing visible would have changed; nothing was touched.
    case nothing
    /// The named action was undone or redone.
    case done(label: String)
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

extension ClientEngine {
    /// Takes back the newest action of a history that would change something visible.
    public mutating func undo(_ history: HistoryID = .main) throws(EditError) -> PressResult {
        try press(.undo, history)
    }

    /// Brings back what the last undo of a history took.
    public mutating func redo(_ history: HistoryID = .main) throws(EditError) -> PressResult {
        try press(.redo, history)
    }

    private mutating func press(
        _ cause: Transaction.Cause, _ history: HistoryID
    ) throws(EditError) -> PressResult {
        guard role == .editor else { throw .readOnly }
        let index = history.index
        groups[index] = nil
        bursts[index] = nil
        guard let press = histories[index].press(cause, in: view) else { return .nothing }
        let verb = cause == .undo ? "Undo " : "Redo "
        let label = Self.shortened(verb + press.label)
        try Self.check(Transaction(operations: press.items.map { $0.operation }, label: label))
        let number = nextLocal
        nextLocal += 1
        histories[index].record(press, as: number)
        let before = view
        let outcome = view.apply(press.items.map { $0.operation })
        histories[index].update(number, items: press.items, inverses: outcome.inverses, isFinal: false)
        pending.append(
            Pending(
                number: number, label: label, cause: cause, view: 0, history: history, items: press.items, sentAs: nil))
        reportHistories()
        reportChange(from: before, cause == .undo ? .undo : .redo)
        return .done(label: press.label)
    }

    /// The longest beginning of a label that may be sent.
    private static func shortened(_ label: String) -> String {
        var result = label
        while result.utf8.count > Limits.labelBytes { result.unicodeScalars.removeLast() }
        return result
    }

    /// What a history offers now. Computed from the view, so it is true after edits of others too.
    public func historyState(_ history: HistoryID = .main) -> HistoryState {
        let stack = histories[history.index]
        let isEditor = role == .editor
        return HistoryState(
            undoLabel: isEditor ? stack.press(.undo, in: view)?.label : nil,
            redoLabel: isEditor ? stack.press(.redo, in: view)?.label : nil,
            undoCount: stack.undoCount, redoCount: stack.redoCount)
    }

    /// The labels of a history's actions, the next to be undone first.
    public func undoLabels(_ history: HistoryID = .main) -> [String] { histories[history.index].undoLabels }

    /// How many actions of a history are kept; 0 for no limit.
    public mutating func setLevelsOfUndo(_ levels: Int, _ history: HistoryID = .main) {
        histories[history.index].levelsOfUndo = levels
        reportHistories()
    }
}
