import EaselCore

/// Every bound of the protocol, in one place. The specification states the same numbers.
public enum ProtocolLimits {
    /// Largest message of a client, bytes.
    public static let clientMessageBytes = 4 * 1024 * 1024
    /// Bytes a submission takes beside its transaction, at most.
    public static let submissionHeadBytes = 16
    /// Largest message before `hello` was answered, bytes.
    public static let firstMessageBytes = 4 * 1024
    /// Largest frame a server assembles from commits, bytes; a single larger commit still travels alone.
    public static let frameBytes = 256 * 1024
    /// Bytes of one snapshot part.
    public static let snapshotPartBytes = 128 * 1024
    /// Largest encoded canvas a client takes, bytes.
    public static let snapshotBytes: UInt64 = 4 * 1024 * 1024 * 1024
    /// A person's name, bytes.
    public static let nameBytes = 64
    /// Largest presence message, bytes.
    public static let presenceBytes = 32 * 1024
    /// Selected shapes shown to others.
    public static let selectedShapes = 256
    /// Shapes of a gesture shown to others.
    public static let previewShapes = 256
    /// The sentence of an error, bytes.
    public static let errorMessageBytes = 512
    /// Nesting of arrays and maps a decoder follows.
    public static let nesting = CBORDecoder.nesting
    /// Transactions a client sends ahead of their acknowledgement.
    public static let transactionsInFlight = 256
}

/// Where a server is found.
public enum WebSocketEndpoint {
    /// The path of the upgrade request.
    public static let path = "/v1"
    /// The WebSocket subprotocol: CBOR messages of protocol version 1.
    public static let subprotocol = "easel.v1.cbor"
}
