import EaselCore
import Testing

@testable import EaselPlay

@Suite("What the checkers of the laws see")
struct LawTests {
    private static func canvas(_ body: (inout TransactionDraft) -> Void) -> Canvas {
        guard let site = SiteID(1) else { preconditionFailure("1 is a site") }
        var draft = TransactionDraft(canvas: Canvas(), identities: IdentitySource(site: site))
        body(&draft)
        return draft.canvas
    }

    private static func change(_ canvas: Canvas, _ body: (inout TransactionDraft) -> Void) -> Canvas {
        guard let site = SiteID(2) else { preconditionFailure("2 is a site") }
        var draft = TransactionDraft(canvas: canvas, identities: IdentitySource(site: site))
        body(&draft)
        return draft.canvas
    }

    private let key = RandomPlayEdit<ShapeID>.width

    @Test("what a person can tell apart: shapes, registers, parents, order and characters")
    func visibleChanges() {
        var ids: [ShapeID] = []
        let canvas = Self.canvas { draft in
            for _ in 0..<3 { ids.append(draft.create(kind: "note", text: "ab")) }
        }
        let changes: [(inout TransactionDraft) -> Void] = [
            { $0.create(kind: "note") }, { $0.delete([ids[0]]) }, { $0.set(ids[0], key, .integer(1)) },
            { $0.put(ids[0], into: ids[1]) }, { $0.bringToFront(ids[0]) }, { $0.insertText("c", at: 1, in: ids[0]) },
            { $0.deleteText(0..<1, in: ids[0]) },
        ]
        for change in changes {
            let changed = Self.change(canvas, change)
            #expect(Drawing.differs(changed, from: canvas))
            #expect(Drawing.differs(canvas, from: changed))
            #expect(Drawing(changed) != Drawing(canvas))
        }
        #expect(!Drawing.differs(canvas, from: canvas))
    }

    @Test("what nobody can see: what is done to a deleted shape, and another key in the same order")
    func invisibleChanges() {
        var ids: [ShapeID] = []
        let canvas = Self.canvas { draft in
            for _ in 0..<3 { ids.append(draft.create(kind: "note", text: "ab")) }
            draft.delete([ids[1]])
        }
        let changes: [(inout TransactionDraft) -> Void] = [
            { $0.set(ids[1], key, .integer(1)) }, { $0.insertText("c", at: 1, in: ids[1]) },
            { $0.put(ids[2], into: nil) }, { $0.put(ids[1], into: ids[0]) },
        ]
        for change in changes {
            let changed = Self.change(canvas, change)
            #expect(changed.digest != canvas.digest)
            #expect(!Drawing.differs(changed, from: canvas))
            #expect(Drawing(changed) == Drawing(canvas))
        }
    }

    @Test("text of other characters that reads the same can be told apart")
    func identity() throws {
        var id: ShapeID?
        let canvas = Self.canvas { id = $0.create(kind: "note", text: "p") }
        let shape = try #require(id)
        let changed = Self.change(canvas) { draft in
            draft.deleteText(0..<1, in: shape)
            draft.insertText("p", at: 0, in: shape)
        }
        #expect(Drawing.differs(changed, from: canvas))
    }

    @Test("P1: a change of what was never touched is found, of what was touched is not")
    func trespasses() {
        var ids: [ShapeID] = []
        let canvas = Self.canvas { draft in
            ids.append(draft.create(kind: "note", text: "ab"))
            ids.append(draft.create(kind: "note"))
        }
        let changes: [(inout TransactionDraft) -> Void] = [
            { $0.set(ids[0], key, .integer(1)) }, { $0.put(ids[0], into: ids[1]) }, { $0.delete([ids[0]]) },
            { $0.deleteText(0..<1, in: ids[0]) }, { $0.add(.hide(.retracted, .shapes([ids[0]]))) },
        ]
        for change in changes {
            let changed = Self.change(canvas, change)
            #expect(
                RandomPlayPerson.Touched().trespass(
                    from: canvas, to: changed, in: changed.changedShapes(since: canvas))?.shape == ids[0])
            var draft = TransactionDraft(canvas: canvas, identities: IdentitySource(site: SiteID(2)!))
            change(&draft)
            var person = RandomPlayPerson()
            person.note(draft.operations, label: "", history: 0)
            let trespass = person.touched[0].trespass(
                from: canvas, to: changed, in: changed.changedShapes(since: canvas))
            if case .hide(.retracted, _) = draft.operations[0] {
                #expect(trespass != nil, "whoever deletes has not created")
            } else {
                #expect(trespass == nil)
            }
        }
    }

    @Test("a canvas whose parts agree is found in order")
    func invariants() {
        let canvas = Self.canvas { draft in
            let outer = draft.create(kind: "note", text: "abc")
            let inner = draft.create(kind: "note", in: outer)
            draft.deleteText(1..<2, in: outer)
            draft.delete([inner])
        }
        #expect(canvas.disagreement() == nil)
    }

    /// The verdict of P3 on an undo that puts back a value, where `before` stood before the edit in the log.
    private func verdict(puttingBack value: Int?, before: Int?) -> String? {
        var id: ShapeID?
        let canvas = Self.canvas { draft in
            let made = draft.create(kind: "note")
            id = made
            draft.set(made, key, before.map { .integer(Int64($0)) })
        }
        guard let id else { return "no shape" }
        var person = RandomPlayPerson()
        person.actions["1 Set"] = "1 Set"
        person.presses = [RandomPlayPerson.Press(cause: .undo, label: "Undo 1 Set", actions: ["1 Set"])]
        var values = LawValues([person])
        let edit = Transaction(operations: [.set(id, [PropertyChange(key, .integer(9))])], label: "1 Set")
        var after = canvas
        let first = values.take(edit, of: 0, on: canvas)
        _ = after.apply(edit.operations)
        let back = PropertyChange(key, value.map { .integer(Int64($0)) })
        let undo = Transaction(operations: [.set(id, [back])], label: "Undo 1 Set", cause: .undo)
        return first ?? values.take(undo, of: 0, on: after)
    }

    @Test("P3: an undo must put back what stood before the edit in the log")
    func values() {
        #expect(verdict(puttingBack: 3, before: 3) == nil)
        #expect(verdict(puttingBack: nil, before: nil) == nil)
        #expect(verdict(puttingBack: 4, before: 3) != nil)
        #expect(verdict(puttingBack: nil, before: 3) != nil)
    }
}
