import EaselClientEngine
import EaselCore
import EaselPlay
import EaselProtocol
import Testing

/// P17: undo explains itself, before and after.
@Suite("What a press says about itself")
struct UndoReportTests {
    private static let x = ContractTests.x
    private static let color = ContractTests.color

    private func site(_ network: TestNetwork, _ client: Int) throws -> SiteID {
        try #require(network.clients[client].site)
    }

    private func remarks(_ result: PressResult) -> [Remark] {
        switch result {
        case .nothing(let remarks): remarks
        case .done(let report): report.remarks
        }
    }

    @Test("an undo over a value that somebody set since names the register and who set it")
    func overwritten() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.settle()
        network.edit(1, "Colour") { $0.set(id, Self.color, .string("green")) }
        network.settle()
        let expected = [Remark(.overwritten, id, [Self.color], [try site(network, 1)])]
        #expect(remarks(network.clients[0].preview(.undo)) == expected)
        let result = try network.clients[0].undo()
        #expect(remarks(result) == expected)
        #expect(result.label == "Colour")
        #expect(network.clients[0].view[id]?[Self.color] == nil)
    }

    @Test("a register that nobody else touched needs no remark, whatever others did elsewhere")
    func untouchedNeedsNoRemark() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.edit(1, "Move") { $0.set(id, Self.x, .integer(4)) }
        network.settle()
        let result = try network.clients[0].undo()
        guard case .done(let report) = result else { return #expect(Bool(false), "\(result)") }
        #expect(report.remarks == [] && report.passed == [] && report.shapes == [id])
    }

    @Test("an overwriting that was undone again needs no remark")
    func undoneOverwriting() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.settle()
        network.edit(1, "Colour") { $0.set(id, Self.color, .string("green")) }
        network.undo(1)
        network.settle()
        #expect(remarks(network.clients[0].preview(.undo)) == [])
    }

    @Test("yieldToRemote leaves what others overwrote and undoes the rest of the action")
    func yields() throws {
        var (network, id) = ContractTests.network()
        network.clients[0].setUndoPolicy(UndoPolicy(overwritten: .yieldToRemote))
        network.edit(0, "Style") { draft in
            draft.set(id, [PropertyChange(Self.color, .string("red")), PropertyChange(Self.x, .integer(9))])
        }
        network.settle()
        network.edit(1, "Colour") { $0.set(id, Self.color, .string("green")) }
        network.settle()
        let result = try network.clients[0].undo()
        #expect(remarks(result) == [Remark(.yielded, id, [Self.color], [try site(network, 1)])])
        #expect(network.clients[0].view[id]?[Self.color] == .string("green"))
        #expect(network.clients[0].view[id]?[Self.x] == .integer(0))
    }

    @Test("yieldToRemote passes over an action of which others overwrote everything, also after a place")
    func yieldsWholly() throws {
        var (network, id) = ContractTests.network()
        network.clients[0].setUndoPolicy(UndoPolicy(overwritten: .yieldToRemote))
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(1)) }
        network.edit(0, "Frame") { $0.create(kind: "frame") }
        network.edit(0, "Send Backward") { $0.bringToFront(id) }
        network.settle()
        network.edit(1, "Send to Back") { $0.sendToBack(id) }
        network.settle()
        let result = try network.clients[0].undo()
        guard case .done(let report) = result else { return #expect(Bool(false), "\(result)") }
        #expect(report.label == "Frame" && report.passed == ["Send Backward"])
        #expect(report.remarks.map(\.reason) == [.yielded])
    }

    @Test("undoing the creation of a shape that others worked on names them; keepIfOthersEdited leaves it")
    func creationOthersWorkedOn() throws {
        var network = TestNetwork(clients: 2)
        var made: [ShapeID] = []
        network.edit(0, "Draw") { draft in for _ in 0..<2 { made.append(draft.create(kind: "note")) } }
        network.settle()
        network.edit(1, "Type") { $0.insertText("mine", at: 0, in: made[1]) }
        network.settle()
        let editor = try site(network, 1)
        #expect(remarks(network.clients[0].preview(.undo)) == [Remark(.edited, made[1], [], [editor])])
        network.clients[0].setUndoPolicy(UndoPolicy(creation: .keepIfOthersEdited))
        let result = try network.clients[0].undo()
        #expect(remarks(result) == [Remark(.kept, made[1], [], [editor])])
        #expect(network.clients[0].view[made[0]]?.isVisible == false)
        #expect(network.clients[0].view[made[1]]?.isVisible == true)
    }

    @Test("a press that does nothing says that the shape was removed, and by whom")
    func removedShape() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.settle()
        network.edit(1, "Delete") { $0.delete([id]) }
        network.settle()
        let result = try network.clients[0].undo()
        #expect(result == .nothing([Remark(.removed, id, [], [try site(network, 1)])]))
        #expect(network.clients[0].historyState().undoCount == 1)
    }

    @Test("so does the undo of a creation that somebody else has deleted")
    func removedCreation() throws {
        var network = TestNetwork(clients: 2)
        var made: ShapeID?
        network.edit(0, "Draw") { made = $0.create(kind: "note") }
        network.settle()
        let id = try #require(made)
        network.edit(1, "Delete") { $0.delete([id]) }
        network.settle()
        let result = try network.clients[0].undo()
        #expect(result == .nothing([Remark(.removed, id, [], [try site(network, 1)])]))
    }

    @Test("undoing typing of which others deleted a part says so")
    func removedCharacters() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Type") { $0.insertText("hello", at: 0, in: id) }
        network.settle()
        network.edit(1, "Erase") { $0.deleteText(1..<3, in: id) }
        network.settle()
        let result = try network.clients[0].undo()
        #expect(remarks(result) == [Remark(.charactersRemoved, id, [], [try site(network, 1)])])
    }

    @Test("a shape that cannot go back to where it was says so")
    func obstructed() throws {
        var network = TestNetwork(clients: 2)
        var made: [ShapeID] = []
        network.edit(0) { draft in for _ in 0..<2 { made.append(draft.create(kind: "frame")) } }
        network.edit(0) { $0.put(made[0], into: made[1]) }
        network.settle()
        network.clients[0].clearHistory(.main)
        network.edit(0, "Take out") { $0.put(made[0], into: nil) }
        network.settle()
        network.edit(1, "Put in") { $0.put(made[1], into: made[0]) }
        network.settle()
        #expect(remarks(network.clients[0].preview(.undo)).contains { $0.reason == .obstructed })
    }

    @Test("a preview says what the press then does, and changes nothing")
    func previewIsThePress() throws {
        for seed in UInt64(1)...60 {
            var history = RandomHistory(seed: seed, steps: 0, refusalPercent: 4)
            for _ in 0..<60 {
                history.step()
                let client = history.editor.random.below(3)
                let digest = history.network.clients[client].view.digest
                let undo = history.network.clients[client].preview(.undo)
                #expect(history.network.clients[client].view.digest == digest, "seed \(seed)")
                var copy = history.network.clients[client]
                let undone = try copy.undo()
                #expect(undone == undo, "seed \(seed)")
                let redo = history.network.clients[client].preview(.redo)
                let redone = try history.network.clients[client].redo()
                #expect(redone == redo, "seed \(seed)")
                history.network.collect(client)
            }
        }
    }
}

extension Remark {
    init(_ reason: Reason, _ shape: ShapeID, _ keys: [PropertyKey], _ sites: [SiteID]) {
        self.init(reason: reason, shape: shape, keys: keys, sites: sites)
    }
}
