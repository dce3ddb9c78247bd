import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

@Suite("A client and named versions")
struct VersionDeskTests {
    private let plan: CanvasID
    private let site: SiteID

    init() throws {
        plan = try #require(CanvasID("plan"))
        site = try #require(SiteID(5))
    }

    private func welcome(horizon: Revision? = 0, catchup: Welcome.Catchup = .commits) -> ServerMessage {
        .welcome(
            Welcome(
                site: site, secret: 1, epoch: 3, revision: 0, lastSequence: 0, role: .editor, catchup: catchup,
                horizon: horizon))
    }

    private func live(horizon: Revision? = 0) throws -> ClientEngine {
        var client = ClientEngine(canvas: plan, name: "Ada", provisionalSite: site)
        client.connected()
        _ = client.takeMessages()
        try client.receive([welcome(horizon: horizon)])
        _ = client.takeMessages()
        return client
    }

    @Test("VS-03 a request is sent once, and its answer comes back under its number")
    func request() throws {
        var client = try live()
        let first = client.requestVersions(.none)
        let second = client.requestVersions(.add(name: "draft", revision: nil))
        #expect(
            client.takeMessages() == [
                .versions(VersionRequest(tag: first, change: .none)),
                .versions(VersionRequest(tag: second, change: .add(name: "draft", revision: nil))),
            ])
        #expect(client.takeMessages().isEmpty && client.takeVersionReplies().isEmpty)
        let draft = NamedVersion(name: "draft", revision: 3, time: 4, author: "Ada")
        try client.receive([
            .versions(VersionAnswer(tag: second, .success([draft]))), .versions(VersionAnswer(tag: 99, .success([]))),
            .versions(VersionAnswer(tag: first, .failure(.storageUnavailable))),
        ])
        let replies = client.takeVersionReplies()
        #expect(replies.map(\.tag) == [second, first])
        #expect(replies.map(\.outcome) == [.success([draft]), .failure(.refused(.storageUnavailable))])
        #expect(client.takeVersionReplies().isEmpty)
    }

    @Test("a request without a connection, or whose answer is lost with it, fails as offline")
    func offline() throws {
        var client = try live()
        _ = client.requestVersions(.none)
        client.disconnected()
        _ = client.requestVersions(.remove(name: "draft"))
        #expect(client.takeVersionReplies().map(\.outcome) == [.failure(.offline), .failure(.offline)])
        client.connected()
        #expect(client.takeMessages().count == 1, "nothing is asked again by itself")
    }

    @Test("VS-06 a server that tells no horizon is not asked for versions, which it would take as malformed")
    func olderServer() throws {
        var client = try live(horizon: nil)
        #expect(client.horizon == nil)
        _ = client.requestVersions(.none)
        #expect(client.takeMessages().isEmpty)
        #expect(client.takeVersionReplies().map(\.outcome) == [.failure(.unsupported)])
        #expect(try live(horizon: 40).horizon == 40)
    }

    @Test("VS-01 VS-02 who looks says so first, gets the canvas as it was, and is a viewer")
    func look() throws {
        let rectangle = try #require(ShapeID("A"))
        let key = try #require(OrderKey("V"))
        var canvas = Canvas()
        _ = canvas.apply(
            Commit(
                revision: 1, id: TransactionID(site: site, sequence: 1), time: 0,
                transaction: Transaction(
                    operations: [
                        .create(
                            Creation(
                                id: rectangle, kind: "rectangle", parent: nil, order: key, properties: Properties()))
                    ], label: "Draw")))
        let bytes = Snapshot.encode(canvas)
        var client = ClientEngine(canvas: plan, name: "Ada", provisionalSite: site, lookingAt: .version("draft"))
        for _ in 0..<2 {
            client.connected()
            #expect(client.takeMessages() == [.look(Look(canvas: plan, name: "Ada", at: .version("draft")))])
            #expect(client.still == nil)
            try client.receive([
                .welcome(
                    Welcome(
                        site: site, secret: 0, epoch: 3, revision: 1, lastSequence: 0, role: .viewer,
                        catchup: .snapshot(byteCount: UInt64(bytes.count)), horizon: 0)),
                .snapshotPart(SnapshotPart(offset: 0, bytes: bytes)),
            ])
            #expect(client.linkState == .live && client.still?.canvas.digest == canvas.digest)
            #expect(throws: EditError.readOnly) { _ = try client.edit("Draw") { $0.delete([rectangle]) } }
            client.disconnected()
        }
        var writer = try live()
        client.connected()
        #expect(client.still == nil)
        _ = writer.takeEvents()
    }

    @Test("what is restored is one action that undo takes back; of another history it is stale")
    func restoring() throws {
        var client = try live()
        var id: ShapeID?
        _ = try client.edit("Draw") { id = $0.create(kind: "rectangle", text: "abc") }
        let shape = try #require(id)
        let earlier = client.view
        _ = try client.edit("Type") { $0.insertText("XY", at: 1, in: shape) }
        _ = try client.edit("Draw") { _ = $0.create(kind: "ellipse") }
        let later = client.view
        let still = try still(of: earlier, epoch: 3)
        #expect(try client.restore("Restore draft", to: still).hasEffect)
        #expect(client.view[shape]?.text.string == "abc" && client.view.visibleShapes().count == 1)
        #expect(client.undoLabels(.main).first == "Restore draft")
        #expect(try !client.restore("Restore draft", to: still).hasEffect)
        _ = try client.undo()
        #expect(client.view.restoration(of: later).isEmpty)
        #expect(throws: EditError.stale) {
            _ = try client.restore("Restore", to: try self.still(of: earlier, epoch: 4))
        }
    }

    /// What a client that looks gets.
    private func still(of canvas: Canvas, epoch: UInt64) throws -> Still {
        let bytes = Snapshot.encode(canvas)
        var client = ClientEngine(canvas: plan, name: "Ada", provisionalSite: site, lookingAt: .revision(1))
        client.connected()
        try client.receive([
            .welcome(
                Welcome(
                    site: site, secret: 0, epoch: epoch, revision: canvas.revision, lastSequence: 0, role: .viewer,
                    catchup: .snapshot(byteCount: UInt64(bytes.count)), horizon: 0)),
            .snapshotPart(SnapshotPart(offset: 0, bytes: bytes)),
        ])
        return try #require(client.still)
    }
}
