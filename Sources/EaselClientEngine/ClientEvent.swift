public import EaselCore
public import EaselProtocol

/// What a client's owner is told.
public enum ClientEvent: Sendable {
    /// The view changed.
    case changed(CanvasChange)
    /// What can be undone or redone in a history may have changed. Once an action, for each history.
    case historyChanged(HistoryID)
    /// Transactions were acknowledged: they are on the server's disk.
    case stored(count: Int)
    /// A transaction of one's own was refused and taken out of the view.
    case refused(label: String, RefusalCode)
    /// An operation of a transaction had no effect when it was committed, for example since its shape is gone.
    case hadNoEffect(label: String, [Problem])
    /// What others show changed.
    case participantsChanged
    /// The connection's state changed, or what the session may do.
    case linkChanged
    /// The canvas differed from the server's at a revision; it is fetched again. `log` has what led there.
    case diverged(Divergence)
}

/// What the alarm of unequal digests carries.
public struct Divergence: Sendable {
    /// The revision at which the digests differed.
    public let revision: Revision
    /// The server's digest.
    public let expected: UInt64
    /// This client's digest.
    public let found: UInt64
    /// The canvas as this client had it.
    public let canvas: Canvas
}

/// A change of what people see, with who caused it.
///
/// A view takes all changes but those it made itself (`ChangeOrigin.isEcho`): that, and not a comparison of values,
/// keeps it from being fed its own input again.
public struct CanvasChange: Sendable {
    /// Who caused it.
    public let origin: ChangeOrigin
    /// The view before.
    public let before: Canvas
    /// The view after.
    public let after: Canvas

    /// The shapes that changed, by id.
    public let shapes: [ShapeID]

    /// The cost follows the number of changes.
    init(origin: ChangeOrigin, before: Canvas, after: Canvas) {
        self.origin = origin
        self.before = before
        self.after = after
        shapes = after.changedShapes(since: before)
    }

    /// The edits that a view showing the text of a shape has to make, in order; empty if its text did not change.
    public func textEdits(of shape: ShapeID) -> [TextEdit] {
        guard let new = after[shape]?.text else { return [] }
        return new.edits(from: before[shape]?.text ?? Text())
    }
}

/// Who caused a change.
public enum ChangeOrigin: Sendable, Equatable {
    /// An edit made through one of this client's views; 0 for an edit that came from none.
    case edit(view: UInt32)
    /// An undo or redo here. It reaches every view, the one that has the focus too: its buffer does not hold it.
    case undo
    /// The same for a redo.
    case redo
    /// Commits of others.
    case remote([SiteID])
    /// A refusal took an edit of this client out again.
    case refusal
    /// The canvas was fetched from the server.
    case synchronization

    /// Whether a view made the change itself, so that it must not apply it again.
    public func isEcho(in view: UInt32) -> Bool { self == .edit(view: view) && view != 0 }
}

/// Another session on the canvas.
public struct Participant: Sendable, Equatable {
    /// Its site.
    public let site: SiteID
    /// What it shows.
    public let presence: Presence
}

/// Where the conversation with the server stands, for people.
public enum LinkState: Sendable, Equatable {
    /// No connection. Edits are kept and sent later.
    case offline
    /// The server has not answered yet.
    case connecting
    /// The canvas is coming in; bytes of a snapshot, or 0 of 0 for the commits that were missed.
    case synchronizing(received: UInt64, of: UInt64)
    /// Up to date.
    case live
    /// The server cannot store edits at the moment. They are kept and sent again.
    case inTrouble
    /// The server ended the session for good.
    case ended(ProtocolError)
}

/// One of a client's undo histories. A client has one from the start; a window that wants its own adds one.
public struct HistoryID: Hashable, Sendable {
    let index: Int

    /// The history every client has.
    public static let main = HistoryID(index: 0)
}
