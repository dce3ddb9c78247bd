import Dispatch
import EaselCore
import EaselProtocol
import EaselServerEngine
import EaselStorage
import EaselSupport
import EaselTransport

/// Everything of the server that lives on one event loop: its connections, the lobby, and the rooms whose home it is.
///
/// Unchecked, because all mutable members are touched on the loop's thread only.
final class Hub: @unchecked Sendable {
    let loop: EventLoop
    let storage: any CanvasLog
    /// How much of each canvas's log is kept.
    let retention: Retention
    /// Whether what was hidden before the log begins is removed for good.
    let purges: Bool
    let key: SiteKey
    let log: Log
    let routes: Routes
    private let worker = DispatchQueue(label: "easel-worker", attributes: .concurrent)
    var lobby = Lobby()
    var frames = FrameCache()
    private var rooms: [CanvasID: RoomHost] = [:]
    private var outlets: [CanvasID: OutletHost] = [:]
    private var connections: [SessionID: ServerConnection] = [:]
    private var lastSession: UInt64 = 0
    private var lookCount = 0
    private var lobbyTimer: LoopTimer?
    /// Set when the server stops: called once no connection is left.
    private var whenEmpty: (() -> Void)?

    init(
        loop: EventLoop, storage: any CanvasLog, retention: Retention, purges: Bool, key: SiteKey, log: Log,
        routes: Routes
    ) {
        self.loop = loop
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

    /// Begins to look after the connections.
    func start() {
        loop.schedule(after: ServerLimits.sweepMilliseconds) { [self] in
            let now = MonotonicClock.now
            for connection in connections.values { connection.sweep(at: now) }
            if whenEmpty == nil { start() }
        }
    }

    /// Takes a new connection in; nil if there are too many or the server stops.
    func accept(_ connection: Connection) -> ServerConnection? {
        guard whenEmpty == nil, connections.count < ServerLimits.connections else { return nil }
        lastSession += 1
        let accepted = ServerConnection(id: SessionID(lastSession), connection: connection, hub: self)
        connections[accepted.id] = accepted
        return accepted
    }

    func closed(_ connection: ServerConnection) {
        connections[connection.id] = nil
        reportIfEmpty()
    }

    // MARK: Looking

    /// Lets a session look at a revision; nil if too many do.
    func look(_ look: Look, _ connection: ServerConnection) -> LookSession? {
        guard lookCount < ServerLimits.looks else { return nil }
        lookCount += 1
        return LookSession(look, connection: connection, hub: self)
    }

    /// A session that looked is gone.
    func lookEnded() { lookCount -= 1 }

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

    /// The outlet of this loop, for every room.
    static let outlet = OutletID(0)

    /// The outlet of a canvas's room, if a session of the loop is there or on its way.
    func outletHost(of canvas: CanvasID) -> OutletHost? { outlets[canvas] }

    /// The outlet of a canvas's room, made if there is none.
    func openOutletHost(of canvas: CanvasID) -> OutletHost {
        if let outlet = outlets[canvas] { return outlet }
        let outlet = OutletHost(canvas: canvas, hub: self)
        outlets[canvas] = outlet
        return outlet
    }

    func forget(_ outlet: OutletHost) {
        if outlets[outlet.canvas] === outlet { outlets[outlet.canvas] = nil }
    }

    // MARK: Rooms

    /// The room of a canvas, opened if it is not open.
    func room(of canvas: CanvasID) -> Admission {
        if let room = rooms[canvas] { return .admitted(room) }
        guard whenEmpty == nil else {
            return .refused(ProtocolError(code: .shuttingDown, message: "The server is shutting down."))
        }
        guard rooms.count < ServerLimits.rooms else {
            return .refused(ProtocolError(code: .tooMany, message: "Too many canvases are open."))
        }
        let room = RoomHost(canvas: canvas, hub: self)
        rooms[canvas] = room
        room.load()
        return .admitted(room)
    }

    func forget(_ room: RoomHost) {
        if rooms[room.canvas] === room { rooms[room.canvas] = nil }
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
