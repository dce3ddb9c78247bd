/// Why there is no connection with a server.
public enum ConnectionFailure: Equatable, Sendable {
    /// Nobody accepts connections there, or what accepts them says nothing.
    case noAnswer(ServerAddress)
    /// The host's name leads nowhere; `detail` is the resolver's reason.
    case unresolvable(host: String, detail: String)
    /// TLS could not be agreed on; `detail` is what is wrong with the certificate, or with the handshake.
    case insecure(ServerAddress, detail: String)
    /// What answers there is something else; `status` is that of HTTP, if it speaks that.
    case notEasel(ServerAddress, status: Int?)
    /// The server does not go on with the session, for this reason.
    case refused(String)

    /// The description, and what can be done where that is known.
    package var advice: String {
        if case .noAnswer = self { return "\(self); 'easel serve' starts a server" }
        return description
    }
}

extension ConnectionFailure: CustomStringConvertible {
    /// A sentence without a full stop.
    public var description: String {
        switch self {
        case .noAnswer(let server): "no Easel server answers at \(server)"
        case .unresolvable(let host, let detail): "the host \(host) cannot be resolved: \(detail)"
        case .insecure(let server, let detail): "there is no secure connection with \(server): \(detail)"
        case .notEasel(let server, nil): "what answers at \(server) is no Easel server"
        case .notEasel(let server, let status?):
            "what answers at \(server) is no Easel server (HTTP status \(status))"
        case .refused(let sentence): sentence
        }
    }
}
