import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

@Suite("Groups, limits and the life of histories")
struct HistoryLifeTests {
    private static let x = ContractTests.x
    private static let color = ContractTests.color

    // MARK: Groups

    @Test("P12, UN-09: cancelling a group restores the state before it and leaves nothing to redo")
    func cancelRestores() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.settle()
        network.clients[0].beginGroup("Drag")
        for number in 1...5 {
            network.edit(0) { $0.set(id, Self.x, .integer(Int64(number))) }
            if number == 3 { network.settle() }
        }
        network.edit(1, "Colour") { $0.set(id, Self.color, .string("blue")) }
        network.settle()
        let result = try network.clients[0].cancelGroup()
        network.collect(0)
        network.settle()
        #expect(result.label == "Drag")
        #expect(network.canvas[id]?[Self.x] == .integer(0))
        #expect(network.canvas[id]?[Self.color] == .string("blue"))
        #expect(network.clients[0].undoLabels() == ["Colour"])
        #expect(network.clients[0].historyState().redoCount == 0)
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(8)) }
        #expect(network.clients[0].undoLabels() == ["Move", "Colour"], "the group is closed")
    }

    @Test("cancelling closes all levels, and does nothing without a group or without an edit in it")
    func cancelNothing() throws {
        var (network, id) = ContractTests.network()
        let withoutGroup = try network.clients[0].cancelGroup()
        #expect(withoutGroup == .nothing([]))
        network.clients[0].beginGroup("Outer")
        network.clients[0].beginGroup("Inner")
        let withoutEdit = try network.clients[0].cancelGroup()
        #expect(withoutEdit == .nothing([]))
        network.edit(0, "One") { $0.set(id, Self.x, .integer(1)) }
        network.edit(0, "Two") { $0.set(id, Self.x, .integer(2)) }
        #expect(network.clients[0].undoLabels() == ["Two", "One"])
    }

    @Test("a cancellation that is refused puts the action back")
    func refusedCancellation() throws {
        var (network, id) = ContractTests.network()
        network.clients[0].beginGroup("Drag")
        network.edit(0) { $0.set(id, Self.x, .integer(1)) }
        network.settle()
        network.refuses = { _, submission in submission.transaction.cause == .undo ? .malformed : nil }
        try network.clients[0].cancelGroup()
        network.collect(0)
        #expect(network.clients[0].undoLabels() == [])
        network.settle()
        #expect(network.clients[0].undoLabels() == ["Drag"])
        #expect(network.clients[0].view[id]?[Self.x] == .integer(1))
    }

    @Test("cancelling what others have hidden meanwhile takes the hidden part back, too")
    func cancelHiddenPart() throws {
        var (network, id) = ContractTests.network()
        network.clients[0].beginGroup("Type")
        network.edit(0) { $0.insertText("abc", at: 0, in: id) }
        network.settle()
        network.edit(1, "Erase") { $0.deleteText(0..<3, in: id) }
        network.settle()
        try network.clients[0].cancelGroup()
        network.collect(0)
        network.settle()
        network.undo(1)
        network.settle()
        #expect(network.canvas[id]?.text.string == "")
    }

    @Test("C6: undo with an open group closes it and undoes it, and cancels the gesture that others are shown")
    func undoClosesGroup() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.clients[0].beginGroup("Drag")
        network.edit(0) { $0.set(id, Self.x, .integer(3)) }
        var presence = network.clients[0].presence
        presence.preview = [Presence.Preview(shape: id, properties: Properties([(Self.x, .integer(4))]))]
        network.clients[0].show(presence)
        let pressed = try network.clients[0].undo()
        #expect(pressed.label == "Drag")
        #expect(network.clients[0].presence.preview.isEmpty)
        #expect(network.clients[0].undoLabels() == ["Colour"])
    }

    // MARK: Limits

    @Test("A7: a byte budget drops the oldest actions at once, and never the newest")
    func byteBudget() {
        var (network, id) = ContractTests.network()
        for number in 1...50 { network.edit(0, "Move \(number)") { $0.set(id, Self.x, .integer(Int64(number))) } }
        network.settle()
        let full = network.clients[0].retainedBytes()
        network.clients[0].setByteBudget(full / 2)
        let kept = network.clients[0].historyState().undoCount
        #expect((10...40).contains(kept))
        #expect(network.clients[0].undoLabels() == (51 - kept...50).reversed().map { "Move \($0)" })
        #expect(network.clients[0].retainedBytes() <= full / 2)
        network.edit(0, "Type") { $0.insertText(String(repeating: "long", count: full), at: 0, in: id) }
        network.edit(0, "Erase") { $0.deleteText(0..<full, in: id) }
        network.clients[0].setByteBudget(1)
        #expect(network.clients[0].undoLabels() == ["Erase"])
        network.settle()
        let pressed = network.undo(0)
        #expect(pressed, "the newest action stays, whatever it takes")
    }

    @Test("A7: what is retained is the sum of what its parts take, through edits, presses and acknowledgements")
    func retainedBytesAddUp() {
        for seed in UInt64(1)...40 {
            var history = RandomHistory(seed: seed, steps: 0, refusalPercent: 5)
            for _ in 0..<80 {
                history.step()
                for client in history.network.clients { client.checkHistories() }
            }
            history.settle()
            for client in history.network.clients { client.checkHistories() }
        }
    }

    @Test("lowering the limits while everything is under way breaks nothing")
    func limitsUnderWay() {
        var (network, id) = ContractTests.network()
        for number in 1...20 { network.edit(0, "Move \(number)") { $0.set(id, Self.x, .integer(Int64(number))) } }
        for _ in 0..<5 { network.undo(0) }
        network.clients[0].setLevelsOfUndo(3)
        #expect(network.clients[0].undoLabels() == ["Move 15", "Move 14", "Move 13"])
        network.settle()
        #expect(network.canvas[id]?[Self.x] == .integer(15))
        for _ in 0..<3 {
            let isUndone = network.undo(0)
            #expect(isUndone)
        }
        let pressed = network.undo(0)
        #expect(!pressed)
        network.settle()
        #expect(network.canvas[id]?[Self.x] == .integer(12))
        network.clients[0].checkHistories()
    }

    // MARK: Lives

    @Test(
        "B5: closing an editor's history forgets its actions and nobody else's, and nothing is recorded in it any more")
    func closing() throws {
        var (network, id) = ContractTests.network()
        let second = network.clients[0].addHistory()
        network.edit(0, "Main") { $0.set(id, Self.x, .integer(1)) }
        _ = try network.clients[0].edit("Second", history: second) { $0.set(id, Self.color, .string("red")) }
        network.clients[0].closeHistory(second)
        _ = try network.clients[0].edit("Late", history: second) { $0.set(id, Self.color, .string("blue")) }
        #expect(network.clients[0].historyState(second).undoCount == 0)
        #expect(network.clients[0].undoLabels() == ["Main"])
        let pressed = try network.clients[0].undo(second)
        #expect(pressed == .nothing([]))
        network.settle()
        #expect(network.canvas[id]?[Self.color] == .string("blue"))
    }

    @Test("clearing redo keeps undo, and clearing undo keeps redo")
    func clearingOneSide() throws {
        var (network, id) = ContractTests.network()
        for number in 1...3 { network.edit(0, "Move \(number)") { $0.set(id, Self.x, .integer(Int64(number))) } }
        network.undo(0)
        var copy = network
        network.clients[0].clearRedo()
        #expect(network.clients[0].undoLabels() == ["Move 2", "Move 1"] && network.clients[0].redoLabels() == [])
        copy.clients[0].clearUndo()
        #expect(copy.clients[0].undoLabels() == [] && copy.clients[0].redoLabels() == ["Move 3"])
        let isRedone = copy.redo(0)
        #expect(isRedone)
        copy.settle()
        #expect(copy.canvas[id]?[Self.x] == .integer(3))
    }

    @Test("A4: replacing everything is one step, of what really differs, and undo brings back all of it")
    func replaceAll() throws {
        var (network, id) = ContractTests.network()
        var other = TransactionDraft(
            canvas: network.clients[0].view, identities: IdentitySource(site: try #require(SiteID(77))))
        let imported = other.create(kind: "ellipse", text: "imported")
        other.delete([id])
        network.clients[0].clearHistory(.main)
        _ = try network.clients[0].replaceAll("Import", with: other.canvas)
        network.collect(0)
        network.settle()
        #expect(network.canvas.visibleShapes().map(\.id) == [imported])
        #expect(network.clients[0].undoLabels() == ["Import"])
        _ = try network.clients[0].replaceAll("Import", with: other.canvas)
        #expect(network.clients[0].undoLabels() == ["Import"], "nothing differs any more")
        network.undo(0)
        network.settle()
        #expect(network.canvas.visibleShapes().map(\.id) == [id])
    }

    @Test("A4: a new baseline is no step and clears every history")
    func baseline() throws {
        var (network, id) = ContractTests.network()
        let second = network.clients[0].addHistory()
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(1)) }
        _ = try network.clients[0].edit("Colour", history: second) { $0.set(id, Self.color, .string("red")) }
        _ = try network.clients[0].replaceAll("Load", with: Canvas(), history: nil)
        network.collect(0)
        network.settle()
        #expect(network.canvas.visibleShapes().isEmpty)
        for history in [HistoryID.main, second] {
            #expect(network.clients[0].historyState(history).undoCount == 0)
        }
    }

    @Test(
        "C8: the result of asynchronous work is dropped if anything has changed since, here or elsewhere, or on another canvas"
    )
    func staleResults() throws {
        var (network, id) = ContractTests.network()
        let started = network.clients[0].viewVersion
        network.edit(1, "Move") { $0.set(id, Self.x, .integer(1)) }
        network.settle()
        #expect(throws: EditError.stale) {
            try network.clients[0].edit("Layout", unchangedSince: started) { $0.set(id, Self.x, .integer(9)) }
        }
        #expect(network.clients[0].historyState().undoCount == 0)
        #expect(network.clients[0].view[id]?[Self.x] == .integer(1))
        let again = network.clients[0].viewVersion
        let result = try network.clients[0].edit("Layout", unchangedSince: again) { $0.set(id, Self.x, .integer(9)) }
        #expect(result.hasEffect)
        #expect(throws: EditError.stale, "an own edit counts too") {
            try network.clients[0].edit("Layout", unchangedSince: again) { $0.set(id, Self.x, .integer(8)) }
        }
        let elsewhere = network.clients[1].viewVersion
        #expect(throws: EditError.stale) {
            try network.clients[0].edit("Layout", unchangedSince: elsewhere) { $0.set(id, Self.x, .integer(8)) }
        }
    }
}
