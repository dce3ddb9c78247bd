/// What an application does with one connection.
///
/// All calls come on the connection's loop, one at a time. `opened` comes first, and at most once; `closed` comes last, exactly
/// once, also for a connection that never opened. Nothing comes after `closed`, and calls on the connection then do nothing: a
/// late event of an old socket cannot reach whoever took its place.
public protocol ConnectionHandler: AnyObject {
    /// The connection is established.
    func opened(_ connection: Connection)

    /// Bytes arrived, in order. The memory is valid during the call only.
    func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer)

    /// The socket takes bytes, after `requestWritable()`. This is the place for `write`, once.
    func writable(_ connection: Connection)

    /// The connection is gone.
    func closed(_ connection: Connection, _ reason: CloseReason)
}
