import Testing

@testable import EaselCore

@Suite("Transaction drafts")
struct TransactionDraftTests {
    private let x = propertyKey("x")

    private func draft(_ operations: [Operation] = []) -> TransactionDraft {
        TransactionDraft(canvas: .holding(operations), identities: IdentitySource(site: site(7)))
    }

    private func transaction(_ draft: TransactionDraft) -> Transaction {
        Transaction(operations: draft.operations, label: "Edit")
    }

    // MARK: Flaws

    @Test("a malformed operation is left out, and the first one's flaw is remembered")
    func flaw() {
        var draft = draft([creating("a")])
        #expect(draft.flaw == nil)
        draft.add(.place(shapeID("a"), Placement()))
        draft.set(shapeID("a"), x, .double(.nan))
        draft.set(shapeID("a"), x, .integer(1))
        #expect(draft.flaw == .emptyPlacement)
        #expect(draft.operations == [.set(shapeID("a"), [PropertyChange(x, .integer(1))])])
        #expect(draft.problems.isEmpty)
    }

    @Test("a shape of a malformed kind is not created, however long its text, and neither is what it should hold")
    func malformedKind() {
        var draft = draft()
        let id = draft.create(kind: "", text: String(repeating: "x", count: Limits.charactersPerInsertion + 1))
        #expect(draft.flaw == .kindLength)
        #expect(draft.isEmpty && draft.canvas[id] == nil && draft.problems.isEmpty)
    }

    @Test("setting no properties changes nothing and is no flaw")
    func nothingSet() {
        var draft = draft([creating("a")])
        draft.set(shapeID("a"), [])
        #expect(draft.isEmpty && draft.flaw == nil)
    }

    // MARK: Long texts

    @Test("a paste longer than one insertion comes in several, at one place", arguments: [0, 1, 2])
    func longPaste(_ offset: Int) {
        var draft = draft([creating("a"), typing("a", "ab")])
        let paste = String(repeating: "🌍x", count: 35_000)
        draft.insertText(paste, at: offset, in: shapeID("a"))
        #expect(draft.operations.count == 2 && draft.flaw == nil && draft.problems.isEmpty)
        #expect(transaction(draft).flaw == nil)
        #expect(draft.canvas[shapeID("a")]?.text.string == "ab".prefix(offset) + paste + "ab".dropFirst(offset))
        var replica = Canvas.holding([creating("a"), typing("a", "ab")])
        #expect(replica.apply(draft.operations).problems.isEmpty)
        #expect(replica.digest == draft.canvas.digest)
        _ = replica.apply(draft.inverses.compactMap { $0 }.reversed())
        #expect(replica[shapeID("a")]?.text.string == "ab")
    }

    @Test("a shape is created with a text longer than one insertion")
    func longFirstText() {
        var draft = draft()
        let text = String(repeating: "xy", count: 70_000)
        let id = draft.create(kind: "note", text: text)
        #expect(draft.operations.count == 3 && transaction(draft).flaw == nil)
        #expect(draft.canvas[id]?.text.string == text)
    }

    @Test("a shape is not created with more text than a text holds: the text is full, and the draft is as it was")
    func tooLongFirstText() {
        var draft = draft()
        let id = draft.create(kind: "note", text: String(repeating: "x", count: Limits.charactersPerText + 1))
        #expect(draft.problems == [.textFull(id)])
        #expect(draft.isEmpty && draft.flaw == nil && draft.canvas.shapeCount == 0)
        let other = draft.create(kind: "note", text: String(repeating: "x", count: Limits.charactersPerText))
        #expect(draft.canvas[other]?.text.count == Limits.charactersPerText)
        #expect(transaction(draft).flaw == nil)
    }

    @Test("more than the text can hold is not inserted: the text is full, and the draft is as it was")
    func tooLongPaste() {
        var draft = draft([creating("a"), typing("a", "ab")])
        draft.insertText(String(repeating: "x", count: Limits.charactersPerText - 1), at: 1, in: shapeID("a"))
        #expect(draft.problems == [.textFull(shapeID("a"))])
        #expect(draft.isEmpty && draft.flaw == nil && draft.canvas[shapeID("a")]?.text.string == "ab")
        draft.insertText("!", at: 2, in: shapeID("a"))
        #expect(draft.canvas[shapeID("a")]?.text.ids.last == character(7, 1))
    }

    @Test("more shapes than one operation may name are deleted by several")
    func manyDeletions() {
        let ids = (0...Limits.targetsPerOperation).map { shapeID("s\($0)") }
        var draft = draft(ids.map { creating($0.rawValue) })
        draft.delete(ids)
        #expect(draft.operations.count == 2 && transaction(draft).flaw == nil)
        #expect(draft.canvas.visibleShapeCount == 0)
    }

    // MARK: Order and parents

    @Test("a shape that is the foremost or rearmost visible one stays there, whatever hidden ones are beyond it")
    func pastHidden() {
        var draft = draft([
            creating("h1", order: "A"), creating("a", order: "B"), creating("b", order: "C"),
            creating("h2", order: "D"), .hide(.deleted, .shapes([shapeID("h1"), shapeID("h2")])),
        ])
        draft.bringToFront(shapeID("b"))
        draft.sendToBack(shapeID("a"))
        #expect(draft.isEmpty && draft.problems.isEmpty)
        draft.bringToFront(shapeID("a"))
        #expect(draft.canvas.childNames() == ["h1", "b", "h2", "a"])
        draft.sendToBack(shapeID("a"))
        #expect(draft.canvas.childNames() == ["a", "h1", "b", "h2"])
    }

    @Test("a new shape stands in front of what is drawn and behind hidden ones, until keys there become long")
    func behindHidden() {
        var draft = draft()
        let hidden = draft.create(kind: "note")
        draft.add(.hide(.retracted, .shapes([hidden])))
        var made: [ShapeID] = []
        for _ in 0..<1_000 { made.append(draft.create(kind: "note")) }
        #expect(draft.canvas.visibleChildren(of: nil).map(\.id) == made)
        let all = draft.canvas.children(of: nil)
        let place = all.firstIndex { $0.id == hidden } ?? 0
        #expect((50..<950).contains(place))
        #expect(all.allSatisfy { $0.order.rawValue.utf8.count <= 40 })
        draft.add(.show(.retracted, .shapes([hidden])))
        #expect(draft.canvas.visibleChildren(of: nil)[place].id == hidden)
    }

    @Test("behind many hidden shapes nothing is looked for")
    func behindManyHidden() {
        var draft = draft()
        let first = draft.create(kind: "note")
        var hidden: [ShapeID] = []
        for _ in 0..<100 { hidden.append(draft.create(kind: "note")) }
        draft.delete(hidden)
        let new = draft.create(kind: "note")
        #expect(draft.canvas.visibleChildren(of: nil).map(\.id) == [first, new])
        #expect(draft.canvas.children(of: nil).last?.id == new)
    }

    @Test("a hidden sibling with a visible shape in it is something to be in front of, or behind")
    func pastChildOfHidden() {
        var draft = draft([
            creating("h1", order: "A"), creating("a", order: "B"), creating("h2", order: "D"),
            creating("in1", in: "h1"), creating("in2", in: "h2"),
            .hide(.deleted, .shapes([shapeID("h1"), shapeID("h2")])),
        ])
        draft.bringToFront(shapeID("a"))
        #expect(draft.canvas.visibleChildNames() == ["in1", "in2", "a"])
        draft.sendToBack(shapeID("a"))
        #expect(draft.canvas.visibleChildNames() == ["a", "in1", "in2"])
    }

    @Test("OP-03 naming the parent a shape has is no problem, however deep that lies")
    func currentParent() {
        var canvas = Canvas.holding(CanvasTreeTests.chain("c", 3) + CanvasTreeTests.chain("d", Limits.nesting))
        // What is in a shape that is moved may come to lie deeper than a shape may be put.
        _ = canvas.apply([
            .place(shapeID("c0"), Placement(parent: .shape(shapeID("d\(Limits.nesting - 1)"))))
        ])
        var draft = TransactionDraft(canvas: canvas, identities: IdentitySource(site: site(7)))
        draft.add(.place(shapeID("c2"), Placement(parent: .shape(shapeID("c1")))))
        #expect(draft.isEmpty && draft.problems.isEmpty)
        draft.add(.place(shapeID("c2"), Placement(parent: .shape(shapeID("c1")), order: order("z"))))
        #expect(draft.operations == [.place(shapeID("c2"), Placement(order: order("z")))])
        draft.add(.place(shapeID("c2"), Placement(parent: .shape(shapeID("c0")))))
        #expect(draft.problems == [.tooDeep(shapeID("c2"))])
    }
}
