import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

/// P14: the selection of a step.
@Suite("Selections that undo and redo restore")
struct SelectionTests {
    private func selection(_ result: PressResult) -> Selection? {
        guard case .done(let report) = result else { return nil }
        return report.selection
    }

    @Test("undo selects what was selected before the step, redo what was after it; without one, nothing")
    func shapes() throws {
        var (network, id) = ContractTests.network()
        let change = SelectionChange(before: Selection(shapes: [id]), after: Selection())
        network.edit(0, "Move") { draft in
            draft.set(id, ContractTests.x, .integer(1))
            draft.selection = change
        }
        network.edit(0, "Colour") { $0.set(id, ContractTests.color, .string("red")) }
        let first = selection(try network.clients[0].undo())
        #expect(first == nil)
        let second = selection(try network.clients[0].undo())
        #expect(second == Selection(shapes: [id]))
        let third = selection(try network.clients[0].redo())
        #expect(third == Selection())
    }

    @Test("UR-175: shapes that are hidden by then are not selected")
    func hiddenShapes() throws {
        var network = TestNetwork(clients: 2)
        var made: [ShapeID] = []
        network.edit(0) { draft in for _ in 0..<3 { made.append(draft.create(kind: "note")) } }
        let change = SelectionChange(before: Selection(shapes: made), after: nil)
        network.edit(0, "Move") { draft in
            draft.set(made[0], ContractTests.x, .integer(1))
            draft.selection = change
        }
        network.settle()
        network.edit(1) { $0.delete([made[1]]) }
        network.settle()
        let restored = selection(try network.clients[0].undo())
        #expect(restored == Selection(shapes: [made[0], made[2]]))
    }

    @Test(
        "UR-172: a selected range begins before its first character and ends behind its last, whatever came in between")
    func textRange() throws {
        var network = TestNetwork(clients: 2)
        var made: ShapeID?
        network.edit(0) { made = $0.create(kind: "note", text: "Hello world!") }
        network.settle()
        let id = try #require(made)
        let text = try #require(network.clients[0].view[id]?.text)
        let (first, last) = text.anchors(around: 1..<4)
        let before = Selection(text: Selection.TextRange(shape: id, anchor: first, head: last))
        network.edit(0, "Cut") { draft in
            draft.deleteText(1..<4, in: id)
            draft.selection = SelectionChange(before: before, after: nil)
        }
        network.settle()
        network.edit(1) { draft in
            draft.insertText("Hi ", at: 0, in: id)
            draft.insertText("ii", at: 4, in: id)
        }
        network.settle()
        let restored = try #require(selection(try network.clients[0].undo())?.text)
        let now = try #require(network.clients[0].view[id]?.text)
        #expect(now.string == "Hi Hiiello world!")
        #expect(now.offset(of: restored.anchor) == 6 && now.offset(of: restored.head) == 9)
    }

    @Test("UR-174: a typing burst restores the caret in front of its first character, redo behind its last")
    func typing() throws {
        var (network, id) = ContractTests.network()
        for (offset, letter) in ["a", "b", "c"].enumerated() {
            let text = try #require(network.clients[0].view[id]?.text)
            let caret = text.anchors(around: offset..<offset).first
            let before = Selection(text: Selection.TextRange(shape: id, anchor: caret, head: caret))
            network.edit(0, "Type", coalescing: .typing, now: 100) { draft in
                draft.insertText(letter, at: offset, in: id)
                guard let typed = draft.canvas[id]?.text.anchors(around: offset + 1..<offset + 1).last else { return }
                let after = Selection(text: Selection.TextRange(shape: id, anchor: typed, head: typed))
                draft.selection = SelectionChange(before: before, after: after)
            }
        }
        #expect(network.clients[0].historyState().undoCount == 1)
        let undone = try #require(selection(try network.clients[0].undo())?.text)
        #expect(undone.anchor == .start)
        let redone = try #require(selection(try network.clients[0].redo())?.text)
        #expect(network.clients[0].view[id]?.text.offset(of: redone.head) == 3)
    }

    @Test("anchors stay beside their characters, and beside the place of hidden ones")
    func anchors() throws {
        var (network, id) = ContractTests.network()
        network.edit(0) { $0.insertText("abcdef", at: 0, in: id) }
        let text = try #require(network.clients[0].view[id]?.text)
        let (first, last) = text.anchors(around: 2..<4)
        #expect(text.offset(of: first) == 2 && text.offset(of: last) == 4)
        #expect(text.anchors(around: 0..<0).first == .start && text.offset(of: .end) == 6)
        network.edit(0) { $0.deleteText(2..<4, in: id) }
        let rest = try #require(network.clients[0].view[id]?.text)
        #expect(rest.offset(of: first) == 2 && rest.offset(of: last) == 2)
        #expect(rest.offset(of: .before(CharacterID(site: try #require(SiteID(5)), counter: 1))) == 0)
    }
}
