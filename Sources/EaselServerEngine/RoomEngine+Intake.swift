internal import EaselCore
public import EaselProtocol

extension RoomEngine {
    /// A connection that joined sent a message. From one that the room does not know, nothing is taken.
    public mutating func received(
        _ message: ClientMessage, from session: SessionID, into actions: inout [RoomAction], at moment: Moment
    ) {
        if case .loading(let joiners) = phase {
            guard joiners.contains(where: { $0.session == session }) else { return }
            close(session, Self.tooEarly, at: moment)
            return
        }
        guard let stage = sessions[session]?.stage else { return }
        if case .waiting = stage {
            close(session, Self.tooEarly, at: moment)
            return
        }
        switch message {
        case .hello, .look:
            let sentence = "A session says hello once."
            close(session, ProtocolError(code: .malformed, message: sentence), at: moment)
        case .submit(let submission):
            submit(submission, from: session, at: moment)
        case .presence(let shown):
            receive(shown, from: session, at: moment)
        case .versions(let request):
            receive(request, from: session, into: &actions, at: moment)
        case .confirm(let sequence):
            // One that belongs to no barrier has nothing to end.
            if case .barrier(sequence) = sessions[session]?.intake {
                sessions[session]?.intake = .open(after: sequence - 1)
            }
        }
    }

    /// A connection sent what is no message.
    public mutating func receivedMalformed(_ sentence: String, from session: SessionID, at moment: Moment) {
        close(session, ProtocolError(code: .malformed, message: sentence), at: moment)
    }

    private static let tooEarly = ProtocolError(code: .malformed, message: "Nothing may be sent before the welcome.")

    // MARK: Transactions

    private mutating func submit(
        _ submission: Submission, from id: SessionID, at moment: Moment
    ) {
        guard let session = sessions[id], case .open(let last) = session.intake else { return }
        let sequence = submission.sequence
        if sequence <= history.canvas.lastSequence(of: session.site) {
            answer(.acknowledgement(sequence), to: id, at: moment)
            return
        }
        if sequence <= pipeline.highest(of: session.site) {
            // It came by an earlier connection and is on its way; its commit, or its refusal, is the answer.
            sessions[id]?.intake = .open(after: max(last, sequence))
            return
        }
        guard sequence > last, sequence <= Limits.counter else {
            let sentence = "Numbers of transactions rise; \(sequence) came after \(last)."
            close(id, ProtocolError(code: .malformed, message: sentence), at: moment)
            return
        }
        guard session.inFlight < limits.inFlightTransactions else {
            let sentence = "At most \(limits.inFlightTransactions) transactions may be under way."
            close(id, ProtocolError(code: .tooMany, message: sentence), at: moment)
            return
        }
        if case .recovering = phase, pipeline.highest(of: session.site) > 0 {
            sessions[id]?.intake = .held(sequence)
            return
        }
        if let code = refusal(of: submission.transaction, from: session) {
            refuse(sequence, code, to: id, at: moment)
            return
        }
        let payload = submission.transaction.encode()
        if let code = refusal(ofPayload: payload.count, from: session) {
            refuse(sequence, code, to: id, at: moment)
            return
        }
        pipeline.stage(
            submission.transaction, payload: payload, id: TransactionID(site: session.site, sequence: sequence),
            session: id, time: moment.wallMilliseconds)
        sessions[id]?.staged(sequence, at: pipeline.head, byteCount: payload.count)
    }

    private func refusal(of transaction: Transaction, from session: Session) -> RefusalCode? {
        switch session.role {
        case .viewer: return .readOnly
        case .editor: break
        }
        if transaction.submissionFlaw != nil { return .malformed }
        if case .recovering = phase { return .storageUnavailable }
        return nil
    }

    private func refusal(ofPayload byteCount: Int, from session: Session) -> RefusalCode? {
        if byteCount > limits.transactionBytes { return .tooLarge }
        if session.inFlightBytes + byteCount > limits.sessionInFlightBytes { return .storageUnavailable }
        if pipeline.byteCount + byteCount > limits.roomInFlightBytes { return .storageUnavailable }
        return nil
    }

    /// Refuses a transaction and ignores what the session sends behind it until the client confirms.
    mutating func refuse(_ sequence: SequenceNumber, _ code: RefusalCode, to id: SessionID, at moment: Moment) {
        sessions[id]?.intake = .barrier(sequence)
        answer(.refusal(Refusal(sequence: sequence, code: code)), to: id, at: moment)
    }

    /// Sends a session an answer, after the commits of what it submitted before.
    mutating func answer(_ message: ServerMessage, to id: SessionID, at moment: Moment) {
        guard let session = sessions[id] else { return }
        let after = max(history.canvas.revision, session.lastStaged)
        if after == history.canvas.revision {
            say(.answer(id, after: after, bytes: message.encode()), to: session.outlet)
        } else if session.held.count < limits.answers {
            sessions[id]?.held.append(Session.Answer(after: after, bytes: message.encode()))
        } else {
            endForUnread(id, at: moment)
        }
    }
}
