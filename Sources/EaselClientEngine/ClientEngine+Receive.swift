public import EaselCore
public import EaselProtocol

/// Why a client cannot go on with a connection. It should close it and connect again.
public enum SessionFault: Error, Sendable, Equatable {
    /// A message came that the state does not allow.
    case unexpectedMessage
    /// A commit is missing.
    case gap(expected: Revision, found: Revision)
    /// The snapshot cannot be used.
    case badSnapshot
    /// The canvas differs from the server's; it will be fetched again.
    case diverged
    /// Nothing is wrong: what was sent under the site of an earlier life is settled, and the next connection gets a site of the
    /// client's own.
    case settled
}

extension ClientEngine {
    /// A connection is open: says hello.
    public mutating func connected() {
        link = .greeting
        outbox.removeAll()
        for index in pending.indices { pending[index].isUnderWay = false }
        let isMovingOut = isMovingOut
        let resume = admission.map {
            // No canvas has epoch 0: naming it asks for a snapshot. Who does not prove the site gets a fresh one.
            Hello.Resume(
                site: $0.site, secret: isMovingOut ? ~$0.secret : $0.secret, epoch: isStartingOver ? 0 : $0.epoch,
                revision: confirmed.revision)
        }
        let hello = Hello(canvas: canvasID, resume: resume, name: presence.name)
        outbox.append(
            versionDesk.point.map { .look(Look(canvas: canvasID, name: presence.name, at: $0)) } ?? .hello(hello))
        events.append(.linkChanged)
    }

    /// The connection is gone. Pending transactions and history stay.
    public mutating func disconnected() {
        outbox.removeAll()
        versionDesk.close()
        if !participants.isEmpty {
            participants = []
            events.append(.participantsChanged)
        }
        if case .ended = link { return }
        link = .offline
        events.append(.linkChanged)
    }

    /// Ends the wait after a transaction could not be stored: pending transactions are sent again.
    public mutating func retry() {
        guard case .waiting = link else { return }
        link = .live
        events.append(.linkChanged)
    }

    /// Takes the messages of one frame. The view is rebuilt once, however many commits the frame holds.
    public mutating func receive(_ messages: [ServerMessage]) throws(SessionFault) {
        var batch = Batch(before: view)
        for message in messages {
            do {
                try receive(message, &batch)
            } catch {
                if error == .diverged {
                    startOver()
                } else {
                    finish(&batch)
                }
                throw error
            }
        }
        finish(&batch)
        if case .live = link, isMovingOut { throw .settled }
    }

    /// What the messages of one frame have done so far.
    private struct Batch {
        let before: Canvas
        var needsRebuild = false
        var remoteSites: [SiteID] = []
        var isSynchronization = false
        var isRefusal = false
        var stored = 0
    }

    private mutating func receive(_ message: ServerMessage, _ batch: inout Batch) throws(SessionFault) {
        switch message {
        case .welcome(let welcome): try receive(welcome, &batch)
        case .snapshotPart(let part): try receive(part, &batch)
        case .commits(let run): try receive(run, &batch)
        case .acknowledgement(let sequence): try receiveAcknowledgement(sequence, &batch)
        case .refusal(let refusal): try receive(refusal, &batch)
        case .role(let role): try receive(role, &batch)
        case .presence(let update): receive(update)
        case .versions(let answer): versionDesk.take(answer)
        case .error(let error): receive(error)
        }
    }

    private mutating func finish(_ batch: inout Batch) {
        if batch.needsRebuild {
            rebuildView()
            let origin: ChangeOrigin
            if batch.isSynchronization {
                origin = .synchronization
            } else {
                origin = batch.isRefusal ? .refusal : .remote(batch.remoteSites)
            }
            reportChange(from: batch.before, origin)
            reportHistories()
        } else if batch.stored > 0, pending.isEmpty {
            // Nothing on top: share the confirmed canvas, whose parts are then not kept twice.
            view = confirmed
        }
        if batch.stored > 0 { events.append(.stored(count: batch.stored)) }
    }

    private mutating func receive(_ welcome: Welcome, _ batch: inout Batch) throws(SessionFault) {
        guard case .greeting = link else { throw .unexpectedMessage }
        versionDesk.horizon = welcome.horizon
        if welcome.site != site { identities = IdentitySource(site: welcome.site) }
        if welcome.site != site || isMovingOut { tenure = .owner }
        let isNewEpoch = admission.map { $0.epoch != welcome.epoch } ?? false
        admission = Admission(site: welcome.site, secret: welcome.secret, epoch: welcome.epoch)
        if isNewEpoch { enterNewEpoch() }
        if role != welcome.role {
            role = welcome.role
            reportHistories()
        }
        switch welcome.catchup {
        case .snapshot(let byteCount):
            guard byteCount <= UInt64(ProtocolLimits.snapshotBytes) else { throw .badSnapshot }
            link = .receiving(welcome, bytes: [], byteCount: byteCount)
        case .commits:
            guard welcome.revision >= confirmed.revision, !isStartingOver else { throw .unexpectedMessage }
            link = .catchingUp(welcome)
            finishCatchingUp(&batch)
        }
        presenceIsDue = true
        events.append(.linkChanged)
    }

    private mutating func receive(_ part: SnapshotPart, _ batch: inout Batch) throws(SessionFault) {
        guard case .receiving(let welcome, var bytes, let byteCount) = link, part.offset == UInt64(bytes.count),
            UInt64(bytes.count + part.bytes.count) <= byteCount
        else { throw .unexpectedMessage }
        // The bytes are taken out of the state, so that appending does not copy them.
        link = .greeting
        bytes.append(contentsOf: part.bytes)
        guard UInt64(bytes.count) == byteCount else {
            link = .receiving(welcome, bytes: bytes, byteCount: byteCount)
            events.append(.linkChanged)
            return
        }
        do {
            let canvas = try Snapshot.decode(bytes)
            noteMissed(in: canvas)
            confirmed = canvas
            isStartingOver = false
        } catch {
            throw .badSnapshot
        }
        batch.stored += settleCommitted()
        batch.needsRebuild = true
        batch.isSynchronization = true
        link = .catchingUp(welcome)
        finishCatchingUp(&batch)
    }

    /// Tells the histories what others did that came in no commit.
    private mutating func noteMissed(in canvas: Canvas) {
        var expected = isStartingOver ? nil : confirmed
        for transaction in pending {
            guard let id = transaction.sentAs, id.sequence <= canvas.lastSequence(of: id.site) else { continue }
            _ = expected?.apply(transaction.operations)
        }
        for index in histories.indices { histories[index].stack.noteMissed(since: expected, in: canvas) }
    }

    /// Starts sending once everything up to the welcome's revision is here.
    private mutating func finishCatchingUp(_ batch: inout Batch) {
        guard case .catchingUp(let welcome) = link, confirmed.revision >= welcome.revision else { return }
        // What was sent and is not committed was lost with the old connection. Under the same site it keeps its number and
        // content; another site's numbers are void, and so is one that was passed without a commit of this content.
        var highest = welcome.lastSequence
        var isVoid = false
        for index in pending.indices {
            guard let id = pending[index].sentAs else { continue }
            if id.site != welcome.site || id.sequence <= confirmed.lastSequence(of: id.site) { isVoid = true }
            // What stands behind stays behind.
            if isVoid { pending[index].sentAs = nil } else { highest = max(highest, id.sequence) }
        }
        if numberedSite != welcome.site { nextSequence = 1 }
        numberedSite = welcome.site
        nextSequence = max(nextSequence, highest + 1)
        link = .live
        events.append(.linkChanged)
        // At once, whatever else is in the frame: so what is sent does not depend on how messages are put into frames.
        resend()
        // What may have reached the server is answered by it.
        if role == .viewer { withdraw({ $0.sentAs == nil }, .readOnly, &batch) }
    }

    private mutating func receive(_ run: CommitRun, _ batch: inout Batch) throws(SessionFault) {
        switch link {
        case .catchingUp, .live, .waiting: break
        case .offline, .greeting, .receiving, .ended: throw .unexpectedMessage
        }
        for commit in run.commits where commit.revision > confirmed.revision {
            try receive(commit, &batch)
            guard commit.revision < run.last || confirmed.digest == run.digest else {
                events.append(
                    .diverged(
                        Divergence(
                            revision: commit.revision, expected: run.digest, found: confirmed.digest,
                            canvas: confirmed)))
                throw .diverged
            }
            if case .catchingUp = link { finishCatchingUp(&batch) }
        }
    }

    private mutating func receive(_ commit: Commit, _ batch: inout Batch) throws(SessionFault) {
        guard commit.revision == confirmed.revision + 1, commit.id.sequence > confirmed.lastSequence(of: commit.id.site)
        else { throw .gap(expected: confirmed.revision + 1, found: commit.revision) }
        let outcome = confirmed.apply(commit)
        if commit.id.site == numberedSite { nextSequence = max(nextSequence, commit.id.sequence + 1) }
        if let index = sending(of: commit) {
            acknowledge(index, outcome, &batch)
        } else {
            batch.needsRebuild = true
            // One's own commit of before a state that is older than it is nobody else's work.
            if !isOwn(commit) {
                for index in histories.indices { histories[index].stack.note(commit) }
            }
            if batch.remoteSites.last != commit.id.site { batch.remoteSites.append(commit.id.site) }
        }
    }

    /// An own commit came back. The view holds it already, unless something came in front of it.
    private mutating func acknowledge(_ index: Int, _ outcome: Outcome, _ batch: inout Batch) {
        let transaction = pending.remove(at: index)
        // Dormant items may wait for this transaction's inverse, which is final now.
        let isAwaited = pending.contains { $0.items.contains { $0.isDormant } }
        if index > 0 || isAwaited { batch.needsRebuild = true }
        batch.stored += 1
        if !outcome.problems.isEmpty {
            events.append(.hadNoEffect(label: transaction.label, outcome.problems))
        }
        guard let history = transaction.history else { return }
        histories[history.index].stack.update(
            transaction.number, items: transaction.activeItems, inverses: outcome.inverses,
            committedAt: confirmed.revision)
    }

    /// Answers come only to what was sent, and nothing is sent before everything that was missed is here.
    private func checkIsSending() throws(SessionFault) {
        switch link {
        case .live, .waiting: return
        case .offline, .greeting, .receiving, .catchingUp, .ended: throw .unexpectedMessage
        }
    }

    private mutating func receiveAcknowledgement(
        _ sequence: SequenceNumber, _ batch: inout Batch
    ) throws(SessionFault) {
        try checkIsSending()
        guard let site,
            let index = pending.firstIndex(where: { $0.sentAs == TransactionID(site: site, sequence: sequence) })
        else { return }
        settle(index)
        batch.stored += 1
        batch.needsRebuild = true
    }

    /// Takes out pending transactions that the canvas of a snapshot holds. Returns how many.
    private mutating func settleCommitted() -> Int {
        let indices = zip(pending.indices, committed()).filter { $0.1 }.map { $0.0 }
        // From the front, since later ones rest on earlier ones.
        for (count, index) in indices.enumerated() { settle(index - count) }
        return indices.count
    }

    private mutating func settle(_ index: Int) {
        let transaction = pending.remove(at: index)
        if let history = transaction.history {
            histories[history.index].stack.settle(transaction.number, at: confirmed.revision)
        }
    }

    /// The log was replaced: what could be undone in the old one is gone. What was sent into the old one may be in the new one,
    /// too, so that it keeps its number.
    private mutating func enterNewEpoch() {
        for index in histories.indices { forget(HistoryID(index: index)) }
        reportHistories()
        startOver()
    }

    /// Forgets the confirmed canvas, so that it is fetched again. The view stays until it is here.
    private mutating func startOver() {
        confirmed = Canvas()
        isStartingOver = true
    }

    private mutating func receive(_ refusal: Refusal, _ batch: inout Batch) throws(SessionFault) {
        try checkIsSending()
        outbox.append(.confirm(refusal.sequence))
        guard let site,
            let index = pending.firstIndex(where: {
                $0.sentAs == TransactionID(site: site, sequence: refusal.sequence)
            })
        else { return }
        let keepsNumbers = tenure == .guest && refusal.code != .readOnly
        for later in index..<pending.count {
            pending[later].isUnderWay = false
            if !keepsNumbers { pending[later].sentAs = nil }
        }
        if refusal.code.isTemporary {
            link = .waiting
            events.append(.linkChanged)
            return
        }
        if refusal.code == .readOnly {
            // What is behind it would be refused, one round trip each.
            withdraw({ $0.sentAs == nil }, refusal.code, &batch)
        } else {
            let label = pending[index].label
            withdraw(index, keeping: Set(pending[..<index].map { $0.number }))
            batch.needsRebuild = true
            batch.isRefusal = true
            events.append(.refused(label: label, refusal.code))
        }
    }

    /// Takes pending transactions out, the last first, since earlier ones do not rest on later ones.
    private mutating func withdraw(
        _ isMeant: (Pending) -> Bool, _ code: RefusalCode, _ batch: inout Batch
    ) {
        let indices = pending.indices.filter { isMeant(pending[$0]) }
        guard !indices.isEmpty else { return }
        for index in indices { events.append(.refused(label: pending[index].label, code)) }
        let kept = Set(pending.filter { !isMeant($0) }.map { $0.number })
        for index in indices.reversed() { withdraw(index, keeping: kept) }
        batch.needsRebuild = true
        batch.isRefusal = true
    }

    private mutating func receive(_ role: Role, _ batch: inout Batch) throws(SessionFault) {
        switch link {
        case .receiving, .catchingUp, .live, .waiting: break
        case .offline, .greeting, .ended: throw .unexpectedMessage
        }
        guard role != self.role else { return }
        self.role = role
        if role == .viewer, case .live = link { withdraw({ $0.sentAs == nil }, .readOnly, &batch) }
        reportHistories()
        events.append(.linkChanged)
    }

    private mutating func receive(_ update: PresenceUpdate) {
        let index = participants.firstIndex { $0.site >= update.site } ?? participants.count
        if index < participants.count, participants[index].site == update.site { participants.remove(at: index) }
        if let presence = update.presence {
            participants.insert(Participant(site: update.site, presence: presence), at: index)
        }
        events.append(.participantsChanged)
    }

    private mutating func receive(_ error: ProtocolError) {
        if case .ended = link { return }
        if error.code == .replaced { beginLife(identities: identities.site) }
        if !error.code.isRetryable {
            link = .ended(error)
            events.append(.linkChanged)
        }
    }

    /// Changes what others see of this session.
    public mutating func show(_ presence: Presence) {
        guard presence != self.presence else { return }
        self.presence = presence
        presenceIsDue = true
    }
}
