internal import EaselCore
internal import EaselProtocol

/// What the sessions of a room on one event loop are sent.
///
/// A room has one ``RoomEngine``, which decides, and an outlet on each loop where sessions of it are. The outlet holds what
/// they read (the newest commits, published presence) and how far each has come, and it is the only one who knows. It learns
/// everything from the ``RoomNews`` that the engine gives out at the end of a turn, so it can run on another thread than the
/// engine, any time behind it.
///
/// **Order of what a session gets.** Its welcome first, then the parts of its snapshot if it gets one, then commits by
/// revision. Answers come in the order of what they answer and after every commit of that session that was accepted before
/// them; they may come later than commits of others. Presence comes last, when there is nothing else.
public struct RoomOutlet: Sendable {
    let limits: RoomLimits
    /// Whether the room has told it what to begin with.
    private var isOpen = false
    /// Sessions that joined and have no welcome yet. One that is neither here nor a reader has gone, and what still comes for
    /// it is too late.
    private var joining: Set<SessionID> = []
    var readers: [SessionID: Reader] = [:]
    var broadcast = Broadcast(window: CommitWindow(after: 0))

    /// An outlet without sessions, to which its room has not spoken yet.
    public init(limits: RoomLimits = RoomLimits()) {
        self.limits = limits
    }

    /// Takes in what the room says.
    public mutating func take(_ news: RoomNews, into actions: inout [OutletAction]) {
        if let opening = news.opening {
            isOpen = true
            readers = [:]
            broadcast = Broadcast(window: opening.window)
            post(opening.presence)
        } else if isOpen {
            for run in news.runs { broadcast.window.append(run, limits: limits) }
            post(news.presence)
        }
        precondition(
            !isOpen || news.runs.isEmpty || broadcast.window.head == news.revision, "news come in order, each once")
        for word in news.words { take(word, into: &actions) }
        if let question = news.question {
            let lowest = readers.values.lazy.map { $0.cursor }.min()
            actions.append(.report(.lowestCursor(lowest, question: question)))
        }
        if !news.runs.isEmpty || !news.presence.isEmpty, !readers.isEmpty { actions.append(.everyoneWantsWrite) }
    }

    private mutating func post(_ changes: [PresenceChange]) {
        let readers = readers
        broadcast.post(changes) { readers.values.lazy.map { $0.presenceSeen }.filter { $0 > 0 }.min() }
    }

    private mutating func take(_ word: SessionWord, into actions: inout [OutletAction]) {
        switch word {
        case .welcome(let id, let start):
            guard joining.remove(id) != nil else { return }
            readers[id] = Reader(start)
            actions.append(.wantsWrite(id))
        case .answer(let id, let after, let bytes):
            guard let count = readers[id]?.answers.count else { return }
            guard count < limits.answers else {
                readers[id] = nil
                actions.append(.report(.leavesUnread(id)))
                return
            }
            readers[id]?.answers.append(Reader.Answer(after: after, bytes: bytes))
            actions.append(.wantsWrite(id))
        case .page(let id, let after, let payload, let last):
            guard let reader = readers[id], case .requested = reader.page, reader.cursor == after else { return }
            readers[id]?.page = .ready(payload, last: last)
            actions.append(.wantsWrite(id))
        case .close(let id, let error):
            left(id)
            actions.append(.close(id, error))
        }
    }

    /// A connection said hello. The room is to be told as well.
    public mutating func joined(_ session: SessionID) {
        joining.insert(session)
    }

    /// A connection is gone, whatever the reason. The room is to be told as well.
    public mutating func left(_ session: SessionID) {
        joining.remove(session)
        readers[session] = nil
    }
}
