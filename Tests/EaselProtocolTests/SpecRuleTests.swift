import EaselCore
import EaselProtocol
import Testing

/// Rules of `protocol/SPEC.md` about operations and text, by the ids they have there.
@Suite("Rules of the specification")
struct SpecRuleTests {
    private func visible(_ canvas: Canvas, in parent: String? = nil) -> [String] {
        canvas.visibleChildren(of: parent.map { shape($0) }).map(\.id.rawValue)
    }

    @Test("OP-07 an operation without effect leaves the others of its transaction their effect")
    func partialEffect() {
        var canvas = canvas(after: [[create("A")]])
        let outcome = canvas.apply([
            .set(shape("X"), [PropertyChange(key("x"), .integer(1))]),
            .set(shape("A"), [PropertyChange(key("x"), .integer(2))]),
        ])
        #expect(outcome.problems == [.unknownShape(shape("X"))])
        #expect(outcome.inverses.map { $0 != nil } == [false, true])
        #expect(canvas[shape("A")]?[key("x")] == .integer(2))
    }

    @Test("OP-01 a creation has no effect if the id exists, the parent does not, or the shape would lie in itself")
    func creations() {
        var canvas = canvas(after: [[create("A", [("x", .integer(1))])]])
        #expect(canvas.apply([create("A")]).problems == [.shapeExists(shape("A"))])
        #expect(canvas.apply([create("B", parent: "X")]).problems == [.unknownShape(shape("X"))])
        #expect(canvas.apply([create("C", parent: "C")]).problems == [.cycle(shape("C"))])
        #expect(canvas[shape("A")]?[key("x")] == .integer(1))
        #expect(canvas.shapeCount == 1)
    }

    @Test("OP-01 a creation under a hidden shape takes effect")
    func creationUnderHidden() {
        let canvas = canvas(after: [
            [create("A")], [.hide(.deleted, .shapes([shape("A")]))], [create("B", parent: "A")],
        ])
        #expect(visible(canvas) == ["B"])
        #expect(canvas[shape("B")]?.parent == shape("A"))
    }

    @Test("OP-02 each property is a register: the last write in server order wins, null removes")
    func registers() {
        var canvas = canvas(after: [[create("A", [("x", .integer(1)), ("y", .integer(1))])]])
        _ = canvas.apply([.set(shape("A"), [PropertyChange(key("x"), .integer(2))])])
        _ = canvas.apply([.set(shape("A"), [PropertyChange(key("x"), .integer(3)), PropertyChange(key("y"), nil)])])
        #expect(canvas[shape("A")]?.properties == Properties([(key("x"), .integer(3))]))
    }

    @Test("OP-02 a set that would leave more than 256 properties has no effect at all")
    func propertyLimit() {
        let many = (0..<256).map { ("k\($0)", Value.integer(0)) }
        var canvas = canvas(after: [[create("A", many)]])
        let both = [PropertyChange(key("k0"), .integer(1)), PropertyChange(key("new"), .integer(1))]
        #expect(canvas.apply([.set(shape("A"), both)]).problems == [.tooManyProperties(shape("A"))])
        #expect(canvas[shape("A")]?[key("k0")] == .integer(0))
        let swap = [PropertyChange(key("k0"), nil), PropertyChange(key("new"), .integer(1))]
        #expect(canvas.apply([.set(shape("A"), swap)]).problems.isEmpty)
    }

    @Test("OP-03 of two placements that would form a cycle the later has no effect")
    func cycles() {
        var canvas = canvas(after: [[create("A"), create("B", order: "W")]])
        _ = canvas.apply([.place(shape("A"), Placement(parent: .shape(shape("B"))))])
        let later = canvas.apply([.place(shape("B"), Placement(parent: .shape(shape("A")), order: order("a")))])
        #expect(later.problems == [.cycle(shape("B"))])
        #expect(canvas[shape("B")]?.order == order("W"))
        #expect(visible(canvas) == ["B"] && visible(canvas, in: "B") == ["A"])
    }

    /// A shape `N0` on the canvas, `N1` in it, and so on.
    private func nested(_ count: Int) -> Canvas {
        canvas(after: (0..<count).map { [create("N\($0)", parent: $0 == 0 ? nil : "N\($0 - 1)")] })
    }

    @Test("OP-01 OP-03 a parent with 100 ancestors is refused, one with 99 is taken")
    func depth() {
        var canvas = nested(101)
        #expect(canvas.shapeCount == 101)
        #expect(canvas.apply([create("N101", parent: "N100")]).problems == [.tooDeep(shape("N101"))])
        #expect(canvas.apply([create("A")]).problems.isEmpty)
        let under = { (parent: String) in
            Operation.place(shape("A"), Placement(parent: .shape(shape(parent)), order: order("W")))
        }
        #expect(canvas.apply([under("N100")]).problems == [.tooDeep(shape("A"))])
        #expect(canvas[shape("A")]?.order == order("V"))
        #expect(canvas.apply([under("N99")]).problems.isEmpty)
    }

    @Test("OP-03 a place that names the parent the shape has already is taken, however deep that lies")
    func currentParent() {
        var canvas = nested(101)
        _ = canvas.apply([create("A"), create("B", parent: "A"), create("C", parent: "B")])
        _ = canvas.apply([.place(shape("A"), Placement(parent: .shape(shape("N99"))))])
        let stay = Operation.place(shape("C"), Placement(parent: .shape(shape("B")), order: order("W")))
        let outcome = canvas.apply([stay])
        #expect(outcome.problems.isEmpty && canvas[shape("C")]?.order == order("W"))
        #expect(outcome.inverses == [.place(shape("C"), Placement(parent: .shape(shape("B")), order: order("V")))])
        let other = canvas.apply([.place(shape("C"), Placement(parent: .shape(shape("A"))))])
        #expect(other.problems == [.tooDeep(shape("C"))])
    }

    @Test("OP-04 a shape is visible only without causes, and each cause is added and taken away by itself")
    func causes() {
        var canvas = canvas(after: [[create("A")]])
        let shapes = Targets.shapes([shape("A")])
        for (operation, isVisible) in [
            (Operation.hide(.deleted, shapes), false), (.hide(.retracted, shapes), false),
            (.show(.deleted, shapes), false),
            (.show(.retracted, shapes), true), (.show(.retracted, shapes), true),
        ] {
            #expect(canvas.apply([operation]).problems.isEmpty)
            #expect(canvas[shape("A")]?.isVisible == isVisible)
        }
    }

    @Test("OP-04 targets that do not exist are passed over; with none left the operation has no effect")
    func unknownTargets() {
        var canvas = canvas(after: [
            [create("A", text: TextInsertion(first: character(7, 1), characters: "ab", left: nil, right: nil))]
        ])
        let some = canvas.apply([.hide(.deleted, .shapes([shape("X"), shape("A")]))])
        #expect(some.inverses == [.show(.deleted, .shapes([shape("A")]))])
        #expect(canvas.apply([.hide(.deleted, .shapes([shape("X")]))]).inverses == [nil])
        let range = CharacterRange(first: character(7, 2), count: 9)
        let inverse = Operation.show(
            .deleted, .characters(shape("A"), [CharacterRange(first: character(7, 2), count: 1)]))
        #expect(canvas.apply([.hide(.deleted, .characters(shape("A"), [range]))]).inverses == [inverse])
    }

    @Test("OP-08 a hidden shape goes on receiving edits")
    func hiddenEdits() {
        var canvas = canvas(after: [[create("A")], [.hide(.deleted, .shapes([shape("A")]))]])
        _ = canvas.apply([.set(shape("A"), [PropertyChange(key("x"), .integer(5))])])
        _ = canvas.apply([.show(.deleted, .shapes([shape("A")]))])
        #expect(canvas[shape("A")]?[key("x")] == .integer(5) && visible(canvas) == ["A"])
    }

    @Test("OP-09 children of a hidden shape stand where it stood, at the nearest visible ancestor")
    func childrenOfHidden() {
        let canvas = canvas(after: [
            [create("A", order: "1"), create("B", order: "5"), create("C", order: "9")],
            [create("D", parent: "B", order: "z"), create("E", parent: "B", order: "0")],
            [.hide(.deleted, .shapes([shape("B")]))],
        ])
        #expect(visible(canvas) == ["A", "E", "D", "C"])
        #expect(canvas.livingParent(of: shape("D")) == nil)
    }

    @Test(
        "OP-10 a transaction with a malformed operation is refused whole",
        arguments: [
            ([], .noOperations),
            ([.set(shape("A"), [])], .emptySet),
            ([.set(shape("A"), [PropertyChange(key("x"), nil), PropertyChange(key("x"), .bool(true))])], .repeatedKey),
            ([.place(shape("A"), Placement())], .emptyPlacement),
            ([.hide(.deleted, .shapes([]))], .targetCount),
            ([.show(.deleted, .characters(shape("A"), []))], .targetCount),
            ([insert(character(7, 1), "")], .insertionLength),
            ([insert(character(7, 9_007_199_254_740_991), "ab")], .characterNumber),
            ([create("A"), .set(shape("A"), [])], .emptySet),
        ] as [([Operation], Flaw)])
    func malformed(_ operations: [Operation], _ flaw: Flaw) {
        #expect(Transaction(operations: operations, label: "").flaw == flaw)
    }

    @Test("OP-11 the inverse of each operation brings back what was just before it")
    func inverses() {
        let before = canvas(after: [
            [
                create(
                    "A", [("x", .integer(1))],
                    text: TextInsertion(first: character(7, 1), characters: "ab", left: nil, right: nil))
            ],
            [create("B", order: "W")],
        ])
        let operations: [Operation] = [
            .set(shape("A"), [PropertyChange(key("x"), nil), PropertyChange(key("y"), .integer(2))]),
            .place(shape("A"), Placement(parent: .shape(shape("B")), order: order("5"))),
            .hide(.deleted, .shapes([shape("A"), shape("B")])),
            .hide(.retracted, .characters(shape("A"), [CharacterRange(first: character(7, 1), count: 1)])),
        ]
        var canvas = before
        let inverses = canvas.apply(operations).inverses.compactMap { $0 }
        #expect(inverses.count == operations.count)
        _ = canvas.apply(inverses.reversed())
        #expect(canvas.digest == before.digest)
        #expect(
            canvas.apply([create("C"), insert(character(7, 3), "c", left: character(7, 2))]).inverses == [
                .hide(.retracted, .shapes([shape("C")])),
                .hide(.retracted, .characters(shape("A"), [CharacterRange(first: character(7, 3), count: 1)])),
            ])
    }

    @Test("OP-11 the inverse of hide and show is the opposite on every target that exists, flipped or not")
    func inverseOfHide() {
        var canvas = canvas(after: [[create("A"), create("B", order: "W")], [.hide(.deleted, .shapes([shape("A")]))]])
        let both = Targets.shapes([shape("A"), shape("B")])
        #expect(canvas.apply([.hide(.deleted, both)]).inverses == [.show(.deleted, both)])
        #expect(canvas.apply([.show(.deleted, both)]).inverses == [.hide(.deleted, both)])
    }

    @Test("OK-02 siblings stand by order key, then by id")
    func siblings() {
        let canvas = canvas(after: [
            [create("b", order: "V"), create("a", order: "V"), create("c", order: "Uzz"), create("B", order: "V")]
        ])
        #expect(visible(canvas) == ["c", "B", "a", "b"])
    }

    @Test("OK-03 keys of two sites for one place differ and lie within it", arguments: 1...50 as ClosedRange<UInt64>)
    func concurrentKeys(number: UInt64) throws {
        let (low, high) = (order("V00000"), order("V00001"))
        let one = try #require(OrderKey.between(low, high, site: site(number)))
        let other = try #require(OrderKey.between(low, high, site: site(number + 1)))
        #expect(one != other && low < one && one < high && low < other && other < high)
    }

    @Test(
        "TX-02 the left origin of a character is the left neighbour it was inserted with, within a run the one in front"
    )
    func leftOrigins() {
        let canvas = canvas(after: [
            [create("A", text: TextInsertion(first: character(7, 1), characters: "ab", left: nil, right: nil))],
            [insert(character(8, 1), "XY", left: character(7, 1), right: character(7, 2))],
            [insert(character(9, 1), "Z", left: character(7, 1), right: character(7, 2))],
        ])
        let runs = canvas[shape("A")]?.text.storedRuns() ?? []
        #expect(runs.map(\.characters) == ["a", "XY", "Z", "b"])
        #expect(runs.map(\.origin) == [nil, character(7, 1), character(7, 1), character(7, 1)])
    }

    @Test("TX-08 the unit of text is the Unicode scalar, and nothing is normalised")
    func scalars() throws {
        let canvas = canvas(after: [
            [create("A", text: TextInsertion(first: character(7, 1), characters: "e\u{301}👩‍👧", left: nil, right: nil))]
        ])
        let text = try #require(canvas[shape("A")]).text
        #expect(text.count == 5)
        #expect(Array(text.string.unicodeScalars) == Array("e\u{301}👩‍👧".unicodeScalars))
    }

    @Test("TX-09 a writer names the visible character in front, and what stands directly behind that, hidden or not")
    func neighboursForWriters() throws {
        let canvas = canvas(after: [
            [create("A", text: TextInsertion(first: character(7, 1), characters: "abc", left: nil, right: nil))],
            [.hide(.deleted, .characters(shape("A"), [CharacterRange(first: character(7, 2), count: 1)]))],
        ])
        let text = try #require(canvas[shape("A")]).text
        #expect(text.neighbours(at: 1) == (character(7, 1), character(7, 2)))
        #expect(text.neighbours(at: 2) == (character(7, 3), nil))
        #expect(text.neighbours(at: 0) == (nil, character(7, 1)))
    }

    @Test("TX-10 an insertion that would make a text longer than 1,000,000 characters has no effect")
    func fullText() {
        var canvas = canvas(after: [[create("A")]])
        let block = String(repeating: "x", count: 62_500)
        for index in 0..<16 {
            let counter = UInt64(index * 62_500)
            let left = index == 0 ? nil : character(7, counter)
            #expect(canvas.apply([insert(character(7, counter + 1), block, left: left)]).problems.isEmpty)
        }
        let last = character(7, 1_000_000)
        #expect(canvas.apply([insert(character(7, 1_000_001), "x", left: last)]).problems == [.textFull(shape("A"))])
    }

    @Test("DG-05 a commit without any effect still changes the digest, by its site's number")
    func siteInDigest() {
        var one = canvas(after: [[create("A")]])
        let before = one.digest
        let commit = Commit(
            revision: 2, id: TransactionID(site: site(7), sequence: 9), time: 0,
            transaction: Transaction(operations: [.hide(.deleted, .shapes([shape("X")]))], label: ""))
        _ = one.apply(commit)
        #expect(one.digest != before && one.lastSequence(of: site(7)) == 9)
    }

    @Test("DG-01 the digest of the empty canvas is 0, and equal states have equal digests however they came about")
    func equalStates() {
        #expect(Canvas().digest == 0)
        let one = canvas(after: [
            [create("A", [("x", .integer(1))]), create("B", order: "W")], [.hide(.deleted, .shapes([shape("Z")]))],
        ])
        let other = canvas(after: [[create("B", order: "W")], [create("A", [("x", .integer(1))])]])
        #expect(one.digest == other.digest)
    }
}
