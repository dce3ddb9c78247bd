package import EaselClientEngine

/// The engine inside a store, for the scenario player.
extension CanvasStore {
    /// The engine as it is now: a value, which later edits do not change.
    package var engine: ClientEngine { state.withLock { $0.engine } }

    /// Changes the engine, then sends what there is to send and tells observers.
    ///
    /// Precondition: not called in an edit's closure.
    package func act<Result, Failure: Error>(
        _ body: (inout ClientEngine) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(!state.withLock { $0.isEditing }, "an edit changes the engine at its end")
        return try change(body)
    }
}
