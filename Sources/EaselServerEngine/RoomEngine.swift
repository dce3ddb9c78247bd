public import EaselCore
internal import EaselProtocol

/// One canvas's room and the sessions in it, as a state machine: inputs are method calls, outputs are ``RoomAction``s.
///
/// A transaction takes this way: session, check, append to the log, durable, apply, fan-out. Nothing is acknowledged or shown
/// to anybody before it is durable. The room keeps the confirmed canvas and the newest commits encoded once, and decides. What
/// its sessions are sent, and when, is left to a ``RoomOutlet`` on each event loop where some are: the room tells each once a
/// turn what is new.
///
/// **Turns.** Whoever runs the room calls ``endTurn(into:)`` after the inputs of a turn; what was submitted leaves for the log
/// then, in one append, and each outlet is told what there is for it. Time, random numbers and everything read come in as
/// arguments, so a room can be run again from a record.
public struct RoomEngine: Sendable {
    enum Phase {
        /// The canvas is being read; who came meanwhile waits.
        case loading([Joiner])
        case open
        /// An append failed, and the log must say what is in it. Nothing is accepted until then.
        case recovering(Recovery)
        /// Nothing happens any more; who still comes is told why.
        case closed(ProtocolError)
    }

    enum Recovery {
        /// The outcome of other appends is open.
        case awaitingAppends
        case reading
        /// The log could not be read and is asked again at a time.
        case pausing(until: UInt64)
    }

    struct Joiner {
        let session: SessionID
        let outlet: OutletID
        let hello: Hello
        let role: Role
        let freshSite: SiteID
    }

    /// Whether a snapshot is on its way into the store.
    enum Storing {
        case idle
        case underWay(revision: Revision, byteCount: UInt64)
        /// It failed and is not tried again before a time.
        case pausing(until: UInt64)
    }

    /// The canvas of this room.
    public let canvasID: CanvasID
    let key: SiteKey
    let limits: RoomLimits
    var phase = Phase.loading([])
    /// Empty while loading.
    var history: CanvasHistory
    var pipeline: AppendPipeline
    var sessions: [SessionID: Session] = [:]
    var owners: [SiteID: SessionID] = [:]
    /// Who came back to a site of which something is under way to the log: what becomes of that is part of the welcome.
    var delayed: [Joiner] = []
    var presence = PresenceIntake()
    var lastPresenceRound: UInt64 = 0
    var feed = SnapshotFeed.none
    var storing = Storing.idle
    /// By their numbers.
    var outlets: [OutletState] = []
    /// What became durable, and what was published, since the outlets were told.
    var newRuns: [EncodedRun] = []
    var newPresence: [PresenceChange] = []
    var trim: TrimRequest?
    var trimCount: UInt64 = 0
    /// Sessions that wait for records read after a cursor, by that cursor.
    var pageRequests: [PageRequest] = []
    /// When the last session left; nil while there is one.
    var emptySince: UInt64?

    /// A room whose canvas is being read. Report that with ``loaded(_:into:at:)`` or ``loadFailed(_:into:)``; who joins before
    /// waits.
    public init(canvas: CanvasID, key: SiteKey, limits: RoomLimits = RoomLimits()) {
        canvasID = canvas
        self.key = key
        self.limits = limits
        history = CanvasHistory(epoch: 0, limits: limits)
        pipeline = AppendPipeline(after: 0)
    }

    /// The canvas at its confirmed revision: every durable commit applied, nothing else.
    public var canvas: Canvas { history.canvas }

    /// Sessions in the room, those that wait for the canvas included.
    public var sessionCount: Int {
        if case .loading(let joiners) = phase { return joiners.count }
        return sessions.count + delayed.count
    }

    /// Transactions accepted and not durable yet.
    public var inFlightCount: Int { Int(pipeline.head - history.canvas.revision) }

    // MARK: Loading

    /// The canvas was read.
    public mutating func loaded(_ history: CanvasHistory, into actions: inout [RoomAction], at moment: Moment) {
        guard case .loading(let joiners) = phase else { return }
        self.history = history
        pipeline = AppendPipeline(after: history.canvas.revision)
        phase = .open
        emptySince = moment.milliseconds
        for joiner in joiners { admit(joiner, into: &actions, at: moment) }
        storeSnapshotIfDue(into: &actions, at: moment)
    }

    /// The canvas cannot be read; `sentence` says why, for people. The room is over.
    public mutating func loadFailed(_ sentence: String, into actions: inout [RoomAction]) {
        guard case .loading = phase else { return }
        end(ProtocolError(code: .canvasUnavailable, message: sentence))
        actions.append(.unload)
    }

    // MARK: Ending

    /// The server stops: everybody is told, and nobody gets in any more. What is under way to the log still becomes durable; who
    /// sent it finds out when it comes back.
    public mutating func shutDown() {
        end(ProtocolError(code: .shuttingDown, message: "The server is shutting down."))
    }

    /// Closes every session and the room.
    mutating func end(_ error: ProtocolError) {
        switch phase {
        case .closed:
            return
        case .loading(let joiners):
            for joiner in joiners { say(.close(joiner.session, error), to: joiner.outlet) }
        case .open, .recovering:
            for id in sessions.keys.sorted() {
                guard let session = sessions[id] else { continue }
                say(.close(id, error), to: session.outlet)
                count(out: session)
            }
            for joiner in delayed { say(.close(joiner.session, error), to: joiner.outlet) }
        }
        delayed = []
        sessions = [:]
        owners = [:]
        phase = .closed(error)
    }

    // MARK: Time

    /// When ``tick(into:at:)`` should be called next, monotonic milliseconds; nil while there is nothing to wait for.
    public var wakeTime: UInt64? {
        if case .closed = phase { return nil }
        if case .loading = phase { return nil }
        var times: [UInt64] = []
        if let emptySince, !pipeline.isAppending { times.append(emptySince + limits.idleMilliseconds) }
        if case .recovering(.pausing(let until)) = phase { times.append(until) }
        if presence.hasUnpublished { times.append(nextPresenceRound) }
        if case .ready(let ready) = feed { times.append(ready.lastUse + limits.snapshotIdleMilliseconds) }
        return times.min()
    }

    /// Does what time has come for.
    public mutating func tick(into actions: inout [RoomAction], at moment: Moment) {
        let now = moment.milliseconds
        if case .recovering(.pausing(let until)) = phase, now >= until { readUncertain(into: &actions) }
        publishPresence(at: now)
        if case .ready(let ready) = feed, now >= ready.lastUse + limits.snapshotIdleMilliseconds { feed = .none }
        switch phase {
        case .open, .recovering:
            guard let emptySince, now >= emptySince + limits.idleMilliseconds, !pipeline.isAppending else { return }
            phase = .closed(
                ProtocolError(code: .canvasUnavailable, message: "The canvas is being put away; try again."))
            actions.append(.unload)
        case .loading, .closed:
            return
        }
    }

    /// Ends a turn: sends what was submitted in it to the log, and tells each outlet once what there is for it.
    public mutating func endTurn(into actions: inout [RoomAction]) {
        if case .open = phase {
            let records = pipeline.send()
            if !records.isEmpty { actions.append(.append(records)) }
        }
        endRun()
        tellOutlets(into: &actions)
        endTrimRequest(into: &actions)
    }
}
