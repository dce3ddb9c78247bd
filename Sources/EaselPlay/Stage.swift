import EaselClient
import EaselClientEngine
import EaselCore

/// Where a scenario is played.
enum Stage: Sendable {
    /// In this process, over the simulated network.
    case simulated(SimulatedStage)
    /// As real clients of a real server.
    case live(LiveStage)

    /// Uses the simulated stage. Scenarios that need it are not played on another.
    private mutating func simulated<Result>(_ body: (inout SimulatedStage) -> Result) -> Result {
        guard case .simulated(var stage) = self else { preconditionFailure("the scenario has no obstacle") }
        defer { self = .simulated(stage) }
        return body(&stage)
    }

    // MARK: Reading

    /// What a client shows.
    func view(_ client: Int) -> Canvas {
        switch self {
        case .simulated(let stage): stage.simulation.client(client).view
        case .live(let stage): stage.store(client).canvas
        }
    }

    /// The server's canvas.
    var serverCanvas: Canvas {
        switch self {
        case .simulated(let stage): stage.simulation.serverCanvas
        case .live(let stage): stage.serverCanvas
        }
    }

    /// The digest of what a client knows to be committed.
    func confirmedDigest(_ client: Int) -> UInt64 {
        switch self {
        case .simulated(let stage): stage.simulation.client(client).confirmed.digest
        case .live(let stage): stage.store(client).status.digest
        }
    }

    /// A client's number of transactions that are not acknowledged.
    func pendingCount(_ client: Int) -> Int {
        switch self {
        case .simulated(let stage): stage.simulation.client(client).pendingCount
        case .live(let stage): stage.store(client).status.pendingCount
        }
    }

    /// What a client's undo and redo offer.
    func history(_ client: Int) -> HistoryState {
        switch self {
        case .simulated(let stage): stage.simulation.client(client).historyState()
        case .live(let stage): stage.store(client).historyState()
        }
    }

    /// Whether nothing that the scenario did keeps the clients and the server from being the same.
    var isOpen: Bool {
        switch self {
        case .simulated(let stage): stage.isOpen
        case .live(let stage): stage.isOpen
        }
    }

    // MARK: Acting

    mutating func edit(
        _ client: Int, _ terms: EditTerms, _ body: (inout TransactionDraft) -> Void
    ) throws(EditError) -> EditResult {
        switch self {
        case .simulated(var stage):
            defer { self = .simulated(stage) }
            return try stage.edit(client, terms, body)
        case .live(let stage):
            return try stage.store(client).edit(
                terms.label, history: terms.isRecorded ? .main : nil, coalescing: terms.coalescing, body)
        }
    }

    mutating func press(_ client: Int, _ press: ScenarioStep.Press) throws(EditError) -> PressResult {
        switch self {
        case .simulated(var stage):
            defer { self = .simulated(stage) }
            return try stage.press(client, press)
        case .live(let stage):
            let store = stage.store(client)
            return press == .undo ? try store.undo() : try store.redo()
        }
    }

    mutating func begin(_ client: Int, _ label: String) {
        switch self {
        case .simulated(var stage):
            stage.begin(client, label)
            self = .simulated(stage)
        case .live(let stage): stage.store(client).beginGroup(label)
        }
    }

    mutating func end(_ client: Int) {
        switch self {
        case .simulated(var stage):
            stage.end(client)
            self = .simulated(stage)
        case .live(let stage): stage.store(client).endGroup()
        }
    }

    mutating func clearHistory(_ client: Int) {
        switch self {
        case .simulated(var stage):
            stage.clearHistory(client)
            self = .simulated(stage)
        case .live(let stage): stage.store(client).clearHistory(.main)
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

    mutating func hold(_ client: Int, _ direction: ScenarioStep.Direction) {
        simulated { $0.hold(client, direction) }
    }

    /// Returns what is wrong, if something is.
    mutating func release(_ client: Int, _ direction: ScenarioStep.Direction, count: Int?) -> String? {
        simulated { $0.release(client, direction, count: count) }
    }

    mutating func restartServer() {
        simulated { $0.restartServer() }
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
