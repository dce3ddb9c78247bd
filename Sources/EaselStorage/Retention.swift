public import EaselCore

/// How much of each canvas's log is kept. Of several bounds the narrowest counts; without any, everything is.
public struct Retention: Equatable, Sendable {
    /// Keeps entries for so many milliseconds; nil for ever.
    public var milliseconds: UInt64?
    /// Keeps so many entries at most; nil for any number.
    public var entries: UInt64?
    /// Keeps so many bytes of entries at most (labels, payloads and a constant for each); nil for any number.
    public var bytes: UInt64?

    /// A retention with these bounds.
    public init(milliseconds: UInt64? = nil, entries: UInt64? = nil, bytes: UInt64? = nil) {
        self.milliseconds = milliseconds
        self.entries = entries
        self.bytes = bytes
    }

    /// Keeps everything.
    public static let all = Retention()

    /// Whether an entry may go, given what is in front of and behind it.
    ///
    /// - Parameters:
    ///   - following: How many entries come after it.
    ///   - weight: What it and those count for together.
    func lets(go entry: (time: UInt64, following: UInt64, weight: Int64), at now: UInt64) -> Bool {
        if let milliseconds, now > milliseconds, entry.time < now - milliseconds { return true }
        if let entries, entry.following >= entries { return true }
        if let bytes, entry.weight > Int64(clamping: bytes) { return true }
        return false
    }
}

/// What a trim would do, to be prepared by storing snapshots.
public struct TrimPlan: Equatable, Sendable {
    /// The newest revision whose entry would go; the trim needs a snapshot of it.
    public let target: Revision
    /// Older revisions that are named and have no snapshot, in order: each needs one before its entries go.
    public let unsaved: [Revision]
    /// Whether more may go after this, and the plan was only looked for so far.
    public let isPartial: Bool

    /// A plan with these values.
    public init(target: Revision, unsaved: [Revision], isPartial: Bool = false) {
        self.target = target
        self.unsaved = unsaved
        self.isPartial = isPartial
    }

    /// The same plan, going no further than `revision`.
    public func limited(to revision: Revision) -> TrimPlan {
        TrimPlan(target: min(target, revision), unsaved: unsaved.filter { $0 < revision }, isPartial: isPartial)
    }
}
