public import EaselCore
import EaselProtocol

// Groups, and the life of histories.
extension ClientEngine {
    /// Opens a group: edits until the matching `endGroup` are one action. Groups nest; the outermost counts.
    ///
    /// Of a label longer than ``/EaselCore/Limits/labelBytes`` the beginning is kept.
    public mutating func beginGroup(_ label: String, history: HistoryID = .main) {
        if histories[history.index].group == nil {
            histories[history.index].group = Group(label: Self.shortened(label))
            histories[history.index].burst = nil
        } else {
            histories[history.index].group?.depth += 1
        }
    }

    /// Closes the innermost open group. Does nothing if none is open.
    public mutating func endGroup(history: HistoryID = .main) {
        guard var group = histories[history.index].group else { return }
        group.depth -= 1
        histories[history.index].group = group.depth == 0 ? nil : group
    }

    /// Closes all open groups and restores the state before the outermost of them began. Nothing of it can be redone, and what
    /// others did meanwhile stays. Does nothing if none is open.
    ///
    /// - Returns: what was restored.
    @discardableResult
    public mutating func cancelGroup(history: HistoryID = .main) throws(EditError) -> PressResult {
        let group = histories[history.index].group
        // A viewer can restore nothing, but what is edited later must not become part of what was cancelled.
        histories[history.index].group = nil
        guard role == .editor else { throw .readOnly }
        guard let group else { return .nothing([]) }
        guard let entry = group.entry,
            let press = histories[history.index].stack.cancellation(of: entry, in: view)
        else { return .nothing([]) }
        if press.items.isEmpty {
            histories[history.index].stack.forgetNewest()
            reportHistories()
            return .nothing(press.report.remarks)
        }
        try make(press, "Cancel ", history)
        return .done(press.report)
    }

    /// Ends a typing burst: what is typed next is an action of its own. For caret jumps and the like.
    public mutating func endTyping(history: HistoryID = .main) { histories[history.index].burst = nil }

    /// Adds a history, for a window that wants one of its own.
    public mutating func addHistory() -> HistoryID {
        histories.append(History())
        return HistoryID(index: histories.count - 1)
    }

    /// Forgets what can be undone and redone in a history. Histories of other windows are not touched.
    public mutating func clearHistory(_ history: HistoryID) {
        forget(history)
        reportHistories()
    }

    mutating func forget(_ history: HistoryID) {
        histories[history.index].stack.removeAll()
        histories[history.index].group = nil
        histories[history.index].burst = nil
    }

    /// Forgets what can be undone in a history; what can be redone stays.
    public mutating func clearUndo(_ history: HistoryID = .main) {
        histories[history.index].stack.clearUndo()
        histories[history.index].group = nil
        histories[history.index].burst = nil
        reportHistories()
    }

    /// Forgets what can be redone in a history; what can be undone stays.
    public mutating func clearRedo(_ history: HistoryID = .main) {
        histories[history.index].stack.clearRedo()
        reportHistories()
    }

    /// Forgets a history for good, as when its window closes. Edits that name it later are made, and recorded nowhere.
    public mutating func closeHistory(_ history: HistoryID) {
        histories[history.index].isClosed = true
        clearHistory(history)
    }

    // MARK: Limits and policy

    /// How many actions of a history are kept; 0 for no limit. Lowering it drops the oldest at once.
    public mutating func setLevelsOfUndo(_ levels: Int, _ history: HistoryID = .main) {
        histories[history.index].stack.levelsOfUndo = levels
        reportHistories()
    }

    /// How many bytes a history may retain; 0 for no limit. Lowering it drops the oldest actions at once. The newest action is
    /// kept even if it takes more.
    public mutating func setByteBudget(_ bytes: Int, _ history: HistoryID = .main) {
        histories[history.index].stack.byteBudget = bytes
        reportHistories()
    }

    /// Memory that what can be undone and redone in a history takes, bytes.
    public func retainedBytes(_ history: HistoryID = .main) -> Int { histories[history.index].stack.retainedBytes }

    /// What undo does in a history where others have worked since.
    public mutating func setUndoPolicy(_ policy: UndoPolicy, _ history: HistoryID = .main) {
        histories[history.index].stack.policy = policy
        reportHistories()
    }
}

extension ClientEngine {
    /// Checks what the histories keep about themselves. Linear in them; for tests.
    public func checkHistories() {
        for history in histories { history.stack.checkInvariants() }
    }
}
