public import EaselSupport
public import EaselTransport

/// Connects a store with a server, and connects again whenever the connection is lost, until it is stopped.
///
/// It runs on an event loop of its own or on one it shares with others.
public final class CanvasConnection: Sendable {
    private let loop: EventLoop
    private let ownsLoop: Bool
    private let dialer: Dialer

    /// Prepares a connection; nothing happens before `start`.
    ///
    /// - Parameters:
    ///   - store: what is to be joined with the server.
    ///   - server: where the server is.
    ///   - authorityFile: for a server reached over TLS, a file with the certificates (PEM) of the authorities to accept; nil for
    ///     those the system accepts.
    ///   - log: where it says what goes wrong.
    ///   - loop: a running loop to share; nil makes one.
    /// - Throws: `TransportError` where the process is out of memory, descriptors or threads, or the file cannot be read.
    public init(
        store: CanvasStore, server: ServerAddress, authorityFile: String? = nil, log: Log, loop: EventLoop? = nil
    ) throws(TransportError) {
        let trust = try ServerTarget(server, authorityFile: authorityFile).trust()
        if let loop {
            self.loop = loop
            ownsLoop = false
        } else {
            self.loop = try EventLoop(name: "client", log: log)
            try self.loop.start()
            ownsLoop = true
        }
        dialer = Dialer(store: store, server: server, trust: trust, log: log, loop: self.loop)
    }

    /// Starts connecting. Once.
    public func start() {
        dialer.start()
    }

    /// Closes the connection and makes no other. What is pending stays in the store. Must not be called on the loop.
    public func stop() {
        dialer.stop()
        if ownsLoop { loop.stop() }
    }

    /// Why there is no connection: what the last attempt came to. Nil while there is one, or while the first attempt is being made.
    public var failure: ConnectionFailure? { dialer.failure.withLock { $0 } }

    /// Drops the connection as a lost network would, and connects again. For tests and for "retry now".
    public func reconnect() {
        dialer.reconnect()
    }
}

/// Making messages wait, for tests and for the scenario player.
///
/// Messages wait between the store and the socket, which is read and written all the same: pings are answered, and what the
/// server sends does not pile up there. The messages of presence are not counted; they pass with what stands behind them.
extension CanvasConnection {
    /// Lets no message of a direction pass from now on, on this connection and on those that follow it.
    package func hold(_ direction: MessageDirection) { dialer.hold(direction) }

    /// Lets what waits pass, and everything that comes.
    package func release(_ direction: MessageDirection) { dialer.release(direction) }

    /// Lets `count` messages pass, at least 1, and holds on. Returns false, and lets none pass, if fewer wait.
    package func release(_ direction: MessageDirection, count: Int) -> Bool {
        dialer.release(direction, count: count)
    }

    /// Sends the oldest message that waits on its way up twice. Returns whether there was one.
    package func duplicate() -> Bool { dialer.duplicate() }

    /// What the client has sent, with everything taken over that its store wants sent at this moment.
    package var traffic: Traffic { dialer.currentTraffic() }

    /// Counts on from what an earlier connection of the same store has sent. Before `start`.
    package func countOn(from traffic: Traffic) { dialer.countOn(from: traffic) }
}
