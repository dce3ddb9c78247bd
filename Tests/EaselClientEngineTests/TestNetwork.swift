import EaselClientEngine
import EaselCore
import EaselProtocol

/// Clients and a server that only orders, joined by queues that a test empties message by message. The server is written
/// from the specification, not with the server engine, so that each checks the other's reading of it.
struct TestNetwork {
    struct Line {
        var up: [ClientMessage] = []
        var down: [ServerMessage] = []
        var isConnected = false
        var isWelcomed = false
        var role = Role.editor
        /// The barrier after a refusal: ignore submissions until this number is confirmed.
        var barrier: SequenceNumber?
        var site: SiteID?
    }

    var clients: [ClientEngine] = []
    var lines: [Line] = []
    var canvas = Canvas()
    var log: [(commit: Commit, digest: UInt64)] = []
    /// Decides whether a submission is refused.
    var refuses: (Int, Submission) -> RefusalCode? = { _, _ in nil }
    /// Whether whoever connects gets a snapshot, as if the log were gone.
    var givesSnapshots = false
    /// Every refusal delivered, for counting.
    var refusalCount = 0
    var events: [[ClientEvent]] = []

    init(clients count: Int) {
        for index in 0..<count {
            let site = SiteID(UInt64(1_000 + index))!
            clients.append(
                ClientEngine(canvas: CanvasID("test")!, name: "client \(index)", provisionalSite: site))
            lines.append(Line())
            events.append([])
        }
        for index in 0..<count { connect(index) }
        settle()
    }

    mutating func connect(_ index: Int) {
        lines[index] = Line(isConnected: true, role: lines[index].role, site: lines[index].site)
        clients[index].connected()
        collect(index)
    }

    /// Cuts the line: everything under way is lost.
    mutating func disconnect(_ index: Int) {
        lines[index] = Line(role: lines[index].role, site: lines[index].site)
        clients[index].disconnected()
        collect(index)
    }

    mutating func collect(_ index: Int) {
        if lines[index].isConnected { lines[index].up += clients[index].takeMessages() }
        events[index] += clients[index].takeEvents()
    }

    /// Hands the server the next message of a client.
    mutating func deliverUp(_ index: Int) {
        guard !lines[index].up.isEmpty else { return }
        switch lines[index].up.removeFirst() {
        case .hello(let hello): welcome(index, hello)
        case .submit(let submission): submit(index, submission)
        case .confirm(let sequence): if lines[index].barrier == sequence { lines[index].barrier = nil }
        case .presence, .look, .versions: break
        }
    }

    private mutating func welcome(_ index: Int, _ hello: Hello) {
        let site = hello.resume?.site ?? SiteID(UInt64(index + 1))!
        lines[index].site = site
        lines[index].isWelcomed = true
        let last = canvas.lastSequence(of: site)
        // Epoch 0 is none: the client asks for a snapshot.
        let snapshot = givesSnapshots || hello.resume?.epoch == 0 ? Snapshot.encode(canvas) : nil
        lines[index].down.append(
            .welcome(
                Welcome(
                    site: site, secret: 7, epoch: 1, revision: canvas.revision, lastSequence: last,
                    role: lines[index].role,
                    catchup: snapshot.map { .snapshot(byteCount: UInt64($0.count)) } ?? .commits)))
        if let snapshot {
            lines[index].down.append(.snapshotPart(SnapshotPart(offset: 0, bytes: snapshot)))
            return
        }
        for entry in log.dropFirst(Int(hello.resume?.revision ?? 0)) {
            lines[index].down.append(.commit(entry.commit, digest: entry.digest))
        }
    }

    /// Changes what a client may do; it is told at once.
    mutating func setRole(_ index: Int, _ role: Role) {
        lines[index].role = role
        if lines[index].isWelcomed { lines[index].down.append(.role(role)) }
    }

    /// Kills a client and starts it again from the state it saved.
    mutating func restart(_ index: Int, includingCanvas: Bool) throws {
        let saved = clients[index].save(includingCanvas: includingCanvas)
        disconnect(index)
        clients[index] = try ClientEngine.restore(from: saved)
    }

    private mutating func submit(_ index: Int, _ submission: Submission) {
        guard let site = lines[index].site, lines[index].barrier == nil else { return }
        guard submission.sequence > canvas.lastSequence(of: site) else {
            lines[index].down.append(.acknowledgement(submission.sequence))
            return
        }
        if let code = lines[index].role == .viewer ? .readOnly : refuses(index, submission) {
            refusalCount += 1
            lines[index].barrier = submission.sequence
            lines[index].down.append(.refusal(Refusal(sequence: submission.sequence, code: code)))
            return
        }
        precondition(submission.transaction.submissionFlaw == nil, "clients send well-formed transactions")
        order(submission.transaction, TransactionID(site: site, sequence: submission.sequence))
    }

    private mutating func order(_ transaction: Transaction, _ id: TransactionID) {
        let commit = Commit(revision: canvas.revision + 1, id: id, time: 0, transaction: transaction)
        _ = canvas.apply(commit)
        log.append((commit, canvas.digest))
        for other in lines.indices where lines[other].isWelcomed {
            lines[other].down.append(.commit(commit, digest: canvas.digest))
        }
    }

    /// The server purges something, as a commit of its own.
    mutating func purge(_ targets: Targets...) {
        let number = canvas.lastSequence(of: .server) + 1
        let transaction = Transaction(operations: targets.map { .purge($0) }, label: "Purge")
        order(transaction, TransactionID(site: .server, sequence: number))
    }

    /// Hands a client its next `count` messages in one frame.
    mutating func deliverDown(_ index: Int, _ count: Int = 1) {
        let count = min(count, lines[index].down.count)
        guard count > 0 else { return }
        let messages = Array(lines[index].down.prefix(count))
        lines[index].down.removeFirst(count)
        do {
            try clients[index].receive(messages)
        } catch {
            preconditionFailure("client \(index): \(error)")
        }
        collect(index)
    }

    /// Delivers everything until nothing is under way.
    mutating func settle() {
        var isBusy = true
        while isBusy {
            isBusy = false
            for index in clients.indices {
                if !lines[index].isConnected { connect(index) }
                collect(index)
                while !lines[index].up.isEmpty {
                    deliverUp(index)
                    isBusy = true
                }
            }
            for index in clients.indices where !lines[index].down.isEmpty {
                deliverDown(index, lines[index].down.count)
                isBusy = true
            }
        }
    }

    /// Makes an edit and puts what it sends under way.
    mutating func edit(
        _ index: Int, _ label: String = "Edit", coalescing: Coalescing = .none, now: UInt64 = 0,
        _ body: (inout TransactionDraft) -> Void
    ) {
        _ = try? clients[index].edit(label, coalescing: coalescing, now: now, body)
        collect(index)
    }

    @discardableResult
    mutating func undo(_ index: Int) -> Bool {
        let result = try? clients[index].undo()
        collect(index)
        return result?.label != nil
    }

    @discardableResult
    mutating func redo(_ index: Int) -> Bool {
        let result = try? clients[index].redo()
        collect(index)
        return result?.label != nil
    }
}
