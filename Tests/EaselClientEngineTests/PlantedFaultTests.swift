import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

/// What other suites do not tell apart: found by planting faults one at a time.
@Suite("What a history keeps: over refusals, limits, restarts, and beside other histories")
struct PlantedFaultTests {
    private static let x = ContractTests.x
    private static let color = ContractTests.color

    // MARK: Refusals

    @Test("AK-11: one refusal for the role takes out everything behind what was sent, without a refusal for each")
    func oneRefusalForTheRole() {
        var (network, id) = ContractTests.network()
        network.refuses = { _, _ in .readOnly }
        for number in 1...5 { network.edit(0, "Move \(number)") { $0.set(id, Self.x, .integer(Int64(number))) } }
        network.settle()
        #expect(network.refusalCount == 1)
        let refused = network.events[0].count { if case .refused(_, .readOnly) = $0 { true } else { false } }
        #expect(refused == 5)
        #expect(network.clients[0].pendingCount == 0)
        #expect(network.clients[0].historyState().undoCount == 0)
    }

    @Test("UN-07: the actions of one press go back together when their redo is refused, under the name it stopped at")
    func refusedRedoOfAUnit() {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(1)) }
        network.edit(0, "Type") { $0.insertText("ab", at: 0, in: id) }
        network.settle()
        network.edit(1, "Erase") { $0.deleteText(0..<2, in: id) }
        network.settle()
        network.undo(0)
        network.settle()
        #expect(network.clients[0].redoLabels() == ["Move"], "the typing was passed over")
        network.refuses = { _, submission in submission.transaction.cause == .redo ? .malformed : nil }
        network.redo(0)
        #expect(network.clients[0].undoLabels() == ["Type", "Move"])
        network.settle()
        #expect(network.clients[0].undoLabels() == [])
        #expect(network.clients[0].redoLabels() == ["Move"])
        network.refuses = { _, _ in nil }
        network.redo(0)
        network.settle()
        #expect(network.canvas[id]?[Self.x] == .integer(1))
        #expect(network.clients[0].undoLabels() == ["Type", "Move"])
    }

    @Test("UN-08: of a split undo whose first part is refused nothing is undone, and the next undo does all of it")
    func refusedFirstPart() {
        let path: PropertyKey = PropertyKey("path")
        let big = String(repeating: "0123456789", count: 20_000)
        var network = TestNetwork(clients: 1)
        var made: [ShapeID] = []
        for _ in 0..<3 {
            network.edit(0) { draft in
                for _ in 0..<10 {
                    made.append(draft.create(kind: "path", properties: Properties([(path, .string(big))])))
                }
            }
        }
        network.edit(0, "Simplify") { draft in for id in made { draft.set(id, path, .string("small")) } }
        network.settle()
        var isFirst = true
        network.refuses = { _, _ in
            defer { isFirst = false }
            return isFirst ? .malformed : nil
        }
        network.undo(0)
        #expect(network.clients[0].pendingCount == 2)
        network.settle()
        #expect(network.clients[0].undoLabels().first == "Simplify" && network.clients[0].redoLabels() == [])
        #expect(made.allSatisfy { network.canvas[$0]?[path] == .string("small") })
        network.undo(0)
        network.settle()
        #expect(made.allSatisfy { network.canvas[$0]?[path] == .string(big) })
    }

    @Test("UN-07: a refused redo does not come back where a newer edit has cleared what can be redone")
    func refusedRedoBehindNewEdit() {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(1)) }
        network.undo(0)
        network.settle()
        network.refuses = { _, submission in submission.transaction.cause == .redo ? .malformed : nil }
        network.redo(0)
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.settle()
        #expect(network.refusalCount == 1)
        #expect(network.clients[0].undoLabels() == ["Colour"])
        #expect(network.clients[0].redoLabels() == [])
    }

    // MARK: Whose work it is

    @Test("an own commit that comes back leaves the view as it is, although a newer edit of one's own lies on it")
    func ownCommitUnderANewerEdit() {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(1)) }
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(2)) }
        network.deliverUp(0)
        network.deliverDown(0)
        #expect(network.clients[0].pendingCount == 1)
        #expect(network.clients[0].confirmed[id]?[Self.x] == .integer(1))
        #expect(network.clients[0].view[id]?[Self.x] == .integer(2))
    }

    @Test("one's own edits are not others' work: a shape that only its maker worked on goes under keepIfOthersEdited")
    func ownWorkIsNotOthers() throws {
        var network = TestNetwork(clients: 2)
        network.clients[0].setUndoPolicy(UndoPolicy(creation: .keepIfOthersEdited))
        var made: ShapeID?
        network.edit(0, "Draw") { made = $0.create(kind: "note") }
        network.settle()
        let id = try #require(made)
        network.edit(0, "Type") { $0.insertText("mine", at: 0, in: id) }
        network.settle()
        network.undo(0)
        let result = try network.clients[0].undo()
        guard case .done(let report) = result else { return #expect(Bool(false), "\(result)") }
        #expect(report.label == "Draw" && report.remarks == [])
        #expect(!network.clients[0].view.isVisible(id))
    }

    @Test("yieldToRemote yields to others only, not to what one wrote in another history")
    func ownHistoriesDoNotYield() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Frame") { $0.create(kind: "frame") }
        network.clients[0].clearHistory(.main)
        let second = network.clients[0].addHistory()
        network.clients[0].setUndoPolicy(UndoPolicy(overwritten: .yieldToRemote))
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.edit(0, "Bring to Front") { $0.bringToFront(id) }
        _ = try network.clients[0].edit("In the other", history: second) { draft in
            draft.set(id, Self.color, .string("blue"))
            draft.create(kind: "note")
            draft.bringToFront(id)
        }
        network.settle()
        network.edit(1, "Theirs") { $0.set(id, Self.x, .integer(4)) }
        network.settle()
        for label in ["Bring to Front", "Colour"] {
            let result = try network.clients[0].undo()
            guard case .done(let report) = result else { return #expect(Bool(false), "\(label): \(result)") }
            #expect(report.label == label && report.remarks == [])
        }
        #expect(network.clients[0].view[id]?[Self.color] == nil)
        #expect(network.clients[0].view.visibleShapes().first?.id == id)
    }

    // MARK: What belongs together

    @Test("C1: what is typed after an undo and a redo is an action of its own, however soon")
    func typingAfterRedo() {
        var (network, id) = ContractTests.network()
        network.edit(0, "Type", coalescing: .typing, now: 100) { $0.insertText("a", at: 0, in: id) }
        network.settle()
        network.undo(0)
        network.settle()
        network.redo(0)
        network.settle()
        network.edit(0, "Type", coalescing: .typing, now: 200) { $0.insertText("b", at: 1, in: id) }
        #expect(network.clients[0].undoLabels() == ["Type", "Type"])
        network.undo(0)
        #expect(network.clients[0].view[id]?.text.string == "a")
    }

    @Test("an edit joins no action that was undone and redone since")
    func joiningAfterRedo() throws {
        var stack = UndoStack()
        var draft = TransactionDraft(canvas: Canvas(), identities: IdentitySource(site: try #require(SiteID(5))))
        draft.create(kind: "note")
        let entry = stack.recordEdit(1, label: "Draw", joining: nil)
        let items = draft.operations.enumerated().map { UndoStack.Item($1, key: $0, entry: entry) }
        stack.update(1, items: items, inverses: draft.inverses)
        var view = draft.canvas
        for (number, cause) in [(LocalNumber(2), Transaction.Cause.undo), (3, .redo)] {
            guard case .press(let press) = stack.press(cause, in: view) else {
                Issue.record("\(cause) does nothing")
                return
            }
            stack.record(press, as: [(number, press.items.indices)])
            stack.update(number, items: press.items, inverses: press.inverses)
            view = press.canvas
        }
        #expect(stack.newestEntry == entry)
        #expect(stack.recordEdit(4, label: "Type", joining: entry) != entry)
        #expect(stack.undoLabels == ["Type", "Draw"])
    }

    // MARK: What is let go of

    @Test(
        "UN-05: a held redo restores the right value although the limit drops its action meanwhile, over a restart too",
        arguments: [false, true])
    func holdOutlivesTheLimit(isRestarted: Bool) throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(2)) }
        network.settle()
        network.undo(0)
        network.redo(0)
        network.clients[0].setLevelsOfUndo(1)
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        #expect(network.clients[0].undoLabels() == ["Colour"])
        network.edit(1, "Theirs") { $0.set(id, Self.x, .integer(9)) }
        network.deliverUp(1)
        if isRestarted { try network.restart(0, includingCanvas: true) }
        network.settle()
        let labels = network.log.suffix(4).map(\.commit.transaction.label)
        #expect(labels == ["Theirs", "Undo Move", "Redo Move", "Colour"])
        #expect(network.canvas[id]?[Self.x] == .integer(9), "what the undo found")
    }

    @Test("A7: a byte budget drops of what can be redone first what is farthest away")
    func budgetKeepsTheNearestRedo() {
        var (network, id) = ContractTests.network()
        for number in 1...20 { network.edit(0, "Move \(number)") { $0.set(id, Self.x, .integer(Int64(number))) } }
        for _ in 0..<19 { network.undo(0) }
        network.settle()
        network.clients[0].setByteBudget(network.clients[0].retainedBytes() * 3 / 4)
        let kept = network.clients[0].redoLabels()
        #expect((2...18).contains(kept.count))
        #expect(kept == kept.indices.map { "Move \($0 + 2)" })
        #expect(network.clients[0].undoLabels() == ["Move 1"])
    }

    // MARK: Saved states

    @Test("C8: a version taken before a restart does not name the view after it", arguments: [true, false])
    func versionOfBeforeARestart(includingCanvas: Bool) throws {
        var (network, id) = ContractTests.network()
        let started = network.clients[0].viewVersion
        try network.restart(0, includingCanvas: includingCanvas)
        #expect(throws: EditError.stale) {
            try network.clients[0].edit("Layout", unchangedSince: started) { $0.set(id, Self.x, .integer(9)) }
        }
    }

    @Test("P15: the limits of a history and its policy are as they were after a restart")
    func limitsAndPolicyComeBack() throws {
        var network = TestNetwork(clients: 2)
        network.clients[0].setUndoPolicy(UndoPolicy(overwritten: .yieldToRemote, creation: .keepIfOthersEdited))
        network.clients[0].setLevelsOfUndo(2)
        var made: ShapeID?
        network.edit(0, "Draw") { made = $0.create(kind: "note") }
        let id = try #require(made)
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.settle()
        network.edit(1, "Theirs") { $0.set(id, Self.color, .string("green")) }
        network.settle()
        try network.restart(0, includingCanvas: true)
        network.settle()
        guard case .nothing(let remarks) = try network.clients[0].undo() else { return #expect(Bool(false)) }
        #expect(remarks.map(\.reason) == [.yielded, .kept])
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(1)) }
        #expect(network.clients[0].undoLabels() == ["Move", "Colour"])
        network.clients[0].setLevelsOfUndo(0)
        network.clients[0].setByteBudget(1)
        try network.restart(0, includingCanvas: true)
        network.edit(0, "Last") { $0.set(id, Self.x, .integer(2)) }
        #expect(network.clients[0].undoLabels() == ["Last"])
    }

    @Test("P17: what others overwrite after a restart is named as before it", arguments: [true, false])
    func overwrittenAfterARestart(includingCanvas: Bool) throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.settle()
        try network.restart(0, includingCanvas: includingCanvas)
        network.settle()
        network.edit(1, "Theirs") { $0.set(id, Self.color, .string("green")) }
        network.settle()
        guard case .done(let report) = network.clients[0].preview(.undo) else { return #expect(Bool(false)) }
        #expect(report.remarks.map(\.reason) == [.overwritten])
    }
}
