internal import EaselCore
internal import EaselProtocol

/// What a room keeps of one of its outlets.
struct OutletState: Sendable {
    /// Sessions of it that are in the room.
    var sessionCount = 0
    /// Whether it was told what to begin with, and everything since. Not any more once its last session has gone.
    var isOpen = false
    /// What it is told at the end of the turn.
    var words: [SessionWord] = []
    /// Whether it is asked at the end of the turn how far its sessions have come.
    var isAsked = false
}

/// Sessions that wait for the same records of the log.
struct PageRequest {
    let after: Revision
    var sessions: [SessionID]
}

extension RoomEngine {
    // MARK: To the outlets

    /// Tells an outlet something about a session.
    mutating func say(_ word: SessionWord, to outlet: OutletID) {
        reach(outlet)
        outlets[outlet.rawValue].words.append(word)
    }

    /// Counts a session in that came into the room. The first one of an outlet opens it.
    mutating func count(in session: Session) {
        reach(session.outlet)
        outlets[session.outlet.rawValue].sessionCount += 1
    }

    /// Counts a session out. After the last one of an outlet, whoever comes next opens it again; so nobody has to agree when it
    /// ends.
    mutating func count(out session: Session) {
        outlets[session.outlet.rawValue].sessionCount -= 1
        guard outlets[session.outlet.rawValue].sessionCount == 0 else { return }
        outlets[session.outlet.rawValue].isOpen = false
        trim?.awaited.remove(session.outlet)
    }

    private mutating func reach(_ outlet: OutletID) {
        while outlets.count <= outlet.rawValue { outlets.append(OutletState()) }
    }

    /// Gives out what the turn has for each outlet.
    mutating func tellOutlets(into actions: inout [RoomAction]) {
        for index in outlets.indices {
            if let news = news(for: index) { actions.append(.tell(OutletID(index), news)) }
            outlets[index].words = []
            outlets[index].isAsked = false
        }
        newRuns = []
        newPresence = []
    }

    private mutating func news(for index: Int) -> RoomNews? {
        let outlet = outlets[index]
        let opens = outlet.sessionCount > 0 && !outlet.isOpen
        outlets[index].isOpen = outlet.sessionCount > 0
        let hasShared = outlet.isOpen && !(newRuns.isEmpty && newPresence.isEmpty)
        guard opens || hasShared || !outlet.words.isEmpty || outlet.isAsked else { return nil }
        return RoomNews(
            opening: opens ? RoomNews.Opening(window: history.window, presence: presence.published) : nil,
            runs: outlet.isOpen ? newRuns : [], revision: history.canvas.revision,
            presence: outlet.isOpen ? newPresence : [], words: outlet.words,
            question: outlet.isAsked ? trim?.number : nil)
    }

    // MARK: From the outlets

    /// An outlet reports.
    public mutating func reported(
        _ report: OutletReport, by outlet: OutletID, into actions: inout [RoomAction], at moment: Moment
    ) {
        switch report {
        case .needsPage(let session, let cursor): requestPage(for: session, after: cursor, into: &actions, at: moment)
        case .leavesUnread(let session): endForUnread(session, at: moment)
        case .lowestCursor(let cursor, let question): limitTrim(to: cursor, by: outlet, question: question)
        }
    }

    /// Ends a session that leaves too many answers unread.
    mutating func endForUnread(_ session: SessionID, at moment: Moment) {
        close(
            session, ProtocolError(code: .tooSlow, message: "\(limits.answers) answers were not read."), at: moment)
    }

    // MARK: Pages

    private mutating func requestPage(
        for id: SessionID, after cursor: Revision, into actions: inout [RoomAction], at moment: Moment
    ) {
        guard sessions[id] != nil else { return }
        guard history.reaches(cursor) else {
            let sentence = "More was committed meanwhile than this session can catch up with; connect again."
            close(id, ProtocolError(code: .tooSlow, message: sentence), at: moment)
            return
        }
        if let index = pageRequests.firstIndex(where: { $0.after == cursor }) {
            pageRequests[index].sessions.append(id)
        } else {
            pageRequests.append(PageRequest(after: cursor, sessions: [id]))
            actions.append(.readRecords(after: cursor, limitBytes: limits.pageBytes))
        }
    }

    /// Gives records read from the log to the sessions that wait for them.
    mutating func servePages(_ read: LogRead, after revision: Revision, at moment: Moment) {
        guard let index = pageRequests.firstIndex(where: { $0.after == revision }) else { return }
        let waiting = pageRequests.remove(at: index).sessions
        guard case .page(let records) = read, let page = history.encode(records, after: revision), page.last > revision
        else {
            let sentence = "Older commits of the canvas cannot be read now; connect again."
            let error = ProtocolError(code: .canvasUnavailable, message: sentence)
            for id in waiting { close(id, error, at: moment) }
            return
        }
        let payload = SharedPayload(page.bytes)
        for id in waiting {
            guard let session = sessions[id] else { continue }
            say(.page(id, after: revision, payload, last: page.last), to: session.outlet)
        }
    }
}
