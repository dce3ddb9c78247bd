import Glibc

/// Why a loop, a listener or a resource of the operating system could not be had.
public enum TransportError: Error, Hashable, Sendable {
    /// Another socket listens on the port.
    case addressInUse(host: String, port: Int)
    /// The host names no address of this machine.
    case addressUnavailable(host: String)
    /// The host name or address cannot be resolved; `detail` is the resolver's reason.
    case unresolvable(host: String, detail: String)
    /// The process may not listen on the port.
    case permissionDenied(port: Int)
    /// A file with a certificate or a key cannot be used; `detail` is OpenSSL's reason.
    case certificate(file: String, detail: String)
    /// The loop has been stopped.
    case stopped
    /// A system or library call failed; `detail` is its reason.
    case failed(call: String, detail: String)

    /// Whether a certificate or a key is the reason.
    public var isOfCertificate: Bool {
        if case .certificate = self { return true }
        return false
    }

    static func system(_ call: String) -> TransportError {
        .failed(call: call, detail: errorText(errno))
    }

    static func binding(host: String, port: Int) -> TransportError {
        switch errno {
        case EADDRINUSE: .addressInUse(host: host, port: port)
        case EADDRNOTAVAIL: .addressUnavailable(host: host)
        case EACCES: .permissionDenied(port: port)
        default: .system("bind")
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// One sentence for the operator.
    public var description: String {
        switch self {
        case .addressInUse(let host, let port): "port \(port) on \(host) is already in use by another program"
        case .addressUnavailable(let host): "\(host) is not an address of this machine"
        case .unresolvable(let host, let detail): "the host \(host) cannot be resolved: \(detail)"
        case .permissionDenied(let port): "this user may not listen on port \(port)"
        case .certificate(let file, let detail): "\(file) cannot be used for TLS: \(detail)"
        case .stopped: "the event loop has been stopped"
        case .failed(let call, let detail): "\(call) failed: \(detail)"
        }
    }
}
