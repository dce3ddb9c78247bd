public import EaselCore

/// What a room wants done. Actions are to be carried out in order.
public enum RoomAction: Sendable {
    /// Append these records, all or none, and report the outcome with ``RoomEngine/appended(into:at:)`` or
    /// ``RoomEngine/appendFailed(into:at:)``. Several may be under way; outcomes are reported in the order of the appends.
    case append([LogRecord])
    /// Read records after a revision, up to about so many bytes, and report them with
    /// ``RoomEngine/recordsRead(_:after:into:at:)``. It has to see every append whose outcome was reported.
    case readRecords(after: Revision, limitBytes: Int)
    /// Encode the canvas as ``EncodedSnapshot``, on another thread if it is large, and report it with
    /// ``RoomEngine/snapshotEncoded(_:into:at:)``. One is under way at a time.
    case encodeSnapshot(Canvas)
    /// Store an encoded canvas and report the outcome with ``RoomEngine/snapshotStored(_:at:)``.
    case storeSnapshot(revision: Revision, bytes: [UInt8])
    /// Make a change of the canvas's versions durable, or none, and report the versions that there are then, with the number, by
    /// ``RoomEngine/versionsChanged(_:for:tag:at:)``.
    case changeVersions(SessionID, tag: UInt64, VersionEdit?)
    /// Hand the news to an outlet by ``RoomOutlet/take(_:into:)``, in the order in which they were given out.
    case tell(OutletID, RoomNews)
    /// The log may be trimmed so far, and what goes is needed by nobody; nil if not at all. The answer to
    /// ``RoomEngine/beginTrim(to:)``.
    case trimAllowed(Revision?)
    /// Forget the room: nobody is in it. It does nothing any more.
    case unload
}

/// The time of an input, given by whoever runs the room.
public struct Moment: Sendable, Equatable {
    /// Milliseconds of a clock that never jumps; for deadlines.
    public let milliseconds: UInt64
    /// Milliseconds since 1970; for people who read the history.
    public let wallMilliseconds: UInt64

    /// A moment on both clocks.
    public init(milliseconds: UInt64, wallMilliseconds: UInt64) {
        self.milliseconds = milliseconds
        self.wallMilliseconds = wallMilliseconds
    }
}
