internal import EaselCore
internal import EaselProtocol

extension RoomOutlet {
    /// What a session is to be sent next, or nil if there is nothing now; ask only when its socket takes it, because what was
    /// given counts as sent. Sessions that are at the same place get the same object.
    public mutating func nextPayload(for id: SessionID, into actions: inout [OutletAction]) -> SharedPayload? {
        guard let reader = readers[id] else { return nil }
        if let welcome = reader.welcome {
            readers[id]?.welcome = nil
            return SharedPayload(welcome)
        }
        switch reader.stage {
        case .snapshot(let parts, let next): return part(next, of: parts, for: id)
        case .live:
            return answers(for: id, reader) ?? commits(for: id, reader, into: &actions) ?? presence(for: id, reader)
        }
    }

    private mutating func part(_ index: Int, of parts: [SharedPayload], for id: SessionID) -> SharedPayload {
        readers[id]?.stage = index + 1 < parts.count ? .snapshot(parts, next: index + 1) : .live
        return parts[index]
    }

    /// The answers whose commits were sent.
    private mutating func answers(for id: SessionID, _ reader: Reader) -> SharedPayload? {
        let count = reader.answers.prefix { $0.after <= reader.cursor }.count
        guard count > 0 else { return nil }
        readers[id]?.answers.removeFirst(count)
        return SharedPayload(reader.answers[..<count].flatMap { $0.bytes })
    }

    // MARK: Commits

    private mutating func commits(
        for id: SessionID, _ reader: Reader, into actions: inout [OutletAction]
    ) -> SharedPayload? {
        let cursor = reader.cursor
        guard cursor < window.head else { return nil }
        if case .ready(let payload, let last) = reader.page {
            readers[id]?.page = .none
            readers[id]?.cursor = last
            return payload
        }
        guard window.covers(cursor) else {
            if case .requested = reader.page { return nil }
            readers[id]?.page = .requested
            actions.append(.report(.needsPage(id, after: cursor)))
            return nil
        }
        let (payload, last) = run(after: cursor)
        readers[id]?.cursor = last
        return payload
    }

    private mutating func run(after cursor: Revision) -> (SharedPayload, Revision) {
        let head = window.head
        if let kept = commitRuns.run(from: cursor, head: head) { return kept }
        let (bytes, last) = window.commits(after: cursor, limit: ProtocolLimits.frameBytes)
        let payload = SharedPayload(bytes)
        commitRuns.keep(payload, from: cursor, through: last, head: head)
        return (payload, last)
    }

    // MARK: Presence

    private mutating func presence(for id: SessionID, _ reader: Reader) -> SharedPayload? {
        guard reader.presenceSeen < board.version else { return nil }
        let run = presenceRun(after: reader.presenceSeen)
        readers[id]?.presenceSeen = run.last
        return run.payload(for: reader.site)
    }

    private mutating func presenceRun(after seen: UInt64) -> PresenceRun {
        if let kept = presenceRuns.run(from: seen, head: board.version) { return kept.run }
        let run = board.run(after: seen, limit: ProtocolLimits.frameBytes)
        presenceRuns.keep(run, from: seen, through: run.last, head: board.version)
        return run
    }
}
