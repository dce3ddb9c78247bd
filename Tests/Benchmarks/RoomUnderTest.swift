import EaselCore
import EaselProtocol
import EaselServerEngine

/// A server's room with one outlet, without sockets and disk: everything appended is durable at once, and news arrive at once.
///
/// This is the only file of the benchmarks that knows the room engine, and how commits are told.
struct RoomUnderTest {
    private var engine: RoomEngine
    private var outlet = RoomOutlet()
    private var actions: [RoomAction] = []
    private var wishes: [OutletAction] = []
    private let sessions: [SessionID]
    private let moment = Moment(milliseconds: 1, wallMilliseconds: 1)

    /// How many commits a room keeps encoded.
    static var windowCommits: Int { limits.windowCommits }
    private static let limits = RoomLimits()

    /// A room with so many sessions that may edit, all up to date, on the canvas of a drawing.
    init(sessions count: Int, on drawing: Drawing) {
        guard let canvas = CanvasID("bench") else { preconditionFailure("the name is valid") }
        engine = RoomEngine(canvas: canvas, key: SiteKey(1, 2))
        sessions = (1...count).map { SessionID(UInt64($0)) }
        engine.loaded(CanvasHistory(epoch: 1, canvas: drawing.canvas), into: &actions, at: moment)
        for (index, session) in sessions.enumerated() {
            outlet.joined(session)
            engine.join(
                session, Hello(canvas: canvas, resume: nil, name: "bench"), by: OutletID(0), role: .editor,
                freshSite: SiteID(random: UInt64(index) + 100), into: &actions, at: moment)
        }
        endTurn()
        _ = deliver()
    }

    /// Takes in transactions in one turn, from the first `writers` sessions alternately, and makes them durable. `sequence` is the
    /// number that each of these gives its first one.
    mutating func take(_ transactions: [Transaction], writers: Int, from sequence: SequenceNumber) {
        for (index, transaction) in transactions.enumerated() {
            let submission = Submission(sequence: sequence + UInt64(index / writers), transaction: transaction)
            engine.received(.submit(submission), from: sessions[index % writers], into: &actions, at: moment)
        }
        endTurn()
    }

    /// Asks for what every session is to be sent, until there is nothing more. Returns how many bytes that is.
    mutating func deliver() -> Int {
        var bytes = 0
        for session in sessions {
            while let payload = outlet.nextPayload(for: session, into: &wishes) {
                bytes += payload.bytes.count
            }
        }
        wishes.removeAll(keepingCapacity: true)
        return bytes
    }

    /// What a session is sent when so many moves were ordered in one turn, each writer's of a shape of its own.
    static func frames(ofMoves count: Int, writers: Int) -> [[UInt8]] {
        // Nobody may have more under way.
        let writers = max(writers, (count + limits.inFlightTransactions - 1) / limits.inFlightTransactions)
        let drawing = Drawing(shapes: writers)
        var room = RoomUnderTest(sessions: writers, on: drawing)
        let moves = (0..<count).map { index in
            let changes = [(Desk.x, index % 1_000), (Desk.y, index / 1_000)].map {
                PropertyChange($0, .integer(Int64($1)))
            }
            return Transaction(operations: [.set(drawing.shapes[index % writers], changes)], label: "Move")
        }
        room.take(moves, writers: writers, from: 1)
        precondition(room.revision == drawing.canvas.revision + UInt64(count), "every move was committed")
        return room.payloads(for: room.sessions[0])
    }

    private mutating func payloads(for session: SessionID) -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        while let payload = outlet.nextPayload(for: session, into: &wishes) { payloads.append(payload.bytes) }
        return payloads
    }

    /// The revision of the canvas.
    var revision: Revision { engine.canvas.revision }

    /// Ends a turn and does what the room asks for.
    private mutating func endTurn() {
        engine.endTurn(into: &actions)
        while !actions.isEmpty {
            let asked = actions
            actions.removeAll(keepingCapacity: true)
            for action in asked {
                switch action {
                case .append: engine.appended(into: &actions, at: moment)
                case .encodeSnapshot(let canvas):
                    engine.snapshotEncoded(EncodedSnapshot(canvas), into: &actions, at: moment)
                case .storeSnapshot: engine.snapshotStored(true, at: moment)
                case .tell(_, let news): outlet.take(news, into: &wishes)
                case .readRecords, .changeVersions, .trimAllowed, .unload: break
                }
            }
            engine.endTurn(into: &actions)
        }
        for wish in wishes {
            if case .close(_, let error) = wish { preconditionFailure("nobody is closed: \(error.message)") }
        }
        wishes.removeAll(keepingCapacity: true)
    }
}

/// The messages by which a server tells of commits.
enum CommitMessage {
    static func make(_ commit: Commit, digest: UInt64) -> ServerMessage { .commit(commit, digest: digest) }

    static func encode(_ commit: Commit, digest: UInt64) -> [UInt8] {
        ServerMessage.encodeCommit(commit, digest: digest)
    }

    /// Who made the commits in a frame, in their order.
    static func sites(in payload: [UInt8]) -> [SiteID] {
        var sites: [SiteID] = []
        var messages = ServerMessageSequence(payload)
        while let message = try? messages.glance() {
            if case .commits(let heads, _) = message { sites += heads.map(\.id.site) }
        }
        return sites
    }
}
