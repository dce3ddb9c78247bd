public import EaselClientEngine
public import EaselCore
public import EaselProtocol
import EaselSupport

/// A canvas as an application uses it: the one owner of its state, safe to use from any thread or actor.
///
/// Edits are applied to the view at once and return; the store sends them, keeps them while there is no connection, and
/// brings in what others do. Observers are told in order and without any lock, after the state has changed: before the call
/// that caused it returns, or, if another thread is telling them of something at that moment, by that thread next.
/// `events` offers the same as an asynchronous sequence.
///
/// Reading `canvas` is O(1): it is a value, a snapshot that later edits cannot change.
public final class CanvasStore: Sendable {
    /// What the lock guards.
    struct State: Sendable {
        var engine: ClientEngine
        var observers: [Observer] = []
        var nextObserver: UInt64 = 1
        /// Events not delivered yet. Only one thread at a time delivers, so that observers see them in order.
        var undelivered: [ClientEvent] = []
        /// Number of events that were taken for delivery.
        var deliveredCount = 0
        /// What the histories offered when it was last asked, by history, with the version it belongs to.
        var historyStates: [HistoryID: (version: UInt64, state: HistoryState)] = [:]
        var isDelivering = false
        /// An edit's closure is running; nothing else may be edited, undone or redone in it.
        var isEditing = false
    }

    /// Somebody who is told of events from a number on.
    struct Observer: Sendable {
        let id: UInt64
        let firstEvent: Int
        let handler: @Sendable (ClientEvent) -> Void
    }

    let state: StoreLock<State>
    /// Where messages go; set when a connection is attached.
    let outlet: StoreLock<(@Sendable () -> Void)?>
    /// Where the state is kept over a restart; nil if it is not.
    let kept: KeptState?
    /// Who waits for what comes of a request about versions, by its number.
    let versionHandlers = StoreLock<[UInt64: @Sendable (Result<[NamedVersion], VersionError>) -> Void]>([:])

    /// A store of a canvas without a connection.
    ///
    /// - Parameters:
    ///   - canvas: the canvas.
    ///   - name: the person's name, shown to others.
    ///   - provisionalSite: a random site for identities made before the server has given one.
    public convenience init(canvas: CanvasID, name: String, provisionalSite: SiteID) {
        self.init(engine: ClientEngine(canvas: canvas, name: name, provisionalSite: provisionalSite))
    }

    /// A store around an engine, without a connection.
    init(engine: ClientEngine) {
        state = StoreLock(State(engine: engine))
        outlet = StoreLock(nil)
        kept = nil
    }

    /// A store of the canvas of a client that was there before, from what ``save(includingCanvas:)`` gave.
    ///
    /// - Parameters:
    ///   - bytes: the saved state.
    ///   - site: a random site, unless the bytes are certainly used by one client at a time. With it the client begins a life
    ///     of its own, so that a copy harms neither: see ``/EaselClientEngine/ClientEngine/beginLife(identities:)``.
    public init(restoring bytes: [UInt8], identities site: SiteID? = nil) throws(RestoreError) {
        var engine = try ClientEngine.restore(from: bytes)
        if let site { engine.beginLife(identities: site) }
        state = StoreLock(State(engine: engine))
        outlet = StoreLock(nil)
        kept = nil
    }

    /// A store that goes on from the state that is kept in a folder, and keeps its state there from now on. One store for each
    /// `KeptState`.
    public init(keptIn kept: KeptState) {
        state = StoreLock(State(engine: kept.takeEngine()))
        outlet = StoreLock(nil)
        self.kept = kept
    }

    /// The state as bytes, to go on from later: see ``/EaselClientEngine/ClientEngine/save(includingCanvas:)``.
    public func save(includingCanvas: Bool) -> [UInt8] {
        // Only the copy is made under the lock.
        state.withLock { $0.engine }.save(includingCanvas: includingCanvas)
    }

    // MARK: Reading

    /// What people see now: what is committed, with one's own unacknowledged edits on top.
    public var canvas: Canvas { state.withLock { $0.engine.view } }

    /// Where things stand.
    public var status: Status {
        state.withLock { state in
            Status(
                link: state.engine.linkState, pendingCount: state.engine.pendingCount, role: state.engine.role,
                site: state.engine.site, revision: state.engine.confirmed.revision,
                digest: state.engine.confirmed.digest)
        }
    }

    /// The other sessions on the canvas.
    public var participants: [Participant] { state.withLock { $0.engine.participants } }

    /// Names what people see now, for the results of work that takes a while: see ``edit(_:from:history:coalescing:unchangedSince:_:)``.
    public var viewVersion: ViewVersion { state.withLock { $0.engine.viewVersion } }

    /// What undo and redo offer now.
    ///
    /// Kept until something changes, so that it may be asked at every frame.
    public func historyState(_ history: HistoryID = .main) -> HistoryState {
        state.withLock { state in
            let version = state.engine.historyVersion
            if let kept = state.historyStates[history], kept.version == version { return kept.state }
            let current = state.engine.historyState(history)
            state.historyStates[history] = (version, current)
            return current
        }
    }

    // MARK: Changing

    /// Makes an edit; it is one action.
    ///
    /// - Parameters:
    ///   - label: its name for people, for example "Move Rectangle"; at most 256 bytes.
    ///   - view: the number of the view it comes from; that view is not told of it. 0 for none.
    ///   - history: where it can be undone; nil for nowhere.
    ///   - coalescing: whether it may join the typing before it.
    ///   - version: the view that the edit was made for, as the result of asynchronous work; if it has changed since, the edit
    ///     is refused as stale. nil for any.
    ///   - body: writes the edit. It may read the store, which is as it was before the edit, but not edit, undo or redo.
    @discardableResult
    public func edit(
        _ label: String, from view: UInt32 = 0, history: HistoryID? = .main, coalescing: Coalescing = .none,
        unchangedSince version: ViewVersion? = nil,
        _ body: (inout TransactionDraft) -> Void
    ) throws(EditError) -> EditResult {
        let now = MonotonicClock.now.milliseconds
        defer { announce() }
        return try state.hold { () throws(EditError) -> EditResult in
            var draft = try beginDraft(version)
            body(&draft)
            return try state.withLock { state throws(EditError) in
                state.isEditing = false
                defer { state.undelivered += state.engine.takeEvents() }
                return try state.engine.submit(
                    draft, label, from: view, history: history, coalescing: coalescing, now: now)
            }
        }
    }

    private func beginDraft(_ version: ViewVersion?) throws(EditError) -> TransactionDraft {
        try state.withLock { state throws(EditError) in
            guard !state.isEditing else { throw .insideEdit }
            let draft = try state.engine.draft(unchangedSince: version)
            state.isEditing = true
            return draft
        }
    }

    /// Takes back the newest action that would change something visible.
    @discardableResult
    public func undo(_ history: HistoryID = .main) throws(EditError) -> PressResult {
        try refuseInsideEdit()
        return try change { engine throws(EditError) in try engine.undo(history) }
    }

    /// Brings back what the last undo took.
    @discardableResult
    public func redo(_ history: HistoryID = .main) throws(EditError) -> PressResult {
        try refuseInsideEdit()
        return try change { engine throws(EditError) in try engine.redo(history) }
    }

    func refuseInsideEdit() throws(EditError) {
        // Of another thread's edit this one waits for the end, so the flag is this thread's own.
        guard !state.withLock({ $0.isEditing }) else { throw .insideEdit }
    }

    /// Changes what others see of this session.
    public func show(_ presence: Presence) {
        change { engine in engine.show(presence) }
    }

    /// What others see of this session.
    public var presence: Presence { state.withLock { $0.engine.presence } }

    // MARK: Observing

    /// Calls `handler` with every event from now on, until the observation is ended or let go.
    public func observe(_ handler: @escaping @Sendable (ClientEvent) -> Void) -> Observation {
        let id = state.withLock { state in
            defer { state.nextObserver += 1 }
            let first = state.deliveredCount + state.undelivered.count
            state.observers.append(Observer(id: state.nextObserver, firstEvent: first, handler: handler))
            return state.nextObserver
        }
        return Observation(store: self, id: id)
    }

    /// Every event from now on.
    public var events: AsyncStream<ClientEvent> {
        AsyncStream { continuation in
            let observation = observe { continuation.yield($0) }
            continuation.onTermination = { _ in observation.end() }
        }
    }

    func removeObserver(_ id: UInt64) {
        // A handler may hold the last reference to another observation, whose end comes back here: let go of it outside.
        let removed = state.withLock { state in
            defer { state.observers.removeAll { $0.id == id } }
            return state.observers.filter { $0.id == id }
        }
        withExtendedLifetime(removed) {}
    }

    // MARK: Inside

    /// The messages to send now. Where the state is kept, it is written before they are handed out.
    func takeMessages() -> [ClientMessage] {
        guard let kept else { return state.withLock { $0.engine.takeMessages() } }
        let (messages, engine) = state.withLock { state in
            let messages = state.engine.takeMessages()
            return (messages, messages.contains { $0.isSubmission } ? state.engine : nil)
        }
        if let engine { kept.save(engine, isSending: true) }
        return messages
    }

    /// Changes the engine under the lock, then sends what there is to send and tells observers.
    @discardableResult
    func change<Result, Failure: Error>(
        _ body: (inout ClientEngine) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { announce() }
        return try state.withLock { state throws(Failure) in
            defer { state.undelivered += state.engine.takeEvents() }
            return try body(&state.engine)
        }
    }

    /// Sends what there is to send and tells observers, without the lock.
    private func announce() {
        outlet.withLock { $0 }?()
        deliver()
        deliverVersions()
    }

    /// Hands events to observers in order. An observer that changes the store adds events, which are delivered after it.
    /// In an edit's closure nothing is delivered: the edit does it at its end.
    private func deliver() {
        while let (event, handlers) = takeEvent() {
            for handler in handlers { handler(event) }
            state.withLock { $0.isDelivering = false }
        }
    }

    /// The oldest event that is not delivered and those who are to be told of it; nil if there is none or somebody is
    /// delivering.
    private func takeEvent() -> (ClientEvent, [@Sendable (ClientEvent) -> Void])? {
        state.withLock { state in
            guard !state.isDelivering, !state.isEditing, !state.undelivered.isEmpty else { return nil }
            state.isDelivering = true
            let number = state.deliveredCount
            state.deliveredCount += 1
            return (state.undelivered.removeFirst(), state.observers.filter { $0.firstEvent <= number }.map(\.handler))
        }
    }
}

/// Where a store stands.
public struct Status: Sendable, Equatable {
    /// The conversation with the server.
    public let link: LinkState
    /// Transactions that are not on the server's disk.
    public let pendingCount: Int
    /// Whether the canvas may be changed.
    public let role: Role
    /// The site the server gave; nil before the first welcome.
    public let site: SiteID?
    /// Place of the last commit received.
    public let revision: Revision
    /// Digest of the committed canvas.
    public let digest: UInt64
}

/// Keeps an observer of a store registered. Ending it, or letting it go, removes that observer and no other.
public final class Observation: Sendable {
    private let store: CanvasStore
    private let id: UInt64

    init(store: CanvasStore, id: UInt64) {
        self.store = store
        self.id = id
    }

    /// Removes the observer. May be called more than once.
    public func end() { store.removeObserver(id) }

    deinit { store.removeObserver(id) }
}
