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
    private static let interval: UInt32 = 1_000

    private let server: ServerAddress
    /// The clients, and the one that watches.
    private let stores: [CanvasStore]
    private var connections: [CanvasConnection?]

    /// How the names of the canvases it makes begin.
    static let canvasPrefix = "play-"

    /// Prepares clients; `open` connects them.
    init(clients: [String], server: ServerAddress = .local) {
        self.server = server
        let name = Self.canvasPrefix + String(SystemRandom.value(), radix: 16)
        guard let canvas = CanvasID(name) else { preconditionFailure("letters, digits and - make a name") }
        stores = (clients + ["easel play"]).map { name in
            guard let site = SiteID(SystemRandom.value() % SiteID.maximum + 1) else {
                preconditionFailure("1 to the maximum is a site")
            }
            return CanvasStore(canvas: canvas, name: name, provisionalSite: site)
        }
        connections = stores.map { _ in nil }
    }

    /// Whether a server answers. Returns what is wrong, if something is.
    static func reach(_ server: ServerAddress) -> String? {
        var stage = LiveStage(clients: [], server: server)
        defer { stage.close() }
        return stage.open()
    }

    /// The canvas of the client that watches.
    var serverCanvas: Canvas { stores[stores.count - 1].canvas }

    /// Whether every client is connected.
    var isOpen: Bool { connections.allSatisfy { $0 != nil } }

    func store(_ client: Int) -> CanvasStore { stores[client] }

    /// Connects every client and waits until all are. Returns what is wrong as soon as an attempt fails, if one does.
    mutating func open() -> String? {
        for index in stores.indices {
            if let problem = connect(index) { return problem }
        }
        let deadline = MonotonicClock.now.advanced(byMilliseconds: Self.patience)
        while MonotonicClock.now < deadline {
            if let problem = endedSession { return problem }
            if stores.allSatisfy({ $0.status.link == .live }) { return nil }
            if let failure = connections.lazy.compactMap({ $0?.failure }).first {
                return "\(failure); 'easel serve' starts a server"
            }
            usleep(Self.interval)
        }
        return complaint(stores.map(\.status))
    }

    /// What a server said that ended a client's session, if one did.
    private var endedSession: String? {
        for store in stores {
            if case .ended(let error) = store.status.link { return "the server ends the session: \(error.message)" }
        }
        return nil
    }

    /// Starts connecting a client. Returns what is wrong, if something is.
    mutating func connect(_ client: Int) -> String? {
        guard connections[client] == nil else { return nil }
        do {
            let connection = try CanvasConnection(store: stores[client], server: server, log: Log(threshold: .error))
            connections[client] = connection
            connection.start()
            return nil
        } catch {
            return "a client cannot start: \(error)"
        }
    }

    mutating func disconnect(_ client: Int) {
        connections[client]?.stop()
        connections[client] = nil
    }

    /// Disconnects every client.
    mutating func close() {
        for index in connections.indices { disconnect(index) }
    }

    func wait(_ milliseconds: UInt64) {
        usleep(UInt32(milliseconds) * 1_000)
    }

    /// Waits until nothing is pending and all connected clients have the same canvas. Returns what is wrong if that does
    /// not happen in time.
    func settle() -> String? {
        let deadline = MonotonicClock.now.advanced(byMilliseconds: Self.patience)
        while true {
            let statuses = stores.indices.filter { connections[$0] != nil }.map { stores[$0].status }
            if let problem = endedSession { return problem }
            if isAtRest(statuses) { return nil }
            if MonotonicClock.now >= deadline { return complaint(statuses) }
            usleep(Self.interval)
        }
    }

    private func isAtRest(_ statuses: [Status]) -> Bool {
        guard let first = statuses.first else { return true }
        return statuses.allSatisfy {
            $0.link == .live && $0.pendingCount == 0 && $0.revision == first.revision && $0.digest == first.digest
        }
    }

    private func complaint(_ statuses: [Status]) -> String {
        let seconds = Self.patience / 1_000
        if !statuses.contains(where: { $0.link == .live }) {
            return "no Easel server answers at \(server) within \(seconds) seconds"
        }
        let pending = statuses.reduce(0) { $0 + $1.pendingCount }
        return "the clients are not the same within \(seconds) seconds; \(pending) edits are pending"
    }
}
