import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

@Suite("Undo of what does not fit into one message")
struct LargeUndoTests {
    private static let path: PropertyKey = PropertyKey("path")
    private static let big = String(repeating: "0123456789", count: 20_000)

    /// Thirty shapes with 200,000 bytes each, which one edit makes small: 6 MB to restore.
    private func simplified() -> (TestNetwork, [ShapeID]) {
        var network = TestNetwork(clients: 2)
        var made: [ShapeID] = []
        for _ in 0..<3 {
            network.edit(0) { draft in
                for _ in 0..<10 {
                    let properties = Properties([(Self.path, .string(Self.big))])
                    made.append(draft.create(kind: "path", properties: properties))
                }
            }
        }
        network.settle()
        network.clients[0].clearHistory(.main)
        network.edit(0, "Simplify") { draft in for id in made { draft.set(id, Self.path, .string("small")) } }
        network.settle()
        return (network, made)
    }

    @Test("UN-08: an undo larger than a message goes out as several transactions, one step for the person")
    func splitUndo() throws {
        var (network, made) = simplified()
        let isUndone = network.undo(0)
        #expect(isUndone)
        #expect(network.clients[0].pendingCount == 2)
        #expect(made.allSatisfy { network.clients[0].view[$0]?[Self.path] == .string(Self.big) })
        network.settle()
        #expect(made.allSatisfy { network.canvas[$0]?[Self.path] == .string(Self.big) })
        #expect(network.clients[0].historyState().undoCount == 0 && network.clients[0].historyState().redoCount == 1)
        let isRedone = network.redo(0)
        #expect(isRedone)
        network.settle()
        #expect(made.allSatisfy { network.canvas[$0]?[Self.path] == .string("small") })
        #expect(network.clients[0].undoLabels() == ["Simplify"])
        network.clients[0].checkHistories()
    }

    /// Refuses the second message of an undo or redo.
    private func refuseSecondPart(of cause: Transaction.Cause, _ network: inout TestNetwork) {
        var seen = 0
        network.refuses = { _, submission in
            guard submission.transaction.cause == cause else { return nil }
            seen += 1
            return seen == 2 ? .malformed : nil
        }
    }

    /// How many shapes have a path.
    private func count(_ path: String, _ network: TestNetwork, _ shapes: [ShapeID]) -> Int {
        shapes.count { network.canvas[$0]?[Self.path] == .string(path) }
    }

    @Test("of a split undo whose second part is refused, the next undo does the rest, and redo brings back both")
    func refusedPart() throws {
        var (network, made) = simplified()
        refuseSecondPart(of: .undo, &network)
        let isUndone = network.undo(0)
        #expect(isUndone)
        network.settle()
        #expect((1..<made.count).contains(count(Self.big, network, made)))
        #expect(network.clients[0].undoLabels() == ["Simplify"] && network.clients[0].redoLabels() == ["Simplify"])
        #expect(network.clients[0].view.digest == network.canvas.digest)
        let isUndoneAgain = network.undo(0)
        #expect(isUndoneAgain)
        network.settle()
        #expect(count(Self.big, network, made) == made.count)
        #expect(!network.clients[0].historyState().canUndo)
        network.clients[0].checkHistories()
        while network.redo(0) { network.settle() }
        #expect(count("small", network, made) == made.count)
        while network.undo(0) { network.settle() }
        #expect(count(Self.big, network, made) == made.count)
        network.clients[0].checkHistories()
    }

    @Test("of a split redo whose second part is refused, the next redo does the rest, and undo takes back both")
    func refusedPartOfRedo() {
        var network = TestNetwork(clients: 2)
        var made: [ShapeID] = []
        network.edit(0) { draft in
            for _ in 0..<30 {
                made.append(draft.create(kind: "path", properties: Properties([(Self.path, .string("small"))])))
            }
        }
        network.settle()
        network.clients[0].clearHistory(.main)
        network.clients[0].beginGroup("Detail")
        for start in stride(from: 0, to: 30, by: 10) {
            network.edit(0) { draft in
                for id in made[start..<start + 10] { draft.set(id, Self.path, .string(Self.big)) }
            }
        }
        network.clients[0].endGroup()
        network.settle()
        network.undo(0)
        network.settle()
        #expect(count("small", network, made) == made.count)
        refuseSecondPart(of: .redo, &network)
        network.redo(0)
        network.settle()
        #expect((1..<made.count).contains(count(Self.big, network, made)))
        #expect(network.clients[0].undoLabels() == ["Detail"] && network.clients[0].redoLabels() == ["Detail"])
        network.clients[0].checkHistories()
        while network.redo(0) { network.settle() }
        #expect(count(Self.big, network, made) == made.count)
        while network.undo(0) { network.settle() }
        #expect(count("small", network, made) == made.count)
        network.clients[0].checkHistories()
    }

    @Test(
        "of a split undo that a change of role cuts in two, nothing is lost, whether the part that was sent is accepted or not",
        arguments: [true, false])
    func roleLostBetween(isAccepted: Bool) {
        var (network, made) = simplified()
        network.undo(0)
        network.collect(0)
        #expect(network.lines[0].up.count == 2)
        if isAccepted { network.deliverUp(0) }
        network.setRole(0, .viewer)
        network.settle()
        network.setRole(0, .editor)
        network.settle()
        network.clients[0].checkHistories()
        while network.undo(0) { network.settle() }
        #expect(count(Self.big, network, made) == made.count)
        while network.redo(0) { network.settle() }
        #expect(count("small", network, made) == made.count)
        network.clients[0].checkHistories()
    }

    @Test("a split undo that is redone before its second part is refused leaves nothing half done for good")
    func redoneBeforeRefusal() {
        var (network, made) = simplified()
        refuseSecondPart(of: .undo, &network)
        network.undo(0)
        network.redo(0)
        network.settle()
        #expect(network.clients[0].view.digest == network.canvas.digest)
        network.clients[0].checkHistories()
        while network.undo(0) { network.settle() }
        #expect(count(Self.big, network, made) == made.count)
        while network.redo(0) { network.settle() }
        #expect(count("small", network, made) == made.count)
    }

    @Test("A4: an import that does not fit into one message is one step, and undo takes back all of it")
    func largeImport() throws {
        var network = TestNetwork(clients: 2)
        var other = TransactionDraft(
            canvas: network.clients[0].view, identities: IdentitySource(site: try #require(SiteID(77))))
        for _ in 0..<30 { other.create(kind: "path", properties: Properties([(Self.path, .string(Self.big))])) }
        _ = network.clients[0].takeEvents()
        let result = try network.clients[0].replaceAll("Import", with: other.canvas)
        let events = network.clients[0].takeEvents()
        #expect(events.count { if case .changed(let change) = $0 { change.shapes.count == 30 } else { false } } == 1)
        network.collect(0)
        #expect(result.hasEffect && network.clients[0].pendingCount == 2)
        #expect(network.clients[0].undoLabels() == ["Import"])
        network.settle()
        #expect(network.canvas.visibleShapeCount == 30)
        let isUndone = network.undo(0)
        network.settle()
        #expect(isUndone && network.canvas.visibleShapeCount == 0)
        #expect(network.clients[0].undoLabels() == [])
        network.edit(0, "Later") { $0.create(kind: "note") }
        #expect(network.clients[0].undoLabels() == ["Later"], "no group stays open")
    }
}
