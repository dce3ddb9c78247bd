import Dispatch
import EaselCore
import EaselProtocol
import EaselServerEngine
import EaselStorage
import EaselSupport
import EaselTransport

/// Everything of the server that lives on one event loop: its connections, the lobby, the outlets of the rooms they are in, and
/// the rooms whose home it is.
///
/// Unchecked, because all mutable members are touched on the loop's thread only.
final class Hub: @unchecked Sendable {
    let loop: EventLoop
    /// Its place among the hubs of the server.
    let index: Int
    /// How many there are.
    private let count: Int
    private let capacity: Capacity
    let storage: any CanvasLog
    /// How much of each canvas's log is kept.
    let retention: Retention
    /// Whether what was hidden before the log begins is removed for good.
    let purges: Bool
    let key: SiteKey
    let log: Log
    let routes: Routes
    private let worker = DispatchQueue(label: "easel-worker", attributes: .concurrent)
    var lobby: Lobby
    var frames = FrameCache()
    private var rooms: [CanvasID: RoomHost] = [:]
    private var outlets: [CanvasID: OutletHost] = [:]
    /// To the hubs of the server, by their places; empty before it runs.
    private var mail: [MailRoute] = []
    /// What has to be dealt with at the end of the turn.
    private var openRooms: [RoomHost] = []
    private var unsentOutlets: [OutletHost] = []
    /// Connections that are not read, because too much is on its way to a hub.
    private var heldUp: [SessionID: (connection: ServerConnection, home: Int)] = [:]
    private var connections: [SessionID: ServerConnection] = [:]
    private var lastSession: UInt64 = 0
    /// Connections that came or went since unused memory was given back.
    private var comings = 0
    private var lobbyTimer: LoopTimer?
    /// Set when the server stops: called once no connection is left.
    private var whenEmpty: (() -> Void)?

    init(
        loop: EventLoop, index: Int, of count: Int, capacity: Capacity, storage: any CanvasLog, retention: Retention,
        purges: Bool, key: SiteKey, log: Log, routes: Routes
    ) {
        self.loop = loop
        self.index = index
        self.count = count
        self.capacity = capacity
        lobby = Lobby(limit: max(LobbyLimits.sessions / count, LobbyLimits.leastSessions))
        self.storage = storage
        self.retention = retention
        self.purges = purges
        self.key = key
        self.log = log
        self.routes = routes
    }

    /// The present time on both clocks.
    var moment: Moment {
        Moment(
            milliseconds: MonotonicClock.now.milliseconds,
            wallMilliseconds: UInt64(max(0, WallTime.now.millisecondsSince1970)))
    }

    /// A random site.
    func randomSite() -> SiteID { SiteID(random: SystemRandom.value()) }

    /// Does work that is linear in the size of a canvas, on another thread.
    func compute(_ work: @escaping @Sendable () -> Void) {
        worker.async(execute: work)
    }

    // MARK: Connections

    /// Begins to work beside the hubs of the server, which are given in their order.
    func start(among hubs: [Hub]) {
        mail = hubs.map { [outlet] hub in MailRoute(to: hub.loop) { hub.take($0, from: outlet) } }
        loop.whenTurnEnds = { [weak self] in self?.endTurn() }
        sweep()
    }

    /// Lets the other hubs go. For when no loop runs any more.
    func end() {
        mail = []
    }

    private func sweep() {
        loop.schedule(after: ServerLimits.sweepMilliseconds) { [self] in
            let now = MonotonicClock.now
            for connection in connections.values { connection.sweep(at: now) }
            if comings >= ServerLimits.comingsUntilTrim {
                comings = 0
                compute { UnusedMemory.giveBack() }
            }
            if whenEmpty == nil { sweep() }
        }
    }

    /// Takes a new connection in; nil if there are too many or the server stops.
    func accept(_ connection: Connection) -> ServerConnection? {
        guard whenEmpty == nil, capacity.take(.connection) else { return nil }
        lastSession += 1
        comings += 1
        // So that no two hubs use a number.
        let id = SessionID(lastSession * UInt64(count) + UInt64(index))
        let accepted = ServerConnection(id: id, connection: connection, hub: self)
        connections[accepted.id] = accepted
        return accepted
    }

    func closed(_ connection: ServerConnection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        capacity.giveBack(.connection)
        comings += 1
        reportIfEmpty()
    }

    // MARK: Looking

    /// Lets a session look at a revision; nil if too many do.
    func look(_ look: Look, _ connection: ServerConnection) -> LookSession? {
        guard capacity.take(.look) else { return nil }
        return LookSession(look, connection: connection, hub: self)
    }

    /// A session that looked is gone.
    func lookEnded() { capacity.giveBack(.look) }

    /// What makes a canvas as it was.
    func stillMaker(_ canvas: CanvasID) -> StillMaker {
        StillMaker(canvas: canvas, storage: storage) { [self] in compute($0) }
    }

    // MARK: Lobby

    /// Lets a connection wait for its hello. Returns why it may not.
    func enterLobby(_ connection: ServerConnection) -> ProtocolError? {
        let error = lobby.opened(connection.id, at: moment.milliseconds)
        setLobbyTimer()
        return error
    }

    private func setLobbyTimer() {
        guard lobbyTimer == nil, let wakeTime = lobby.wakeTime else { return }
        let now = moment.milliseconds
        lobbyTimer = loop.schedule(after: wakeTime > now ? Int(clamping: wakeTime - now + 1) : 0) { [self] in
            lobbyTimer = nil
            for session in lobby.expire(at: moment.milliseconds) { connections[session]?.end(Lobby.tooSlow) }
            setLobbyTimer()
        }
    }

    // MARK: Outlets

    /// The number of this loop's outlets.
    var outlet: OutletID { OutletID(index) }

    /// The place of the hub that is the home of a canvas.
    func home(of canvas: CanvasID) -> Int { key.home(of: canvas, among: count) }

    /// The outlet of a canvas's room, made if there is none.
    func openOutletHost(of canvas: CanvasID) -> OutletHost {
        if let outlet = outlets[canvas] { return outlet }
        let outlet = OutletHost(canvas: canvas, hub: self)
        outlets[canvas] = outlet
        loop.writesInSlices = outlets.count > 1
        return outlet
    }

    func forget(_ outlet: OutletHost) {
        guard outlets[outlet.canvas] === outlet else { return }
        outlets[outlet.canvas] = nil
        loop.writesInSlices = outlets.count > 1
    }

    // MARK: Rooms

    /// The room of a canvas, opened if it is not open.
    func room(of canvas: CanvasID) -> Admission {
        if let room = rooms[canvas] { return .admitted(room) }
        guard whenEmpty == nil else {
            return .refused(ProtocolError(code: .shuttingDown, message: "The server is shutting down."))
        }
        guard capacity.take(.room) else {
            return .refused(ProtocolError(code: .tooMany, message: "Too many canvases are open."))
        }
        let room = RoomHost(canvas: canvas, hub: self)
        rooms[canvas] = room
        room.load()
        return .admitted(room)
    }

    func forget(_ room: RoomHost) {
        guard rooms[room.canvas] === room else { return }
        rooms[room.canvas] = nil
        capacity.giveBack(.room)
    }

    /// Lets an outlet of a room know, on whatever loop it is.
    func tell(_ outlet: OutletID, of canvas: CanvasID, _ news: RoomNews) {
        if outlet == self.outlet {
            outlets[canvas]?.take(news)
        } else {
            send(.news(canvas, news), to: outlet.rawValue)
        }
    }

    // MARK: Turns and mail

    /// A room has to end its turn.
    func opensTurn(_ room: RoomHost) { openRooms.append(room) }

    /// An outlet has something for a room on another loop.
    func hasUnsent(_ outlet: OutletHost) { unsentOutlets.append(outlet) }

    func send(_ parcel: Parcel, to index: Int) { mail[index].add(parcel) }

    /// Ends the turns of rooms, and sends what is for other loops. Ending a turn can lead to more of the kind.
    private func endTurn() {
        while !openRooms.isEmpty {
            let rooms = openRooms
            openRooms = []
            for room in rooms { room.endTurn() }
        }
        for outlet in unsentOutlets { outlet.post() }
        unsentOutlets = []
        for route in mail { route.send() }
    }

    /// Takes in what came from another loop.
    func take(_ parcel: Parcel, from sender: OutletID) {
        switch parcel {
        case .news(let canvas, let news): outlets[canvas]?.take(news)
        case .inputs(let canvas, let inputs):
            for input in inputs { take(input, of: canvas, from: sender) }
        }
    }

    /// A room that was put away meanwhile is opened again for who joins; nobody else can be waiting for it.
    private func take(_ input: RoomInput, of canvas: CanvasID, from sender: OutletID) {
        guard case .join(let session, _) = input else {
            rooms[canvas]?.take(input, from: sender)
            return
        }
        switch room(of: canvas) {
        case .admitted(let room): room.take(input, from: sender)
        case .refused(let error): send(.news(canvas, .closing(session, error)), to: sender.rawValue)
        }
    }

    /// Counts a message that is for a room on another loop. Where too much is under way to that loop, the sender is not read for a
    /// while, so that TCP holds it up.
    func count(_ byteCount: Int, from connection: ServerConnection, to home: Int) {
        mail[home].count(byteCount + ServerLimits.mailOverheadBytes)
        guard mail[home].isFull else { return }
        connection.pauseReading()
        if heldUp.isEmpty { pollMail() }
        heldUp[connection.id] = (connection, home)
    }

    private func pollMail() {
        loop.schedule(after: ServerLimits.mailPollMilliseconds) { [self] in
            for (session, held) in heldUp where !mail[held.home].isFull {
                heldUp[session] = nil
                held.connection.resumeReading()
            }
            if !heldUp.isEmpty { pollMail() }
        }
    }

    // MARK: Stopping

    /// Tells everybody that the server stops, and calls `whenEmpty` once all have gone.
    func stop(whenEmpty: @escaping () -> Void) {
        self.whenEmpty = whenEmpty
        for room in rooms.values { room.shutDown() }
        rooms = [:]
        let error = ProtocolError(code: .shuttingDown, message: "The server is shutting down.")
        for connection in connections.values { connection.stop(error) }
        reportIfEmpty()
    }

    private func reportIfEmpty() {
        guard connections.isEmpty, let whenEmpty else { return }
        whenEmpty()
    }
}

/// Whether a session gets into a room.
enum Admission {
    case admitted(RoomHost)
    case refused(ProtocolError)
}
