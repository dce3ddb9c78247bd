import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

@Suite("What a client makes of a server's messages")
struct ConversationTests {
    static func welcome(
        epoch: UInt64 = 1, revision: Revision = 0, last: SequenceNumber = 0, catchup: Welcome.Catchup = .commits
    ) -> ServerMessage {
        guard let site = SiteID(9) else { preconditionFailure("a valid site") }
        return .welcome(
            Welcome(
                site: site, secret: 5, epoch: epoch, revision: revision, lastSequence: last, role: .editor,
                catchup: catchup))
    }

    static func client() -> ClientEngine {
        guard let canvas = CanvasID("test"), let site = SiteID(1) else { preconditionFailure("valid names") }
        var client = ClientEngine(canvas: canvas, name: "Ana", provisionalSite: site)
        client.connected()
        _ = client.takeMessages()
        return client
    }

    private static func submits(_ messages: [ClientMessage]) -> Bool {
        messages.contains { if case .submit = $0 { true } else { false } }
    }

    /// A commit of another site that creates a shape, and the canvas after it.
    static func creation(after canvas: Canvas, by site: UInt64 = 4) -> (Commit, Canvas) {
        guard let site = SiteID(site), let order = OrderKey("V") else { preconditionFailure("valid names") }
        let sequence = canvas.lastSequence(of: site) + 1
        let creation = Creation(
            id: ShapeID(site: site, counter: sequence), kind: "note", parent: nil, order: order,
            properties: Properties())
        let commit = Commit(
            revision: canvas.revision + 1, id: TransactionID(site: site, sequence: sequence), time: 0,
            transaction: Transaction(operations: [.create(creation)], label: "Create"))
        var after = canvas
        _ = after.apply(commit)
        return (commit, after)
    }

    @Test("RS-01: the first message is hello, and nothing else is sent before the welcome is fulfilled")
    func helloComesFirst() throws {
        var client = try Self.offlineEditor()
        client.connected()
        let first = client.takeMessages()
        #expect(first.count == 1)
        guard case .hello(let hello) = first.first else { return #expect(Bool(false), "hello is first") }
        #expect(hello.name == "Ana")
        try client.receive([Self.welcome(revision: 1)])
        #expect(!Self.submits(client.takeMessages()))
        let (commit, canvas) = Self.creation(after: Canvas())
        try client.receive([.commit(commit, digest: canvas.digest)])
        let messages = client.takeMessages()
        #expect(Self.submits(messages))
    }

    static func offlineEditor() throws -> ClientEngine {
        var client = Self.client()
        client.disconnected()
        _ = try client.edit("Create") { $0.create(kind: "note") }
        return client
    }

    @Test("RS-05: parts of a snapshot come in order; a gap is a fault")
    func snapshotParts() throws {
        let (_, canvas) = Self.creation(after: Canvas())
        let bytes = Snapshot.encode(canvas)
        var client = Self.client()
        let hello = Self.welcome(revision: 1, catchup: .snapshot(byteCount: UInt64(bytes.count)))
        try client.receive([hello, .snapshotPart(SnapshotPart(offset: 0, bytes: Array(bytes[..<10])))])
        #expect(client.linkState == .synchronizing(received: 10, of: UInt64(bytes.count)))
        var gap = client
        #expect(throws: SessionFault.unexpectedMessage) {
            try gap.receive([.snapshotPart(SnapshotPart(offset: 11, bytes: Array(bytes[11...])))])
        }
        try client.receive([.snapshotPart(SnapshotPart(offset: 10, bytes: Array(bytes[10...])))])
        #expect(client.view.digest == canvas.digest)
        #expect(client.linkState == .live)
    }

    @Test("RS-06: a missing commit is a fault, a repeated one is ignored")
    func commitsAreDense() throws {
        var client = Self.client()
        try client.receive([Self.welcome()])
        let (first, canvas) = Self.creation(after: Canvas())
        let (second, later) = Self.creation(after: canvas)
        try client.receive([.commit(first, digest: canvas.digest), .commit(first, digest: canvas.digest)])
        #expect(client.confirmed.revision == 1)
        let (third, last) = Self.creation(after: later)
        #expect(throws: SessionFault.gap(expected: 2, found: 3)) {
            try client.receive([.commit(third, digest: last.digest)])
        }
        try client.receive([.commit(second, digest: later.digest)])
        #expect(client.confirmed.revision == 2)
    }

    @Test("RS-06: a run that begins with commits the client has is taken from the first that it has not")
    func runsOverlap() throws {
        var client = Self.client()
        try client.receive([Self.welcome()])
        let (first, one) = Self.creation(after: Canvas())
        let (second, two) = Self.creation(after: one)
        let (third, three) = Self.creation(after: two)
        try client.receive([.commits(CommitRun([first, second], digest: two.digest))])
        try client.receive([.commits(CommitRun([second, third], digest: three.digest))])
        #expect(client.confirmed.revision == 3 && client.view.digest == three.digest)
        try client.receive([.commits(CommitRun([first, second], digest: 0))])
        #expect(client.confirmed.revision == 3, "of a run that it has, not even the digest counts")
        let (fourth, four) = Self.creation(after: three)
        let (fifth, five) = Self.creation(after: four)
        #expect(throws: SessionFault.gap(expected: 4, found: 5)) {
            try client.receive([.commits(CommitRun([fifth], digest: five.digest))])
        }
        #expect(throws: SessionFault.diverged) {
            try client.receive([.commits(CommitRun([fourth, fifth], digest: four.digest))])
        }
    }

    @Test("RS-07: catching up may end in the middle of a run, and what is pending is sent again then")
    func catchingUpWithinARun() throws {
        var client = Self.client()
        _ = try client.edit("Create") { $0.create(kind: "note") }
        try client.receive([Self.welcome(revision: 1)])
        #expect(client.takeMessages().isEmpty)
        let (first, one) = Self.creation(after: Canvas())
        let (second, two) = Self.creation(after: one)
        try client.receive([.commits(CommitRun([first, second], digest: two.digest))])
        #expect(client.linkState == .live && client.confirmed.digest == two.digest)
        #expect(Self.submits(client.takeMessages()))
    }

    @Test("DG-06: a client whose digest differs reports it, keeps showing what it had and fetches the canvas anew")
    func divergence() throws {
        var client = Self.client()
        try client.receive([Self.welcome()])
        let (first, canvas) = Self.creation(after: Canvas())
        try client.receive([.commit(first, digest: canvas.digest)])
        _ = client.takeEvents()
        let (second, _) = Self.creation(after: canvas)
        #expect(throws: SessionFault.diverged) { try client.receive([.commit(second, digest: 1)]) }
        let isReported = client.takeEvents().contains {
            if case .diverged(let divergence) = $0 { return divergence.revision == 2 && divergence.expected == 1 }
            return false
        }
        #expect(isReported)
        #expect(client.view.visibleShapes().count == 1)
        client.disconnected()
        client.connected()
        guard case .hello(let hello) = client.takeMessages().first else {
            return #expect(Bool(false), "hello is first")
        }
        #expect(hello.resume?.revision == 0)
        #expect(hello.resume?.epoch == 0)
    }

    @Test("RS-08 RS-12 what was sent and is in the restored canvas is settled and not sent again, the rest is sent")
    func restoredWithWork() throws {
        var client = Self.client()
        try client.receive([Self.welcome()])
        var note: ShapeID?
        _ = try client.edit("first") { note = $0.create(kind: "note") }
        let id = try #require(note)
        for (number, label) in ["second", "third"].enumerated() {
            _ = try client.edit(label) { $0.set(id, ContractTests.x, .integer(Int64(number))) }
        }
        let sent = client.takeMessages()
        client.disconnected()
        // The first two were stored, and a backup was taken, before the client could hear of it.
        var restored = Canvas()
        for case .submit(let submission) in sent.filter({ if case .submit = $0 { true } else { false } }).prefix(2) {
            let id = TransactionID(site: SiteID(9)!, sequence: submission.sequence)
            _ = restored.apply(
                Commit(
                    revision: restored.revision + 1, id: id, time: 0, transaction: submission.transaction))
        }
        client.connected()
        _ = client.takeMessages()
        let bytes = Snapshot.encode(restored)
        try client.receive([
            Self.welcome(epoch: 2, revision: 2, last: 2, catchup: .snapshot(byteCount: UInt64(bytes.count))),
            .snapshotPart(SnapshotPart(offset: 0, bytes: bytes)),
        ])
        let labels = client.takeMessages().compactMap { message -> String? in
            if case .submit(let submission) = message { return submission.transaction.label }
            return nil
        }
        #expect(labels == ["third"])
        #expect(client.pendingCount == 1)
        #expect(client.view[id]?[ContractTests.x] == .integer(1))
    }

    @Test("RS-08: under a new epoch pending edits are sent again and the history is cleared")
    func newEpoch() throws {
        var client = Self.client()
        try client.receive([Self.welcome()])
        _ = try client.edit("Create") { $0.create(kind: "note") }
        _ = client.takeMessages()
        client.disconnected()
        client.connected()
        _ = client.takeMessages()
        let (_, restored) = Self.creation(after: Canvas())
        let bytes = Snapshot.encode(restored)
        try client.receive([
            Self.welcome(epoch: 2, revision: 1, catchup: .snapshot(byteCount: UInt64(bytes.count))),
            .snapshotPart(SnapshotPart(offset: 0, bytes: bytes)),
        ])
        #expect(client.view.visibleShapes().count == 2)
        #expect(client.historyState().undoCount == 0)
        let submissions = client.takeMessages().filter { if case .submit = $0 { return true } else { return false } }
        #expect(submissions.count == 1)
    }

    @Test(
        "UN-05: an undo of an unacknowledged value is shown at once, sent when the value is final, and what follows waits"
    )
    func hold() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Color") { $0.set(id, ContractTests.color, .string("red")) }
        network.undo(0)
        network.edit(0, "Move") { $0.set(id, ContractTests.x, .integer(8)) }
        #expect(network.clients[0].view[id]?[ContractTests.color] == nil)
        #expect(network.lines[0].up.count == 1)
        network.deliverUp(0)
        network.deliverDown(0)
        #expect(network.lines[0].up.count == 2)
        network.settle()
        #expect(network.log.suffix(3).map(\.commit.transaction.label) == ["Color", "Undo Color", "Move"])
    }

    @Test("UN-01: undo and redo are transactions with a cause and a name of their own")
    func pressesAreTransactions() {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move") { $0.set(id, ContractTests.x, .integer(8)) }
        network.settle()
        network.undo(0)
        network.settle()
        network.redo(0)
        network.settle()
        let tail = network.log.suffix(3).map(\.commit.transaction)
        #expect(tail.map(\.label) == ["Move", "Undo Move", "Redo Move"])
        #expect(tail.map(\.cause) == [.edit, .undo, .redo])
    }

    @Test("a server's final error ends the client's connection for good, one that may pass does not")
    func errorsEndTheConnection() throws {
        var client = Self.client()
        try client.receive([Self.welcome()])
        try client.receive([.error(ProtocolError(code: .shuttingDown, message: "later"))])
        client.disconnected()
        #expect(client.linkState == .offline)
        client.connected()
        let error = ProtocolError(code: .unsupportedVersion, message: "no")
        try client.receive([.error(error)])
        client.disconnected()
        #expect(client.linkState == .ended(error))
    }
}
