import Testing

@testable import EaselCore

@Suite("Canvas: the difference between two states")
struct CanvasDifferenceTests {
    private func flaws(_ operations: [Operation]) -> [Flaw] { operations.compactMap(\.flaw) }

    @Test(
        "applied to the older state of a history, the difference gives the newer one",
        arguments: 1...6 as ClosedRange<UInt64>)
    func history(_ seed: UInt64) {
        var maker = RandomOperations(site: site(30), seed: seed)
        var canvas = Canvas()
        var kept: [Canvas] = []
        for step in 0..<200 {
            if step % 20 == 0 { kept.append(canvas) }
            _ = canvas.apply([step % 9 == 8 ? maker.purging(canvas) : maker.sensible(canvas)])
        }
        for old in kept {
            var copy = old
            let operations = canvas.difference(from: old)
            #expect(flaws(operations).isEmpty)
            #expect(copy.apply(operations).problems.isEmpty)
            #expect(Visible(copy) == Visible(canvas))
            copy.checkInvariants()
        }
    }

    @Test("a character with a number below one that the older state holds of its site is left out")
    func lowNumber() {
        let a = shapeID("a")
        let low = TextInsertion(first: character(2, 1), characters: "low", left: character(1, 1), right: nil)
        let high = TextInsertion(first: character(2, 9), characters: "high", left: character(1, 1), right: nil)
        let other = TextInsertion(first: character(3, 1), characters: "other", left: character(2, 3), right: nil)
        let start = Canvas.holding([creating("a"), typing("a", "-")])
        var old = start
        #expect(old.apply([.insertText(a, high)]).problems.isEmpty)
        var new = start
        #expect(new.apply([.insertText(a, low), .insertText(a, high), .insertText(a, other)]).problems.isEmpty)
        #expect(new[a]?.text.string == "-lowotherhigh")
        #expect(old.apply(new.difference(from: old)).problems.isEmpty)
        #expect(old[a]?.text.string == "-otherhigh")
        #expect(new.difference(from: old).isEmpty)
        old.checkInvariants()
    }

    @Test("characters that both states hold in another order are no reason to trap")
    func otherOrder() {
        func canvas(_ sites: [UInt64], _ more: [TextInsertion]) -> Canvas {
            var left: CharacterID?
            var operations = [creating("a")]
            for number in sites {
                let first = character(number, 1)
                operations.append(
                    .insertText(
                        shapeID("a"), TextInsertion(first: first, characters: String(number), left: left, right: nil)))
                left = first
            }
            return .holding(operations + more.map { .insertText(shapeID("a"), $0) })
        }
        let between = TextInsertion(
            first: character(4, 1), characters: "x", left: character(1, 1), right: character(2, 1))
        var old = canvas([2, 1], [])
        #expect(old.apply(canvas([1, 2], [between]).difference(from: old)).problems.isEmpty)
        #expect(old[shapeID("a")]?.text.string == "21")
    }

    @Test("a set of more than 256 changes comes in parts, what goes first")
    func manyProperties() {
        func shape(_ prefix: String) -> Canvas {
            .holding([
                creating(
                    "a",
                    properties: (0..<Limits.propertiesPerShape).map { (propertyKey(prefix + "\($0)"), .integer(1)) })
            ])
        }
        let new = shape("new")
        var old = shape("old")
        let operations = new.difference(from: old)
        #expect(operations.count == 2 && flaws(operations).isEmpty)
        #expect(old.apply(operations).problems.isEmpty)
        #expect(Contents(old) == Contents(new))
    }

    @Test("more shapes or characters than one operation may name are hidden and shown by several")
    func manyTargets() {
        let ids = (0...Limits.targetsPerOperation).map { shapeID("s\($0)") }
        let many = Canvas.holding(ids.map { creating($0.rawValue) })
        let gone = Canvas().difference(from: many)
        #expect(gone.count == 2 && flaws(gone).isEmpty)

        let ranges = (0...Limits.targetsPerOperation).map { range(1, UInt64(2 * $0 + 1), 1) }
        let parts = Targets.characters(shapeID("a"), ranges).parts
        #expect(
            parts == [
                .characters(shapeID("a"), ranges.dropLast()), .characters(shapeID("a"), [ranges[ranges.count - 1]]),
            ])
        #expect(Targets.shapes([]).parts.isEmpty)
    }
}
