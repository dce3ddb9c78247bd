internal import EaselCore
internal import EaselProtocol

/// Sessions that wait for the same records of the log.
struct PageRequest {
    let after: Revision
    var sessions: [SessionID]
}

extension RoomEngine {
    /// What a session is to be sent next, or nil if there is nothing now; ask only when its socket takes it, because what was
    /// given counts as sent. Sessions that are at the same place get the same object.
    public mutating func nextPayload(
        for id: SessionID, into actions: inout [RoomAction], at moment: Moment
    ) -> SharedPayload? {
        guard let session = sessions[id] else { return nil }
        if let welcome = session.welcome {
            sessions[id]?.welcome = nil
            return SharedPayload(welcome)
        }
        switch session.stage {
        case .waiting: return nil
        case .snapshot(let parts, let next): return part(next, of: parts, for: id)
        case .live:
            return answers(for: id, session) ?? commits(for: id, session, into: &actions, at: moment)
                ?? presence(for: id, session)
        }
    }

    private mutating func part(_ index: Int, of parts: [SharedPayload], for id: SessionID) -> SharedPayload {
        sessions[id]?.stage = index + 1 < parts.count ? .snapshot(parts, next: index + 1) : .live
        return parts[index]
    }

    /// The answers whose commits were sent.
    private mutating func answers(for id: SessionID, _ session: Session) -> SharedPayload? {
        let count = session.answers.prefix { $0.after <= session.cursor }.count
        guard count > 0 else { return nil }
        sessions[id]?.answers.removeFirst(count)
        return SharedPayload(session.answers[..<count].flatMap { $0.bytes })
    }

    // MARK: Commits

    private mutating func commits(
        for id: SessionID, _ session: Session, into actions: inout [RoomAction], at moment: Moment
    ) -> SharedPayload? {
        let cursor = session.cursor
        guard cursor < history.canvas.revision else { return nil }
        if case .ready(let payload, let last) = session.page {
            sessions[id]?.page = .none
            sessions[id]?.cursor = last
            return payload
        }
        guard history.window.covers(cursor) else {
            requestPage(for: id, session, into: &actions, at: moment)
            return nil
        }
        let (payload, last) = run(after: cursor)
        sessions[id]?.cursor = last
        return payload
    }

    private mutating func run(after cursor: Revision) -> (SharedPayload, Revision) {
        let head = history.canvas.revision
        if let kept = commitRuns.run(from: cursor, head: head) { return kept }
        let (bytes, last) = history.window.run(after: cursor, limit: ProtocolLimits.frameBytes)
        let payload = SharedPayload(bytes)
        commitRuns.keep(payload, from: cursor, through: last, head: head)
        return (payload, last)
    }

    private mutating func requestPage(
        for id: SessionID, _ session: Session, into actions: inout [RoomAction], at moment: Moment
    ) {
        if case .requested = session.page { return }
        guard history.reaches(session.cursor) else {
            let sentence = "More was committed meanwhile than this session can catch up with; connect again."
            close(id, ProtocolError(code: .tooSlow, message: sentence), into: &actions, at: moment)
            return
        }
        sessions[id]?.page = .requested
        if let index = pageRequests.firstIndex(where: { $0.after == session.cursor }) {
            pageRequests[index].sessions.append(id)
        } else {
            pageRequests.append(PageRequest(after: session.cursor, sessions: [id]))
            actions.append(.readRecords(after: session.cursor, limitBytes: limits.pageBytes))
        }
    }

    /// Gives records read from the log to the sessions that wait for them.
    mutating func servePages(
        _ read: LogRead, after revision: Revision, into actions: inout [RoomAction], at moment: Moment
    ) {
        guard let index = pageRequests.firstIndex(where: { $0.after == revision }) else { return }
        let waiting = pageRequests.remove(at: index).sessions.filter { sessions[$0]?.cursor == revision }
        guard case .page(let records) = read, let page = history.encode(records, after: revision), page.last > revision
        else {
            let sentence = "Older commits of the canvas cannot be read now; connect again."
            let error = ProtocolError(code: .canvasUnavailable, message: sentence)
            for id in waiting { close(id, error, into: &actions, at: moment) }
            return
        }
        let payload = SharedPayload(page.bytes)
        for id in waiting {
            sessions[id]?.page = .ready(payload, last: page.last)
            actions.append(.wantsWrite(id))
        }
    }

    // MARK: Presence

    private mutating func presence(for id: SessionID, _ session: Session) -> SharedPayload? {
        guard session.presenceSeen < presence.published else { return nil }
        let run = presenceRun(after: session.presenceSeen)
        sessions[id]?.presenceSeen = run.last
        return run.payload(for: session.site)
    }

    private mutating func presenceRun(after seen: UInt64) -> PresenceRun {
        if let kept = presenceRuns.run(from: seen, head: presence.published) { return kept.run }
        let run = presence.run(after: seen, limit: ProtocolLimits.frameBytes)
        presenceRuns.keep(run, from: seen, through: run.last, head: presence.published)
        return run
    }
}
