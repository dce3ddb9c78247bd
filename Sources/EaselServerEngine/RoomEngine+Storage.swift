public import EaselCore
internal import EaselProtocol

extension RoomEngine {
    // MARK: Outcomes of appends

    /// The oldest append under way is durable.
    public mutating func appended(into actions: inout [RoomAction], at moment: Moment) {
        let last = pipeline.finishAppend()
        switch phase {
        case .open: publish(through: last, into: &actions, at: moment)
        case .recovering: readUncertainIfQuiet(into: &actions)
        case .loading, .closed: return
        }
    }

    /// The oldest append under way failed. Whether its records are in the log is open, so the room asks the log as soon as the
    /// outcome of every other append is known; what is there becomes part of the canvas, the rest is refused.
    public mutating func appendFailed(into actions: inout [RoomAction], at moment: Moment) {
        _ = pipeline.finishAppend()
        switch phase {
        case .open:
            phase = .recovering(.awaitingAppends)
            readUncertainIfQuiet(into: &actions)
        case .recovering: readUncertainIfQuiet(into: &actions)
        case .loading, .closed: return
        }
    }

    /// Takes durable transactions into the canvas.
    private mutating func publish(through last: Revision, into actions: inout [RoomAction], at moment: Moment) {
        while let entry = pipeline.takeFirst(through: last) { commit(entry) }
        admitDelayed(into: &actions, at: moment)
        storeSnapshotIfDue(into: &actions, at: moment)
    }

    private mutating func commit(_ entry: AppendPipeline.Entry) {
        if let run = history.append(entry.commit, byteCount: entry.payload.count) { newRuns.append(run) }
        sessions[entry.session]?.settled(byteCount: entry.payload.count)
        release(answersOf: entry.session)
    }

    /// Has what was committed since the last run given to the outlets.
    mutating func endRun() {
        if let run = history.endRun() { newRuns.append(run) }
    }

    /// Gives a session's outlet the answers that waited for what is durable now.
    private mutating func release(answersOf id: SessionID) {
        guard let session = sessions[id], !session.held.isEmpty else { return }
        let released = session.held.prefix { $0.after <= history.canvas.revision }
        sessions[id]?.held.removeFirst(released.count)
        for answer in released { say(.answer(id, after: answer.after, bytes: answer.bytes), to: session.outlet) }
    }

    // MARK: Recovery

    private mutating func readUncertainIfQuiet(into actions: inout [RoomAction]) {
        if !pipeline.isAppending { readUncertain(into: &actions) }
    }

    /// Asks what follows the confirmed canvas in the log.
    mutating func readUncertain(into actions: inout [RoomAction]) {
        phase = .recovering(.reading)
        actions.append(.readRecords(after: history.canvas.revision, limitBytes: limits.pageBytes))
    }

    /// Records were read, or could not be, after a revision that the room asked for.
    public mutating func recordsRead(
        _ read: LogRead, after revision: Revision, into actions: inout [RoomAction], at moment: Moment
    ) {
        if case .recovering(.reading) = phase, revision == history.canvas.revision {
            recover(read, into: &actions, at: moment)
        }
        servePages(read, after: revision, at: moment)
    }

    private mutating func recover(_ read: LogRead, into actions: inout [RoomAction], at moment: Moment) {
        guard case .page(let records) = read else {
            phase = .recovering(.pausing(until: moment.milliseconds + limits.recoveryMilliseconds))
            return
        }
        guard commitAll(records) else {
            let sentence = "The log of the canvas holds what this server did not write."
            end(ProtocolError(code: .canvasUnavailable, message: sentence))
            actions.append(.unload)
            return
        }
        if !records.isEmpty, !pipeline.isEmpty {
            readUncertain(into: &actions)
            return
        }
        let lost = pipeline.removeAll()
        phase = .open
        for entry in lost { sessions[entry.session]?.settled(byteCount: entry.payload.count) }
        for entry in lost { refuseLost(entry.commit.id, at: moment) }
        for id in sessions.keys.sorted() {
            guard case .held(let sequence) = sessions[id]?.intake else { continue }
            refuse(sequence, .storageUnavailable, to: id, at: moment)
        }
        admitDelayed(into: &actions, at: moment)
        storeSnapshotIfDue(into: &actions, at: moment)
    }

    /// Takes what is in the log into the canvas. False from the first record on that the room did not send.
    private mutating func commitAll(_ records: [LogRecord]) -> Bool {
        for record in records {
            guard let entry = pipeline.takeFirst(through: record.revision), entry.commit.revision == record.revision,
                entry.commit.id == record.id
            else { return false }
            commit(entry)
        }
        return true
    }

    /// Refuses a transaction that is not in the log, if whoever holds its site now has sent it; otherwise it will be sent again.
    private mutating func refuseLost(_ id: TransactionID, at moment: Moment) {
        guard let owner = owners[id.site], let session = sessions[owner] else { return }
        switch session.intake {
        case .open(let last) where last < id.sequence: return
        case .barrier(let refused) where refused <= id.sequence: return
        case .open, .held, .barrier: break
        }
        // What was to be answered behind it is behind a barrier now.
        sessions[owner]?.lastStaged = 0
        sessions[owner]?.held = []
        refuse(id.sequence, .storageUnavailable, to: owner, at: moment)
    }
}
