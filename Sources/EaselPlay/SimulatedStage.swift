import EaselClientEngine
import EaselCore

/// A scenario's clients and server in this process, over the simulated network.
///
/// Everything is delivered at once but for what is held. Clients that lost their connection get another at once, unless
/// the scenario disconnected them.
struct SimulatedStage: Sendable {
    /// A client's side of the network.
    private struct Line: Sendable {
        var isHeldUp = false
        var isHeldDown = false
        var isOffline = false

        var isOpen: Bool { !isHeldUp && !isHeldDown && !isOffline }
    }

    /// Rounds of delivery after which something must be wrong.
    private static let mostRounds = 10_000
    /// Milliseconds after which a client sends again what the server could not store.
    private static let retryInterval: UInt64 = 1_000

    private(set) var simulation = Simulation()
    private var lines: [Line] = []

    init(clients: [String]) {
        for name in clients {
            _ = simulation.addClient(name: name)
            lines.append(Line())
        }
    }

    /// Whether nothing keeps the clients and the server from being the same.
    var isOpen: Bool { lines.allSatisfy(\.isOpen) }

    // MARK: Clients

    mutating func edit(
        _ client: Int, _ terms: EditTerms, _ body: (inout TransactionDraft) -> Void
    ) throws(EditError) -> EditResult {
        let now = simulation.now
        return try simulation.act(client) { engine throws(EditError) in
            try engine.edit(
                terms.label, history: terms.isRecorded ? .main : nil, coalescing: terms.coalescing, now: now, body)
        }
    }

    mutating func press(_ client: Int, _ press: ScenarioStep.Press) throws(EditError) -> PressResult {
        try simulation.act(client) { engine throws(EditError) in
            press == .undo ? try engine.undo() : try engine.redo()
        }
    }

    mutating func begin(_ client: Int, _ label: String) { simulation.act(client) { $0.beginGroup(label) } }

    mutating func end(_ client: Int) { simulation.act(client) { $0.endGroup() } }

    mutating func clearHistory(_ client: Int) { simulation.act(client) { $0.clearHistory(.main) } }

    // MARK: Network

    mutating func disconnect(_ client: Int) {
        lines[client].isOffline = true
        simulation.disconnect(client)
    }

    mutating func connect(_ client: Int) { lines[client].isOffline = false }

    mutating func hold(_ client: Int, _ direction: ScenarioStep.Direction) {
        if direction.includesUp { lines[client].isHeldUp = true }
        if direction.includesDown { lines[client].isHeldDown = true }
    }

    /// Delivers what is held. With a count, that many frames and no more; returns what is wrong if there are fewer.
    mutating func release(_ client: Int, _ direction: ScenarioStep.Direction, count: Int?) -> String? {
        guard let count else {
            if direction.includesUp { lines[client].isHeldUp = false }
            if direction.includesDown { lines[client].isHeldDown = false }
            return nil
        }
        for delivered in 0..<count {
            let isThere = direction == .up ? simulation.pendingUp(client) > 0 : simulation.hasDown(client)
            guard isThere else { return "\(count) frames must be released, but only \(delivered) are held" }
            if direction == .up { simulation.deliverUp(client) } else { simulation.deliverDown(client) }
        }
        return nil
    }

    mutating func restartServer() { simulation.restartServer() }

    mutating func wait(_ milliseconds: UInt64) { simulation.advance(by: milliseconds) }

    /// Delivers everything that is not held, until nothing is under way. Returns what went wrong, if something did.
    mutating func settle() -> String? {
        var rounds = 0
        while deliverOnce() {
            rounds += 1
            if rounds > Self.mostRounds { return "the clients and the server do not come to rest" }
        }
        if let fault = simulation.faults.first { return fault }
        for client in lines.indices {
            for event in simulation.takeEvents(client) {
                if case .diverged(let divergence) = event {
                    return "the canvas differs from the server's at revision \(divergence.revision)"
                }
            }
        }
        return nil
    }

    /// Returns whether something was under way.
    private mutating func deliverOnce() -> Bool {
        var isBusy = false
        for (client, line) in lines.enumerated() {
            if !line.isOffline, !simulation.isConnected(client) {
                simulation.connect(client)
                isBusy = true
            }
            while !line.isHeldUp, simulation.pendingUp(client) > 0 {
                simulation.deliverUp(client)
                isBusy = true
            }
        }
        while simulation.pendingAppends > 0 {
            simulation.finishAppend()
            isBusy = true
        }
        for (client, line) in lines.enumerated() where !line.isHeldDown && simulation.hasDown(client) {
            simulation.deliverDown(client)
            isBusy = true
        }
        if lines.indices.contains(where: { simulation.client($0).linkState == .inTrouble }) {
            simulation.advance(by: Self.retryInterval)
            isBusy = true
        }
        return isBusy
    }
}
