public import EaselClientEngine
public import EaselCore

// Groups, previews, limits and lifetimes of histories. None of these may be called in an edit's closure.
extension CanvasStore {
    /// What pressing undo or redo would do now, and why less than its action did.
    public func preview(_ direction: PressDirection, _ history: HistoryID = .main) -> PressResult {
        // Only the copy is made under the lock.
        state.withLock { $0.engine }.preview(direction, history)
    }

    /// The labels of what can be undone, the next first.
    public func undoLabels(_ history: HistoryID = .main) -> [String] {
        state.withLock { $0.engine.undoLabels(history) }
    }

    /// The labels of what can be redone, the next first.
    public func redoLabels(_ history: HistoryID = .main) -> [String] {
        state.withLock { $0.engine.redoLabels(history) }
    }

    /// Replaces everything by another canvas, as one action. Without a history it is a new baseline: nothing done before can be
    /// undone, in any history.
    @discardableResult
    public func replaceAll(
        _ label: String, with canvas: Canvas, from view: UInt32 = 0, history: HistoryID? = .main
    ) throws(EditError) -> EditResult {
        try refuseInsideEdit()
        return try change { engine throws(EditError) in
            try engine.replaceAll(label, with: canvas, from: view, history: history)
        }
    }

    /// Opens a group: edits until the matching `endGroup` are one action. Groups nest; the outermost counts.
    public func beginGroup(_ label: String, history: HistoryID = .main) {
        changeHistories { $0.beginGroup(label, history: history) }
    }

    /// Closes the innermost open group.
    public func endGroup(history: HistoryID = .main) { changeHistories { $0.endGroup(history: history) } }

    /// Closes all open groups and restores the state before the outermost of them. Nothing of it can be redone.
    @discardableResult
    public func cancelGroup(history: HistoryID = .main) throws(EditError) -> PressResult {
        try refuseInsideEdit()
        return try change { engine throws(EditError) in try engine.cancelGroup(history: history) }
    }

    /// Makes what is typed next an action of its own.
    public func endTyping(history: HistoryID = .main) { changeHistories { $0.endTyping(history: history) } }

    /// Adds a history, for a window that wants one of its own.
    public func addHistory() -> HistoryID { state.withLock { $0.engine.addHistory() } }

    /// Forgets what can be undone and redone in a history.
    public func clearHistory(_ history: HistoryID) { changeHistories { $0.clearHistory(history) } }

    /// Forgets what can be undone in a history; what can be redone stays.
    public func clearUndo(_ history: HistoryID = .main) { changeHistories { $0.clearUndo(history) } }

    /// Forgets what can be redone in a history; what can be undone stays.
    public func clearRedo(_ history: HistoryID = .main) { changeHistories { $0.clearRedo(history) } }

    /// Forgets a history for good, as when its window closes. Edits that name it later are recorded nowhere; histories of other
    /// windows are not touched.
    public func closeHistory(_ history: HistoryID) { changeHistories { $0.closeHistory(history) } }

    /// How many actions of a history are kept; 0 for no limit. Lowering it drops the oldest at once.
    public func setLevelsOfUndo(_ levels: Int, _ history: HistoryID = .main) {
        changeHistories { $0.setLevelsOfUndo(levels, history) }
    }

    /// How many bytes a history may retain; 0 for no limit. Lowering it drops the oldest actions at once; the newest is kept even
    /// if it takes more.
    public func setByteBudget(_ bytes: Int, _ history: HistoryID = .main) {
        changeHistories { $0.setByteBudget(bytes, history) }
    }

    /// Memory that what can be undone and redone in a history takes, bytes.
    public func retainedBytes(_ history: HistoryID = .main) -> Int {
        state.withLock { $0.engine.retainedBytes(history) }
    }

    /// What undo does in a history where others have worked since.
    public func setUndoPolicy(_ policy: UndoPolicy, _ history: HistoryID = .main) {
        changeHistories { $0.setUndoPolicy(policy, history) }
    }

    private func changeHistories(_ body: (inout ClientEngine) -> Void) {
        precondition(!state.withLock { $0.isEditing }, "histories do not change inside an edit")
        change { engine in body(&engine) }
    }
}
