import EaselCore
import EaselProtocol
import EaselServerEngine

/// A server's room with one outlet, without sockets and disk: everything appended is durable at once, and news arrive at once. The
/// only file here that knows the room engine.
struct RoomUnderTest {
    private var engine: RoomEngine
    private var outlet = RoomOutlet()
    private var actions: [RoomAction] = []
    private var wishes: [OutletAction] = []
    private let sessions: [SessionID]
    private let moment = Moment(milliseconds: 1, wallMilliseconds: 1)

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
