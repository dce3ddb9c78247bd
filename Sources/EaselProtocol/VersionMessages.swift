public import EaselCore

/// A revision to look at.
public enum StillPoint: Sendable, Equatable {
    /// The one of this number.
    case revision(Revision)
    /// The one that a version of this name names.
    case version(String)
}

/// The first message of a session that only looks at one revision of a canvas, in place of ``Hello``.
public struct Look: Sendable, Equatable {
    /// Version, canvas and name; it resumes nothing.
    public let hello: Hello
    /// What to look at.
    public let point: StillPoint

    /// A look at a revision.
    public init(
        version: UInt64 = ProtocolVersion.current, canvas: CanvasID, name: String, at point: StillPoint
    ) {
        hello = Hello(version: version, canvas: canvas, resume: nil, name: name)
        self.point = point
    }
}

/// Asks for the named versions of the canvas, perhaps after a change.
public struct VersionRequest: Sendable, Equatable {
    /// What is to be done first.
    public enum Change: Sendable, Equatable {
        /// Nothing.
        case none
        /// A revision gets a name; nil for the one that the canvas has when the server takes this up.
        case add(name: String, revision: Revision?)
        /// A name is taken away.
        case remove(name: String)
    }

    /// The client's number for it; the answer has the same.
    public let tag: UInt64
    /// What is to be done first.
    public let change: Change

    /// A request with a number.
    public init(tag: UInt64, change: Change) {
        self.tag = tag
        self.change = change
    }
}

/// The answer to a ``VersionRequest``.
public struct VersionAnswer: Sendable, Equatable {
    /// The number of the request.
    public let tag: UInt64
    /// The versions of the canvas, by revision, those of one revision by name; or why nothing was done.
    public let outcome: Result<[NamedVersion], VersionRefusal>

    /// An answer to the request of a number.
    public init(tag: UInt64, _ outcome: Result<[NamedVersion], VersionRefusal>) {
        self.tag = tag
        self.outcome = outcome
    }
}

/// The reasons for refusing a request about versions. Nothing was changed.
public enum VersionRefusal: UInt64, Error, Sendable {
    /// The session may only look.
    case readOnly = 1
    /// A name has 1 to 128 bytes and no control characters.
    case badName = 2
    /// The canvas has a version of that name.
    case nameTaken = 3
    /// It could not be stored or read.
    case storageUnavailable = 4
    /// The canvas has no version of that name.
    case noSuchVersion = 5
    /// The canvas has no such revision, or does not keep it any more.
    case notKept = 6
    /// The canvas has as many versions as it may have, or the session as many requests under way.
    case tooMany = 7
}
