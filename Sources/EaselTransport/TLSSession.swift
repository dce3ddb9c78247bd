import COpenSSL
import Glibc

/// TLS on one connection. What arrives is fed to it, and it writes to the socket by itself.
final class TLSSession {
    /// Which side of TLS a connection is.
    enum Role {
        case server(TLSIdentity)
        /// With the name or address that the peer must prove to be.
        case client(TLSTrust, host: String)
    }

    /// What came of a step.
    enum Outcome {
        /// So many bytes were read or written; 0 for a handshake that is over.
        case done(Int)
        /// It goes on when more bytes have been fed.
        case needsInput
        /// It goes on when the socket takes bytes.
        case needsRoom
        /// The peer will send nothing more.
        case ended
        case failed(detail: String)
    }

    private let pointer: OpaquePointer
    /// Takes what arrives.
    private let input: OpaquePointer

    /// A session on a socket, which stays the caller's; nil where the process is out of memory or `host` cannot be a name.
    init?(_ role: Role, socket: Int32) {
        let context: TLSContext
        switch role {
        case .server(let identity): context = identity.context
        case .client(let trust, _): context = trust.context
        }
        guard let pointer = SSL_new(context.pointer) else { return nil }
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new_socket(socket, BIO_NOCLOSE) else {
            SSL_free(pointer)
            return nil
        }
        SSL_set_bio(pointer, input, output)
        self.pointer = pointer
        self.input = input
        switch role {
        case .server: SSL_set_accept_state(pointer)
        case .client(_, let host):
            SSL_set_connect_state(pointer)
            guard expect(host) else { return nil }
        }
    }

    deinit {
        SSL_free(pointer)
    }

    /// Makes the handshake fail unless the peer's certificate is for `host`.
    private func expect(_ host: String) -> Bool {
        // An address is compared with addresses, and is never sent as a name (RFC 6066, 3).
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(pointer), host) == 1 { return true }
        ERR_clear_error()
        let isNamed = host.withCString { name in
            SSL_ctrl(
                pointer, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
                UnsafeMutableRawPointer(mutating: name))
        }
        return isNamed == 1 && SSL_set1_host(pointer, host) == 1
    }

    /// Gives it bytes that arrived.
    func feed(_ bytes: UnsafeRawBufferPointer) {
        let count = BIO_write(input, bytes.baseAddress, Int32(bytes.count))
        precondition(count == Int32(bytes.count), "out of memory")
    }

    /// Goes on with the handshake.
    func shakeHands() -> Outcome {
        let result = SSL_do_handshake(pointer)
        if result == 1 { return .done(0) }
        let verification = SSL_get_verify_result(pointer)
        guard verification == X509_V_OK else {
            ERR_clear_error()
            return .failed(detail: String(cString: X509_verify_cert_error_string(verification)))
        }
        return outcome(result)
    }

    /// Takes the next bytes out of what was fed.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        var count = 0
        let result = SSL_read_ex(pointer, buffer.baseAddress, buffer.count, &count)
        return result == 1 ? .done(count) : outcome(result)
    }

    /// Encrypts bytes and gives them to the socket: up to a record of 16 KiB. After `needsRoom` the same bytes must be tried again,
    /// since they are encrypted already.
    func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        var count = 0
        let result = SSL_write_ex(pointer, bytes.baseAddress, bytes.count, &count)
        return result == 1 ? .done(count) : outcome(result)
    }

    /// Tells the peer that nothing more will be sent, if the socket takes that at once.
    func end() {
        SSL_shutdown(pointer)
        ERR_clear_error()
    }

    private func outcome(_ result: Int32) -> Outcome {
        switch SSL_get_error(pointer, result) {
        case SSL_ERROR_WANT_READ: return .needsInput
        case SSL_ERROR_WANT_WRITE: return .needsRoom
        case SSL_ERROR_ZERO_RETURN: return .ended
        case SSL_ERROR_SYSCALL:
            let reason = errno
            ERR_clear_error()
            return .failed(detail: reason == 0 ? "closed by the peer" : errorText(reason))
        default: return .failed(detail: TLSContext.takeError())
        }
    }
}
