public import EaselCore
public import EaselProtocol

/// Why a request about named versions was not done. Nothing was changed, but after `offline` a change may have been.
public enum VersionError: Error, Sendable, Equatable {
    /// There is no connection, or it was lost before the answer came.
    case offline
    /// The server knows nothing of versions.
    case unsupported
    /// The server refused it.
    case refused(VersionRefusal)
}

/// What came of a request about named versions.
public struct VersionReply: Sendable {
    /// The number that the request was given.
    public let tag: UInt64
    /// The versions there are, or why nothing was done.
    public let outcome: Result<[NamedVersion], VersionError>
}

/// What a client has to do with versions: the one it looks at, if it only looks, and its requests under way.
struct VersionDesk: Sendable {
    /// What the client looks at; nil if it takes part.
    var point: StillPoint?
    /// The first revision from which the server would go on, as of the last welcome; nil if it did not tell.
    var horizon: Revision?
    private var lastTag: UInt64 = 0
    private var underWay: [UInt64] = []
    private var replies: [VersionReply] = []

    mutating func takeReplies() -> [VersionReply] {
        defer { replies.removeAll() }
        return replies
    }

    /// The number of a new request, which is under way if there is no error.
    mutating func open(_ error: VersionError?) -> UInt64 {
        lastTag += 1
        if let error {
            replies.append(VersionReply(tag: lastTag, outcome: .failure(error)))
        } else {
            underWay.append(lastTag)
        }
        return lastTag
    }

    mutating func take(_ answer: VersionAnswer) {
        guard let index = underWay.firstIndex(of: answer.tag) else { return }
        underWay.remove(at: index)
        replies.append(VersionReply(tag: answer.tag, outcome: answer.outcome.mapError { .refused($0) }))
    }

    /// The connection is gone, and with it the answers.
    mutating func close() {
        for tag in underWay { replies.append(VersionReply(tag: tag, outcome: .failure(.offline))) }
        underWay = []
    }
}

/// A canvas as it was at a revision, to look at and to restore from.
public struct Still: Sendable {
    /// The canvas.
    public let canvas: Canvas
    /// The history it belongs to.
    let epoch: UInt64
}

extension ClientEngine {
    /// A client that only looks at one revision of a canvas: it is live once that is there, and a viewer.
    public init(canvas: CanvasID, name: String, provisionalSite: SiteID, lookingAt point: StillPoint) {
        self.init(canvas: canvas, name: name, provisionalSite: provisionalSite)
        versionDesk.point = point
    }

    /// What is looked at, once it is there; nil of a client that takes part.
    public var still: Still? {
        guard versionDesk.point != nil, case .live = link, let admission else { return nil }
        return Still(canvas: confirmed, epoch: admission.epoch)
    }

    /// The first revision from which the server would go on, as of the last welcome. Whoever comes back from before it gets the
    /// canvas anew. nil if that is not known.
    public var horizon: Revision? { versionDesk.horizon }

    /// Asks for the named versions, perhaps after a change. The reply with the number returned is handed out by
    /// ``takeVersionReplies()``.
    public mutating func requestVersions(_ change: VersionRequest.Change) -> UInt64 {
        guard case .live = link else { return versionDesk.open(.offline) }
        guard versionDesk.point == nil, versionDesk.horizon != nil else { return versionDesk.open(.unsupported) }
        let tag = versionDesk.open(nil)
        outbox.append(.versions(VersionRequest(tag: tag, change: change)))
        return tag
    }

    /// What came of requests about versions since this was last asked. It is handed out once.
    public mutating func takeVersionReplies() -> [VersionReply] { versionDesk.takeReplies() }

    /// Brings back what was seen at an earlier revision, as one action: see ``/EaselCore/TransactionDraft/restore(_:)``.
    ///
    /// What does not fit into one message is made as several edits, of which others may see one before the next.
    ///
    /// - Parameters:
    ///   - label: its name for people.
    ///   - still: what is brought back. One of another history is refused as stale.
    ///   - origin: the number of the view it comes from, for the echo guard; 0 for none.
    ///   - history: where it can be undone; nil for nowhere.
    public mutating func restore(
        _ label: String, to still: Still, from origin: UInt32 = 0, history: HistoryID? = .main
    ) throws(EditError) -> EditResult {
        var draft = try draft()
        guard still.epoch == admission?.epoch else { throw .stale }
        draft.restore(still.canvas)
        let change = try makeInParts(draft, label, from: origin, history)
        if !change.shapes.isEmpty {
            reportHistories()
            report(change)
        }
        return EditResult(hasEffect: !change.shapes.isEmpty, problems: draft.problems)
    }
}
