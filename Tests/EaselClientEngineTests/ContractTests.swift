import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

/// The contracts that every editor built on the client can rely on, as far as the engine answers for them.
@Suite("Contracts of editing and undo")
struct ContractTests {
    static let x: PropertyKey = PropertyKey("x")
    static let color: PropertyKey = PropertyKey("color")

    /// Two clients, and a rectangle made by the first that both have seen.
    static func network() -> (TestNetwork, ShapeID) {
        var network = TestNetwork(clients: 2)
        var made: ShapeID?
        network.edit(0, "Create Rectangle") {
            made = $0.create(kind: "rectangle", properties: Properties([(x, .integer(0))]))
        }
        network.settle()
        network.clients[0].clearHistory(.main)
        guard let made else { preconditionFailure("the draft made a shape") }
        return (network, made)
    }

    func value(_ network: TestNetwork, _ client: Int, _ id: ShapeID, _ key: PropertyKey = x) -> Value? {
        network.clients[client].view[id]?[key]
    }

    @Test("A3: undoing a delete brings a shape back to its place although the order has changed since")
    func deleteRestoresOrder() throws {
        var (network, first) = Self.network()
        var others: [ShapeID] = []
        network.edit(0) { draft in for _ in 0..<3 { others.append(draft.create(kind: "note")) } }
        network.edit(0, "Delete") { $0.delete([others[0]]) }
        network.settle()
        network.edit(1) { $0.bringToFront(first) }
        network.settle()
        network.undo(0)
        network.settle()
        let order = network.canvas.visibleChildren(of: nil).map(\.id)
        #expect(order == [others[0], others[1], others[2], first])
    }

    @Test("A6: redo exists after undo and undo after redo, with the names of the actions")
    func oppositesExist() {
        var (network, id) = Self.network()
        network.edit(0, "Move Rectangle") { $0.set(id, Self.x, .integer(5)) }
        #expect(network.clients[0].historyState().undoLabel == "Move Rectangle")
        network.undo(0)
        #expect(network.clients[0].historyState().redoLabel == "Move Rectangle")
        #expect(network.clients[0].historyState().undoLabel == nil)
        network.redo(0)
        #expect(network.clients[0].historyState().undoLabel == "Move Rectangle")
        #expect(network.clients[0].historyState().redoLabel == nil)
    }

    @Test("A7: levelsOfUndo keeps the newest actions; lowering it drops the oldest at once; 0 is no limit")
    func levelsAreLimited() {
        var (network, id) = Self.network()
        for number in 1...120 { network.edit(0, "Move \(number)") { $0.set(id, Self.x, .integer(Int64(number))) } }
        #expect(network.clients[0].historyState().undoCount == 100)
        network.clients[0].setLevelsOfUndo(2)
        #expect(network.clients[0].undoLabels() == ["Move 120", "Move 119"])
        network.clients[0].setLevelsOfUndo(0)
        for number in 1...150 { network.edit(0) { $0.set(id, Self.x, .integer(Int64(-number))) } }
        #expect(network.clients[0].historyState().undoCount == 152)
    }

    @Test("A8: an edit of a shape that does not exist is reported, changes nothing and records nothing")
    func unknownShapeIsReported() throws {
        var (network, _) = Self.network()
        let ghost = try #require(ShapeID("ghost"))
        let result = try network.clients[0].edit("Move") { $0.set(ghost, Self.x, .integer(1)) }
        #expect(!result.hasEffect)
        #expect(result.problems == [.unknownShape(ghost)])
        #expect(network.clients[0].historyState().undoCount == 0)
        #expect(network.clients[0].pendingCount == 0)
    }

    @Test("A9: move, delete, undo, undo, redo, redo: values, ids and order after each step")
    func sequence() {
        var (network, id) = Self.network()
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(9)) }
        network.edit(0, "Delete") { $0.delete([id]) }
        func state() -> String {
            let shapes = network.clients[0].view.visibleShapes()
            return shapes.map { "\($0.id)=\($0[Self.x].map { "\($0)" } ?? "-")" }.joined()
        }
        #expect(state() == "")
        for expected in ["\(id)=integer(9)", "\(id)=integer(0)"] {
            network.undo(0)
            network.settle()
            #expect(state() == expected)
        }
        for expected in ["\(id)=integer(9)", ""] {
            network.redo(0)
            network.settle()
            #expect(state() == expected)
        }
        #expect(network.canvas.digest == network.clients[1].view.digest)
    }

    @Test("A11: undo in one client never touches the history of another")
    func historiesAreApart() {
        var (network, id) = Self.network()
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(1)) }
        network.edit(1, "Color") { $0.set(id, Self.color, .string("red")) }
        network.settle()
        network.undo(1)
        network.settle()
        #expect(value(network, 0, id) == .integer(1))
        #expect(value(network, 0, id, Self.color) == nil)
        #expect(network.clients[0].undoLabels() == ["Move"])
    }

    @Test("B3: an edit without a history works and claims no undo")
    func editWithoutHistory() throws {
        var (network, id) = Self.network()
        _ = try network.clients[0].edit("Move", history: nil) { $0.set(id, Self.x, .integer(3)) }
        network.collect(0)
        network.settle()
        #expect(value(network, 1, id) == .integer(3))
        #expect(!network.clients[0].historyState().canUndo)
        let result = try network.clients[0].undo()
        #expect(result == .nothing([]))
    }

    @Test("B4: each edit belongs to the history it was made in")
    func historiesOfTwoWindows() throws {
        var (network, id) = Self.network()
        let second = network.clients[0].addHistory()
        _ = try network.clients[0].edit("Move") { $0.set(id, Self.x, .integer(1)) }
        _ = try network.clients[0].edit("Color", history: second) { $0.set(id, Self.color, .string("red")) }
        #expect(network.clients[0].historyState().undoLabel == "Move")
        _ = try network.clients[0].undo(second)
        #expect(value(network, 0, id, Self.color) == nil)
        #expect(value(network, 0, id) == .integer(1))
    }

    @Test("B5: clearing one history leaves the others")
    func clearingOneHistory() throws {
        var (network, id) = Self.network()
        let second = network.clients[0].addHistory()
        _ = try network.clients[0].edit("Move") { $0.set(id, Self.x, .integer(1)) }
        _ = try network.clients[0].edit("Color", history: second) { $0.set(id, Self.color, .string("red")) }
        network.clients[0].clearHistory(second)
        #expect(network.clients[0].historyState(second).undoCount == 0)
        #expect(network.clients[0].historyState().undoLabel == "Move")
    }

    @Test("C1: adjacent typing within half a second is one action; a pause, a jump or another text splits")
    func typingBursts() throws {
        var (network, id) = Self.network()
        func type(_ text: String, at offset: Int, _ now: UInt64) {
            network.edit(0, "Type", coalescing: .typing, now: now) { $0.insertText(text, at: offset, in: id) }
        }
        type("a", at: 0, 1_000)
        type("b", at: 1, 1_500)
        #expect(network.clients[0].historyState().undoCount == 1)
        type("c", at: 2, 2_001)
        #expect(network.clients[0].historyState().undoCount == 2)
        type("d", at: 0, 2_100)
        #expect(network.clients[0].historyState().undoCount == 3)
        network.undo(0)
        network.undo(0)
        #expect(network.clients[0].view[id]?.text.string == "ab")
        type("e", at: 2, 2_150)
        #expect(network.clients[0].historyState().undoCount == 2)
        network.undo(0)
        network.undo(0)
        #expect(network.clients[0].view[id]?.text.string == "")
    }

    @Test("C1, P12: a remote edit does not split a typing burst")
    func remoteEditsDoNotSplit() {
        var (network, id) = Self.network()
        network.edit(0, "Type", coalescing: .typing, now: 10) { $0.insertText("a", at: 0, in: id) }
        network.settle()
        network.edit(1) { $0.insertText("z", at: 1, in: id) }
        network.settle()
        network.edit(0, "Type", coalescing: .typing, now: 20) { $0.insertText("b", at: 1, in: id) }
        #expect(network.clients[0].historyState().undoCount == 1)
        network.undo(0)
        #expect(network.clients[0].view[id]?.text.string == "z")
    }

    @Test("C2: what a client finds when it joins is not in its history")
    func loadingIsNoAction() {
        let (network, _) = Self.network()
        #expect(!network.clients[1].historyState().canUndo)
        #expect(network.clients[1].historyState().undoCount == 0)
    }

    @Test("UN-06, C3, UR-005: a new edit after undo discards redo")
    func newEditClearsRedo() {
        var (network, id) = Self.network()
        network.edit(0) { $0.set(id, Self.x, .integer(1)) }
        network.undo(0)
        network.edit(0) { $0.set(id, Self.color, .string("red")) }
        #expect(!network.clients[0].historyState().canRedo)
    }

    @Test("C4, C6: a group is one action, nested groups close into the outermost, two groups need two undos")
    func groups() throws {
        var (network, id) = Self.network()
        network.clients[0].beginGroup("Align")
        network.edit(0) { $0.set(id, Self.x, .integer(1)) }
        network.clients[0].beginGroup("Inner")
        network.edit(0) { $0.set(id, Self.x, .integer(2)) }
        network.clients[0].endGroup()
        network.edit(0) { $0.set(id, Self.color, .string("red")) }
        network.clients[0].endGroup()
        network.edit(0, "Second") { $0.set(id, Self.x, .integer(7)) }
        #expect(network.clients[0].undoLabels() == ["Second", "Align"])
        network.undo(0)
        #expect(value(network, 0, id) == .integer(2))
        network.undo(0)
        #expect(value(network, 0, id) == .integer(0))
        #expect(value(network, 0, id, Self.color) == nil)
    }

    @Test("UN-06, C5: setting the same value adds no action, sends nothing and keeps redo")
    func sameValueIsNoAction() throws {
        var (network, id) = Self.network()
        network.edit(0) { $0.set(id, Self.x, .integer(1)) }
        network.settle()
        network.undo(0)
        network.settle()
        let result = try network.clients[0].edit("Same") { $0.set(id, Self.x, .integer(0)) }
        #expect(!result.hasEffect)
        #expect(network.clients[0].pendingCount == 0)
        #expect(network.clients[0].historyState().canRedo)
        #expect(!network.clients[0].historyState().canUndo)
    }

    @Test(
        "UN-02, UR-029: undo of an unacknowledged edit restores the value just before it in server order",
        arguments: [true, false])
    func undoWhilePending(isAFirst: Bool) {
        var (network, id) = Self.network()
        network.edit(0, "A") { $0.set(id, Self.color, .string("red")) }
        network.edit(1, "B") { $0.set(id, Self.color, .string("green")) }
        network.undo(0)
        let (first, second) = isAFirst ? (0, 1) : (1, 0)
        network.deliverUp(first)
        network.deliverUp(second)
        network.settle()
        #expect(value(network, 0, id, Self.color) == (isAFirst ? nil : .string("green")))
        #expect(network.canvas.digest == network.clients[0].view.digest)
    }

    @Test("UN-02, P3: an edit that is rebased makes its inverse again: undo shows the other's value at once")
    func inverseFollowsRebase() {
        var (network, id) = Self.network()
        network.edit(0, "A") { $0.set(id, Self.color, .string("red")) }
        network.edit(1, "B") { $0.set(id, Self.color, .string("green")) }
        network.deliverUp(1)
        network.deliverDown(0)
        #expect(value(network, 0, id, Self.color) == .string("red"))
        network.undo(0)
        #expect(value(network, 0, id, Self.color) == .string("green"))
        network.settle()
        #expect(value(network, 0, id, Self.color) == .string("green"))
    }

    @Test("UN-05: a held undo restores the right value although its history is cleared meanwhile")
    func holdOutlivesTheHistory() {
        var (network, id) = Self.network()
        network.edit(0, "A") { $0.set(id, Self.x, .integer(2)) }
        network.undo(0)
        network.clients[0].clearHistory(.main)
        network.edit(1, "B") { $0.set(id, Self.x, .integer(9)) }
        network.deliverUp(1)
        network.settle()
        #expect(value(network, 0, id) == .integer(9))
        #expect(network.log.suffix(3).map(\.commit.transaction.label) == ["B", "A", "Undo A"])
    }

    @Test("A10, C5: an edit that ends where it began has no effect and keeps redo")
    func roundTripIsNoAction() throws {
        var (network, id) = Self.network()
        network.edit(0) { $0.set(id, Self.color, .string("red")) }
        network.undo(0)
        let result = try network.clients[0].edit("There and back") {
            $0.set(id, Self.x, .integer(7))
            $0.set(id, Self.x, .integer(0))
        }
        #expect(!result.hasEffect)
        #expect(network.clients[0].historyState().canRedo)
    }

    @Test("SIZE-01: an edit too large for one message is refused before it is made")
    func tooLargeEdit() throws {
        var (network, id) = Self.network()
        let large = String(repeating: "s", count: 200_000)
        #expect(throws: EditError.tooLarge) {
            try network.clients[0].edit("Fill") { draft in
                for number in 0..<50 {
                    guard let key = PropertyKey("p\(number)") else { continue }
                    draft.set(id, key, .string(large))
                }
            }
        }
        #expect(network.clients[0].pendingCount == 0)
        #expect(network.clients[0].view.digest == network.canvas.digest)
    }

    @Test("P11: an edit in one history is announced for the others, whose undo it may change")
    func otherHistoriesHear() throws {
        var (network, id) = Self.network()
        let second = network.clients[0].addHistory()
        network.edit(0, "Color") { $0.set(id, Self.color, .string("red")) }
        network.events[0] = []
        _ = try network.clients[0].edit("Delete", history: second) { $0.delete([id]) }
        network.collect(0)
        let announced = network.events[0].compactMap { event in
            if case .historyChanged(let history) = event { return history } else { return nil }
        }
        #expect(announced == [.main, second])
        #expect(!network.clients[0].historyState().canUndo)
        #expect(network.clients[0].historyState(second).canUndo)
    }

    @Test("a hundred dead actions of many shapes cost no more than what they hold")
    func manyDeadActions() {
        var (network, _) = Self.network()
        var made: [ShapeID] = []
        for _ in 0..<100 {
            network.edit(0, "Create") { draft in for _ in 0..<20 { made.append(draft.create(kind: "note")) } }
        }
        network.settle()
        network.edit(1, "Delete") { $0.delete(made) }
        network.settle()
        #expect(!network.clients[0].historyState().canUndo)
        #expect(network.clients[0].historyState().undoCount == 100)
        network.undo(1)
        network.settle()
        #expect(network.clients[0].historyState().canUndo)
    }

    @Test("an edit with a malformed part is refused whole, and a long text is no such part")
    func malformedEdit() throws {
        var (network, id) = Self.network()
        #expect(throws: EditError.malformed(.valueNotCanonical)) {
            try network.clients[0].edit("Bad") {
                $0.set(id, Self.color, .string("red"))
                $0.set(id, Self.x, .double(.nan))
            }
        }
        #expect(network.clients[0].view.digest == network.canvas.digest)
        network.edit(0, "Paste") { $0.insertText(String(repeating: "long ", count: 20_000), at: 0, in: id) }
        network.settle()
        #expect(network.canvas[id]?.text.visibleCount == 100_000)
    }
}
