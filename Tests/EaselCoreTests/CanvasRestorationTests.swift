import Testing

@testable import EaselCore

@Suite("Canvas: bringing back an earlier state")
struct CanvasRestorationTests {
    @Test(
        "a restoration shows exactly what was seen, names no flaw, and its inverses lead back",
        arguments: 1...8 as ClosedRange<UInt64>)
    func history(_ seed: UInt64) {
        var maker = RandomOperations(site: site(30), seed: seed)
        var canvas = Canvas()
        var kept: [Canvas] = []
        for step in 0..<240 {
            if step % 20 == 0 { kept.append(canvas) }
            _ = canvas.apply([maker.sensible(canvas)])
        }
        for earlier in kept {
            var copy = canvas
            let operations = canvas.restoration(of: earlier)
            #expect(operations.allSatisfy { $0.flaw == nil })
            let outcome = copy.apply(operations)
            #expect(outcome.problems.isEmpty)
            #expect(Visible(copy) == Visible(earlier))
            #expect(copy.restoration(of: earlier).isEmpty, "there is nothing left to do")
            copy.checkInvariants()
            _ = copy.apply(outcome.inverses.compactMap { $0 }.reversed())
            #expect(Visible(copy) == Visible(canvas))
        }
    }

    @Test("only what differs is named, and shapes and characters keep their identities")
    func smallness() {
        let a = shapeID("a")
        let x = propertyKey("x")
        let earlier = Canvas.holding([
            creating("a", properties: [(x, .integer(1)), (propertyKey("y"), .integer(2))]), typing("a", "abc"),
            creating("b"), creating("c"), .hide(.deleted, .shapes([shapeID("c")])),
        ])
        var now = earlier
        _ = now.apply([
            .set(a, [PropertyChange(x, .integer(9))]),
            .insertText(a, TextInsertion(first: character(2, 1), characters: "XY", left: character(1, 1), right: nil)),
            .hide(.retracted, .characters(a, [range(1, 3, 1)])), .hide(.deleted, .shapes([shapeID("b")])),
            creating("new"), .show(.deleted, .shapes([shapeID("c")])),
        ])
        let expected: [EaselCore.Operation] = [
            .set(a, [PropertyChange(x, .integer(1))]), .show(.retracted, .characters(a, [range(1, 3, 1)])),
            .hide(.deleted, .characters(a, [range(2, 1, 2)])), .show(.deleted, .shapes([shapeID("b")])),
            .hide(.deleted, .shapes([shapeID("c"), shapeID("new")])),
        ]
        #expect(now.restoration(of: earlier) == expected)
        #expect(earlier.restoration(of: earlier).isEmpty)
    }

    @Test("what was hidden then and is hidden now is left as it is, whatever hides it")
    func hidden() {
        let earlier = Canvas.holding([creating("a"), typing("a", "abc"), .hide(.deleted, .shapes([shapeID("a")]))])
        var now = earlier
        _ = now.apply([
            .hide(.retracted, .shapes([shapeID("a")])), .show(.deleted, .shapes([shapeID("a")])),
            .set(shapeID("a"), [PropertyChange(propertyKey("x"), .integer(1))]),
            .hide(.deleted, .characters(shapeID("a"), [range(1, 1, 1)])),
        ])
        #expect(now.restoration(of: earlier).isEmpty)
    }

    @Test("what was purged since comes back: a shape as it was, characters typed anew in their places")
    func purged() {
        let (a, b) = (shapeID("a"), shapeID("b"))
        let earlier = Canvas.holding([
            creating("a"), typing("a", "abcdef"), creating("b", properties: [(propertyKey("x"), .integer(1))]),
        ])
        var now = earlier
        _ = now.apply([
            .hide(.deleted, .characters(a, [range(1, 2, 3)])), .purge(.characters(a, [range(1, 2, 3)])),
            .hide(.deleted, .shapes([b])), .purge(.shapes([b])),
        ])
        #expect(now[a]?.text.string == "aef" && now[b] == nil)
        var draft = TransactionDraft(canvas: now, identities: IdentitySource(site: site(9)))
        draft.restore(earlier)
        #expect(draft.problems.isEmpty && draft.flaw == nil)
        #expect(draft.canvas[a]?.text.string == "abcdef")
        #expect(draft.canvas[b]?[propertyKey("x")] == .integer(1))
        draft.canvas.checkInvariants()
    }
}
