public import EaselCore

/// Why the store could not do what it was asked, in a sentence an operator can act on.
///
/// Never holds labels or payloads, so it may be logged.
public struct StorageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What sort of failure it is, for code that decides what to do next.
    public enum Kind: String, Sendable {
        /// The revisions do not continue the log, or a snapshot is of no revision of it; `revision` is the head.
        case conflict
        /// The revision was taken out of the log: it is before what is kept; `revision` is the last that is not.
        case trimmed
        /// The canvas has a version of that name.
        case nameTaken
        /// The canvas has no version of that name.
        case noSuchName
        /// The canvas has as many versions as `Limits.versionsPerCanvas` allows.
        case tooMany
        /// An entry or snapshot is above `StorageLimits`.
        case tooLarge
        /// The disk is full or a quota is used up.
        case full
        /// The operating system reported a fault of the disk or file system.
        case io
        /// Stored bytes are not what was written.
        case damaged
        /// Another process has the data folder open.
        case inUse
        /// A file of that name exists but is not Easel's.
        case foreign
        /// The file was written by a later Easel.
        case newerFormat
        /// The folder or a file in it is missing or may not be used.
        case noAccess
        /// The log was closed before the call.
        case closed
    }

    /// What sort of failure it is.
    public let kind: Kind
    /// What happened and what to do about it.
    public let sentence: String
    /// SQLite's extended result code; 0 if SQLite had no part in it.
    public let code: Int32
    /// The operating system's `errno`; 0 if none is known.
    public let systemCode: Int32
    /// The canvas concerned; nil when it is the whole store.
    public let canvas: CanvasID?
    /// The revision concerned: of the damaged or missing record, or the head of the log for `.conflict`.
    public let revision: Revision?

    /// An error with these values.
    public init(
        _ kind: Kind, _ sentence: String, code: Int32 = 0, systemCode: Int32 = 0, canvas: CanvasID? = nil,
        revision: Revision? = nil
    ) {
        self.kind = kind
        self.sentence = sentence
        self.code = code
        self.systemCode = systemCode
        self.canvas = canvas
        self.revision = revision
    }

    /// The sentence, with the codes in brackets where there are any.
    public var description: String {
        var codes: [String] = []
        if code != 0 { codes.append("SQLite \(code)") }
        if systemCode != 0 { codes.append("errno \(systemCode)") }
        return codes.isEmpty ? sentence : "\(sentence) (\(codes.joined(separator: ", ")))"
    }
}

extension StorageError {
    static let closed = StorageError(.closed, "The log is closed.")

    static func conflict(_ canvas: CanvasID, head: Revision, got: Revision) -> StorageError {
        StorageError(
            .conflict, "Revision \(got) does not fit the log of canvas \(canvas), whose head is \(head).",
            canvas: canvas,
            revision: head)
    }

    static func trimmed(_ canvas: CanvasID, base: Revision) -> StorageError {
        StorageError(
            .trimmed, "The log of canvas \(canvas) is kept after revision \(base) only.", canvas: canvas, revision: base
        )
    }

    static func tooLarge(_ canvas: CanvasID, revision: Revision) -> StorageError {
        StorageError(
            .tooLarge, "Revision \(revision) of canvas \(canvas) is too large to be stored.", canvas: canvas,
            revision: revision)
    }

    static func damaged(_ record: String, _ canvas: CanvasID, revision: Revision, code: Int32 = 0) -> StorageError {
        StorageError(
            .damaged,
            "The stored \(record) of canvas \(canvas) at revision \(revision) is damaged or missing. "
                + "Restore the data folder from a backup; until then what comes before is kept as it is.",
            code: code, canvas: canvas, revision: revision)
    }
}

/// Refuses what can never be appended after `head`; nil if `entries` may be.
func refusal(of entries: [LogEntry], after head: Revision, in canvas: CanvasID) -> StorageError? {
    var previous = head
    for entry in entries {
        guard previous < UInt64(Int64.max), entry.revision == previous + 1 else {
            return .conflict(canvas, head: head, got: entry.revision)
        }
        guard entry.payload.count <= StorageLimits.payloadBytes, entry.label.utf8.count <= StorageLimits.labelBytes
        else { return .tooLarge(canvas, revision: entry.revision) }
        previous = entry.revision
    }
    return nil
}

/// Refuses a snapshot that is of no revision of a log whose head is `head`, or too large; nil if it may be kept.
func refusal(of snapshot: StoredSnapshot, head: Revision, in canvas: CanvasID) -> StorageError? {
    guard snapshot.revision >= 1, snapshot.revision <= head else {
        return .conflict(canvas, head: head, got: snapshot.revision)
    }
    guard snapshot.payload.count <= StorageLimits.payloadBytes else {
        return .tooLarge(canvas, revision: snapshot.revision)
    }
    return nil
}
