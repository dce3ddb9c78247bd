import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselSupport
import Glibc

/// A scenario's clients as real ones, on a fresh canvas of a real server. One more client, which only watches, stands for
/// the server's canvas.
struct LiveStage: Sendable {
    /// How long clients and server may take until they are the same, milliseconds.
    static let patience: UInt64 = 10_000
    /// Time between two looks, microseconds.
    static let interval: UInt32 = 1_000

    /// A client with its connection.
    struct Seat: Sendable {
        var store: CanvasStore
        /// Nil while the scenario keeps it disconnected, or its process has ended.
        var connection: CanvasConnection?
        /// The scenario keeps it disconnected, also when its process starts again.
        var isOffline = false
        var isHeldUp = false
        var isHeldDown = false
        /// What was sent before the present connection.
        var earlier = Traffic()
        /// What the client had saved when its process ended; nil while it runs.
        var saved: SavedClient?
        let tally = Locked(EventTally())
        var observation: Observation?

        init(store: CanvasStore) {
            self.store = store
            observe()
        }

        /// Counts what the store tells.
        mutating func observe() {
            observation = store.observe { [tally] event in tally.withLock { $0.note(event) } }
        }

        var isOpen: Bool { connection != nil && !isHeldUp && !isHeldDown && saved == nil }
    }

    let server: ServerTarget
    private let canvas: CanvasID
    private let names: [String]
    /// The clients, and the one that watches.
    var seats: [Seat]

    /// How the names of the canvases it makes begin.
    static let canvasPrefix = "play-"

    /// Prepares clients; `open` connects them.
    init(clients: [String], server: ServerTarget) {
        self.server = server
        let name = Self.canvasPrefix + String(SystemRandom.value(), radix: 16)
        guard let canvas = CanvasID(name) else { preconditionFailure("letters, digits and - make a name") }
        self.canvas = canvas
        names = clients + ["easel play"]
        seats = names.map { Seat(store: Self.store(canvas, $0)) }
    }

    private static func store(_ canvas: CanvasID, _ name: String) -> CanvasStore {
        CanvasStore(canvas: canvas, name: name, provisionalSite: SiteID(random: SystemRandom.value()))
    }

    /// Whether a server answers. Returns what is wrong, if something is.
    static func reach(_ server: ServerTarget) -> String? {
        var stage = LiveStage(clients: [], server: server)
        defer { stage.close() }
        return stage.open()
    }

    /// The client that watches.
    var watcher: CanvasStore { seats[seats.count - 1].store }

    /// The canvas of the client that watches.
    var serverCanvas: Canvas { watcher.canvas }

    /// Whether nothing keeps the clients and the server from being the same.
    var isOpen: Bool { seats.allSatisfy(\.isOpen) }

    func store(_ client: Int) -> CanvasStore { seats[client].store }

    /// What a client has sent.
    func traffic(_ client: Int) -> Traffic { seats[client].connection?.traffic ?? seats[client].earlier }

    /// What a client's owner was told.
    func tally(_ client: Int) -> EventTally {
        // The connection's thread has told everything when it answers.
        _ = traffic(client)
        return seats[client].tally.withLock { $0 }
    }

    // MARK: Connections

    /// Connects a client that the scenario had disconnected. Returns what is wrong, if something is.
    mutating func connect(_ client: Int) -> String? {
        seats[client].isOffline = false
        return dial(client)
    }

    /// Starts connecting a client. Returns what is wrong, if something is.
    mutating func dial(_ client: Int) -> String? {
        guard seats[client].connection == nil, seats[client].saved == nil else { return nil }
        do {
            let seat = seats[client]
            let connection = try CanvasConnection(
                store: seat.store, server: server.address, authorityFile: server.authorityFile,
                log: Log(threshold: .error))
            connection.countOn(from: seat.earlier)
            if seat.isHeldUp { connection.hold(.up) }
            if seat.isHeldDown { connection.hold(.down) }
            seats[client].connection = connection
            connection.start()
            return nil
        } catch {
            return "a client cannot start: \(error)"
        }
    }

    mutating func disconnect(_ client: Int) {
        seats[client].isOffline = true
        hangUp(client)
    }

    private mutating func hangUp(_ client: Int) {
        guard let connection = seats[client].connection else { return }
        seats[client].earlier = connection.traffic
        connection.stop()
        seats[client].connection = nil
    }

    /// Disconnects every client.
    mutating func close() {
        for index in seats.indices { hangUp(index) }
    }

    mutating func hold(_ client: Int, _ direction: MessageDirection) {
        switch direction {
        case .up: seats[client].isHeldUp = true
        case .down: seats[client].isHeldDown = true
        }
        seats[client].connection?.hold(direction)
    }

    /// Delivers what is held, and holds no more.
    mutating func release(_ client: Int, _ direction: MessageDirection) {
        switch direction {
        case .up: seats[client].isHeldUp = false
        case .down: seats[client].isHeldDown = false
        }
        seats[client].connection?.release(direction)
    }

    /// Delivers some messages of what is held. Returns what is wrong if there are fewer.
    func release(_ client: Int, _ direction: MessageDirection, count: Int) -> String? {
        let sentence = "\(count) messages must be released, but fewer are held"
        guard let connection = seats[client].connection else { return sentence }
        if connection.release(direction, count: count) { return nil }
        // What goes up is held at once; what comes down may still be on its way.
        if direction == .up { return sentence }
        let deadline = MonotonicClock.now.advanced(byMilliseconds: Self.patience)
        while MonotonicClock.now < deadline {
            usleep(Self.interval)
            if connection.release(direction, count: count) { return nil }
        }
        return sentence
    }

    /// Delivers the oldest held message twice. Returns what is wrong if there is none.
    func duplicate(_ client: Int) -> String? {
        guard seats[client].isHeldUp, seats[client].connection?.duplicate() == true else {
            return "no message is held on its way up"
        }
        return nil
    }

    // MARK: Processes

    /// Ends a client's process: nothing of it stays but what it had saved.
    mutating func kill(_ client: Int, saving saved: SavedClient) {
        hangUp(client)
        seats[client].observation?.end()
        seats[client].store = Self.store(canvas, names[client])
        seats[client].saved = saved
    }

    /// Starts a client's process again on what it had saved. Returns what is wrong, if something is.
    mutating func revive(_ client: Int, from bytes: [UInt8]) throws(RestoreError) -> String? {
        seats[client].store = try CanvasStore(restoring: bytes)
        seats[client].observe()
        seats[client].saved = nil
        return seats[client].isOffline ? nil : dial(client)
    }
}
