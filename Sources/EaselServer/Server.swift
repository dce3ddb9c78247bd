import Dispatch
public import EaselServerEngine
public import EaselStorage
public import EaselSupport
public import EaselTransport

/// The server of a process: listens on a port and serves every canvas of one log.
///
/// It has a number of event loops, each with a thread and everything that lives on it, kept in a `Hub`. All listen on the port,
/// and a connection stays on the loop that accepted it. A canvas has a home among them, chosen by a hash of its name: its room
/// runs there and nowhere else. On every loop where sessions of it are, an outlet sends them what they get.
public final class Server: Sendable {
    /// How many event loops there may be.
    public static let loopCounts = 1...ServerLimits.loops

    /// One event loop of the server.
    private struct Station {
        let loop: EventLoop
        let hub: Hub
        let listener: Listener
    }

    /// The port it listens on, also where the kernel chose it.
    public let port: Int
    private let storage: any CanvasLog
    private let stations: [Station]

    /// Starts to listen and to serve.
    ///
    /// - Parameters:
    ///   - host: An address of this machine or a name for one.
    ///   - port: The port; 0 lets the kernel choose one.
    ///   - identity: For TLS, the certificate to show; nil for no TLS.
    ///   - loops: How many event loops there are, within `loopCounts`.
    ///   - storage: Where canvases are kept. The server closes it when it stops.
    ///   - retention: How much of each canvas's log is kept.
    ///   - purges: Whether what was hidden before the log begins, and was not touched since, is removed for good.
    ///   - key: What proves to the server that a client was here before; the same for as long as the data is.
    /// - Throws: `TransportError` where the port is taken or forbidden, the host is no address of this machine, or the process is
    ///   out of memory, descriptors or threads.
    public init(
        host: String, port: Int, identity: TLSIdentity? = nil, loops: Int = 1, storage: any CanvasLog,
        retention: Retention = .all, purges: Bool = false,
        key: SiteKey, log: Log
    ) throws(TransportError) {
        precondition(Server.loopCounts.contains(loops), "a number of loops there may be")
        let capacity = Capacity()
        let routes = Routes(isLoopbackOnly: Routes.isLoopback(name: host))
        var stations: [Station] = []
        do throws(TransportError) {
            for index in 0..<loops {
                let loop = try EventLoop(name: "easel-loop-\(index)", log: log)
                let hub = Hub(
                    loop: loop, index: index, of: loops, capacity: capacity, storage: storage, retention: retention,
                    purges: purges, key: key, log: log, routes: routes)
                let sharing: PortSharing = loops == 1 ? .none : index == 0 ? .opens : .joins
                let listener = try loop.listen(
                    host: host, port: stations.first?.listener.port ?? port, sharing: sharing, identity: identity
                ) { hub.accept($0) }
                stations.append(Station(loop: loop, hub: hub, listener: listener))
            }
            for station in stations { station.hub.start(among: stations.map(\.hub)) }
            for station in stations { try station.loop.start() }
        } catch {
            // Those that listen already would hold the port.
            Server.stop(stations)
            throw error
        }
        self.storage = storage
        self.stations = stations
        self.port = stations[0].listener.port
    }

    /// Shows another certificate to whoever connects from now on, and returns when all event loops do so. Connections that exist
    /// keep theirs. Not to be called on a loop.
    ///
    /// Precondition: the server speaks TLS.
    public func show(_ identity: TLSIdentity) {
        for station in stations { _ = station.loop.call { station.listener.show(identity) } }
    }

    /// Stops: accepts nobody, tells every session, lets what was submitted become durable, and closes the log. Returns when all that
    /// is done, at most a few seconds later. Not to be called twice, nor on a loop.
    public func stop() {
        for station in stations { _ = station.loop.call { station.listener.close() } }
        let isEmpty = DispatchSemaphore(value: 0)
        for station in stations {
            _ = station.loop.call { station.hub.stop { isEmpty.signal() } }
        }
        let deadline = DispatchTime.now() + .milliseconds(ServerLimits.stopMilliseconds)
        for _ in stations { _ = isEmpty.wait(timeout: deadline) }
        storage.close()
        Server.stop(stations)
    }

    private static func stop(_ stations: [Station]) {
        for station in stations { station.loop.stop() }
        for station in stations { station.hub.end() }
    }
}
