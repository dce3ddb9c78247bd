/// Encoded messages that go out as one frame, to one session or to many.
///
/// A class, because its identity says that two sessions get the very same bytes: whoever sends it can put the frame around them
/// once and keep it under this object.
public final class SharedPayload: Sendable {
    /// One or more encoded server messages, one behind the other.
    public let bytes: [UInt8]

    /// Wraps encoded messages.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}
