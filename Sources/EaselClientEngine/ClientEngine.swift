public import EaselCore
public import EaselProtocol

/// One client's side of one canvas, without sockets, clocks or threads: messages and edits go in, messages and changes
/// come out.
///
/// It keeps two canvases. `confirmed` holds what the server has committed; `view` is that with the client's own
/// unacknowledged transactions applied on top, and is what people see. When a commit of somebody else arrives, the view is
/// built anew from the confirmed canvas: the pending transactions are *rebased*, and each makes its inverses again.
///
/// Three rules keep undo right under latency (see `UndoStack` and the specification):
/// - **Hold**: a press whose values are not final is shown at once but sent later, and what follows waits behind it.
/// - **Numbers at first sending**: a transaction gets its sequence number when it is first sent; from then on its content
///   never changes.
/// - **Barrier**: after a refusal the client takes the transaction out, confirms, and sends the rest under new numbers.
///
/// **Echo guard**: own commits come back as acknowledgements, recognised by site and sequence, and are never applied to the
/// view again, whatever socket or retry they come by.
public struct ClientEngine: Sendable {
    /// A transaction of one's own that is not acknowledged.
    struct Pending: Sendable {
        let number: LocalNumber
        let label: String
        let cause: Transaction.Cause
        let view: UInt32
        /// The history it is recorded in; nil if it is not.
        let history: HistoryID?
        var items: [UndoStack.Item]
        /// Under which number it was sent, or is sent and under no other; nil if it has none (any more).
        var sentAs: TransactionID?
        /// Whether another transaction may have that number too, in a copy of this client.
        var isDoubtful = false
        /// Whether it was handed over on the present connection and waits for its answer.
        var isUnderWay = false

        /// What it does now; dormant items do nothing.
        var activeItems: [UndoStack.Item] { items.filter { !$0.isDormant } }
        var operations: [Operation] { activeItems.map { $0.operation } }

        func transaction() -> Transaction {
            Transaction(operations: operations, label: label, cause: cause, view: view)
        }
    }

    /// What the server gave at the last welcome, to be shown when coming back.
    struct Admission: Sendable {
        let site: SiteID
        let secret: UInt64
        let epoch: UInt64
    }

    /// Where the conversation with the server stands.
    enum Link: Sendable {
        /// No connection.
        case offline
        /// `hello` was sent.
        case greeting
        /// A snapshot is coming in.
        case receiving(Welcome, bytes: [UInt8], byteCount: UInt64)
        /// Commits up to `Welcome.revision` are coming in; nothing is sent until they are here.
        case catchingUp(Welcome)
        /// Up to date; pending transactions are sent as they come.
        case live
        /// The server could not store a transaction; nothing is sent until `retry`.
        case waiting
        /// The server ended the session for good.
        case ended(ProtocolError)
    }

    /// The canvas.
    public let canvasID: CanvasID
    /// What the server has committed, as far as it has been received.
    public internal(set) var confirmed = Canvas()
    /// What people see: the confirmed canvas with the pending transactions on top.
    public internal(set) var view = Canvas()
    /// Whether the session may change the canvas.
    public internal(set) var role = Role.editor
    /// What the other sessions show, by site.
    public internal(set) var participants: [Participant] = []
    /// What is shown of this session.
    public internal(set) var presence: Presence

    /// One undo history with what is going on in it.
    struct History: Sendable {
        var stack = UndoStack()
        var group: Group?
        var burst: Burst?
        /// Its editor is gone: nothing is recorded in it any more.
        var isClosed = false
    }

    var link = Link.offline
    var pending: [Pending] = []
    var histories = [History()]
    /// Rises with every change of the view.
    var changeCount: UInt64 = 0
    /// Tells this client from others of the same canvas.
    let instance: SiteID
    /// Rises whenever what a history offers may have changed, for keeping what was computed from it.
    public internal(set) var historyVersion: UInt64 = 0
    var identities: IdentitySource
    var admission: Admission?
    /// The canvas is to be fetched as a snapshot, since what was held is not to be built on.
    var isStartingOver = false
    var nextSequence: SequenceNumber = 1
    var nextLocal: LocalNumber = 1
    /// The site that `nextSequence` counts for.
    var numberedSite: SiteID?
    /// How the client stands to the site of `admission`.
    var tenure = Tenure.owner
    /// The number of the first transaction of this life.
    var lifeStart: LocalNumber = 1
    var versionDesk = VersionDesk()
    var presenceIsDue = false
    var outbox: [ClientMessage] = []
    var events: [ClientEvent] = []

    /// A client of a canvas that has not connected yet. It can edit at once.
    ///
    /// - Parameters:
    ///   - canvas: the canvas.
    ///   - name: the person's name, shown to others.
    ///   - provisionalSite: a random site for the identities of what is made before the server has given one.
    public init(canvas: CanvasID, name: String, provisionalSite: SiteID) {
        canvasID = canvas
        presence = Presence(name: name)
        identities = IdentitySource(site: provisionalSite)
        instance = provisionalSite
    }

    /// The site the server gave; nil before the first welcome.
    public var site: SiteID? { admission?.site }

    /// Names the view as it is now, for the results of work that takes a while: see `edit`.
    public var viewVersion: ViewVersion {
        ViewVersion(canvas: canvasID, epoch: admission?.epoch, instance: instance, change: changeCount)
    }

    /// Number of transactions that are not acknowledged.
    public var pendingCount: Int { pending.count }

    /// Where the conversation with the server stands, for people.
    public var linkState: LinkState {
        switch link {
        case .offline: return .offline
        case .greeting: return .connecting
        case .receiving(_, let bytes, let byteCount):
            return .synchronizing(received: UInt64(bytes.count), of: byteCount)
        case .catchingUp: return .synchronizing(received: 0, of: 0)
        case .live: return .live
        case .waiting: return .inTrouble
        case .ended(let error): return .ended(error)
        }
    }

    /// The messages to send now, in order. They are handed out once.
    public mutating func takeMessages() -> [ClientMessage] {
        flush()
        defer { outbox.removeAll(keepingCapacity: true) }
        return outbox
    }

    /// What happened since this was last asked, in order. It is handed out once.
    public mutating func takeEvents() -> [ClientEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// Moves what may be sent into the outbox. What has a number keeps it.
    private mutating func flush() {
        guard case .live = link, let site else { return }
        var index = 0
        while index < min(pending.count, ProtocolLimits.transactionsInFlight) {
            defer { index += 1 }
            if pending[index].isUnderWay { continue }
            if pending[index].sentAs == nil {
                if let history = pending[index].history, histories[history.index].stack.holds(pending[index].items) {
                    break
                }
                if pending[index].cause != .edit { divideIfTooLarge(index) }
                number(index, of: site)
            }
            handOver(index)
        }
        if presenceIsDue {
            outbox.append(.presence(presence))
            presenceIsDue = false
        }
    }

    /// Puts what has numbers, which stands in front of what has none, into the outbox, as far as so much may be under way.
    mutating func resend() {
        for index in pending.indices.prefix(ProtocolLimits.transactionsInFlight) where !pending[index].isUnderWay {
            handOver(index)
        }
    }

    /// Puts a transaction that has a number into the outbox.
    private mutating func handOver(_ index: Int) {
        guard let id = pending[index].sentAs else { return }
        outbox.append(.submit(Submission(sequence: id.sequence, transaction: pending[index].transaction())))
        pending[index].isUnderWay = true
    }

    /// Builds the view anew: pending transactions on top of the confirmed canvas, their inverses made again.
    mutating func rebuildView() {
        view = confirmed
        var kept: [Pending] = []
        kept.reserveCapacity(pending.count)
        for var transaction in pending {
            if transaction.sentAs == nil, transaction.cause != .edit, let history = transaction.history {
                transaction.items = histories[history.index].stack.refresh(transaction.items)
            }
            let outcome = view.apply(transaction.operations)
            if let history = transaction.history {
                histories[history.index].stack.update(
                    transaction.number, items: transaction.activeItems, inverses: outcome.inverses,
                    committedAt: transaction.items.isEmpty ? confirmed.revision : nil)
            }
            if !transaction.items.isEmpty { kept.append(transaction) }
        }
        pending = kept
    }

    /// Reports a change of the view from `before`, if there is one.
    mutating func reportChange(from before: Canvas, _ origin: ChangeOrigin) {
        let change = CanvasChange(origin: origin, before: before, after: view)
        if !change.shapes.isEmpty { report(change) }
    }

    mutating func report(_ change: CanvasChange) {
        changeCount += 1
        events.append(.changed(change))
    }

    /// Says that what the histories offer may have changed: an edit in one can change what another's undo would do.
    mutating func reportHistories() {
        historyVersion += 1
        for index in histories.indices { events.append(.historyChanged(HistoryID(index: index))) }
    }
}
