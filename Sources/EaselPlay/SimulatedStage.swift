import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol

/// A scenario's clients and server in this process, over the simulated network.
///
/// Everything is delivered at once but for what is held. Clients that lost their connection get another at once, unless
/// the scenario disconnected them.
struct SimulatedStage: Sendable {
    /// A client's side of the network, and what is counted of it.
    struct Line: Sendable {
        var isHeldUp = false
        var isHeldDown = false
        var isOffline = false
        /// What the client had saved when its process ended; nil while it runs.
        var saved: SavedClient?
        /// What the server lets the client do.
        var role = Role.editor
        var traffic = Traffic()
        var tally = EventTally()

        var isOpen: Bool { !isHeldUp && !isHeldDown && !isOffline && saved == nil }
    }

    var simulation = Simulation()
    var lines: [Line] = []
    var isDiskHeld = false

    init(clients: [String]) {
        for name in clients {
            _ = simulation.addClient(name: name)
            lines.append(Line())
        }
    }

    /// Whether nothing keeps the clients and the server from being the same.
    var isOpen: Bool { !isDiskHeld && lines.allSatisfy(\.isOpen) }

    // MARK: Network

    mutating func disconnect(_ client: Int) {
        noteSent(client)
        lines[client].isOffline = true
        simulation.disconnect(client)
    }

    mutating func connect(_ client: Int) { lines[client].isOffline = false }

    mutating func hold(_ client: Int, _ direction: MessageDirection) {
        switch direction {
        case .up: lines[client].isHeldUp = true
        case .down: lines[client].isHeldDown = true
        }
    }

    /// Delivers what is held, and holds no more.
    mutating func release(_ client: Int, _ direction: MessageDirection) {
        switch direction {
        case .up: lines[client].isHeldUp = false
        case .down: lines[client].isHeldDown = false
        }
    }

    /// Delivers some messages of what is held. Returns what is wrong if there are fewer.
    mutating func release(_ client: Int, _ direction: MessageDirection, count: Int) -> String? {
        noteSent(client)
        for delivered in 0..<count {
            let isThere =
                direction == .up ? simulation.deliverOneUp(client) : simulation.deliverOneDown(client)
            if !isThere { return "\(count) messages must be released, but only \(delivered) are held" }
        }
        return nil
    }

    /// Delivers the oldest held message twice. Returns what is wrong if there is none.
    mutating func duplicate(_ client: Int) -> String? {
        noteSent(client)
        guard lines[client].isHeldUp, simulation.deliverOneUp(client, twice: true) else {
            return "no message is held on its way up"
        }
        return nil
    }

    // MARK: Processes

    mutating func kill(_ client: Int, saving saved: SavedClient) {
        noteSent(client)
        simulation.disconnect(client)
        lines[client].saved = saved
        noteEvents(client)
    }

    mutating func revive(_ client: Int, as engine: ClientEngine) {
        simulation.replaceClient(client, with: engine)
        lines[client].saved = nil
    }

    mutating func restartServer() { simulation.restartServer() }

    // MARK: Disk

    /// Finishes some appends. Returns what is wrong if there are fewer.
    mutating func releaseDisk(count: Int?) -> String? {
        guard let count else {
            isDiskHeld = false
            return nil
        }
        for finished in 0..<count {
            guard simulation.pendingAppends > 0 else {
                return "\(count) appends must reach the disk, but only \(finished) wait"
            }
            simulation.finishAppend()
        }
        return nil
    }

    /// Fails the appends that wait. Returns what is wrong if there are none.
    mutating func failDisk(keepsFirst: Bool) -> String? {
        guard simulation.pendingAppends > 0 else { return "no append waits for the disk" }
        simulation.failAppends(keepingFirst: keepsFirst)
        return nil
    }

    /// Changes what a client may do, at once and whenever it connects again.
    mutating func setRole(_ role: Role, of client: Int) {
        lines[client].role = role
        simulation.setRole(role, of: client)
    }

    mutating func wait(_ milliseconds: UInt64) { simulation.advance(by: milliseconds) }
}

/// What a client's process leaves behind, as an application keeps it.
struct SavedClient: Sendable {
    /// With the canvas.
    let whole: [UInt8]
    /// Without: the canvas has to be fetched.
    let withoutCanvas: [UInt8]
}
