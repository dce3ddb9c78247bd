import COpenSSL

/// The certificate that a server shows, with its private key.
public struct TLSIdentity: Sendable {
    let context: TLSContext
    /// What the certificate says of itself.
    public let certificate: CertificateFacts

    /// Reads a certificate with those of its issuers behind it, and its key; both in PEM. Touches no other identity, so what
    /// cannot be used is known before anybody sees it.
    ///
    /// - Throws: `TransportError.certificate` where a file cannot be read, they do not belong together, or the file holds a
    ///   certificate that has issued none of those before it.
    public init(certificateFile: String, keyFile: String) throws(TransportError) {
        context = try TLSContext(isServer: true) { context throws(TransportError) in
            guard SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1 else {
                throw .certificate(file: certificateFile, detail: TLSContext.takeError())
            }
            if let flaw = TLSIdentity.flawOfChain(context) { throw .certificate(file: certificateFile, detail: flaw) }
            try TLSIdentity.readKey(keyFile, context)
        }
        guard let facts = CertificateFacts(SSL_CTX_get0_certificate(context.pointer)) else {
            throw .certificate(file: certificateFile, detail: "its validity is no time")
        }
        certificate = facts
    }

    private static func readKey(_ file: String, _ context: OpaquePointer) throws(TransportError) {
        // Without an answer of ours OpenSSL asks at the terminal, and everybody waits.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, wasAsked in
            wasAsked?.storeBytes(of: true, as: Bool.self)
            return -1
        }
        var wasAsked = false
        let isRead = withUnsafeMutablePointer(to: &wasAsked) { wasAsked in
            SSL_CTX_set_default_passwd_cb_userdata(context, wasAsked)
            defer { SSL_CTX_set_default_passwd_cb_userdata(context, nil) }
            return SSL_CTX_use_PrivateKey_file(context, file, SSL_FILETYPE_PEM) == 1
        }
        guard isRead, SSL_CTX_check_private_key(context) == 1 else {
            let detail = TLSContext.takeError()
            throw .certificate(file: file, detail: wasAsked ? "it is protected by a password" : detail)
        }
    }

    /// What is wrong with the certificates behind the first, if something is: each must have issued one before it, which leaves
    /// room for several ways to several authorities (RFC 8446, 4.4.2).
    private static func flawOfChain(_ context: OpaquePointer) -> String? {
        var stack: OpaquePointer?
        SSL_CTX_ctrl(context, SSL_CTRL_GET_CHAIN_CERTS, 0, &stack)
        var certificates = [SSL_CTX_get0_certificate(context)]
        for index in 0..<max(0, OPENSSL_sk_num(stack)) {
            let issuer = OPENSSL_sk_value(stack, index).map { OpaquePointer($0) }
            let hasIssued = certificates.contains { issued in
                X509_check_issued(issuer, issued) == X509_V_OK && X509_verify(issued, X509_get0_pubkey(issuer)) == 1
            }
            ERR_clear_error()
            guard hasIssued else {
                let name = CertificateFacts(issuer)?.subject ?? "of no name"
                return "certificate \(certificates.count + 1) in it (\(name)) has issued none of those before it"
            }
            certificates.append(issuer)
        }
        return nil
    }
}
