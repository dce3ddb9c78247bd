public import EaselCore

/// What a client sends.
public enum ClientMessage: Sendable, Equatable {
    /// Always first: who joins which canvas, and what it already has.
    case hello(Hello)
    /// A transaction under its number. Numbers rise; what was sent under a number never changes.
    case submit(Submission)
    /// What others should see of this session now; replaces what was sent before.
    case presence(Presence)
    /// Ends a barrier: the client has taken out the refused transaction. What it sends from here on counts again.
    case confirm(SequenceNumber)
    /// In place of `hello`: looks at one revision of a canvas, and nothing else.
    case look(Look)
    /// Asks for the named versions of the canvas, perhaps after a change.
    case versions(VersionRequest)
}

/// What a server sends.
public enum ServerMessage: Sendable, Equatable {
    /// Answers `hello`.
    case welcome(Welcome)
    /// A part of the encoded canvas; parts come in order.
    case snapshotPart(SnapshotPart)
    /// Committed transactions and the digest of the canvas after them. One's own come back in the same way, and
    /// acknowledge what was sent under their numbers.
    case commits(CommitRun)
    /// Answers a resent transaction that had been committed before the session began.
    case acknowledgement(SequenceNumber)
    /// A transaction was refused whole. What the session sent behind it is ignored until the client confirms.
    case refusal(Refusal)
    /// What another session shows now; nil when it has gone.
    case presence(PresenceUpdate)
    /// What this session may do from here on.
    case role(Role)
    /// Answers `versions`.
    case versions(VersionAnswer)
    /// Why the server will close the connection, or what it could not use.
    case error(ProtocolError)
}

/// A transaction on its way to the server.
public struct Submission: Sendable, Equatable {
    /// The sender's number for it.
    public let sequence: SequenceNumber
    /// What it does.
    public let transaction: Transaction

    /// Pairs a number with a transaction.
    public init(sequence: SequenceNumber, transaction: Transaction) {
        self.sequence = sequence
        self.transaction = transaction
    }
}

/// The first message of a session.
public struct Hello: Sendable, Equatable {
    /// The protocol version the client speaks.
    public let version: UInt64
    /// The canvas to join.
    public let canvas: CanvasID
    /// The site the client was given before, with the secret that proves it; nil asks for a new one.
    public let resume: Resume?
    /// The person's name, 1 to 64 bytes.
    public let name: String

    /// What a client that was here before brings along.
    public struct Resume: Sendable, Equatable {
        /// The site it was given.
        public let site: SiteID
        /// The secret it was given with it.
        public let secret: UInt64
        /// The epoch of the canvas it holds.
        public let epoch: UInt64
        /// The revision it holds; 0 if it holds none.
        public let revision: Revision

        /// What a client brings along.
        public init(site: SiteID, secret: UInt64, epoch: UInt64, revision: Revision) {
            self.site = site
            self.secret = secret
            self.epoch = epoch
            self.revision = revision
        }
    }

    /// The first message of a session.
    public init(version: UInt64 = ProtocolVersion.current, canvas: CanvasID, resume: Resume?, name: String) {
        self.version = version
        self.canvas = canvas
        self.resume = resume
        self.name = name
    }
}

/// The versions of the protocol.
public enum ProtocolVersion {
    /// The one spoken here.
    public static let current: UInt64 = 1
}

/// The answer to `hello`.
public struct Welcome: Sendable, Equatable {
    /// What the client has to take to be up to date.
    public enum Catchup: Sendable, Equatable {
        /// Commits after the revision named in `hello`; the client keeps its canvas.
        case commits
        /// A snapshot of this many bytes, in parts, then commits after its revision.
        case snapshot(byteCount: UInt64)
    }

    /// The client's site from now on: the one it named, unless that is in use by another live instance or unknown.
    public let site: SiteID
    /// Proves the site when the client comes back.
    public let secret: UInt64
    /// Changes when the canvas's log was replaced (restored from a backup): what was kept from before is void.
    public let epoch: UInt64
    /// The canvas's revision at this moment.
    public let revision: Revision
    /// The site's highest committed number. Pending transactions up to it are committed, the others are to be sent.
    public let lastSequence: SequenceNumber
    /// Whether the session may change the canvas.
    public let role: Role
    /// How the client gets up to date.
    public let catchup: Catchup
    /// The first revision from which the server goes on with commits; who comes back from before it gets a snapshot. nil from a
    /// server that does not tell, which knows nothing of versions either.
    public let horizon: Revision?

    /// The answer to `hello`.
    public init(
        site: SiteID, secret: UInt64, epoch: UInt64, revision: Revision, lastSequence: SequenceNumber, role: Role,
        catchup: Catchup, horizon: Revision? = nil
    ) {
        self.site = site
        self.secret = secret
        self.epoch = epoch
        self.revision = revision
        self.lastSequence = lastSequence
        self.role = role
        self.catchup = catchup
        self.horizon = horizon
    }
}

/// What a session may do.
public enum Role: UInt8, Sendable {
    /// See the canvas and be seen.
    case viewer = 0
    /// Change it as well.
    case editor = 1
}

/// A piece of an encoded canvas.
public struct SnapshotPart: Sendable, Equatable {
    /// Offset of its first byte.
    public let offset: UInt64
    /// The bytes.
    public let bytes: [UInt8]

    /// A piece at an offset.
    public init(offset: UInt64, bytes: [UInt8]) {
        self.offset = offset
        self.bytes = bytes
    }
}

/// Why a transaction was refused.
public struct Refusal: Sendable, Equatable {
    /// Which one.
    public let sequence: SequenceNumber
    /// Why.
    public let code: RefusalCode

    /// Pairs a number with a reason.
    public init(sequence: SequenceNumber, code: RefusalCode) {
        self.sequence = sequence
        self.code = code
    }
}

/// The reasons for refusing a transaction.
public enum RefusalCode: UInt64, Sendable {
    /// The session may only look.
    case readOnly = 1
    /// The transaction is malformed: see ``/EaselCore/Flaw``.
    case malformed = 2
    /// It is larger than the server takes.
    case tooLarge = 3
    /// It could not be stored. The client keeps it and sends it again later.
    case storageUnavailable = 4

    /// Whether the same transaction may be accepted later.
    public var isTemporary: Bool { self == .storageUnavailable }
}

/// What others see of a session: a register, never logged, gone with the session.
public struct Presence: Sendable, Equatable {
    /// The person's name, 1 to 64 bytes.
    public var name: String
    /// Where the pointer is, in canvas units; nil when it is off the canvas.
    public var pointer: Point?
    /// The selected shapes, at most ``ProtocolLimits/selectedShapes``.
    public var selection: [ShapeID]
    /// The caret of a text being edited.
    public var caret: Caret?
    /// A gesture under way: the values its shapes would get, at most ``ProtocolLimits/previewShapes``.
    public var preview: [Preview]

    /// A point of the canvas.
    public struct Point: Sendable, Equatable {
        /// To the right.
        public var x: Double
        /// Downwards.
        public var y: Double

        /// A point.
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// A caret in a text.
    public struct Caret: Sendable, Equatable {
        /// The shape whose text it is in.
        public var shape: ShapeID
        /// The character it stands behind; nil at the start.
        public var behind: CharacterID?

        /// A caret behind a character.
        public init(shape: ShapeID, behind: CharacterID?) {
            self.shape = shape
            self.behind = behind
        }
    }

    /// What a shape would look like if the gesture ended now.
    public struct Preview: Sendable, Equatable {
        /// The shape.
        public var shape: ShapeID
        /// The properties that would change.
        public var properties: Properties

        /// A shape with the properties that would change.
        public init(shape: ShapeID, properties: Properties) {
            self.shape = shape
            self.properties = properties
        }
    }

    /// Presence of somebody who shows nothing but a name, unless told otherwise.
    public init(
        name: String, pointer: Point? = nil, selection: [ShapeID] = [], caret: Caret? = nil, preview: [Preview] = []
    ) {
        self.name = name
        self.pointer = pointer
        self.selection = selection
        self.caret = caret
        self.preview = preview
    }
}

/// A change of what another session shows.
public struct PresenceUpdate: Sendable, Equatable {
    /// The session's site.
    public let site: SiteID
    /// What it shows now; nil when it has gone.
    public let presence: Presence?

    /// A site with what it shows.
    public init(site: SiteID, presence: Presence?) {
        self.site = site
        self.presence = presence
    }
}

/// Something that went wrong with a session as a whole.
public struct ProtocolError: Sendable, Equatable {
    /// What.
    public let code: ProtocolErrorCode
    /// A sentence for people, at most 512 bytes.
    public let message: String

    /// A code with a sentence.
    public init(code: ProtocolErrorCode, message: String) {
        self.code = code
        self.message = message
    }
}

/// What can go wrong with a session. The server closes the connection after sending one.
public enum ProtocolErrorCode: UInt64, Sendable {
    /// A message could not be decoded, or came at the wrong time.
    case malformed = 1
    /// The server does not speak the client's version.
    case unsupportedVersion = 2
    /// The canvas cannot be opened, for example because its log is damaged.
    case canvasUnavailable = 3
    /// The server is shutting down; come back soon.
    case shuttingDown = 4
    /// The client took too long to read or to say hello.
    case tooSlow = 5
    /// A limit of the server was reached.
    case tooMany = 6
    /// Another live session took over this site. A client that learns of it has a copy, and leaves the site to it.
    case replaced = 7
    /// The revision that was to be looked at does not exist, or is not kept any more.
    case notKept = 8

    /// Whether connecting again later makes sense without changing anything.
    public var isRetryable: Bool {
        switch self {
        case .malformed, .unsupportedVersion, .notKept: return false
        case .canvasUnavailable, .shuttingDown, .tooSlow, .tooMany, .replaced: return true
        }
    }
}
