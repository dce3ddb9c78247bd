import Testing

@testable import EaselCore

@Suite("What has been hidden long enough to be purged")
struct PurgeSurveyTests {
    private func hide(_ names: String...) -> Operation { .hide(.deleted, .shapes(names.map(shapeID))) }
    private func show(_ names: String...) -> Operation { .show(.deleted, .shapes(names.map(shapeID))) }

    /// What may go of a canvas made by `before`, which is the horizon, and by transactions of one operation each `since`.
    private func survey(_ before: [Operation], since: [Operation] = []) -> (canvas: Canvas, targets: [Targets]) {
        var canvas = Canvas.holding(before)
        var survey = PurgeSurvey(from: canvas)
        for operation in since {
            _ = canvas.apply([operation])
            survey.pass(Transaction(operations: [operation], label: ""))
        }
        return (canvas, survey.targets(in: canvas))
    }

    @Test(
        "what was hidden at the horizon and is hidden still may go, the deeper first; what is visible or was hidden later may not"
    )
    func shapes() {
        let (canvas, targets) = survey(
            [creating("a"), creating("b", in: "a"), creating("c"), creating("d"), hide("a", "b")], since: [hide("d")])
        #expect(targets == [.shapes([shapeID("b"), shapeID("a")])])
        var purged = canvas
        for target in targets { _ = purged.apply([.purge(target)]) }
        #expect(purged[shapeID("a")] == nil && purged[shapeID("b")] == nil)
        #expect(purged[shapeID("c")] != nil && purged[shapeID("d")] != nil)
        #expect(purged.visibleChildNames() == canvas.visibleChildNames())
        purged.checkInvariants()
    }

    @Test("what somebody named since stays: shown and hidden again, set, moved, or typed into")
    func touched() {
        let before = [creating("a"), creating("b"), hide("a")]
        for since in [
            [show("a"), hide("a")], [.set(shapeID("a"), [PropertyChange(propertyKey("x"), .integer(1))])],
            [.place(shapeID("a"), Placement(parent: .shape(shapeID("b"))))], [typing("a", "text")],
        ] {
            #expect(survey(before, since: since).targets.isEmpty, "\(since)")
        }
        #expect(survey(before, since: [show("b")]).targets == [.shapes([shapeID("a")])])
    }

    @Test("characters go of texts in which nothing was hidden or shown since, whatever was typed")
    func characters() throws {
        let text = typing("a", "some text")
        guard case .insertText(let id, let insertion) = text else { return }
        let gone = CharacterRange(first: insertion.first, count: 4)
        let before = [creating("a"), text, .hide(.deleted, .characters(id, [gone]))]
        #expect(survey(before).targets == [.characters(id, [gone])])
        let later = CharacterRange(first: insertion.first.advanced(by: 6), count: 1)
        #expect(survey(before, since: [.hide(.deleted, .characters(id, [later]))]).targets.isEmpty)
        let (canvas, targets) = survey(before)
        var purged = canvas
        _ = purged.apply([.purge(try #require(targets.first))])
        #expect(purged[id]?.text.string == " text" && PurgeSurvey(from: purged).targets(in: purged).isEmpty)
    }

    @Test("of targets what was named meanwhile is left out")
    func without() {
        var named = NamedShapes()
        named.pass(Transaction(operations: [show("a"), .hide(.deleted, .characters(shapeID("t"), []))], label: ""))
        #expect(Targets.shapes([shapeID("a"), shapeID("b")]).without(named) == .shapes([shapeID("b")]))
        #expect(Targets.shapes([shapeID("a")]).without(named) == nil)
        #expect(Targets.characters(shapeID("t"), []).without(named) == nil)
        #expect(Targets.characters(shapeID("a"), []).without(named) == .characters(shapeID("a"), []))
    }
}
