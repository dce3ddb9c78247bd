import EaselClientEngine
import EaselCore
import EaselPlay
import EaselProtocol

/// Clients that are copied, and a server written from the specification: it proves sites, ends the session that holds one when
/// another comes in, and orders what it accepted before it stores it.
struct CopyWorld {
    struct Line {
        var up: [ClientMessage] = []
        var down: [ServerMessage] = []
        var isConnected = false
        /// What the server knows of the session; nil before the hello and after its end.
        var session: Session?
        /// The server has closed: the connection ends when all is read.
        var isClosing = false
    }

    struct Session {
        let site: SiteID
        var last: SequenceNumber = 0
        var barrier: SequenceNumber?
    }

    var clients: [ClientEngine] = []
    var lines: [Line] = []
    /// States that were copied and are not started yet.
    var shelved: [[UInt8]] = []
    var canvas = Canvas()
    var log: [(commit: Commit, digest: UInt64)] = []
    var accepted: [(id: TransactionID, transaction: Transaction)] = []
    var epoch: UInt64 = 1
    /// Whether clients that come back get snapshots.
    var givesSnapshots = false
    var refuses: (Submission) -> Bool = { _ in false }
    /// Labels of edits that a client was told are refused.
    var refused: Set<String> = []
    /// How often a session was ended because another came in under its site.
    var replacements = 0
    private var nextSite: UInt64 = 1
    private var waits = SeededRandom(seed: 1)
    /// How often each client was replaced since it last had a site of its own, and how many rounds it waits.
    private var patience: [(attempts: Int, rounds: Int)] = []

    static func secret(_ site: SiteID) -> UInt64 { site.rawValue &* 0x9E37_79B9_7F4A_7C15 }

    init(clients count: Int) {
        for number in 0..<count {
            add(ClientEngine(canvas: CanvasID("test")!, name: "client \(number)", provisionalSite: freshSite()))
        }
        settle()
    }

    mutating func freshSite() -> SiteID {
        nextSite += 1
        return SiteID(nextSite)!
    }

    // MARK: Clients

    mutating func add(_ engine: ClientEngine) {
        clients.append(engine)
        lines.append(Line())
        patience.append((0, 0))
    }

    /// Starts a client from a saved state, as one that keeps it in a folder does.
    mutating func start(_ saved: [UInt8]) throws -> ClientEngine {
        var engine = try ClientEngine.restore(from: saved)
        engine.beginLife(identities: freshSite())
        return engine
    }

    /// Kills a client and starts it again.
    mutating func restart(_ index: Int) throws {
        let saved = clients[index].save(includingCanvas: true)
        disconnect(index)
        clients[index] = try start(saved)
    }

    /// A copy of a client with all that is in its memory, which the server has no connection with.
    mutating func clone(_ index: Int) {
        var copy = clients[index]
        copy.disconnected()
        add(copy)
    }

    mutating func connect(_ index: Int) {
        guard !lines[index].isConnected else { return }
        lines[index] = Line(isConnected: true)
        clients[index].connected()
        collect(index)
    }

    mutating func disconnect(_ index: Int) {
        lines[index] = Line()
        clients[index].disconnected()
        _ = clients[index].takeEvents()
    }

    mutating func collect(_ index: Int) {
        for case .refused(let label, _) in clients[index].takeEvents() { refused.insert(label) }
        if lines[index].isConnected { lines[index].up += clients[index].takeMessages() }
    }

    // MARK: The server

    mutating func deliverUp(_ index: Int) {
        guard !lines[index].up.isEmpty else { return }
        switch lines[index].up.removeFirst() {
        case .hello(let hello): welcome(index, hello)
        case .submit(let submission): submit(index, submission)
        case .confirm(let sequence):
            if lines[index].session?.barrier == sequence { lines[index].session?.barrier = nil }
        default: break
        }
    }

    private mutating func welcome(_ index: Int, _ hello: Hello) {
        let resume = hello.resume
        let proven = resume.flatMap { $0.secret == Self.secret($0.site) ? $0.site : nil }
        let site = proven ?? freshSite()
        for other in lines.indices where lines[other].session?.site == site {
            lines[other].session = nil
            lines[other].isClosing = true
            lines[other].down.append(.error(ProtocolError(code: .replaced, message: "")))
            replacements += 1
        }
        // A copy that comes in while something is on its way to the disk is another matter.
        while accepted.contains(where: { $0.id.site == site }) { store() }
        lines[index].session = Session(site: site)
        let revision = resume?.epoch == epoch && !givesSnapshots ? resume?.revision : nil
        let snapshot = revision == nil ? Snapshot.encode(canvas) : nil
        lines[index].down.append(
            .welcome(
                Welcome(
                    site: site, secret: Self.secret(site), epoch: epoch, revision: canvas.revision,
                    lastSequence: canvas.lastSequence(of: site), role: .editor,
                    catchup: snapshot.map { .snapshot(byteCount: UInt64($0.count)) } ?? .commits)))
        if let snapshot { lines[index].down.append(.snapshotPart(SnapshotPart(offset: 0, bytes: snapshot))) }
        for entry in log.dropFirst(Int(revision ?? canvas.revision)) {
            lines[index].down.append(.commit(entry.commit, digest: entry.digest))
        }
    }

    private mutating func submit(_ index: Int, _ submission: Submission) {
        guard let session = lines[index].session, session.barrier == nil else { return }
        let sequence = submission.sequence
        guard sequence > canvas.lastSequence(of: session.site) else {
            lines[index].down.append(.acknowledgement(sequence))
            return
        }
        lines[index].session?.last = max(sequence, session.last)
        if accepted.contains(where: { $0.id.site == session.site && $0.id.sequence >= sequence }) { return }
        precondition(sequence > session.last, "numbers rise")
        if refuses(submission) {
            lines[index].session?.barrier = sequence
            lines[index].session?.last = sequence - 1
            lines[index].down.append(.refusal(Refusal(sequence: sequence, code: .malformed)))
            return
        }
        accepted.append((TransactionID(site: session.site, sequence: sequence), submission.transaction))
    }

    /// Stores the oldest transaction that was accepted.
    mutating func store() {
        guard !accepted.isEmpty else { return }
        let (id, transaction) = accepted.removeFirst()
        let commit = Commit(revision: canvas.revision + 1, id: id, time: 0, transaction: transaction)
        _ = canvas.apply(commit)
        log.append((commit, canvas.digest))
        for index in lines.indices where lines[index].session != nil {
            lines[index].down.append(.commit(commit, digest: canvas.digest))
        }
    }

    mutating func deliverDown(_ index: Int, _ count: Int) {
        let messages = Array(lines[index].down.prefix(count))
        lines[index].down.removeFirst(messages.count)
        for case .error in messages {
            clients[index].beginLife(identities: freshSite())
            patience[index].attempts += 1
            patience[index].rounds = waits.below(1 << min(patience[index].attempts, 6))
        }
        do {
            try clients[index].receive(messages)
            collect(index)
            if lines[index].isClosing, lines[index].down.isEmpty { disconnect(index) }
        } catch {
            precondition(error == .settled, "client \(index): \(error)")
            collect(index)
            disconnect(index)
        }
    }

    // MARK: Histories

    /// Delivers everything until nothing is under way.
    mutating func settle() {
        for round in 0..<10_000 {
            var isQuiet = true
            for index in clients.indices {
                if patience[index].rounds > 0 {
                    patience[index].rounds -= 1
                    isQuiet = false
                    continue
                }
                connect(index)
                collect(index)
                while !lines[index].up.isEmpty {
                    deliverUp(index)
                    isQuiet = false
                }
            }
            while !accepted.isEmpty { store() }
            for index in clients.indices where !lines[index].down.isEmpty || lines[index].isClosing {
                deliverDown(index, lines[index].down.count)
                isQuiet = false
            }
            if isQuiet { return }
            precondition(round < 9_999, "clients that replace each other come to rest")
        }
    }

    /// Lets something happen to what is under way.
    mutating func step(_ random: inout SeededRandom) {
        let index = random.below(clients.count)
        switch random.below(10) {
        case 0...3: deliverUp(index)
        case 4...6: deliverDown(index, 1 + random.below(3))
        case 7, 8: store()
        default: if random.chance(30), lines[index].isConnected { disconnect(index) } else { connect(index) }
        }
    }

    /// How often edits with a label were committed.
    func count(_ label: String) -> Int { log.count { $0.commit.transaction.label == label } }
}
