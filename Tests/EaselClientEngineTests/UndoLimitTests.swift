import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

/// Undo at the limits: full shapes, long names, large values, small budgets, hostile states.
@Suite("Undo at the limits")
struct UndoLimitTests {
    private static let x = ContractTests.x
    private static let color = ContractTests.color
    private static let path: PropertyKey = PropertyKey("path")
    private static let big = String(repeating: "0123456789", count: 20_000)

    @Test("undo where others have filled the shape: what has room comes back, and nothing traps")
    func fullShape() throws {
        var (network, id) = ContractTests.network()
        network.edit(0) { draft in
            for index in 0..<(Limits.propertiesPerShape - 1) { draft.set(id, PropertyKey("k\(index)")!, .integer(1)) }
        }
        network.edit(0, "Remove") { draft in
            draft.set(id, [PropertyChange(PropertyKey("k0")!, nil), PropertyChange(PropertyKey("k1")!, .integer(2))])
        }
        network.settle()
        network.edit(1) { $0.set(id, PropertyKey("other")!, .integer(1)) }
        network.settle()
        #expect(network.canvas[id]?.properties.count == Limits.propertiesPerShape)
        #expect(network.clients[0].historyState().undoLabel == "Remove")
        guard case .done(let report) = try network.clients[0].undo() else { Issue.record("nothing"); return }
        #expect(report.remarks.map { $0.reason } == [.obstructed])
        network.collect(0)
        network.settle()
        #expect(network.canvas[id]?[PropertyKey("k1")!] == .integer(1))
        #expect(network.clients[0].view.digest == network.canvas.digest)
        network.redo(0)
        network.settle()
        #expect(network.canvas[id]?[PropertyKey("k1")!] == .integer(2))
    }

    @Test("a group may have a long name")
    func longGroup() throws {
        var (network, id) = ContractTests.network()
        network.clients[0].beginGroup(String(repeating: "long ", count: 100))
        network.edit(0) { $0.set(id, Self.x, .integer(1)) }
        network.clients[0].endGroup()
        network.settle()
        #expect(network.clients[0].undoLabels().count == 1)
        network.undo(0)
        network.settle()
        #expect(network.canvas[id]?[Self.x] == .integer(0))
    }

    @Test("a saved state whose group has a long name can be restored")
    func longGroupSaved() throws {
        var (network, id) = ContractTests.network()
        network.clients[0].beginGroup(String(repeating: "long ", count: 100))
        network.edit(0) { $0.set(id, Self.x, .integer(1)) }
        _ = try ClientEngine.restore(from: network.clients[0].save(includingCanvas: true))
    }

    @Test("a held press that grows still fits into a message")
    func heldGrows() throws {
        var network = TestNetwork(clients: 2)
        var made: [ShapeID] = []
        network.edit(0) { draft in
            for _ in 0..<30 {
                made.append(draft.create(kind: "path", properties: Properties([(Self.path, .string("old"))])))
            }
        }
        network.settle()
        // B's big values come first.
        for start in stride(from: 0, to: 30, by: 10) {
            network.edit(1) { draft in
                for id in made[start..<start + 10] { draft.set(id, Self.path, .string(Self.big)) }
            }
        }
        network.edit(0, "Simplify") { draft in for id in made { draft.set(id, Self.path, .string("small")) } }
        network.undo(0)
        while !network.lines[1].up.isEmpty { network.deliverUp(1) }
        var largest = 0
        for _ in 0..<40 {
            network.collect(0)
            for message in network.lines[0].up {
                if case .submit(let submission) = message {
                    largest = max(largest, submission.transaction.encode().count)
                }
            }
            network.deliverUp(0)
            network.deliverDown(0)
            network.deliverDown(1)
        }
        network.settle()
        #expect(made.allSatisfy { network.canvas[$0]?[Self.path] == .string(Self.big) })
        #expect(largest <= ProtocolLimits.clientMessageBytes, "\(largest)")
    }

    @Test("one set of many big registers can be undone")
    func bigSet() throws {
        var (network, id) = ContractTests.network()
        network.edit(0) { $0.set(id, Self.color, .string("red")) }
        for index in 0..<24 {
            network.edit(0) { $0.set(id, PropertyKey("k\(index)")!, .string(Self.big)) }
        }
        network.edit(0, "Reset") { draft in
            draft.set(id, (0..<24).map { PropertyChange(PropertyKey("k\($0)")!, nil) })
        }
        network.settle()
        #expect(network.clients[0].historyState().canUndo)
        do {
            _ = try network.clients[0].undo()
        } catch {
            Issue.record("undo throws \(error)")
        }
    }

    @Test(
        "a byte budget keeps what fits, however many shapes were touched before",
        arguments: [(100, 12_000), (0, 100_000)])
    func budgetCollapse(levels: Int, budget: Int) throws {
        var network = TestNetwork(clients: 2)
        var made: [ShapeID] = []
        network.edit(0) { draft in
            for _ in 0..<12_000 { made.append(draft.create(kind: "r")) }
        }
        network.settle()
        network.clients[0].clearHistory(.main)
        network.clients[0].setLevelsOfUndo(levels)
        network.clients[0].setByteBudget(budget)
        var counts: [Int] = []
        for (index, id) in made.enumerated() {
            network.edit(0) { $0.set(id, Self.x, .integer(1)) }
            network.settle()
            if index % 1000 == 999 { counts.append(network.clients[0].historyState().undoCount) }
        }
        #expect(network.clients[0].historyState().undoCount > 10)
    }

    @Test("a byte budget holds when what others do to the shapes of a history has to be remembered")
    func budgetAndOthers() {
        var (network, id) = ContractTests.network()
        for number in 1...30 { network.edit(0, "Move \(number)") { $0.set(id, Self.x, .integer(Int64(number))) } }
        network.settle()
        let budget = network.clients[0].retainedBytes()
        network.clients[0].setByteBudget(budget)
        #expect(network.clients[0].historyState().undoCount == 30)
        network.edit(1) { $0.set(id, Self.color, .string("red")) }
        network.settle()
        #expect(network.clients[0].retainedBytes() <= budget)
        #expect((15..<30).contains(network.clients[0].historyState().undoCount))
    }

    @Test("a byte budget holds for what was undone, too")
    func budgetUndone() throws {
        var (network, id) = ContractTests.network()
        for number in 1...50 { network.edit(0, "Move \(number)") { $0.set(id, Self.x, .integer(Int64(number))) } }
        for _ in 1...50 { network.undo(0) }
        network.settle()
        let full = network.clients[0].retainedBytes()
        network.clients[0].setByteBudget(full / 4)
        print("T8", full, network.clients[0].retainedBytes(), network.clients[0].historyState().redoCount)
        #expect(network.clients[0].retainedBytes() <= full / 4)
        #expect(network.clients[0].historyState().redoCount > 5)
    }

    @Test("yieldToRemote for a shape with many registers")
    func yieldMany() throws {
        var (network, id) = ContractTests.network()
        network.clients[0].setUndoPolicy(UndoPolicy(overwritten: .yieldToRemote))
        let keys = (0..<80).map { PropertyKey("k\($0)")! }
        network.edit(0, "Mine") { $0.set(id, keys.map { PropertyChange($0, .integer(1)) }) }
        network.settle()
        network.edit(1, "Theirs") { $0.set(id, keys.map { PropertyChange($0, .integer(2)) }) }
        network.settle()
        network.undo(0)
        network.settle()
        let kept = keys.count { network.canvas[id]?[$0] == .integer(2) }
        #expect(kept == keys.count)
    }

    @Test("a group that a viewer cancels is closed")
    func viewerCancel() throws {
        var (network, id) = ContractTests.network()
        network.clients[0].beginGroup("Drag")
        network.edit(0) { $0.set(id, Self.x, .integer(1)) }
        network.settle()
        network.setRole(0, .viewer)
        network.settle()
        _ = try? network.clients[0].cancelGroup()
        network.setRole(0, .editor)
        network.settle()
        network.edit(0, "One") { $0.set(id, Self.x, .integer(2)) }
        network.edit(0, "Two") { $0.set(id, Self.color, .string("red")) }
        #expect(network.clients[0].undoLabels() == ["Two", "One", "Drag"])
    }

    @Test("saved state naming numbers beyond what identities have")
    func hostileNumbers() throws {
        var encoder = CBOREncoder()
        encoder.array(3); encoder.unsigned(1)
        encoder.array(13); encoder.text("room"); encoder.text("name"); encoder.unsigned(5)
        encoder.null()
        encoder.array(3); encoder.unsigned(5); encoder.unsigned(60_000_000_000); encoder.unsigned((1 << 53) - 1)
        encoder.unsigned(1); encoder.null(); encoder.bool(false)
        encoder.unsigned((1 << 53) - 1); encoder.unsigned(0); encoder.unsigned(1)
        encoder.array(0)
        encoder.array(1); encoder.array(2); encoder.bool(false); encoder.undoStack(UndoStack())
        encoder.null()
        guard var engine = try? ClientEngine.restore(from: encoder.bytes) else { return }
        _ = try? engine.edit("Make") { $0.create(kind: "r", text: "abc") }
    }

    @Test("a viewer's welcome with held work; editor again; undo again works")
    func heldViewer() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(1)) }
        network.undo(0)
        network.redo(0)
        network.undo(0)
        network.deliverUp(0)
        network.setRole(0, .viewer)
        network.settle()
        #expect(network.clients[0].view[id]?[Self.x] == .integer(1))
        network.setRole(0, .editor)
        network.settle()
        let again = network.undo(0)
        #expect(again)
        network.settle()
        #expect(network.canvas[id]?[Self.x] == .integer(0))
    }

    @Test("keepIfOthersEdited: undo, others edit hidden? redo and undo")
    func keepRedo() throws {
        var (network, _) = ContractTests.network()
        network.clients[0].setUndoPolicy(UndoPolicy(creation: .keepIfOthersEdited))
        var made: ShapeID?
        network.clients[0].beginGroup("Make")
        network.edit(0, "Create") { made = $0.create(kind: "r") }
        let id = made!
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.clients[0].endGroup()
        network.settle()
        network.edit(1) { $0.set(id, Self.x, .integer(4)) }
        network.settle()
        let before = network.canvas.digest
        let undone = network.undo(0)
        network.settle()
        let redone = network.redo(0)
        network.settle()
        print("T15", undone, redone, network.canvas[id]?[Self.color] as Any, before == network.canvas.digest)
        #expect(network.canvas[id]?[Self.color] == .string("red"))
        network.undo(0); network.settle()
        network.redo(0); network.settle()
        #expect(network.canvas[id]?[Self.color] == .string("red"))
    }

    @Test("yield: a redo brings back exactly what undo took although others touched before")
    func yieldRedo() throws {
        var (network, id) = ContractTests.network()
        network.clients[0].setUndoPolicy(UndoPolicy(overwritten: .yieldToRemote, creation: .keepIfOthersEdited))
        network.edit(0, "One") { $0.set(id, Self.x, .integer(1)) }
        network.settle()
        // Undo is pending while the other's value comes in front of it.
        network.edit(1) { $0.set(id, Self.x, .integer(7)) }
        network.deliverUp(1)
        network.undo(0)
        network.settle()
        #expect(network.canvas[id]?[Self.x] == .integer(0))
        network.redo(0)
        network.settle()
        print("T16", network.canvas[id]?[Self.x] as Any)
        #expect(network.canvas[id]?[Self.x] == .integer(7))
        network.undo(0); network.settle()
        print("T16b", network.canvas[id]?[Self.x] as Any)
    }

    @Test("cancel after role change while the group's first edit is in flight")
    func cancelInFlight() throws {
        var (network, id) = ContractTests.network()
        network.refuses = { _, submission in submission.transaction.label == "bad" ? .malformed : nil }
        network.clients[0].beginGroup("G")
        network.edit(0, "good") { $0.set(id, Self.x, .integer(1)) }
        network.edit(0, "bad") {
            $0.set(id, Self.x, .integer(2)); $0.set(id, Self.color, .string("red"))
        }
        network.edit(0, "good") { $0.set(id, Self.x, .integer(3)) }
        _ = try network.clients[0].cancelGroup()
        network.collect(0)
        network.settle()
        #expect(network.canvas[id]?[Self.x] == .integer(0))
        #expect(network.canvas[id]?[Self.color] == nil)
        #expect(network.clients[0].historyState().undoCount == 0)
        network.clients[0].checkHistories()
    }
}
