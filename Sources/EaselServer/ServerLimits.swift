import EaselProtocol

/// The bounds of the process around the rooms, each with its unit.
enum ServerLimits {
    /// Event loops of the process.
    static let loops = 64
    /// Connections of the process, those included that have not said hello.
    static let connections = 20_000
    /// Canvases open at a time.
    static let rooms = 20_000
    /// Sessions that look at an earlier revision at a time; each holds a canvas.
    static let looks = 16
    /// Milliseconds a client has for its request and the handshake.
    static let handshakeMilliseconds = 10_000
    /// Largest message taken off a WebSocket, bytes. Twice what a transaction may have, so that one that is too large can be
    /// refused by its number instead of ending the connection.
    static let messageBytes = 2 * ProtocolLimits.clientMessageBytes
    /// Bytes a client may send until its hello is complete, frame header and mask included.
    static let helloBytes = ProtocolLimits.firstMessageBytes + 64
    /// Milliseconds between two pings of a connection.
    static let pingMilliseconds: UInt64 = 20_000
    /// Milliseconds a socket may take nothing although something waits for it.
    static let stallMilliseconds: UInt64 = 30_000
    /// Milliseconds between two looks at all connections for silent and stalled ones.
    static let sweepMilliseconds = 5_000
    /// Connections of a loop that came or went after which memory that is not used is given back.
    static let comingsUntilTrim = 500
    /// Milliseconds a peer has to answer our close frame.
    static let closeMilliseconds = 3_000
    /// Bytes after which no further payload is added to one write; a payload of at least so many is sent without being copied.
    static let writeBytes = 32 * 1024
    /// Bytes of messages on their way from one loop to another after which their senders are not read any more. Messages count
    /// with an overhead.
    static let mailBytes = 8 * 1024 * 1024
    /// What a message counts for besides its bytes.
    static let mailOverheadBytes = 256
    /// Milliseconds between two looks whether they can be read again.
    static let mailPollMilliseconds = 5
    /// Frames kept ready for other sessions that get the same payload.
    static let framesKept = 8
    /// Milliseconds that connections have to close when the server stops.
    static let stopMilliseconds = 1_500
}
