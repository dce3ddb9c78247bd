import Testing

@testable import EaselCore

/// What editors built on the core rely on, as far as the canvas itself promises it.
@Suite("Canvas: contracts")
struct CanvasContractTests {
    private let x = propertyKey("x")

    @Test("A1: a canvas changes by applying operations only; a shape read from it is a copy")
    func owner() throws {
        let canvas = Canvas.holding([creating("a", properties: [(x, .integer(1))])])
        var shape = try #require(canvas[shapeID("a")])
        shape.properties[x] = .integer(2)
        #expect(canvas[shapeID("a")]?[x] == .integer(1))
    }

    @Test("A2: the digest covers kind, geometry, properties, text, order, parent, visibility and committed numbers")
    func digest() {
        let base: [Operation] = [
            creating("f"), creating("a", properties: [(x, .integer(1))]), typing("a", "t"),
        ]
        let a = shapeID("a")
        let changes: [[Operation]] = [
            [], [creating("b")], [.set(a, [PropertyChange(x, .integer(2))])], [.set(a, [PropertyChange(x, nil)])],
            [.set(a, [PropertyChange(propertyKey("y"), .integer(1))])], [.set(a, [PropertyChange(x, .string("1"))])],
            [.place(a, Placement(order: order("W")))], [.place(a, Placement(parent: .shape(shapeID("f"))))],
            [.hide(.deleted, .shapes([a]))], [.hide(.retracted, .shapes([a]))],
            [.hide(.deleted, .characters(a, [range(1, 1, 1)]))], [.hide(.retracted, .characters(a, [range(1, 1, 1)]))],
            [typing("a", "u", from: 2)], [typing("f", "t")],
            [.create(Creation(id: shapeID("b"), kind: "l", parent: nil, order: order("V"), properties: Properties()))],
        ]
        let digests = changes.map { Canvas.holding(base + $0).digest }
        #expect(Set(digests).count == changes.count)
    }

    @Test("A3: the inverse of a move is the shape's id and its prior values, and nothing else")
    func moveInverse() {
        let properties = [(x, Value.integer(1)), (propertyKey("fill"), .string("red"))]
        var canvas = Canvas.holding([creating("a", properties: properties)])
        let outcome = canvas.apply([.set(shapeID("a"), [PropertyChange(x, .integer(9))])])
        #expect(outcome.inverses == [.set(shapeID("a"), [PropertyChange(x, .integer(1))])])
    }

    @Test("A3: undo of a delete brings back the whole shape, in its place though the order has changed since")
    func deleteInverse() throws {
        var canvas = Canvas.holding([
            creating("a", order: "B"), creating("b", order: "M", properties: [(x, .integer(7))]),
            creating("c", order: "Y"), typing("b", "text"),
        ])
        let before = try #require(canvas[shapeID("b")])
        let deletion = canvas.apply([.hide(.deleted, .shapes([shapeID("b")]))])
        _ = canvas.apply([.place(shapeID("c"), Placement(order: order("A"))), creating("d", order: "Z")])
        #expect(canvas.visibleChildNames() == ["c", "a", "d"])
        _ = canvas.apply(deletion.inverses.compactMap { $0 })
        #expect(canvas.visibleChildNames() == ["c", "a", "b", "d"])
        let after = try #require(canvas[shapeID("b")])
        #expect(after.properties == before.properties)
        #expect(after.text.string == "text")
        #expect(after.siblingKey == before.siblingKey)
    }

    @Test("A3: undo of reordering many shapes restores every place")
    func reorderInverse() {
        let names = (0..<200).map { "s\($0)" }
        let keys = OrderKey.spread(names.count, site: site(1))
        var canvas = Canvas.holding(zip(names, keys).map { creating($0, order: $1.rawValue) })
        var random = SplitMix64(seed: 8)
        let shuffled = keys.shuffled(using: &random)
        let outcome = canvas.apply(zip(names, shuffled).map { .place(shapeID($0), Placement(order: $1)) })
        #expect(canvas.childNames() != names)
        _ = canvas.apply(outcome.inverses.compactMap { $0 }.reversed())
        #expect(canvas.childNames() == names)
    }

    @Test("A4: replacing everything is one list of operations, and its inverses bring everything back")
    func bulk() {
        var canvas = Canvas.holding((0..<100).map { creating("old\($0)", properties: [(x, .integer(Int64($0)))]) })
        let before = Visible(canvas)
        let old = (0..<100).map { shapeID("old\($0)") }
        let outcome = canvas.apply([.hide(.deleted, .shapes(old))] + (0..<150).map { creating("new\($0)") })
        #expect(canvas.visibleShapeCount == 150)
        _ = canvas.apply(outcome.inverses.compactMap { $0 }.reversed())
        #expect(Visible(canvas) == before)
    }

    @Test("A9: move, delete, undo, undo, redo, redo: values, ids and order after each step")
    func sequence() {
        var canvas = Canvas.holding([
            creating("a", order: "B", properties: [(x, .integer(1))]),
            creating("b", order: "M", properties: [(x, .integer(2))]),
            creating("c", order: "Y", properties: [(x, .integer(3))]),
        ])
        func expect(_ names: [String], _ values: [Int64], sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(canvas.visibleChildNames() == names, sourceLocation: sourceLocation)
            let found = canvas.visibleChildren(of: nil).map { $0[x] }
            #expect(found == values.map { .integer($0) }, sourceLocation: sourceLocation)
            canvas.checkInvariants()
        }
        func apply(_ operations: [Operation]) -> [Operation] {
            canvas.apply(operations).inverses.compactMap { $0 }.reversed()
        }
        expect(["a", "b", "c"], [1, 2, 3])
        let undoMove = apply([
            .set(shapeID("b"), [PropertyChange(x, .integer(20))]), .place(shapeID("b"), Placement(order: order("Z"))),
        ])
        expect(["a", "c", "b"], [1, 3, 20])
        let undoDelete = apply([.hide(.deleted, .shapes([shapeID("c")]))])
        expect(["a", "b"], [1, 20])
        let redoDelete = apply(undoDelete)
        expect(["a", "c", "b"], [1, 3, 20])
        let redoMove = apply(undoMove)
        expect(["a", "b", "c"], [1, 2, 3])
        _ = apply(redoMove)
        expect(["a", "c", "b"], [1, 3, 20])
        _ = apply(redoDelete)
        expect(["a", "b"], [1, 20])
    }

    @Test("B7: a shape comes back between its neighbours by its order key, whatever was put around it meanwhile")
    func restoredOrder() {
        var canvas = Canvas.holding([creating("a", order: "C"), creating("b", order: "M"), creating("c", order: "X")])
        let deletion = canvas.apply([.hide(.deleted, .shapes([shapeID("b")]))])
        _ = canvas.apply([creating("p", order: "A"), creating("q", order: "D"), creating("r", order: "W")])
        _ = canvas.apply(deletion.inverses.compactMap { $0 })
        #expect(canvas.visibleChildNames() == ["p", "a", "q", "b", "r", "c"])
    }

    @Test("ZORD-02: shapes with equal order keys stand by id, grouped and ungrouped too, and can be spread apart")
    func equalKeys() {
        var canvas = Canvas.holding([
            creating("r2", order: "V"), creating("r1", order: "V"), creating("r3", order: "W"),
        ])
        #expect(canvas.childNames() == ["r1", "r2", "r3"])
        let members = ["r1", "r2", "r3"].map(shapeID)
        let grouping = canvas.apply(
            [creating("group", order: "V")] + members.map { .place($0, Placement(parent: .shape(shapeID("group")))) })
        #expect(canvas.childNames(of: "group") == ["r1", "r2", "r3"])
        _ = canvas.apply(grouping.inverses.compactMap { $0 }.reversed())
        #expect(canvas.visibleChildNames() == ["r1", "r2", "r3"])
        let keys = OrderKey.spread(3, site: site(1))
        _ = canvas.apply(zip(members, keys).map { .place($0, Placement(order: $1)) })
        #expect(canvas.visibleChildNames() == ["r1", "r2", "r3"])
        #expect(OrderKey.between(keys[0], keys[1], site: site(1)) != nil)
    }

    @Test("ZORD-03: siblings stand by the bytes of their keys: capitals in front of small letters")
    func byteOrder() {
        let canvas = Canvas.holding([
            creating("1", order: "ab"), creating("2", order: "aB"), creating("3", order: "a0"),
            creating("4", order: "Zz"),
        ])
        #expect(canvas.childNames() == ["4", "3", "2", "1"])
    }

    @Test("ZORD-04: a reorder and a change of colour at one time both stay, in either order", arguments: [false, true])
    func reorderAndColour(_ colourFirst: Bool) {
        var canvas = Canvas.holding([creating("r1", order: "B"), creating("r2", order: "C")])
        let reorder = Operation.place(shapeID("r1"), Placement(order: order("D")))
        let colour = Operation.set(shapeID("r2"), [PropertyChange(propertyKey("fill"), .string("red"))])
        _ = canvas.apply(colourFirst ? [colour, reorder] : [reorder, colour])
        #expect(canvas.childNames() == ["r2", "r1"])
        #expect(canvas[shapeID("r2")]?[propertyKey("fill")] == .string("red"))
    }
}
