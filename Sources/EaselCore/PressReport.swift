/// What a press of undo or redo does, or did, for people.
public struct PressReport: Sendable, Equatable {
    /// The name of the action where the press stops.
    public let label: String
    /// The names of the actions it passes over because they change nothing visible any more. They go and come back with it.
    public let passed: [String]
    /// The shapes that change visibly, by id.
    public let shapes: [ShapeID]
    /// Why it does less than its action did, and whose work it touches.
    public let remarks: [Remark]
    /// What was selected at the other side of the action, as far as it can be seen; nil if nobody asked for that.
    public let selection: Selection?
}

/// A thing worth saying about a press: why a part of it does less, or whose work it touches. A code, not a sentence, so
/// that each application says it in its own words.
public struct Remark: Sendable, Equatable {
    /// Why.
    public enum Reason: UInt8, Sendable, CaseIterable {
        /// Others set the register, or placed the shape, since. The press puts back the value before one's own over theirs.
        case overwritten
        /// The same under ``UndoPolicy/Overwritten/yieldToRemote``: theirs is left.
        case yielded
        /// The shape is hidden, so nothing can be seen of this part.
        case removed
        /// Some of the characters are hidden because others deleted them.
        case charactersRemoved
        /// The shape disappears although others worked on it. Redo brings it back with their work.
        case edited
        /// The same under ``UndoPolicy/Creation/keepIfOthersEdited``: the shape stays.
        case kept
        /// The shape cannot go back to its place, since that lies inside it or is too deep; or it has no room left for the
        /// registers.
        case obstructed
        /// The value is the last one known, or the shape one that disappears; what others did to it while this client was away is
        /// not known.
        case limited
        /// The shape, or some of the characters, were deleted so long ago that the server has removed them for good.
        case purged
    }

    /// Why.
    public let reason: Reason
    /// The shape it is about.
    public let shape: ShapeID
    /// The registers it is about; empty where the reason is not about registers.
    public let keys: [PropertyKey]
    /// The sites of the others, rising; empty if they are not known.
    public let sites: [SiteID]

    /// Something worth saying.
    public init(reason: Reason, shape: ShapeID, keys: [PropertyKey] = [], sites: [SiteID] = []) {
        self.reason = reason
        self.shape = shape
        self.keys = keys
        self.sites = sites
    }
}

/// What undo does where others have worked since.
public struct UndoPolicy: Sendable, Equatable {
    /// For registers and places that others overwrote.
    public enum Overwritten: UInt8, Sendable {
        /// The value before one's own comes back, over theirs; redo brings theirs back.
        case restoreMine = 0
        /// Theirs is left. For forms and settings, where overwriting a colleague costs more than an undo without effect.
        case yieldToRemote = 1
    }

    /// For shapes that others worked on after they were created here.
    public enum Creation: UInt8, Sendable {
        /// Undo hides the shape; redo brings it back with the others' work.
        case hide = 0
        /// Undo leaves the shape.
        case keepIfOthersEdited = 1
    }

    /// For registers and places that others overwrote.
    public var overwritten: Overwritten
    /// For shapes that others worked on.
    public var creation: Creation

    /// The usual policy unless told otherwise.
    public init(overwritten: Overwritten = .restoreMine, creation: Creation = .hide) {
        self.overwritten = overwritten
        self.creation = creation
    }
}
