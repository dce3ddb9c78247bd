import EaselClientEngine
import EaselCore

/// What a client's histories hold, before something that must leave them alone.
struct StackGlimpse: Sendable, Equatable {
    let undoLabels: [String]
    let redoCount: Int
    let pendingCount: Int

    init(_ engine: ClientEngine) {
        undoLabels = engine.undoLabels()
        redoCount = engine.historyState().redoCount
        pendingCount = engine.pendingCount
    }
}

/// A client before an edit.
struct EditGlimpse: Sendable {
    let view: Canvas
    let pendingCount: Int
    /// The history the edit is recorded in, or the main one, if it is looked at this time.
    let history: HistoryID?
    let undoCount: Int
    let redoCount: Int

    init(_ engine: ClientEngine, history: HistoryID?, isCounting: Bool) {
        view = engine.view
        pendingCount = engine.pendingCount
        let state = isCounting ? engine.historyState(history ?? .main) : nil
        self.history = isCounting ? history ?? .main : nil
        undoCount = state?.undoCount ?? 0
        redoCount = state?.redoCount ?? 0
    }
}

/// A client before a press.
struct PressGlimpse: Sendable {
    let view: Canvas
    let state: HistoryState
    let undoLabels: [String]
    let pendingCount: Int
    let pendingUp: Int

    init(_ engine: ClientEngine, _ history: HistoryID, pendingUp: Int) {
        view = engine.view
        state = engine.historyState(history)
        undoLabels = engine.undoLabels(history)
        pendingCount = engine.pendingCount
        self.pendingUp = pendingUp
    }
}
