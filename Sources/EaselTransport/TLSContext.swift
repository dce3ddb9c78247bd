import COpenSSL

/// What the sessions of one side of TLS share: certificates, and what is allowed.
///
/// TLS is spoken by OpenSSL on sockets that the event loop serves, not by libwebsockets: its reload of a certificate reports success
/// when it fails and can leave a listener that nobody gets through to, and its raw sockets cannot dial with TLS.
///
/// TLS 1.2 and 1.3, OpenSSL's own choice of ciphers, no renegotiation, no compression, and of protocols above it only HTTP/1.1
/// (RFC 7301).
final class TLSContext: Sendable {
    /// Set up before the object is shared. OpenSSL counts references to it and lets several threads make sessions of it.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// - Throws: `TransportError.failed` where the process is out of memory, or what `prepare` throws.
    init(isServer: Bool, _ prepare: (OpaquePointer) throws(TransportError) -> Void) throws(TransportError) {
        guard let pointer = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw .failed(call: "SSL_CTX_new", detail: TLSContext.takeError())
        }
        self.pointer = pointer
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        SSL_CTX_set_options(pointer, easel_no_renegotiation)
        // What the socket does not take is tried again from the array that holds it; idle sessions keep no buffers.
        let modes = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS
        SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(modes), nil)
        if isServer {
            SSL_CTX_set_alpn_select_cb(pointer, chooseProtocol, nil)
        } else {
            SSL_CTX_set_alpn_protos(pointer, ApplicationProtocols.bytes, ApplicationProtocols.count)
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        }
        try prepare(pointer)
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// The reason of the oldest failure on this thread that nobody has asked for, in OpenSSL's words. Forgets the others.
    static func takeError() -> String {
        let code = ERR_get_error()
        ERR_clear_error()
        // A failure of the system is its number with the highest of 32 bits.
        if code & 1 << 31 != 0 { return errorText(Int32(code & (1 << 31 - 1))) }
        guard code != 0, let reason = ERR_reason_error_string(code) else { return "unknown reason" }
        return String(cString: reason)
    }
}

/// The protocols above TLS that we speak, as they stand in the handshake (RFC 7301, 3.1).
private enum ApplicationProtocols {
    private static let list = [UInt8("http/1.1".utf8.count)] + Array("http/1.1".utf8)
    static let count = UInt32(list.count)

    /// Unsafe only for the compiler: OpenSSL keeps pointers to the bytes and reads them, nobody writes to them, and they live as
    /// long as the process.
    nonisolated(unsafe) static let bytes: UnsafePointer<UInt8> = {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: list.count)
        copy.initialize(from: list, count: list.count)
        return UnsafePointer(copy)
    }()
}

/// Chooses among what a client offers. One that offers only what we do not speak is told so (RFC 7301, 3.2).
private func chooseProtocol(
    _ session: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenCount: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ offeredCount: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    var found: UnsafeMutablePointer<UInt8>?
    let result = SSL_select_next_proto(
        &found, chosenCount, ApplicationProtocols.bytes, ApplicationProtocols.count, offered, offeredCount)
    guard result == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    chosen?.pointee = UnsafePointer(found)
    return SSL_TLSEXT_ERR_OK
}

/// Whose certificates a client accepts.
public struct TLSTrust: Sendable {
    let context: TLSContext

    /// Accepts certificates that lead to one of the authorities in a file of certificates in PEM, or without a file to those the
    /// system knows.
    ///
    /// - Throws: `TransportError.certificate` where the file cannot be read.
    public init(authorityFile: String? = nil) throws(TransportError) {
        context = try TLSContext(isServer: false) { context throws(TransportError) in
            guard let authorityFile else {
                SSL_CTX_set_default_verify_paths(context)
                return
            }
            guard SSL_CTX_load_verify_locations(context, authorityFile, nil) == 1 else {
                throw .certificate(file: authorityFile, detail: TLSContext.takeError())
            }
        }
    }
}
