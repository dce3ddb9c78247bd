import Testing

@testable import EaselCore

@Suite("Canvas: parents, order, what is visible where")
struct CanvasTreeTests {
    @Test("children stand by order key, ties by id, each parent's apart")
    func childOrder() {
        let canvas = Canvas.holding([
            creating("f", order: "M"), creating("g", order: "B"),
            creating("c", in: "f", order: "b"), creating("b", in: "f", order: "Z"), creating("a", in: "f", order: "b"),
            creating("d", in: "f", order: "0"), creating("e", in: "g", order: "zz"),
        ])
        #expect(canvas.childNames() == ["g", "f"])
        #expect(canvas.childNames(of: "f") == ["d", "b", "a", "c"])
        #expect(canvas.childNames(of: "g") == ["e"])
        #expect(canvas.childNames(of: "a") == [])
        #expect(canvas.childNames(of: "ghost") == [])
        #expect(canvas.visibleShapes().map(\.id.rawValue) == ["g", "e", "f", "d", "b", "a", "c"])
    }

    @Test("children of a hidden container stand where it stood, in the nearest living ancestor")
    func hiddenContainers() {
        var canvas = Canvas.holding([
            creating("top", order: "A"), creating("frame", order: "M"), creating("last", order: "Z"),
            creating("group", in: "frame", order: "M"), creating("first", in: "frame", order: "A"),
            creating("one", in: "group", order: "A"), creating("two", in: "group", order: "B"),
        ])
        _ = canvas.apply([.hide(.deleted, .shapes([shapeID("group")]))])
        #expect(canvas.visibleChildNames(of: "frame") == ["first", "one", "two"])
        #expect(canvas.livingParent(of: shapeID("one")) == shapeID("frame"))
        #expect(canvas.visibleTree(of: shapeID("frame")).map(\.rawValue) == ["frame", "first", "one", "two"])
        _ = canvas.apply([.hide(.deleted, .shapes([shapeID("frame"), shapeID("one")]))])
        #expect(canvas.visibleChildNames() == ["top", "first", "two", "last"])
        #expect(canvas.livingParent(of: shapeID("two")) == nil)
        #expect(canvas.visibleTree(of: shapeID("frame")).map(\.rawValue) == ["first", "two"])
        #expect(canvas[shapeID("two")]?.parent == shapeID("group"))
        _ = canvas.apply([.show(.deleted, .shapes([shapeID("frame"), shapeID("group"), shapeID("one")]))])
        #expect(canvas.visibleChildNames(of: "group") == ["one", "two"])
        #expect(canvas.livingParent(of: shapeID("two")) == shapeID("group"))
    }

    @Test("ZORD-05: two containers moved into each other: the later move has no effect and is reported")
    func ringOfTwo() {
        var canvas = Canvas.holding([creating("f1"), creating("f2")])
        let outcome = canvas.apply([
            .place(shapeID("f1"), Placement(parent: .shape(shapeID("f2")))),
            .place(shapeID("f2"), Placement(parent: .shape(shapeID("f1")))),
        ])
        #expect(outcome.problems == [.cycle(shapeID("f2"))])
        #expect(canvas.visibleShapes().map(\.id.rawValue) == ["f2", "f1"])
        canvas.checkInvariants()
    }

    @Test("ZORD-05: a ring of three never forms either, hidden shapes included")
    func ringOfThree() {
        var canvas = Canvas.holding([creating("f1"), creating("f2"), creating("f3")])
        let outcome = canvas.apply([
            .place(shapeID("f1"), Placement(parent: .shape(shapeID("f2")))),
            .place(shapeID("f2"), Placement(parent: .shape(shapeID("f3")))),
            .hide(.deleted, .shapes([shapeID("f1"), shapeID("f2")])),
            .place(shapeID("f3"), Placement(parent: .shape(shapeID("f1")))),
        ])
        #expect(outcome.problems == [.cycle(shapeID("f3"))])
        canvas.checkInvariants()
    }

    @Test("a parent may have 99 ancestors and no more")
    func tooDeep() {
        var canvas = Canvas.holding(Self.chain("c", Limits.nesting))
        let deepest = "c\(Limits.nesting - 1)"
        #expect(canvas.apply([creating("in", in: deepest)]).problems.isEmpty)
        #expect(canvas.apply([creating("deeper", in: "in")]).problems == [.tooDeep(shapeID("deeper"))])
        _ = canvas.apply([creating("other")])
        let move = canvas.apply([.place(shapeID("other"), Placement(parent: .shape(shapeID("in"))))])
        #expect(move.problems == [.tooDeep(shapeID("other"))])
        #expect(canvas[shapeID("other")]?.parent == nil)
        canvas.checkInvariants()
    }

    @Test("trees that moves made twenty thousand deep are walked without exhausting the stack")
    func veryDeep() {
        let ids = (0..<20_000).map { shapeID("s\($0)") }
        var canvas = Canvas.holding(ids.map { creating($0.rawValue) })
        // Each tree goes under a shape at the top, so that no move meets a deep parent.
        let moves = zip(ids, ids.dropFirst()).map { Operation.place($0, Placement(parent: .shape($1))) }
        #expect(canvas.apply(moves).problems.isEmpty)
        let downwards = Array(ids.reversed())
        #expect(canvas.visibleShapes().map(\.id) == downwards)
        #expect(canvas.visibleTree(of: downwards[0]) == downwards)
        _ = canvas.apply([.hide(.deleted, .shapes(Array(downwards.dropLast())))])
        #expect(canvas.visibleChildren(of: nil).map(\.id) == [ids[0]])
        #expect(canvas.livingParent(of: ids[0]) == nil)
    }

    /// Shapes each of which lies in the one before.
    static func chain(_ name: String, _ count: Int) -> [Operation] {
        (0..<count).map { creating("\(name)\($0)", in: $0 == 0 ? nil : "\(name)\($0 - 1)") }
    }
}
