/// The bounds of this module, each with its unit.
enum TransportLimits {
    /// Bytes read from a socket at once. There is one such buffer a loop, not one a connection, so a generous size costs
    /// nothing per connection and saves system calls where much arrives.
    static let readBufferBytes: UInt32 = 64 * 1024
    /// Bytes handed to the kernel for one connection in one turn, so that one big message does not hold up the others.
    static let sendBytesPerTurn = 256 * 1024
    /// Nanoseconds after which the rest of a large flow writes in the next turn, for the same reason, where a loop writes in slices.
    static let writeSliceNanoseconds: UInt64 = 400_000
    /// Nanoseconds that a flow rests at most.
    static let longestRestNanoseconds: UInt64 = 10_000_000
    /// Connections of one flow that write before those of another.
    static let writersPerRound = 16
    /// Connections accepted by one listener in one turn, for the same reason.
    static let acceptsPerTurn = 64
    /// Connections that may wait in the kernel until they are accepted.
    static let listenBacklog: Int32 = 1024
    /// Milliseconds a listener rests when the process has no descriptor or memory left for another connection.
    static let acceptPauseMilliseconds = 100
    /// Milliseconds between two log lines about that.
    static let warningMilliseconds: UInt64 = 10_000
    /// Seconds until a dialed peer must have accepted.
    static let connectSeconds: UInt32 = 10
    /// Milliseconds that a TLS handshake may take.
    static let handshakeMilliseconds = 10_000
    /// Bytes that are told of a certificate's name.
    static let certificateNameBytes = 512
    /// Encrypted bytes given to TLS at once: about a record, so that what a session holds stays small.
    static let feedBytes = 16 * 1024
    /// Decrypted bytes taken from TLS at once: a record. There is one such buffer a loop.
    static let recordBytes = 16 * 1024
    /// Seconds of silence after which the kernel asks whether the peer is still there.
    static let keepaliveIdleSeconds: Int32 = 60
    /// Seconds between two such questions.
    static let keepaliveIntervalSeconds: Int32 = 15
    /// Unanswered questions after which the connection counts as lost.
    static let keepaliveProbes: Int32 = 4
    /// Milliseconds that bytes written before `close()` have to leave.
    static let flushMilliseconds = 5_000
    /// Milliseconds that the peer has to close its side after ours.
    static let lingerMilliseconds = 2_000
    /// Lines of libwebsockets that a loop logs within one second; more are dropped.
    static let libraryLinesPerSecond = 10
    /// Descriptors that a process asks for; each costs 16 bytes a loop, and libwebsockets misbehaves where there are more than
    /// ten million.
    static let descriptors: UInt = 262_144
}
