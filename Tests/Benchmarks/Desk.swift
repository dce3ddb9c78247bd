import EaselClientEngine
import EaselCore
import EaselProtocol

/// One client and a server that commits at once, without sockets and disk.
struct Desk {
    static let x: PropertyKey = PropertyKey("x")
    static let y: PropertyKey = PropertyKey("y")

    private(set) var client: ClientEngine
    private var server: Canvas
    /// What somebody else has drawn.
    let shapes: [ShapeID]
    private let other: SiteID
    private static let site = SiteID(7)

    /// A client on a canvas of `count` rectangles that somebody else has drawn.
    init(shapes count: Int) {
        guard let canvas = CanvasID("bench"), let own = Self.site else {
            preconditionFailure("the names are valid")
        }
        client = ClientEngine(canvas: canvas, name: "bench", provisionalSite: own)
        let drawing = Drawing(shapes: count)
        (server, shapes, other) = (drawing.canvas, drawing.shapes, drawing.site)
        client.connected()
        let snapshot = Snapshot.encode(server)
        receive([
            .welcome(
                Welcome(
                    site: own, secret: 1, epoch: 1, revision: server.revision, lastSequence: 0, role: .editor,
                    catchup: .snapshot(byteCount: UInt64(snapshot.count))))
        ])
        receive([.snapshotPart(SnapshotPart(offset: 0, bytes: snapshot))])
    }

    /// Takes what the server says.
    mutating func receive(_ messages: [ServerMessage]) {
        do {
            try client.receive(messages)
        } catch {
            preconditionFailure("the server keeps to the protocol: \(error)")
        }
        _ = client.takeEvents()
    }

    mutating func edit(_ label: String, _ body: (inout TransactionDraft) -> Void) {
        do {
            _ = try client.edit(label, body)
        } catch {
            preconditionFailure("the edit can be made: \(error)")
        }
    }

    mutating func undo() { press { client throws(EditError) in try client.undo() } }

    mutating func redo() { press { client throws(EditError) in try client.redo() } }

    private mutating func press(_ body: (inout ClientEngine) throws(EditError) -> PressResult) {
        guard let result = try? body(&client), result.label != nil else {
            preconditionFailure("there is something to press for")
        }
    }

    /// Moves `count` shapes from the first on, in one step.
    mutating func move(_ count: Int, to value: Int) {
        let moved = shapes.prefix(count)
        edit("Move Rectangle") { draft in
            for id in moved {
                draft.set(
                    id,
                    [
                        PropertyChange(Self.x, .integer(Int64(value))),
                        PropertyChange(Self.y, .integer(Int64(-value))),
                    ])
            }
        }
    }

    /// Commits what the client has to send, and tells it.
    mutating func settle() {
        while true {
            let messages = client.takeMessages()
            if messages.isEmpty { return }
            for case .submit(let submission) in messages {
                guard let site = client.site else { preconditionFailure("the client was welcomed") }
                let commit = Commit(
                    revision: server.revision + 1, id: TransactionID(site: site, sequence: submission.sequence),
                    time: 0, transaction: submission.transaction)
                _ = server.apply(commit)
                receive([CommitMessage.make(commit, digest: server.digest)])
            }
        }
    }

    /// Commits that somebody else has moved a shape, and returns what the client is told of it.
    mutating func moveOfAnother(_ shape: ShapeID, to value: Int) -> ServerMessage {
        let operation = Operation.set(shape, [PropertyChange(Self.x, .integer(Int64(value)))])
        let commit = Commit(
            revision: server.revision + 1,
            id: TransactionID(site: other, sequence: server.lastSequence(of: other) + 1), time: 0,
            transaction: Transaction(operations: [operation], label: "Move Rectangle"))
        _ = server.apply(commit)
        return CommitMessage.make(commit, digest: server.digest)
    }

    mutating func forgetHistory() { client.clearHistory(.main) }

    mutating func keepEverything() { client.setLevelsOfUndo(0) }
}
