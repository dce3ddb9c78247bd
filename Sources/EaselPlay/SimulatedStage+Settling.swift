import EaselClient
import EaselClientEngine

/// Letting the simulated network do its work.
extension SimulatedStage {
    /// Rounds of delivery after which something must be wrong.
    private static let mostRounds = 10_000
    /// Milliseconds after which a client sends again what the server could not store.
    private static let retryInterval: UInt64 = 1_000

    /// Delivers everything that is not held, until nothing is under way. Returns what went wrong, if something did.
    mutating func settle() -> String? {
        var rounds = 0
        while deliverOnce() {
            rounds += 1
            if rounds > Self.mostRounds { return "the clients and the server do not come to rest" }
        }
        if let fault = simulation.faults.first { return fault }
        for client in lines.indices {
            noteSent(client)
            noteEvents(client)
            if let divergence = lines[client].tally.divergence {
                return "the canvas differs from the server's at revision \(divergence.revision)"
            }
        }
        return nil
    }

    /// Counts what a client has put on its way.
    mutating func noteSent(_ client: Int) {
        let site = simulation.client(client).site
        for message in simulation.messagesUp(client) { lines[client].traffic.took(message, from: site) }
    }

    /// Counts what a client's owner is told.
    mutating func noteEvents(_ client: Int) {
        for event in simulation.takeEvents(client) { lines[client].tally.note(event) }
    }

    /// Returns whether something was under way.
    private mutating func deliverOnce() -> Bool {
        var isBusy = false
        for (client, line) in lines.enumerated() where line.saved == nil {
            if !line.isOffline, !simulation.isConnected(client) {
                simulation.connect(client)
                isBusy = true
            }
            noteSent(client)
            while !line.isHeldUp, simulation.pendingUp(client) > 0 {
                simulation.deliverUp(client)
                // A client that came back joined as everybody does.
                simulation.setRole(line.role, of: client)
                isBusy = true
            }
        }
        while !isDiskHeld, simulation.pendingAppends > 0 {
            simulation.finishAppend()
            isBusy = true
        }
        for (client, line) in lines.enumerated() where !line.isHeldDown && simulation.hasDown(client) {
            simulation.deliverDown(client)
            isBusy = true
        }
        if lines.indices.contains(where: { simulation.client($0).linkState == .inTrouble && isSending($0) }) {
            simulation.advance(by: Self.retryInterval)
            isBusy = true
        }
        return isBusy
    }

    /// Whether the answers to what a client sends can reach it.
    private func isSending(_ client: Int) -> Bool { lines[client].isOpen && !isDiskHeld }
}
