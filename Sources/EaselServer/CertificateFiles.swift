import EaselSupport
import EaselTransport

/// Where the certificate of a server and its key are, and what is said of what is in them.
struct CertificateFiles {
    let certificate: String
    let key: String

    /// What the flags say; nil for no TLS.
    init?(_ arguments: Arguments) throws(ArgumentError) {
        switch (arguments.text("tls-cert"), arguments.text("tls-key")) {
        case (nil, nil): return nil
        case (let certificate?, let key?): (self.certificate, self.key) = (certificate, key)
        case (_?, nil): throw arguments.badValue("tls-cert", expected: "together with --tls-key")
        case (nil, _?): throw arguments.badValue("tls-key", expected: "together with --tls-cert")
        }
    }

    /// Reads and checks both.
    func read() throws(TransportError) -> TLSIdentity {
        try TLSIdentity(certificateFile: certificate, keyFile: key)
    }

    /// A few words on the certificate.
    func words(_ identity: TLSIdentity) -> String {
        "\(identity.certificate.subject), valid until \(identity.certificate.validUntil)"
    }

    /// Why clients do not accept the certificate now, as a line for standard error; nil where its time is no reason.
    func warning(_ identity: TLSIdentity, now: WallTime) -> String? {
        let facts = identity.certificate
        switch facts.validity(at: now) {
        case .valid: return nil
        case .notYet:
            return "WARNING: \(certificate) is not valid before \(facts.validFrom): clients refuse it until then."
        case .expired: return "WARNING: \(certificate) has expired, on \(facts.validUntil): clients refuse it."
        }
    }
}
