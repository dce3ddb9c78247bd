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
    ///   - loop: a running loop to share; nil makes one.
    /// - Throws: `TransportError` where the process is out of memory, descriptors or threads.
    public init(
        store: CanvasStore, server: ServerAddress, log: Log, loop: EventLoop? = nil
    ) throws(TransportError) {
        if let loop {
            self.loop = loop
            ownsLoop = false
        } else {
            self.loop = try EventLoop(name: "client", log: log)
            try self.loop.start()
            ownsLoop = true
        }
        dialer = Dialer(store: store, server: server, log: log, loop: self.loop)
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

    /// Why there is no connection, as a sentence: what the last attempt came to. Nil while there is one, or while the first
    /// attempt is being made.
    public var failure: String? { dialer.failure.withLock { $0 } }

    /// Drops the connection as a lost network would, and connects again. For tests and for "retry now".
    public func reconnect() {
        dialer.reconnect()
    }
}
