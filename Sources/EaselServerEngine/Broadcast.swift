internal import EaselCore
internal import EaselProtocol

/// What all sessions of an outlet read: the newest commits and what others show, with what was assembled of them last.
struct Broadcast: Sendable {
    var window: CommitWindow
    private(set) var board = PresenceBoard()
    private var commitRuns = RunCache<SharedPayload>()
    private var presenceRuns = RunCache<PresenceRun>()

    /// Nothing but the commits of a window.
    init(window: CommitWindow) {
        self.window = window
    }

    /// The commits after a cursor that the window covers, as much as a frame takes, and the revision of the last. Whoever asks at
    /// the same place gets the same object.
    mutating func commits(after cursor: Revision) -> (SharedPayload, Revision) {
        let head = window.head
        if let kept = commitRuns.run(from: cursor, head: head) { return kept }
        let (bytes, last) = window.commits(after: cursor, limit: ProtocolLimits.frameBytes)
        let payload = SharedPayload(bytes)
        commitRuns.keep(payload, from: cursor, through: last, head: head)
        return (payload, last)
    }

    /// Posts what was published. `lowestSeen` says which version every reader has seen that has seen any; nil if none has.
    mutating func post(_ changes: [PresenceChange], lowestSeen: () -> UInt64?) {
        guard !changes.isEmpty else { return }
        if board.wantsCompaction { board.compact(seenByAll: lowestSeen() ?? board.version) }
        for change in changes { board.post(change) }
        // A run that was full before could name somebody whose tombstone has been forgotten since.
        presenceRuns = RunCache()
    }

    /// The changes of presence after a version, as much as a frame takes.
    mutating func presence(after seen: UInt64) -> PresenceRun {
        if let kept = presenceRuns.run(from: seen, head: board.version) { return kept.run }
        let run = board.run(after: seen, limit: ProtocolLimits.frameBytes)
        presenceRuns.keep(run, from: seen, through: run.last, head: board.version)
        return run
    }
}
