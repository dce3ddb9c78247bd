import Dispatch
public import EaselServerEngine
public import EaselStorage
public import EaselSupport
public import EaselTransport

/// The server of a process: listens on a port and serves every canvas of one log.
///
/// Today there is one event loop and it is the home of every canvas. What belongs to a loop is kept in its `Hub`, so that there
/// can be more: a canvas's home would then be chosen by a hash of its name.
public final class Server: Sendable {
    /// The port it listens on, also where the kernel chose it.
    public let port: Int
    private let storage: any CanvasLog
    private let loop: EventLoop
    private let hub: Hub
    private let listener: Listener

    /// Starts to listen and to serve.
    ///
    /// - Parameters:
    ///   - host: An address of this machine or a name for one.
    ///   - port: The port; 0 lets the kernel choose one.
    ///   - identity: For TLS, the certificate to show; nil for no TLS.
    ///   - storage: Where canvases are kept. The server closes it when it stops.
    ///   - retention: How much of each canvas's log is kept.
    ///   - purges: Whether what was hidden before the log begins, and was not touched since, is removed for good.
    ///   - key: What proves to the server that a client was here before; the same for as long as the data is.
    /// - Throws: `TransportError` where the port is taken or forbidden, the host is no address of this machine, or the process is
    ///   out of memory, descriptors or threads.
    public init(
        host: String, port: Int, identity: TLSIdentity? = nil, storage: any CanvasLog, retention: Retention = .all,
        purges: Bool = false,
        key: SiteKey, log: Log
    ) throws(TransportError) {
        self.storage = storage
        loop = try EventLoop(name: "easel-loop", log: log)
        let routes = Routes(isLoopbackOnly: Routes.isLoopback(name: host))
        let hub = Hub(
            loop: loop, storage: storage, retention: retention, purges: purges, key: key, log: log, routes: routes)
        self.hub = hub
        listener = try loop.listen(host: host, port: port, identity: identity) { hub.accept($0) }
        self.port = listener.port
        hub.start()
        try loop.start()
    }

    /// Stops: accepts nobody, tells every session, lets what was submitted become durable, and closes the log. Returns when all that
    /// is done, at most a few seconds later. Not to be called twice, nor on the loop.
    public func stop() {
        let isEmpty = DispatchSemaphore(value: 0)
        loop.call { [self] in
            listener.close()
            hub.stop { isEmpty.signal() }
        }
        _ = isEmpty.wait(timeout: .now() + .milliseconds(ServerLimits.stopMilliseconds))
        storage.close()
        loop.stop()
    }
}
