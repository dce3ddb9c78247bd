import EaselClientEngine
import EaselCore
import EaselPlay
import EaselProtocol
import Testing

/// UN-10: undo across a purge says so, and never guesses.
@Suite("Undo of what was purged")
struct PurgeUndoTests {
    private static let x = ContractTests.x
    private static let color = ContractTests.color

    private func remarks(_ result: PressResult) -> [Remark] {
        switch result {
        case .nothing(let remarks): remarks
        case .done(let report): report.remarks
        }
    }

    private func purged(_ id: ShapeID) -> Remark { Remark(reason: .purged, shape: id) }

    @Test("UN-10 undo of a deletion does nothing once the shape is purged, says why, and is not offered")
    func deletion() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Delete") { $0.delete([id]) }
        network.settle()
        #expect(network.clients[0].historyState().canUndo)
        network.purge(.shapes([id]))
        network.settle()
        #expect(network.clients[0].view[id] == nil)
        let before = network.clients[0].historyState()
        #expect(!before.canUndo && before.undoCount == 1)
        #expect(network.clients[0].preview(.undo) == .nothing([purged(id)]))
        #expect(try network.clients[0].undo() == .nothing([purged(id)]))
        #expect(network.clients[0].historyState() == before && network.clients[0].pendingCount == 0)
    }

    @Test("UN-10 an action of which some is purged brings back the rest and says that it is not all")
    func partOfAText() throws {
        var (network, id) = ContractTests.network()
        network.edit(1, "Type") { $0.insertText("abc", at: 0, in: id) }
        network.settle()
        network.edit(0, "Erase") { $0.deleteText(0..<3, in: id) }
        network.settle()
        let text = try #require(network.canvas[id]).text
        let second = try #require(text.storedRuns().first).first
        network.purge(.characters(id, [CharacterRange(first: second, count: 1)]))
        network.settle()
        let result = try network.clients[0].undo()
        #expect(result.label == "Erase" && remarks(result) == [purged(id)])
        network.settle()
        #expect(network.canvas[id]?.text.string == "bc")
        let redone = try network.clients[0].redo()
        #expect(redone.label == "Erase" && remarks(redone) == [])
        network.settle()
        #expect(network.canvas[id]?.text.visibleCount == 0)
    }

    @Test("UN-10 a press passes over what is purged, and goes on to what can be undone")
    func passedOver() throws {
        var (network, id) = ContractTests.network()
        var other: ShapeID?
        network.edit(1, "Create") { other = $0.create(kind: "note") }
        network.settle()
        let gone = try #require(other)
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.edit(0, "Delete") { $0.delete([gone]) }
        network.settle()
        network.purge(.shapes([gone]))
        network.settle()
        #expect(network.clients[0].historyState().undoLabel == "Colour")
        guard case .done(let report) = try network.clients[0].undo() else { return #expect(Bool(false)) }
        #expect(report.label == "Colour" && report.passed == ["Delete"] && report.remarks == [purged(gone)])
        #expect(network.clients[0].view[id]?[Self.color] == nil)
        #expect(try network.clients[0].redo().label == "Colour")
        network.settle()
        #expect(network.canvas[id]?[Self.color] == .string("red"))
    }

    @Test("UN-10 redo of a creation that was taken back and purged does nothing and says why")
    func creation() throws {
        var (network, _) = ContractTests.network()
        var made: ShapeID?
        network.edit(0, "Create") { made = $0.create(kind: "note", text: "ab") }
        network.settle()
        network.undo(0)
        network.settle()
        let id = try #require(made)
        network.purge(.shapes([id]))
        network.settle()
        #expect(!network.clients[0].historyState().canRedo)
        #expect(try network.clients[0].redo() == .nothing([purged(id)]))
    }

    @Test("a purge is nobody's work: what it takes was not overwritten or deleted by others")
    func nobodysWork() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
        network.edit(0, "Send to Back") { $0.sendToBack(id) }
        network.settle()
        network.edit(1, "Colour") { $0.set(id, Self.color, .string("green")) }
        network.edit(1, "Delete") { $0.delete([id]) }
        network.settle()
        network.purge(.shapes([id]))
        network.settle()
        for policy in [UndoPolicy(), UndoPolicy(overwritten: .yieldToRemote, creation: .keepIfOthersEdited)] {
            network.clients[0].setUndoPolicy(policy)
            #expect(network.clients[0].preview(.undo) == .nothing([purged(id)]))
        }
    }

    @Test("OP-14 what was under way when its shape was purged has no effect, and its writer is told")
    func underWay() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Delete") { $0.delete([id]) }
        network.settle()
        // Nothing reaches the server of what is done here.
        network.edit(1, "Move") { $0.set(id, Self.x, .integer(4)) }
        network.edit(0, "Restore") { $0.add(.show(.deleted, .shapes([id]))) }
        #expect(network.clients[0].view.isVisible(id))
        network.purge(.shapes([id]))
        for client in 0...1 { network.deliverDown(client) }
        #expect(network.clients[0].view[id] == nil && network.clients[0].pendingCount == 1)
        network.settle()
        for client in 0...1 {
            let problems = network.events[client].compactMap { event in
                if case .hadNoEffect(_, let problems) = event { problems } else { nil }
            }
            #expect(problems == [[.unknownShape(id)]])
            #expect(network.clients[client].confirmed.digest == network.canvas.digest)
        }
        #expect(network.canvas[id] == nil)
    }

    @Test("OP-14 what is sent again after its shape was purged is known to be committed, and makes no new shape")
    func sentAgain() throws {
        var (network, _) = ContractTests.network()
        var made: ShapeID?
        network.edit(0, "Create") { made = $0.create(kind: "note", text: "ab") }
        let frames = network.lines[0].up
        network.settle()
        let id = try #require(made)
        network.edit(1, "Delete") { $0.delete([id]) }
        network.settle()
        network.purge(.shapes([id]))
        network.settle()
        network.lines[0].up += frames
        network.settle()
        #expect(network.canvas[id] == nil)
        #expect(network.clients[0].view.digest == network.canvas.digest)
    }

    @Test(
        "UN-10 saved histories that speak of what was purged meanwhile come back, and say so once the canvas is there")
    func saved() throws {
        for includingCanvas in [true, false] {
            var (network, id) = ContractTests.network()
            network.edit(0, "Colour") { $0.set(id, Self.color, .string("red")) }
            network.edit(0, "Delete") { $0.delete([id]) }
            network.settle()
            network.purge(.shapes([id]))
            try network.restart(0, includingCanvas: includingCanvas)
            // Without a canvas nothing is known; with it, the purge has not come.
            #expect(remarks(network.clients[0].preview(.undo)) == [])
            network.settle()
            #expect(network.clients[0].undoLabels() == ["Delete", "Colour"])
            #expect(network.clients[0].preview(.undo) == .nothing([purged(id)]))
        }
    }

    @Test("UN-10 of what was committed and purged while nobody here looked it is not said that it is gone for good")
    func unseen() throws {
        var (network, _) = ContractTests.network()
        var made: ShapeID?
        network.edit(0, "Create") { made = $0.create(kind: "note") }
        let id = try #require(made)
        network.deliverUp(0)
        network.deliverDown(1, 9)
        let saved = network.clients[0].save(includingCanvas: false)
        network.disconnect(0)
        network.edit(1, "Delete") { $0.delete([id]) }
        network.deliverUp(1)
        network.purge(.shapes([id]))
        network.clients[0] = try ClientEngine.restore(from: saved)
        network.settle()
        #expect(network.canvas[id] == nil)
        #expect(network.clients[0].preview(.undo) == .nothing([Remark(reason: .limited, shape: id)]))
    }

    @Test("OP-10 a client makes no purge: the edit is refused before it is made")
    func clientsPurgeNothing() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Delete") { $0.delete([id]) }
        network.settle()
        #expect(throws: EditError.malformed(.purgeByClient)) {
            try network.clients[0].edit("Purge") { $0.add(.purge(.shapes([id]))) }
        }
        #expect(network.clients[0].view[id] != nil && network.clients[0].pendingCount == 0)
    }

    @Test("a bulk replacement by a state of before a purge brings shapes and text back")
    func replaced() throws {
        var (network, id) = ContractTests.network()
        network.edit(1, "Type") { $0.insertText("one two", at: 0, in: id) }
        network.settle()
        let old = network.canvas
        network.edit(1, "Erase") { $0.deleteText(0..<4, in: id) }
        network.settle()
        let whole = try #require(old[id]).text.storedRuns().map { CharacterRange(first: $0.first, count: $0.count) }
        network.purge(.characters(id, whole))
        network.settle()
        #expect(network.clients[0].view[id]?.text.string == "two")
        _ = try network.clients[0].replaceAll("Restore", with: old)
        network.settle()
        #expect(network.canvas[id]?.text.string == "one two")
        #expect(try network.clients[0].undo().label == "Restore")
        network.settle()
        #expect(network.canvas[id]?.text.string == "two")
    }
}

extension PurgeUndoTests {
    @Test(
        "histories with purges: nothing visible goes, nothing purged comes back, and all canvases stay equal",
        arguments: [RandomEditor.Repertoire.everything, .existenceAndText, .oneText], 1...25 as ClosedRange<UInt64>)
    func histories(_ repertoire: RandomEditor.Repertoire, _ seed: UInt64) throws {
        var history = RandomHistory(seed: seed, steps: 0, refusalPercent: seed % 5 == 0 ? 8 : 0, repertoire)
        if repertoire == .oneText { _ = history.makeText() }
        var gone = Gone()
        for _ in 0..<150 {
            if history.editor.random.chance(10) { gone.purge(&history) }
            history.step()
            gone.check(history.network.canvas)
        }
        history.settle()
        for client in history.network.clients {
            #expect(client.confirmed.digest == history.network.canvas.digest && client.pendingCount == 0)
            client.view.checkInvariants()
            gone.check(client.view)
        }
        for client in history.network.clients.indices {
            while history.network.undo(client) {}
            history.network.settle()
            while history.network.redo(client) {}
            history.network.settle()
            gone.check(history.network.canvas)
        }
        for client in history.network.clients { #expect(client.view.digest == history.network.canvas.digest) }
        #expect(try Snapshot.decode(Snapshot.encode(history.network.canvas)).digest == history.network.canvas.digest)
    }

    /// What was purged.
    private struct Gone {
        private var shapes = Set<ShapeID>()
        private var characters: [ShapeID: Set<CharacterID>] = [:]

        /// Purges some of what is hidden on the server, and names some that is not.
        mutating func purge(_ history: inout RandomHistory) {
            let before = history.network.canvas
            var all: [Shape] = []
            before.forEachShape { all.append($0) }
            all.sort { $0.id < $1.id }
            guard !all.isEmpty else { return }
            if history.editor.random.chance(50) {
                let share = 30 + history.editor.random.below(70)
                let named = all.filter { _ in history.editor.random.chance(share) }.map { $0.id }
                if !named.isEmpty { history.network.purge(.shapes(named)) }
            } else {
                let shape = all[history.editor.random.below(all.count)]
                let ranges = shape.text.storedRuns().map { CharacterRange(first: $0.first, count: $0.count) }
                if !ranges.isEmpty { history.network.purge(.characters(shape.id, ranges)) }
            }
            let after = history.network.canvas
            #expect(OraclePicture(OracleCanvas(after)) == OraclePicture(OracleCanvas(before)))
            for shape in all where after[shape.id] == nil { shapes.insert(shape.id) }
            after.forEachShape { characters[$0.id, default: []].formUnion(Self.purged($0)) }
        }

        private static func purged(_ shape: Shape) -> [CharacterID] {
            shape.text.storedRuns().filter { $0.causes == .purged }.flatMap { run in
                (0..<run.count).map { run.first.following($0) }
            }
        }

        func check(_ canvas: Canvas) {
            for id in shapes { #expect(canvas[id] == nil) }
            canvas.forEachShape { shape in
                let now = Set(Self.purged(shape))
                if let before = characters[shape.id] { #expect(before.isSubset(of: now)) }
            }
        }
    }
}
