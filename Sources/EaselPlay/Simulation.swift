public import EaselClientEngine
public import EaselCore
import EaselProtocol
import EaselServerEngine

/// A server and its clients in one process, joined by a simulated network, log and clock.
///
/// The real engines run; only sockets, threads, disk and time are replaced. Nothing moves by itself: whoever drives the
/// simulation delivers each message and finishes each append, so every order of events can be produced, and the same calls
/// always give the same result.
public struct Simulation: Sendable {
    /// A client with its connection.
    struct Station: Sendable {
        var engine: ClientEngine
        var session: SessionID?
        /// Frames on their way to the server, each with the connection it was sent on.
        var up: [[UInt8]] = []
        /// Frames on their way to the client.
        var down: [[UInt8]] = []
        /// A close on its way to the client, behind the frames.
        var isClosing = false
        var events: [ClientEvent] = []
        /// How many of its next transactions the server refuses.
        var refusals = 0
    }

    /// What the disk holds: records that are durable, and the newest snapshot.
    struct Disk: Sendable {
        var records: [LogRecord] = []
        var snapshot: [UInt8]?
        /// Appends handed over and not finished.
        var underWay: [[LogRecord]] = []
    }

    /// Name of the canvas that the simulation plays on.
    public static let canvasID: CanvasID = {
        guard let id = CanvasID("play") else { preconditionFailure("the name is valid") }
        return id
    }()

    private static let key = SiteKey(1, 2)
    private static let outletID = OutletID(0)

    var stations: [Station] = []
    var room: RoomEngine
    /// What the room's sessions are sent.
    private var outlet: RoomOutlet
    var disk = Disk()
    /// Milliseconds since the simulation began.
    public private(set) var now: UInt64 = 0
    private var nextSession: UInt64 = 1
    private var nextSite: UInt64 = 0
    /// What came as an unexpected fault of a session: nothing should.
    public internal(set) var faults: [String] = []
    private let limits: RoomLimits

    /// A server on an empty disk, without clients.
    public init() {
        limits = RoomLimits()
        room = RoomEngine(canvas: Self.canvasID, key: Self.key, limits: limits)
        outlet = RoomOutlet(limits: limits)
        load()
    }

    // MARK: Clients

    /// Adds a client, connected or not yet, and returns its number.
    public mutating func addClient(name: String) -> Int {
        guard let site = SiteID(SiteID.maximum - 1 - UInt64(stations.count)) else { preconditionFailure("few clients") }
        stations.append(
            Station(engine: ClientEngine(canvas: Self.canvasID, name: name, provisionalSite: site)))
        return stations.count - 1
    }

    /// Number of clients.
    public var clientCount: Int { stations.count }

    /// A client's engine.
    public func client(_ index: Int) -> ClientEngine { stations[index].engine }

    /// The server's canvas: everything durable, nothing else.
    public var serverCanvas: Canvas { room.canvas }

    /// Whether a client has a connection.
    public func isConnected(_ index: Int) -> Bool { stations[index].session != nil }

    /// Uses a client's engine and puts what it wants sent on its way.
    public mutating func act<Result, Failure: Error>(
        _ index: Int, _ body: (inout ClientEngine) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { collect(index) }
        return try body(&stations[index].engine)
    }

    /// What happened at a client since this was last asked.
    public mutating func takeEvents(_ index: Int) -> [ClientEvent] {
        defer { stations[index].events = [] }
        return stations[index].events
    }

    /// Connects a client. The server has not heard of it before its hello is delivered.
    public mutating func connect(_ index: Int) {
        precondition(stations[index].session == nil, "a client has one connection")
        stations[index].session = SessionID(nextSession)
        nextSession += 1
        stations[index].engine.connected()
        collect(index)
    }

    /// Cuts a client's connection: what is under way on it is lost.
    public mutating func disconnect(_ index: Int) {
        guard let session = stations[index].session else { return }
        drop(index)
        outlet.left(session)
        perform { room, actions, moment in room.left(session, at: moment) }
    }

    private mutating func drop(_ index: Int) {
        stations[index].session = nil
        stations[index].up = []
        stations[index].down = []
        stations[index].isClosing = false
        stations[index].engine.disconnected()
        collect(index)
    }

    private mutating func collect(_ index: Int) {
        stations[index].events += stations[index].engine.takeEvents()
        guard stations[index].session != nil else { return }
        let messages = stations[index].engine.takeMessages()
        for message in messages { stations[index].up.append(message.encode()) }
    }

    // MARK: Network

    /// Frames on their way from a client to the server.
    public func pendingUp(_ index: Int) -> Int { stations[index].up.count }

    /// Whether something is or could be on its way to a client.
    public mutating func hasDown(_ index: Int) -> Bool {
        fill(index)
        return !stations[index].down.isEmpty || stations[index].isClosing
    }

    /// Hands the server the oldest frame of a client.
    public mutating func deliverUp(_ index: Int) { takeUp(index) }

    /// Hands the server the oldest frame of a client, and gives what was in it.
    @discardableResult
    mutating func takeUp(_ index: Int) -> [ClientMessage] {
        guard let session = stations[index].session, !stations[index].up.isEmpty else { return [] }
        let frame = stations[index].up.removeFirst()
        let messages: [ClientMessage]
        do {
            messages = try ClientMessage.decodeAll(frame)
        } catch {
            faults.append("the server cannot decode a message of client \(index): \(error)")
            return []
        }
        for message in messages {
            let message = spoiled(message, of: index)
            nextSite += 1
            guard let site = SiteID(nextSite) else { preconditionFailure("few sessions") }
            if case .hello = message { outlet.joined(session) }
            perform { room, actions, moment in
                if case .hello(let hello) = message {
                    room.join(
                        session, hello, by: Self.outletID, role: .editor, freshSite: site, into: &actions, at: moment)
                } else {
                    room.received(message, from: session, into: &actions, at: moment)
                }
            }
        }
        perform { room, actions, _ in room.endTurn(into: &actions) }
        return messages
    }

    /// Lets the server refuse the next transaction of a client that it has not committed.
    public mutating func refuseNext(_ index: Int) { stations[index].refusals += 1 }

    /// A message as the server gets it: a transaction that it is to refuse arrives without operations, which is malformed.
    private mutating func spoiled(_ message: ClientMessage, of index: Int) -> ClientMessage {
        guard stations[index].refusals > 0, case .submit(let submission) = message,
            let site = stations[index].engine.site, submission.sequence > room.canvas.lastSequence(of: site)
        else { return message }
        stations[index].refusals -= 1
        let label = submission.transaction.label
        return .submit(
            Submission(sequence: submission.sequence, transaction: Transaction(operations: [], label: label)))
    }

    /// Hands the server the oldest frame of a client twice, as a retry over a second socket might.
    public mutating func deliverUpTwice(_ index: Int) {
        guard let frame = stations[index].up.first else { return }
        if case .submit = (try? ClientMessage.decode(frame)) { stations[index].up.insert(frame, at: 0) }
        deliverUp(index)
    }

    /// Takes what the server has for a client, as a socket that accepts bytes does.
    private mutating func fill(_ index: Int) {
        guard let session = stations[index].session, stations[index].down.isEmpty else { return }
        perform { room, actions, _ in room.endTurn(into: &actions) }
        var frames: [[UInt8]] = []
        perform { outlet, actions in
            while let payload = outlet.nextPayload(for: session, into: &actions) { frames.append(payload.bytes) }
        }
        stations[index].down.insert(contentsOf: frames, at: 0)
    }

    /// Hands a client the oldest frame that is on its way to it.
    public mutating func deliverDown(_ index: Int) {
        if let messages = takeDown(index) { hand(messages, to: index) }
    }

    /// Takes the oldest frame off a client's way and gives what is in it; nil if there is none. A close that has come to the
    /// front ends the connection.
    mutating func takeDown(_ index: Int) -> [ServerMessage]? {
        fill(index)
        guard !stations[index].down.isEmpty else {
            if stations[index].isClosing { drop(index) }
            return nil
        }
        let frame = stations[index].down.removeFirst()
        do {
            return try ServerMessage.decodeAll(frame)
        } catch {
            faults.append("client \(index) cannot decode a message: \(error)")
            return nil
        }
    }

    /// Gives a client the messages of a frame.
    mutating func hand(_ messages: [ServerMessage], to index: Int) {
        do {
            try stations[index].engine.receive(messages)
        } catch {
            faults.append("client \(index): \(error)")
        }
        collect(index)
    }

    // MARK: Disk

    /// Appends handed to the disk and not finished.
    public var pendingAppends: Int { disk.underWay.count }

    /// Finishes the oldest append: its records are durable.
    public mutating func finishAppend() {
        guard !disk.underWay.isEmpty else { return }
        disk.records += disk.underWay.removeFirst()
        perform { room, actions, moment in room.appended(into: &actions, at: moment) }
        perform { room, actions, _ in room.endTurn(into: &actions) }
    }

    /// Fails the oldest append and all behind it. Its records may have reached the disk all the same.
    public mutating func failAppends(keepingFirst isKept: Bool) {
        guard !disk.underWay.isEmpty else { return }
        if isKept { disk.records += disk.underWay[0] }
        let count = disk.underWay.count
        disk.underWay = []
        for _ in 0..<count {
            perform { room, actions, moment in room.appendFailed(into: &actions, at: moment) }
        }
        perform { room, actions, _ in room.endTurn(into: &actions) }
    }

    /// Kills the server and starts it again on what the disk holds. Appends under way are lost, or reached the disk just so.
    public mutating func restartServer(keepingFirstAppend isKept: Bool = false) {
        if isKept, let first = disk.underWay.first { disk.records += first }
        disk.underWay = []
        for index in stations.indices where stations[index].session != nil { drop(index) }
        openRoom()
    }

    private mutating func openRoom() {
        room = RoomEngine(canvas: Self.canvasID, key: Self.key, limits: limits)
        load()
    }

    private mutating func load() {
        var history = CanvasHistory(epoch: 1, limits: limits)
        if let bytes = disk.snapshot, let canvas = try? Snapshot.decode(bytes) {
            history = CanvasHistory(epoch: 1, canvas: canvas, snapshotBytes: UInt64(bytes.count), limits: limits)
        }
        for record in disk.records where record.revision > history.canvas.revision {
            do {
                try history.append(record)
            } catch {
                faults.append("the log holds what cannot be applied: \(error)")
                return
            }
        }
        perform { room, actions, moment in room.loaded(history, into: &actions, at: moment) }
    }

    // MARK: Time

    /// Lets time pass.
    public mutating func advance(by milliseconds: UInt64) {
        now += milliseconds
        perform { room, actions, moment in room.tick(into: &actions, at: moment) }
        for index in stations.indices {
            stations[index].engine.retry()
            collect(index)
        }
    }

    /// Delivers and finishes everything until nothing is under way. Clients without a connection get one.
    public mutating func settle() {
        for index in stations.indices where stations[index].session == nil { connect(index) }
        var rounds = 0
        while !runRound(where: { _ in true }) {
            rounds += 1
            precondition(rounds < 100_000, "the simulation comes to rest")
        }
    }

    /// Delivers once what is under way for the clients that `isFree` names. Returns whether nothing was.
    mutating func runRound(where isFree: (Int) -> Bool) -> Bool {
        var isQuiet = true
        for index in stations.indices where isFree(index) {
            if stations[index].session == nil { continue }
            collect(index)
            while !stations[index].up.isEmpty {
                deliverUp(index)
                isQuiet = false
            }
        }
        while !disk.underWay.isEmpty {
            finishAppend()
            isQuiet = false
        }
        for index in stations.indices where isFree(index) && hasDown(index) {
            deliverDown(index)
            isQuiet = false
        }
        if stations.contains(where: { $0.engine.linkState == .inTrouble }) {
            advance(by: 1_000)
            isQuiet = false
        }
        return isQuiet
    }

    // MARK: Inside

    mutating func perform(_ body: (inout RoomEngine, inout [RoomAction], Moment) -> Void) {
        var actions: [RoomAction] = []
        body(&room, &actions, Moment(milliseconds: now, wallMilliseconds: now))
        for action in actions { carryOut(action) }
    }

    private mutating func carryOut(_ action: RoomAction) {
        switch action {
        case .append(let records):
            disk.underWay.append(records)
        case .readRecords(let revision, let limit):
            var size = 0
            let page = disk.records.filter { $0.revision > revision }.prefix { record in
                defer { size += record.payload.count }
                return size < limit
            }
            perform { room, actions, moment in
                room.recordsRead(.page(Array(page)), after: revision, into: &actions, at: moment)
            }
        case .encodeSnapshot(let canvas):
            let snapshot = EncodedSnapshot(canvas)
            perform { room, actions, moment in room.snapshotEncoded(snapshot, into: &actions, at: moment) }
        case .storeSnapshot(_, let bytes):
            disk.snapshot = bytes
            perform { room, _, moment in room.snapshotStored(true, at: moment) }
        case .changeVersions(let session, let tag, _):
            // Nobody asks for versions here.
            perform { room, actions, moment in
                room.versionsChanged(.success([]), for: session, tag: tag, at: moment)
            }
        case .tell(_, let news):
            perform { outlet, actions in outlet.take(news, into: &actions) }
        case .trimAllowed:
            // Nothing is trimmed here.
            break
        case .unload:
            // Everybody left long ago; the next to come finds the canvas loaded again.
            openRoom()
        }
    }

    private mutating func perform(_ body: (inout RoomOutlet, inout [OutletAction]) -> Void) {
        var actions: [OutletAction] = []
        body(&outlet, &actions)
        for action in actions { carryOut(action) }
    }

    private mutating func carryOut(_ action: OutletAction) {
        switch action {
        case .wantsWrite, .everyoneWantsWrite:
            // Nothing to note: clients are asked whether there is something for them.
            break
        case .close(let session, let error):
            guard let index = stations.firstIndex(where: { $0.session == session }) else { return }
            stations[index].down.append(ServerMessage.error(error).encode())
            stations[index].isClosing = true
        case .report(let report):
            perform { room, actions, moment in
                room.reported(report, by: Self.outletID, into: &actions, at: moment)
            }
            perform { room, actions, _ in room.endTurn(into: &actions) }
        }
    }
}
