import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

/// A room with a log in memory whose answers a test can hold back, its outlets, and one reader for each session that has joined.
///
/// Sessions are spread over the outlets in the order in which they come; one that all have left is put away and made anew. What
/// goes between room and outlets arrives at once, unless `delaysMail` is set; then a test delivers each letter.
struct TestRoom {
    var engine: RoomEngine
    private(set) var outlets: [RoomOutlet]
    /// What is on its way to each outlet, and from each to the room.
    private(set) var news: [[RoomNews]]
    private(set) var letters: [[Letter]]
    /// Whether what goes between room and outlets waits for ``deliverNews(to:)`` and ``deliverLetter(from:)``.
    var delaysMail = false
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
    private var reports: [(OutletReport, OutletID)] = []
    private var members: [SessionID: OutletID] = [:]
    /// Sessions of each outlet that have neither left nor been closed.
    private var attendance: [Set<SessionID>]
    private let limits: RoomLimits
    /// How far the last trim may go that was asked for; nil if not at all.
    var allowedTrim: Revision?
    private(set) var isTrimming = false

    /// What an outlet or one of its sessions says to the room.
    enum Letter {
        case join(SessionID, Hello, Role, SiteID)
        case message(ClientMessage, SessionID)
        case left(SessionID)
        case report(OutletReport)
    }

    static let canvas = CanvasID("test")!
    static let key = SiteKey(1, 2)

    init(limits: RoomLimits = RoomLimits(), outlets count: Int = 1) {
        engine = RoomEngine(canvas: Self.canvas, key: Self.key, limits: limits)
        outlets = Array(repeating: RoomOutlet(limits: limits), count: count)
        news = Array(repeating: [], count: count)
        letters = Array(repeating: [], count: count)
        attendance = Array(repeating: [], count: count)
        self.limits = limits
    }

    /// A room that has loaded an empty canvas, or one with `commits`.
    static func opened(
        commits: [Commit] = [], snapshotAt: Int = 0, limits: RoomLimits = RoomLimits(), outlets: Int = 1
    ) -> TestRoom {
        var room = TestRoom(limits: limits, outlets: outlets)
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
        let outlet = OutletID(Int(sessions) % outlets.count)
        members[id] = outlet
        attendance[outlet.rawValue].insert(id)
        outlets[outlet.rawValue].joined(id)
        write(.join(id, hello, role, SiteID(sites)!), from: outlet)
        return id
    }

    /// Joins again as the site of another session, from the state that session's reader is in.
    mutating func rejoin(as old: SessionID) -> SessionID {
        let reader = readers[old]!
        return join(resume: reader.resume, having: reader.canvas)
    }

    mutating func send(_ message: ClientMessage, from id: SessionID) {
        write(.message(message, id), from: members[id]!)
    }

    mutating func submit(_ sequence: SequenceNumber, _ transaction: Transaction? = nil, from id: SessionID) {
        let transaction = transaction ?? .sample(readers[id]!.welcome!.site, sequence)
        send(.submit(Submission(sequence: sequence, transaction: transaction)), from: id)
    }

    /// Submits in one turn, which no other way of mail does here.
    mutating func submitTogether(_ submissions: [Submission], from id: SessionID) {
        input { engine, actions, moment in
            for submission in submissions { engine.received(.submit(submission), from: id, into: &actions, at: moment) }
        }
    }

    mutating func leave(_ id: SessionID) {
        let outlet = members[id]!
        outlets[outlet.rawValue].left(id)
        write(.left(id), from: outlet)
        forget(id, of: outlet)
    }

    private mutating func forget(_ id: SessionID, of outlet: OutletID) {
        guard attendance[outlet.rawValue].remove(id) != nil, attendance[outlet.rawValue].isEmpty else { return }
        outlets[outlet.rawValue] = RoomOutlet(limits: limits)
    }

    // MARK: Mail

    private mutating func write(_ letter: Letter, from outlet: OutletID) {
        if delaysMail { letters[outlet.rawValue].append(letter) } else { take(letter, from: outlet) }
    }

    private mutating func take(_ letter: Letter, from outlet: OutletID) {
        input { Self.take(letter, from: outlet, &$0, into: &$1, at: $2) }
    }

    private static func take(
        _ letter: Letter, from outlet: OutletID, _ engine: inout RoomEngine, into actions: inout [RoomAction],
        at moment: Moment
    ) {
        switch letter {
        case .join(let id, let hello, let role, let site):
            engine.join(id, hello, by: outlet, role: role, freshSite: site, into: &actions, at: moment)
        case .message(let message, let id): engine.received(message, from: id, into: &actions, at: moment)
        case .left(let id): engine.left(id, at: moment)
        case .report(let report): engine.reported(report, by: outlet, into: &actions, at: moment)
        }
    }

    /// Brings an outlet the oldest news that is on its way to it, if there is one.
    mutating func deliverNews(to outlet: Int) {
        guard !news[outlet].isEmpty else { return }
        take(news[outlet].removeFirst(), at: OutletID(outlet))
    }

    /// Brings the room the oldest letter of an outlet, if there is one.
    mutating func deliverLetter(from outlet: Int) {
        guard !letters[outlet].isEmpty else { return }
        take(letters[outlet].removeFirst(), from: OutletID(outlet))
    }

    /// Brings the room all letters of an outlet in one turn.
    mutating func deliverLetters(from outlet: Int) {
        let letters = letters[outlet]
        self.letters[outlet] = []
        input { engine, actions, moment in
            for letter in letters {
                Self.take(letter, from: OutletID(outlet), &engine, into: &actions, at: moment)
            }
        }
    }

    /// Brings everything where it belongs until nothing is on its way.
    mutating func deliverMail() {
        while news.contains(where: { !$0.isEmpty }) || letters.contains(where: { !$0.isEmpty }) {
            for outlet in outlets.indices {
                deliverNews(to: outlet)
                deliverLetter(from: outlet)
            }
        }
    }

    private mutating func take(_ news: RoomNews, at outlet: OutletID) {
        var actions: [OutletAction] = []
        outlets[outlet.rawValue].take(news, into: &actions)
        for action in actions { perform(action, of: outlet) }
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
        let read = fails ? LogRead.failed : .page(page(after: after, limitBytes: limitBytes))
        input { $0.recordsRead(read, after: after, into: &$1, at: $2) }
    }

    private func page(after: Revision, limitBytes: Int) -> [LogRecord] {
        var bytes = 0
        var page: [LogRecord] = []
        for record in log.dropFirst(Int(max(after, base))) {
            bytes += record.payload.count
            if bytes > limitBytes, !page.isEmpty { break }
            page.append(record)
        }
        return page
    }

    /// Asks whether the log may be trimmed, and trims it as soon as the room allows.
    mutating func trim(to target: Revision) {
        isTrimming = true
        input { engine, _, _ in engine.beginTrim(to: target) }
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
        while !reports.isEmpty {
            let (report, outlet) = reports.removeFirst()
            take(.report(report), from: outlet)
        }
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
        case .readRecords(let after, let limitBytes):
            #expect(after >= base, "nothing is asked of the log that was trimmed")
            reads.append((after, limitBytes))
        case .encodeSnapshot(let canvas): encodings.append(canvas)
        case .storeSnapshot(let revision, let bytes): stored.append((revision, bytes))
        case .changeVersions(let id, let tag, let edit): versionJobs.append((id, tag, edit))
        case .tell(let outlet, let news):
            if delaysMail { self.news[outlet.rawValue].append(news) } else { take(news, at: outlet) }
        case .trimAllowed(let revision):
            isTrimming = false
            allowedTrim = revision
            base = max(base, revision ?? 0)
        case .unload: isUnloaded = true
        }
    }

    private mutating func perform(_ action: OutletAction, of outlet: OutletID) {
        switch action {
        case .wantsWrite(let id): deliver(to: id)
        case .everyoneWantsWrite:
            for id in readers.keys.sorted() where members[id] == outlet { deliver(to: id) }
        case .close(let id, let error):
            #expect(closed[id] == nil, "a session is closed once")
            #expect(members[id] == outlet)
            closed[id] = error.code
            forget(id, of: outlet)
        case .report(let report):
            if delaysMail { letters[outlet.rawValue].append(.report(report)) } else { reports.append((report, outlet)) }
        }
    }

    /// What a session's socket takes, unless it is stalled.
    mutating func deliver(to id: SessionID) {
        while readers[id]?.isStalled == false, let payload = takePayload(for: id) { readers[id]?.receive(payload) }
    }

    /// The next payload of a session, out of the reader's sight.
    mutating func takePayload(for id: SessionID) -> SharedPayload? {
        let outlet = members[id]!
        var actions: [OutletAction] = []
        let payload = outlets[outlet.rawValue].nextPayload(for: id, into: &actions)
        for action in actions { perform(action, of: outlet) }
        return payload
    }

    mutating func resumeReading(_ id: SessionID) {
        readers[id]?.isStalled = false
        deliver(to: id)
        input { _, _, _ in }
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

    /// One that types so many characters into a text.
    static func typed(_ count: Int, by site: SiteID, _ shape: UInt64) -> Transaction {
        let insertions = stride(from: 0, to: count, by: 50_000).map { start in
            Operation.insertText(
                ShapeID(site: site, counter: shape),
                TextInsertion(
                    first: CharacterID(site: site, counter: UInt64(start + 1)),
                    characters: String(repeating: "x", count: min(50_000, count - start)), left: nil, right: nil))
        }
        return Transaction(operations: insertions, label: "")
    }

    /// One that no server takes.
    static let malformed = Transaction(operations: [], label: "Nothing")
}
