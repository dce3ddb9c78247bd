import Testing

@testable import EaselCore

@Suite("Canvas: purging")
struct PurgeTests {
    private let a = shapeID("a")
    private let b = shapeID("b")
    private let c = shapeID("c")

    private func hide(_ names: String...) -> Operation { .hide(.deleted, .shapes(names.map(shapeID))) }

    private func purge(_ names: String...) -> Operation { .purge(.shapes(names.map(shapeID))) }

    @Test("OP-12: a hidden shape is gone as if it had never been, whatever hides it")
    func hidden() {
        let start = Canvas.holding([creating("b")])
        for cause in [HiddenCause.deleted, .retracted] {
            var canvas = start
            _ = canvas.apply([
                creating("a", properties: [(propertyKey("x"), .integer(1))]), typing("a", "text"),
                .hide(cause, .shapes([a])),
            ])
            let outcome = canvas.apply([purge("a")])
            #expect(outcome.problems.isEmpty && outcome.inverses.count == 1 && outcome.inverses[0] == nil)
            #expect(canvas[a] == nil)
            #expect(canvas.digest == start.digest)
            #expect(Contents(canvas) == Contents(start))
            #expect(canvas.changedShapes(since: start).isEmpty)
            canvas.checkInvariants()
        }
    }

    @Test("OP-12: what can be seen stays, and what is not there is passed over")
    func visible() {
        var canvas = Canvas.holding([creating("a"), creating("b"), hide("b")])
        #expect(canvas.apply([purge("a")]).problems == [.notPurged(a)])
        #expect(canvas.apply([purge("a", "gone", "b", "b")]).problems.isEmpty)
        #expect(canvas.childNames() == ["a"])
        #expect(canvas.apply([purge("b", "gone")]).problems == [.unknownShape(b)])
        canvas.checkInvariants()
    }

    @Test("OP-12: a hidden shape with something in it that is not purged with it stays, and so does what it lies in")
    func contents() {
        let start = Canvas.holding([
            creating("a"), creating("b", in: "a"), creating("c", in: "b"), hide("a", "b", "c"),
        ])
        var canvas = start
        #expect(canvas.apply([purge("a", "b")]).problems == [.notPurged(a)])
        #expect(canvas.digest == start.digest)
        // Named in any order they go together.
        #expect(canvas.apply([purge("b", "c", "a")]).problems.isEmpty)
        #expect(canvas.shapeCount == 0)

        var shown = start
        _ = shown.apply([.show(.deleted, .shapes([c]))])
        #expect(shown.apply([purge("a", "b", "c")]).problems == [.notPurged(a)])
        #expect(shown.visibleChildNames() == ["c"])
    }

    @Test(
        "OP-12: what was moved out before is purged by itself; what was moved in and is not named keeps its new parent")
    func moved() {
        var out = Canvas.holding([creating("a"), creating("b", in: "a"), hide("a", "b")])
        _ = out.apply([.place(b, Placement(parent: .canvas)), .show(.deleted, .shapes([b]))])
        #expect(out.apply([purge("a", "b")]).problems.isEmpty)
        #expect(out.childNames() == ["b"] && out.isVisible(b))

        var moved = Canvas.holding([creating("a"), creating("b", order: "W"), hide("a")])
        _ = moved.apply([.place(b, Placement(parent: .shape(a)))])
        #expect(moved.apply([purge("a")]).problems == [.notPurged(a)])
        #expect(moved.visibleChildNames() == ["b"])
    }

    @Test("OP-12: operations on a purged shape have no effect, and are reported as on one that never was")
    func later() {
        var canvas = Canvas.holding([creating("a"), typing("a", "text"), hide("a"), purge("a"), creating("b")])
        let before = canvas
        let outcome = canvas.apply([
            .set(a, [PropertyChange(propertyKey("x"), .integer(1))]), .place(a, Placement(order: order("W"))),
            .place(b, Placement(parent: .shape(a))), .show(.deleted, .shapes([a])), typing("a", "more", from: 9),
            .hide(.deleted, .characters(a, [range(1, 1, 1)])), creating("c", in: "a"), purge("a"),
        ])
        #expect(outcome.problems == Array(repeating: .unknownShape(a), count: 8))
        #expect(outcome.inverses.allSatisfy { $0 == nil })
        #expect(canvas.digest == before.digest)
    }

    @Test("OP-13: purged characters have no content, keep their places as neighbours, and never come back")
    func characters() {
        var canvas = Canvas.holding([creating("a"), typing("a", "abcdef")])
        _ = canvas.apply([
            .hide(.deleted, .characters(a, [range(1, 2, 2)])), .hide(.retracted, .characters(a, [range(1, 3, 2)])),
        ])
        #expect(canvas.apply([.purge(.characters(a, [range(1, 1, 9)]))]).problems.isEmpty)
        let text = canvas[a]?.text
        #expect(text?.string == "aef" && text?.count == 6 && text?.purgedCount == 3)
        #expect(text?.storedRuns().map(\.causes) == [[], .purged, []])
        #expect(text?.signs.map(\.origin) == [nil] + (1...5).map { character(1, $0) })

        let outcome = canvas.apply([
            .show(.deleted, .characters(a, [range(1, 2, 3)])), .hide(.deleted, .characters(a, [range(1, 2, 1)])),
            .purge(.characters(a, [range(1, 1, 9)])),
        ])
        #expect(outcome.problems == [.charactersPurged(a), .charactersPurged(a), .notPurged(a)])
        let part = canvas.apply([.hide(.deleted, .characters(a, [range(1, 1, 6)]))])
        #expect(part.inverses == [.show(.deleted, .characters(a, [range(1, 1, 1), range(1, 5, 2)]))])
        _ = canvas.apply(part.inverses.compactMap { $0 })

        let between = TextInsertion(
            first: character(2, 1), characters: "-", left: character(1, 2), right: character(1, 3))
        #expect(canvas.apply([.insertText(a, between)]).problems.isEmpty)
        #expect(canvas[a]?.text.string == "a-ef")
        #expect(canvas[a]?.text.ids.map(\.counter) == [1, 2, 1, 3, 4, 5, 6])
        canvas.checkInvariants()
    }

    @Test("OP-13: in a text of purged characters a site's numbers rise all the same, and there is room for new ones")
    func numbersAndRoom() {
        var canvas = Canvas.holding([creating("a")])
        let page = String(repeating: "x", count: Limits.charactersPerInsertion)
        for number in 0..<15 {
            let first = character(1, UInt64(1 + number * Limits.charactersPerInsertion))
            let insertion = TextInsertion(first: first, characters: page, left: nil, right: nil)
            _ = canvas.apply([.insertText(a, insertion)])
        }
        let insertion = TextInsertion(first: character(2, 1), characters: page, left: nil, right: nil)
        #expect(canvas.apply([.insertText(a, insertion)]).problems == [.textFull(a)])
        let all = Targets.characters(a, [range(1, 1, 15 * Limits.charactersPerInsertion)])
        _ = canvas.apply([.hide(.deleted, all), .purge(all)])
        #expect(canvas[a]?.text.chunks.count == 1)
        #expect(canvas.apply([.insertText(a, insertion)]).problems.isEmpty)
        #expect(canvas.apply([typing("a", "y", from: 5)]).problems == [.charactersExist(a)])
        canvas.checkInvariants()
    }

    @Test("OP-10: a client's transaction with a purge is malformed, and a draft takes none")
    func clients() {
        let transaction = Transaction(operations: [purge("a")], label: "Purge")
        #expect(transaction.flaw == nil)
        #expect(transaction.submissionFlaw == .purgeByClient)
        #expect(Transaction(operations: [hide("a")], label: "Delete").submissionFlaw == nil)
        let none = Transaction(operations: [.purge(.shapes([]))], label: "Purge")
        #expect(none.flaw == .targetCount)
        var draft = TransactionDraft(
            canvas: .holding([creating("a"), hide("a")]), identities: IdentitySource(site: site(1)))
        draft.add(purge("a"))
        #expect(draft.isEmpty && draft.flaw == .purgeByClient && draft.canvas[a] != nil)
    }

    @Test("a canvas is replaced by a state of before a purge: shapes come back, and characters as new ones")
    func restored() {
        let old = Canvas.holding([creating("a"), typing("a", "one two three"), creating("b"), typing("b", "gone")])
        var canvas = old
        _ = canvas.apply([
            .hide(.deleted, .characters(a, [range(1, 1, 3), range(1, 9, 5)])), hide("b"),
            .purge(.characters(a, [range(1, 1, 13)])), purge("b"),
        ])
        #expect(canvas[a]?.text.string == " two ")
        var draft = TransactionDraft(canvas: canvas, identities: IdentitySource(site: site(9)))
        draft.replaceAll(with: old)
        #expect(draft.canvas[a]?.text.string == "one two three")
        #expect(draft.canvas[b]?.text.string == "gone" && draft.canvas.isVisible(b))
        #expect(draft.problems.isEmpty)
        draft.canvas.checkInvariants()
    }

    @Test("the difference between states of before and after a purge leads from one to what can be seen of the other")
    func difference() {
        var old = Canvas.holding([creating("a"), typing("a", "abcdef"), creating("b")])
        var new = old
        _ = new.apply([
            .hide(.deleted, .characters(a, [range(1, 2, 2)])), .purge(.characters(a, [range(1, 2, 2)])), hide("b"),
            purge("b"),
        ])
        #expect(old.apply(new.difference(from: old)).problems.isEmpty)
        #expect(Visible(old) == Visible(new))
        #expect(new.difference(from: old).isEmpty)
    }

    @Test("typed and deleted again and again, what is hidden takes room; purged it takes next to none")
    func memory() {
        var text = Text()
        _ = text.insert(TextInsertion(first: character(1, 1), characters: "x", left: nil, right: nil))
        for number in 0..<100 {
            let first = character(1, UInt64(2 + number * 1_000))
            let page = String(repeating: "y", count: 1_000)
            let left = number == 0 ? character(1, 1) : character(1, UInt64(1 + number * 1_000))
            _ = text.insert(TextInsertion(first: first, characters: page, left: left, right: nil))
        }
        _ = text.setHidden(.deleted, true, [range(1, 2, 100_000)])
        #expect(text.chunks.reduce(0) { $0 + $1.scalars.count } == 100_001)
        let isPurged = text.purge([range(1, 1, 100_001)])
        #expect(isPurged)
        #expect(text.chunks.count == 1)
        #expect(text.chunks[0].scalars.count == 1 && text.chunks[0].runs.count == 2)
        text.checkInvariants()
    }
}
