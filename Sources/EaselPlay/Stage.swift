import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol

/// Where a scenario is played.
enum Stage: Sendable {
    /// In this process, over the simulated network.
    case simulated(SimulatedStage)
    /// As real clients of a real server.
    case live(LiveStage)

    /// Uses the simulated stage. Scenarios that need it are not played on another.
    mutating func simulated<Result>(_ body: (inout SimulatedStage) -> Result) -> Result {
        guard case .simulated(var stage) = self else { preconditionFailure("the scenario has no obstacle") }
        defer { self = .simulated(stage) }
        return body(&stage)
    }

    // MARK: Reading

    /// A client's engine as it is now.
    func engine(_ client: Int) -> ClientEngine {
        switch self {
        case .simulated(let stage): stage.simulation.client(client)
        case .live(let stage): stage.store(client).engine
        }
    }

    /// The server's canvas.
    var serverCanvas: Canvas {
        switch self {
        case .simulated(let stage): stage.simulation.serverCanvas
        case .live(let stage): stage.serverCanvas
        }
    }

    /// Whether nothing that the scenario did keeps the clients and the server from being the same.
    var isOpen: Bool {
        switch self {
        case .simulated(let stage): stage.isOpen
        case .live(let stage): stage.isOpen
        }
    }

    /// What a client had saved when its process ended; nil while it runs.
    func saved(_ client: Int) -> SavedClient? {
        switch self {
        case .simulated(let stage): stage.lines[client].saved
        case .live(let stage): stage.seats[client].saved
        }
    }

    /// What a client has sent.
    func traffic(_ client: Int) -> Traffic {
        switch self {
        case .simulated(let stage): stage.lines[client].traffic
        case .live(let stage): stage.traffic(client)
        }
    }

    /// What a client's owner was told.
    func tally(_ client: Int) -> EventTally {
        switch self {
        case .simulated(let stage): stage.lines[client].tally
        case .live(let stage): stage.tally(client)
        }
    }

    // MARK: Clients

    /// Uses a client's engine, and sends what it then wants sent.
    mutating func act<Result, Failure: Error>(
        _ client: Int, _ body: (inout ClientEngine) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .simulated(var stage):
            defer { self = .simulated(stage) }
            return try stage.simulation.act(client, body)
        case .live(let stage): return try stage.store(client).act(body)
        }
    }

    /// Makes an edit. `selection` is given the canvas before and after it.
    mutating func edit(
        _ client: Int, _ terms: EditTerms, history: HistoryID?, unchangedSince version: ViewVersion?,
        selection: (Canvas, Canvas) -> SelectionChange?, _ body: (inout TransactionDraft) -> Void
    ) throws(EditError) -> EditResult {
        func write(_ draft: inout TransactionDraft) {
            let before = draft.canvas
            body(&draft)
            draft.selection = selection(before, draft.canvas)
        }
        switch self {
        case .simulated(var stage):
            defer { self = .simulated(stage) }
            let now = stage.simulation.now
            return try stage.simulation.act(client) { engine throws(EditError) in
                try engine.edit(
                    terms.label, from: terms.view, history: history, coalescing: terms.coalescing,
                    unchangedSince: version, now: now, write)
            }
        case .live(let stage):
            return try stage.store(client).edit(
                terms.label, from: terms.view, history: history, coalescing: terms.coalescing, unchangedSince: version,
                write)
        }
    }

    mutating func press(
        _ client: Int, _ direction: PressDirection, _ history: HistoryID
    ) throws(EditError) -> PressResult {
        if case .live(let stage) = self {
            let store = stage.store(client)
            return direction == .undo ? try store.undo(history) : try store.redo(history)
        }
        return try act(client) { engine throws(EditError) in
            direction == .undo ? try engine.undo(history) : try engine.redo(history)
        }
    }

    mutating func kill(_ client: Int, saving saved: SavedClient) {
        switch self {
        case .simulated(var stage):
            stage.kill(client, saving: saved)
            self = .simulated(stage)
        case .live(var stage):
            stage.kill(client, saving: saved)
            self = .live(stage)
        }
    }

    /// Returns what is wrong besides the bytes, if something is.
    mutating func revive(_ client: Int, from bytes: [UInt8]) throws(RestoreError) -> String? {
        switch self {
        case .simulated(var stage):
            stage.revive(client, as: try ClientEngine.restore(from: bytes))
            self = .simulated(stage)
            return nil
        case .live(var stage):
            defer { self = .live(stage) }
            return try stage.revive(client, from: bytes)
        }
    }

    // MARK: Network

    mutating func disconnect(_ client: Int) {
        switch self {
        case .simulated(var stage):
            stage.disconnect(client)
            self = .simulated(stage)
        case .live(var stage):
            stage.disconnect(client)
            self = .live(stage)
        }
    }

    /// Returns what is wrong, if something is.
    mutating func connect(_ client: Int) -> String? {
        switch self {
        case .simulated(var stage):
            stage.connect(client)
            self = .simulated(stage)
            return nil
        case .live(var stage):
            defer { self = .live(stage) }
            return stage.connect(client)
        }
    }

    mutating func hold(_ client: Int, _ direction: MessageDirection) {
        switch self {
        case .simulated(var stage):
            stage.hold(client, direction)
            self = .simulated(stage)
        case .live(var stage):
            stage.hold(client, direction)
            self = .live(stage)
        }
    }

    mutating func release(_ client: Int, _ direction: MessageDirection) {
        switch self {
        case .simulated(var stage):
            stage.release(client, direction)
            self = .simulated(stage)
        case .live(var stage):
            stage.release(client, direction)
            self = .live(stage)
        }
    }

    /// Returns what is wrong, if something is.
    mutating func release(_ client: Int, _ direction: MessageDirection, count: Int) -> String? {
        switch self {
        case .simulated(var stage):
            defer { self = .simulated(stage) }
            return stage.release(client, direction, count: count)
        case .live(let stage): return stage.release(client, direction, count: count)
        }
    }

    /// Returns what is wrong, if something is.
    mutating func duplicate(_ client: Int) -> String? {
        switch self {
        case .simulated(var stage):
            defer { self = .simulated(stage) }
            return stage.duplicate(client)
        case .live(let stage): return stage.duplicate(client)
        }
    }

    mutating func wait(_ milliseconds: UInt64) {
        switch self {
        case .simulated(var stage):
            stage.wait(milliseconds)
            self = .simulated(stage)
        case .live(let stage): stage.wait(milliseconds)
        }
    }

    /// Brings everything that is not held to everybody. Returns what went wrong, if something did.
    mutating func settle() -> String? {
        switch self {
        case .simulated(var stage):
            defer { self = .simulated(stage) }
            return stage.settle()
        case .live(let stage): return stage.settle()
        }
    }

    /// Ends connections.
    mutating func close() {
        guard case .live(var stage) = self else { return }
        stage.close()
        self = .live(stage)
    }
}
