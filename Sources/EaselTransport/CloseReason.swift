/// Why a connection ended.
public enum CloseReason: Hashable, Sendable {
    /// This side asked for it, with `close()` or `abort()`.
    case closedHere
    /// The peer closed the connection in the regular way.
    case closedByPeer
    /// The connection broke: reset by the peer, or the peer no longer answers. `detail` is for the log.
    case lost(detail: String)
    /// The time given to `setTimeout` passed.
    case timedOut
    /// It never came into being: nobody accepts there. `detail` is for the log.
    case unreachable(detail: String)
    /// It never came into being: the name cannot be resolved. `detail` is the resolver's reason.
    case unresolvable(detail: String)
    /// TLS could not be agreed on: the certificate is not trusted, or not for this host, or the peer does not speak TLS. `detail`
    /// is for the log.
    case insecure(detail: String)
    /// The loop was stopped.
    case loopStopped
}

extension CloseReason: CustomStringConvertible {
    /// A few words for a log line or a status line.
    public var description: String {
        switch self {
        case .closedHere: "closed here"
        case .closedByPeer: "closed by the peer"
        case .lost(let detail): "connection lost: \(detail)"
        case .timedOut: "timed out"
        case .unreachable(let detail): "unreachable: \(detail)"
        case .unresolvable(let detail): "the host cannot be resolved: \(detail)"
        case .insecure(let detail): "no secure connection: \(detail)"
        case .loopStopped: "the event loop stopped"
        }
    }
}
