import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

/// A room with a log in memory whose answers a test can hold back, and one reader for each session that has joined.
struct TestRoom {
    var engine: RoomEngine
    var now: UInt64 = 1_000_000
    /// What is durable.
    var log: [LogRecord] = []
    /// What is durable up to this revision has been trimmed, and may not be asked for.
    var base: Revision = 0
    /// Appends whose outcome is open.
    var appends: [[LogRecord]] = []
    var reads: [(after: Revision, limitBytes: Int)] = []
    var encodings: [Canvas] = []
    var stored: [(revision: Revision, bytes: [UInt8])] = []
    var versionJobs: [(session: SessionID, tag: UInt64, edit: VersionEdit?)] = []
    var readers: [SessionID: Reader] = [:]
    var closed: [SessionID: ProtocolErrorCode] = [:]
    var isUnloaded = false
    /// Whether the log and the encoder answer by themselves.
    var answersAtOnce = true
    private var sessions: UInt64 = 0
    private var sites: UInt64 = 100

    static let canvas = CanvasID("test")!
    static let key = SiteKey(1, 2)

    init(limits: RoomLimits = RoomLimits()) {
        engine = RoomEngine(canvas: Self.canvas, key: Self.key, limits: limits)
    }

    /// A room that has loaded an empty canvas, or one with `commits`.
    static func opened(commits: [Commit] = [], snapshotAt: Int = 0, limits: RoomLimits = RoomLimits()) -> TestRoom {
        var room = TestRoom(limits: limits)
        room.log = commits.map(LogRecord.init)
        room.load(snapshotAt: snapshotAt, limits: limits)
        return room
    }

    var moment: Moment { Moment(milliseconds: now, wallMilliseconds: now + 5) }

    mutating func load(snapshotAt: Int = 0, epoch: UInt64 = 7, limits: RoomLimits = RoomLimits()) {
        var canvas = Canvas()
        for record in log.prefix(snapshotAt) {
            _ = canvas.apply(Commit(record))
        }
        var history = CanvasHistory(epoch: epoch, canvas: canvas, logBase: base, limits: limits)
        for record in log.dropFirst(snapshotAt) {
            do {
                try history.append(record)
            } catch {
                Issue.record("the log of the test is sound: \(error)")
            }
        }
        input { $0.loaded(history, into: &$1, at: $2) }
    }

    // MARK: Clients

    mutating func join(
        resume: Hello.Resume? = nil, having canvas: Canvas? = Canvas(), name: String = "Ada", role: Role = .editor,
        version: UInt64 = 1
    ) -> SessionID {
        sessions += 1
        sites += 1
        let id = SessionID(sessions)
        readers[id] = Reader(canvas: canvas)
        let hello = Hello(version: version, canvas: Self.canvas, resume: resume, name: name)
        let site = SiteID(sites)!
        input { $0.join(id, hello, role: role, freshSite: site, into: &$1, at: $2) }
        return id
    }

    /// Joins again as the site of another session, from the state that session's reader is in.
    mutating func rejoin(as old: SessionID) -> SessionID {
        let reader = readers[old]!
        return join(resume: reader.resume, having: reader.canvas)
    }

    mutating func send(_ message: ClientMessage, from id: SessionID) {
        input { $0.received(message, from: id, into: &$1, at: $2) }
    }

    mutating func submit(_ sequence: SequenceNumber, _ transaction: Transaction? = nil, from id: SessionID) {
        let transaction = transaction ?? .sample(readers[id]!.welcome!.site, sequence)
        send(.submit(Submission(sequence: sequence, transaction: transaction)), from: id)
    }

    mutating func leave(_ id: SessionID) {
        input { engine, _, moment in engine.left(id, at: moment) }
    }

    // MARK: Time, log and encoder

    /// Lets time pass and the room do what is due.
    mutating func wait(_ milliseconds: UInt64) {
        now += milliseconds
        input { $0.tick(into: &$1, at: $2) }
    }

    mutating func finishAppend() {
        log += appends.removeFirst()
        input { $0.appended(into: &$1, at: $2) }
    }

    /// Fails the oldest append; `kept` of its records are in the log all the same.
    mutating func failAppend(kept: Int = 0) {
        log += appends.removeFirst().prefix(kept)
        input { $0.appendFailed(into: &$1, at: $2) }
    }

    /// Fails the oldest append in a way that shows that the log does not follow: as one behind a failed one.
    mutating func answerRead(fails: Bool = false) {
        let (after, limitBytes) = reads.removeFirst()
        #expect(after >= base, "nothing is asked of the log that was trimmed")
        let read = fails ? LogRead.failed : .page(page(after: after, limitBytes: limitBytes))
        input { $0.recordsRead(read, after: after, into: &$1, at: $2) }
    }

    private func page(after: Revision, limitBytes: Int) -> [LogRecord] {
        var bytes = 0
        var page: [LogRecord] = []
        for record in log.dropFirst(Int(after)) {
            bytes += record.payload.count
            if bytes > limitBytes, !page.isEmpty { break }
            page.append(record)
        }
        return page
    }

    mutating func finishEncoding(partBytes: Int = 64) {
        let snapshot = EncodedSnapshot(encodings.removeFirst(), partBytes: partBytes)
        input { $0.snapshotEncoded(snapshot, into: &$1, at: $2) }
    }

    mutating func input(_ body: (inout RoomEngine, inout [RoomAction], Moment) -> Void) {
        var actions: [RoomAction] = []
        body(&engine, &actions, moment)
        engine.endTurn(into: &actions)
        for action in actions { perform(action) }
        guard answersAtOnce else { return }
        while true {
            if !encodings.isEmpty {
                finishEncoding()
            } else if !reads.isEmpty {
                answerRead()
            } else if !appends.isEmpty {
                finishAppend()
            } else {
                return
            }
        }
    }

    private mutating func perform(_ action: RoomAction) {
        switch action {
        case .append(let records): appends.append(records)
        case .readRecords(let after, let limitBytes): reads.append((after, limitBytes))
        case .encodeSnapshot(let canvas): encodings.append(canvas)
        case .storeSnapshot(let revision, let bytes): stored.append((revision, bytes))
        case .changeVersions(let id, let tag, let edit): versionJobs.append((id, tag, edit))
        case .wantsWrite(let id): deliver(to: id)
        case .everyoneWantsWrite:
            for id in readers.keys.sorted() { deliver(to: id) }
        case .close(let id, let error):
            #expect(closed[id] == nil, "a session is closed once")
            closed[id] = error.code
        case .unload: isUnloaded = true
        }
    }

    /// What a session's socket takes, unless it is stalled.
    mutating func deliver(to id: SessionID) {
        while readers[id]?.isStalled == false, let payload = takePayload(for: id) { readers[id]?.receive(payload) }
    }

    /// The next payload of a session, out of the reader's sight.
    mutating func takePayload(for id: SessionID) -> SharedPayload? {
        var actions: [RoomAction] = []
        let payload = engine.nextPayload(for: id, into: &actions, at: moment)
        for action in actions { perform(action) }
        return payload
    }

    mutating func resumeReading(_ id: SessionID) {
        readers[id]?.isStalled = false
        input { _, actions, _ in actions.append(.wantsWrite(id)) }
    }
}

extension LogRecord {
    init(_ commit: Commit) {
        self.init(
            revision: commit.revision, id: commit.id, time: commit.time, label: commit.transaction.label,
            payload: commit.transaction.encode())
    }
}

extension Commit {
    init(_ record: LogRecord) {
        guard let transaction = try? Transaction.decode(record.payload) else { preconditionFailure("a sound record") }
        self.init(revision: record.revision, id: record.id, time: record.time, transaction: transaction)
    }

    /// A run of commits by one site.
    static func samples(_ count: Int, site: UInt64 = 9) -> [Commit] {
        (0..<UInt64(count)).map { index in
            let site = SiteID(site)!
            return Commit(
                revision: index + 1, id: TransactionID(site: site, sequence: index + 1), time: index,
                transaction: .sample(site, index + 1))
        }
    }
}

extension Transaction {
    /// A transaction that makes a shape of its own.
    static func sample(_ site: SiteID, _ sequence: SequenceNumber, label: String = "Draw") -> Transaction {
        let creation = Creation(
            id: ShapeID(site: site, counter: sequence), kind: "rectangle", parent: nil, order: OrderKey("V")!,
            properties: Properties([(PropertyKey("x"), .integer(Int64(sequence)))]))
        return Transaction(operations: [.create(creation)], label: label)
    }

    /// One that no server takes.
    static let malformed = Transaction(operations: [], label: "Nothing")
}
