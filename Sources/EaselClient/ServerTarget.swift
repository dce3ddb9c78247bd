package import EaselSupport
package import EaselTransport

/// Which server a command talks to, and whose certificates it accepts there: what the commands that are clients have in common.
package struct ServerTarget: Sendable {
    /// Where the server is.
    package let address: ServerAddress
    /// For TLS, a file with the authorities to accept; nil for those the system accepts.
    package let authorityFile: String?

    /// The flag that says where the server is, of the commands that take it as a flag.
    package static let addressFlag = CommandSyntax.Flag(
        "server", value: "URL", help: "where the server is, ws: or wss: (ws://127.0.0.1:8787)")
    /// The flag that names the file with the authorities.
    package static let authorityFlag = CommandSyntax.Flag(
        "ca-file", value: "FILE", help: "for wss: the authorities to trust, PEM (the system's)")

    /// The server at an address.
    package init(_ address: ServerAddress, authorityFile: String? = nil) {
        self.address = address
        self.authorityFile = authorityFile
    }

    /// What the arguments say, `name` being that of the address; nil where they have no address.
    ///
    /// - Throws: `ArgumentError` for an address that is none.
    package init?(_ arguments: Arguments, addressIn name: String = addressFlag.name) throws(ArgumentError) {
        guard let text = arguments.text(name) else { return nil }
        guard let address = ServerAddress(text) else {
            throw arguments.badValue(name, expected: "an address like ws://127.0.0.1:8787")
        }
        self.init(address, authorityFile: arguments.text(Self.authorityFlag.name))
    }

    /// Whose certificates are accepted; nil for a server without TLS.
    ///
    /// - Throws: `TransportError.certificate` where the file cannot be read.
    package func trust() throws(TransportError) -> TLSTrust? {
        address.isSecure ? try TLSTrust(authorityFile: authorityFile) : nil
    }
}
