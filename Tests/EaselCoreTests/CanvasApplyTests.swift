import Testing

@testable import EaselCore

@Suite("Canvas: one operation")
struct CanvasApplyTests {
    private let x = propertyKey("x")
    private let fill = propertyKey("fill")

    @Test("create makes a visible shape with all it was given; its inverse retracts it")
    func create() throws {
        var canvas = Canvas.holding([creating("frame")])
        let text = TextInsertion(first: character(1, 1), characters: "hi", left: nil, right: nil)
        let outcome = canvas.apply([
            creating("a", in: "frame", order: "W", properties: [(x, .integer(3))], text: text)
        ])
        let shape = try #require(canvas[shapeID("a")])
        #expect(shape.kind == "rectangle")
        #expect(shape.parent == shapeID("frame"))
        #expect(shape.order == order("W"))
        #expect(shape[x] == .integer(3))
        #expect(shape.text.string == "hi")
        #expect(shape.isVisible)
        #expect(canvas.shapeCount == 2)
        #expect(canvas.visibleShapeCount == 2)
        #expect(outcome.inverses == [.hide(.retracted, .shapes([shapeID("a")]))])
        #expect(outcome.problems.isEmpty)
        canvas.checkInvariants()
    }

    @Test("set writes, replaces and removes registers; its inverse holds the values just before")
    func set() {
        var canvas = Canvas.holding([creating("a", properties: [(x, .integer(1)), (fill, .string("red"))])])
        let outcome = canvas.apply([
            .set(
                shapeID("a"),
                [
                    PropertyChange(x, .integer(2)), PropertyChange(fill, nil),
                    PropertyChange(propertyKey("y"), .bool(true)),
                ])
        ])
        #expect(canvas[shapeID("a")]?.properties == Properties([(x, .integer(2)), (propertyKey("y"), .bool(true))]))
        #expect(
            outcome.inverses == [
                .set(
                    shapeID("a"),
                    [
                        PropertyChange(x, .integer(1)), PropertyChange(fill, .string("red")),
                        PropertyChange(propertyKey("y"), nil),
                    ])
            ])
        canvas.checkInvariants()
    }

    @Test("place changes parent, order, or both; its inverse names just those")
    func place() {
        var canvas = Canvas.holding([creating("f"), creating("a", order: "A")])
        let outcome = canvas.apply([
            .place(shapeID("a"), Placement(parent: .shape(shapeID("f")))),
            .place(shapeID("a"), Placement(order: order("B"))),
            .place(shapeID("a"), Placement(parent: .canvas, order: order("C"))),
        ])
        #expect(canvas[shapeID("a")]?.parent == nil)
        #expect(canvas[shapeID("a")]?.order == order("C"))
        #expect(
            outcome.inverses == [
                .place(shapeID("a"), Placement(parent: .canvas)),
                .place(shapeID("a"), Placement(order: order("A"))),
                .place(shapeID("a"), Placement(parent: .shape(shapeID("f")), order: order("B"))),
            ])
        canvas.checkInvariants()
    }

    @Test("hide and show keep the two causes apart; a shape is visible when there is none")
    func hideAndShow() {
        var canvas = Canvas.holding([creating("a")])
        let a = Targets.shapes([shapeID("a")])
        let first = canvas.apply([.hide(.deleted, a), .hide(.retracted, a)])
        #expect(canvas[shapeID("a")]?.causes == [.deleted, .retracted])
        #expect(canvas.visibleShapeCount == 0)
        #expect(first.inverses == [.show(.deleted, a), .show(.retracted, a)])
        _ = canvas.apply([.show(.deleted, a)])
        #expect(canvas[shapeID("a")]?.isVisible == false)
        let last = canvas.apply([.show(.retracted, a)])
        #expect(canvas[shapeID("a")]?.isVisible == true)
        #expect(canvas.visibleShapeCount == 1)
        #expect(last.inverses == [.hide(.retracted, a)])
        canvas.checkInvariants()
    }

    @Test("the inverse of hide names all ids that exist, those hidden before too")
    func hideTwice() {
        var canvas = Canvas.holding([creating("a"), creating("b")])
        let both = Targets.shapes([shapeID("a"), shapeID("b")])
        _ = canvas.apply([.hide(.deleted, .shapes([shapeID("a")]))])
        #expect(canvas.apply([.hide(.deleted, both)]).inverses == [.show(.deleted, both)])
        #expect(canvas.visibleShapeCount == 0)
    }

    @Test("insertText types into a shape; its inverse retracts the characters")
    func insertText() {
        var canvas = Canvas.holding([creating("a")])
        let outcome = canvas.apply([typing("a", "hello")])
        #expect(canvas[shapeID("a")]?.text.string == "hello")
        #expect(outcome.inverses == [.hide(.retracted, .characters(shapeID("a"), [range(1, 1, 5)]))])
        let undone = canvas.apply(outcome.inverses.compactMap { $0 })
        #expect(canvas[shapeID("a")]?.text.string == "")
        #expect(canvas[shapeID("a")]?.text.count == 5)
        #expect(undone.inverses == [.show(.retracted, .characters(shapeID("a"), [range(1, 1, 5)]))])
        canvas.checkInvariants()
    }

    @Test("hiding characters names in its inverse those that exist, and reports when none does")
    func hideCharacters() {
        var canvas = Canvas.holding([creating("a"), typing("a", "hello")])
        let some = canvas.apply([.hide(.deleted, .characters(shapeID("a"), [range(1, 4, 50), range(7, 1, 2)]))])
        #expect(canvas[shapeID("a")]?.text.string == "hel")
        #expect(some.inverses == [.show(.deleted, .characters(shapeID("a"), [range(1, 4, 2)]))])
        #expect(some.problems.isEmpty)
        let none = canvas.apply([.hide(.deleted, .characters(shapeID("a"), [range(7, 1, 2)]))])
        #expect(none.inverses == [nil])
        #expect(none.problems == [.neighbours(shapeID("a"))])
    }

    @Test("hidden shapes go on receiving edits")
    func editsOfHidden() {
        var canvas = Canvas.holding([creating("a"), .hide(.deleted, .shapes([shapeID("a")]))])
        let outcome = canvas.apply([
            .set(shapeID("a"), [PropertyChange(x, .integer(5))]), typing("a", "later"),
            .place(shapeID("a"), Placement(order: order("Z"))), .show(.deleted, .shapes([shapeID("a")])),
        ])
        #expect(outcome.problems.isEmpty)
        #expect(canvas[shapeID("a")]?[x] == .integer(5))
        #expect(canvas[shapeID("a")]?.text.string == "later")
        #expect(canvas[shapeID("a")]?.order == order("Z"))
    }

    @Test(
        "A8: what cannot have an effect is reported, has no inverse, and changes nothing",
        arguments: [
            (creating("a"), .shapeExists(shapeID("a"))),
            (creating("n", in: "ghost"), .unknownShape(shapeID("ghost"))),
            (creating("n", in: "n"), .cycle(shapeID("n"))),
            (.set(shapeID("ghost"), [PropertyChange(propertyKey("x"), nil)]), .unknownShape(shapeID("ghost"))),
            (.place(shapeID("ghost"), Placement(order: order("A"))), .unknownShape(shapeID("ghost"))),
            (.place(shapeID("a"), Placement(parent: .shape(shapeID("ghost")))), .unknownShape(shapeID("ghost"))),
            (.place(shapeID("a"), Placement(parent: .shape(shapeID("a")))), .cycle(shapeID("a"))),
            (.place(shapeID("a"), Placement(parent: .shape(shapeID("b")), order: order("A"))), .cycle(shapeID("a"))),
            (.hide(.deleted, .shapes([shapeID("ghost")])), .unknownShape(shapeID("ghost"))),
            (.show(.retracted, .shapes([shapeID("ghost")])), .unknownShape(shapeID("ghost"))),
            (.hide(.deleted, .characters(shapeID("ghost"), [range(1, 1, 1)])), .unknownShape(shapeID("ghost"))),
            (.hide(.deleted, .characters(shapeID("a"), [range(9, 1, 1)])), .neighbours(shapeID("a"))),
            (typing("ghost", "x"), .unknownShape(shapeID("ghost"))),
            (typing("a", "x", from: 2), .charactersExist(shapeID("a"))),
            (
                .insertText(
                    shapeID("a"),
                    TextInsertion(first: character(2, 1), characters: "x", left: character(9, 9), right: nil)),
                .neighbours(shapeID("a"))
            ),
            (
                .insertText(
                    shapeID("a"),
                    TextInsertion(
                        first: character(2, 1), characters: "x", left: character(1, 2), right: character(1, 1))),
                .neighbours(shapeID("a"))
            ),
        ] as [(Operation, Problem)])
    func problems(_ operation: Operation, _ problem: Problem) {
        var canvas = Canvas.holding([creating("a"), creating("b", in: "a"), typing("a", "ab")])
        let before = canvas
        let outcome = canvas.apply([operation])
        #expect(outcome.problems == [problem])
        #expect(outcome.inverses == [nil])
        #expect(Contents(canvas) == Contents(before))
        #expect(canvas.digest == before.digest)
        #expect(canvas.visibleShapeCount == before.visibleShapeCount)
        canvas.checkInvariants()
    }

    @Test("A8: of several named shapes the known ones change and an unknown one is reported")
    func partlyUnknown() {
        var canvas = Canvas.holding([creating("a"), creating("b")])
        let outcome = canvas.apply([.hide(.deleted, .shapes([shapeID("a"), shapeID("ghost"), shapeID("b")]))])
        #expect(outcome.problems == [.unknownShape(shapeID("ghost"))])
        #expect(outcome.inverses == [.show(.deleted, .shapes([shapeID("a"), shapeID("b")]))])
        #expect(canvas.visibleShapeCount == 0)
    }

    @Test("the operations around one without effect are applied all the same")
    func others() {
        var canvas = Canvas()
        let outcome = canvas.apply([creating("a"), creating("a"), creating("b")])
        #expect(outcome.inverses.map { $0 == nil } == [false, true, false])
        #expect(canvas.shapeCount == 2)
    }

    @Test("a shape takes 256 properties and no more; replacing and removing go on working")
    func tooManyProperties() {
        let keys = (0..<Limits.propertiesPerShape).map { propertyKey("k\($0)") }
        var canvas = Canvas.holding([creating("a", properties: keys.map { ($0, .bool(true)) })])
        let a = shapeID("a")
        let new = propertyKey("new")
        #expect(canvas.apply([.set(a, [PropertyChange(new, .bool(true))])]).problems == [.tooManyProperties(a)])
        #expect(canvas[a]?[new] == nil)
        #expect(canvas.apply([.set(a, [PropertyChange(keys[3], .bool(false))])]).problems.isEmpty)
        let exchange = [PropertyChange(new, .bool(true)), PropertyChange(keys[0], nil)]
        #expect(canvas.apply([.set(a, exchange)]).problems.isEmpty)
        #expect(canvas[a]?.properties.count == Limits.propertiesPerShape)
        #expect(canvas.apply([.set(a, [PropertyChange(propertyKey("no"), nil)])]).problems.isEmpty)
        canvas.checkInvariants()
    }

    @Test("a commit advances the revision and its site's number, and the digest with them")
    func commit() {
        var canvas = Canvas()
        func commit(_ revision: Revision, _ sequence: SequenceNumber, _ name: String) -> Commit {
            Commit(
                revision: revision, id: TransactionID(site: site(5), sequence: sequence), time: 0,
                transaction: Transaction(operations: [creating(name)], label: "Add"))
        }
        _ = canvas.apply(commit(1, 1, "a"))
        let digest = canvas.digest
        _ = canvas.apply(commit(2, 4, "a"))
        #expect(canvas.revision == 2)
        #expect(canvas.lastSequence(of: site(5)) == 4)
        #expect(canvas.lastSequence(of: site(6)) == 0)
        #expect(canvas.digest != digest)
        canvas.checkInvariants()
    }
}
