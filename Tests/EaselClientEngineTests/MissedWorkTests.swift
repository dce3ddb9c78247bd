import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

/// A client that comes back by a snapshot sees no commit of those it missed.
@Suite("What others did while a client was away and that came in no commit")
struct MissedWorkTests {
    private static let x = ContractTests.x
    private static let color = ContractTests.color

    /// What client 1 does while client 0 is away, which then comes back by a snapshot.
    private func away(
        _ network: inout TestNetwork, includingCanvas: Bool, _ body: (inout TransactionDraft) -> Void
    ) throws {
        let saved = network.clients[0].save(includingCanvas: includingCanvas)
        network.disconnect(0)
        network.edit(1, "Theirs", body)
        while !network.lines[1].up.isEmpty { network.deliverUp(1) }
        network.clients[0] = try ClientEngine.restore(from: saved)
        network.givesSnapshots = true
        network.settle()
        network.givesSnapshots = false
    }

    private func report(_ result: PressResult) -> [Remark] {
        switch result {
        case .nothing(let remarks): return remarks
        case .done(let report): return report.remarks
        }
    }

    @Test(
        "undo yields to what was set meanwhile, or says that it goes over it", arguments: [true, false], [true, false])
    func registers(includingCanvas: Bool, yields: Bool) throws {
        var (network, id) = ContractTests.network()
        network.clients[0].setUndoPolicy(UndoPolicy(overwritten: yields ? .yieldToRemote : .restoreMine))
        network.edit(0, "Mine") {
            $0.set(id, [PropertyChange(Self.color, .string("red")), PropertyChange(Self.x, .integer(7))])
        }
        network.settle()
        try away(&network, includingCanvas: includingCanvas) { $0.set(id, Self.color, .string("blue")) }
        let expected = Remark(reason: yields ? .yielded : .overwritten, shape: id, keys: [Self.color])
        #expect(report(network.clients[0].preview(.undo)) == [expected])
        network.undo(0)
        network.settle()
        #expect((network.canvas[id]?[Self.color] == .string("blue")) == yields)
        #expect(network.canvas[id]?[Self.x] == .integer(0), "what nobody else set comes back")
    }

    @Test("undo of a move yields to where others put the shape meanwhile", arguments: [true, false])
    func places(includingCanvas: Bool) throws {
        var network = TestNetwork(clients: 2)
        var shapes: [ShapeID] = []
        network.edit(0) { draft in for _ in 0..<3 { shapes.append(draft.create(kind: "r")) } }
        network.settle()
        network.clients[0].clearHistory(.main)
        network.clients[0].setUndoPolicy(UndoPolicy(overwritten: .yieldToRemote))
        network.edit(0, "Into") { $0.put(shapes[0], into: shapes[1]) }
        network.settle()
        try away(&network, includingCanvas: includingCanvas) { $0.put(shapes[0], into: shapes[2]) }
        network.undo(0)
        network.settle()
        #expect(network.canvas[shapes[0]]?.parent == shapes[2])
    }

    @Test("a shape that others worked on meanwhile stays if the policy says so")
    func creations() throws {
        var network = TestNetwork(clients: 2)
        network.clients[0].setUndoPolicy(UndoPolicy(creation: .keepIfOthersEdited))
        var made: [ShapeID] = []
        network.edit(0, "Create") { draft in for _ in 0..<2 { made.append(draft.create(kind: "r")) } }
        network.settle()
        try away(&network, includingCanvas: true) { $0.set(made[0], Self.color, .string("blue")) }
        #expect(report(network.clients[0].preview(.undo)) == [Remark(reason: .kept, shape: made[0])])
        network.undo(0)
        network.settle()
        #expect(network.canvas.isVisible(made[0]) && !network.canvas.isVisible(made[1]))
    }

    @Test("where nothing tells whether others worked on a shape, undo of its creation says so")
    func unknownCreations() throws {
        var network = TestNetwork(clients: 2)
        network.clients[0].setUndoPolicy(UndoPolicy(creation: .keepIfOthersEdited))
        var made: [ShapeID] = []
        network.edit(0, "Create") { made.append($0.create(kind: "r")) }
        network.settle()
        try away(&network, includingCanvas: false) { $0.create(kind: "other") }
        #expect(report(network.clients[0].preview(.undo)) == [Remark(reason: .limited, shape: made[0])])
        let isUndone = network.undo(0)
        #expect(isUndone)
        network.edit(0, "Create") { made.append($0.create(kind: "r")) }
        network.settle()
        #expect(report(network.clients[0].preview(.undo)) == [], "of what came later everything is known")
    }

    @Test("one's own work that was committed while the connection was lost is not taken for that of others")
    func ownWork() throws {
        var (network, id) = ContractTests.network()
        network.clients[0].setUndoPolicy(UndoPolicy(overwritten: .yieldToRemote))
        network.edit(0, "Red") { $0.set(id, Self.color, .string("red")) }
        network.settle()
        network.edit(0, "Green") { $0.set(id, Self.color, .string("green")) }
        network.deliverUp(0)
        try away(&network, includingCanvas: true) { $0.set(id, Self.x, .integer(3)) }
        #expect(network.clients[0].pendingCount == 0)
        for expected in [Value.string("red"), nil] {
            network.undo(0)
            network.settle()
            #expect(network.canvas[id]?[Self.color] == expected)
        }
    }

    @Test("what is known of others survives clearing while an undo under way may come back")
    func clearedAndRefused() {
        var (network, id) = ContractTests.network()
        network.clients[0].setUndoPolicy(UndoPolicy(overwritten: .yieldToRemote))
        network.edit(0, "Mine") {
            $0.set(id, [PropertyChange(Self.color, .string("red")), PropertyChange(Self.x, .integer(7))])
        }
        network.settle()
        network.edit(1, "Theirs") { $0.set(id, Self.color, .string("blue")) }
        network.settle()
        network.refuses = { _, submission in submission.transaction.cause == .undo ? .malformed : nil }
        network.undo(0)
        network.clients[0].clearRedo(.main)
        network.settle()
        #expect(network.clients[0].undoLabels() == ["Mine"])
        #expect(
            report(network.clients[0].preview(.undo)) == [
                Remark(
                    reason: .yielded, shape: id, keys: [Self.color], sites: [network.clients[1].site].compactMap { $0 })
            ])
    }
}
