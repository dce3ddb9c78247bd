import Testing

@testable import EaselCore

/// Failures that users of other editors reported, tried on ours.
@Suite("Text: reported failures of other editors")
struct TextReportTests {
    @Test("TEXT-01: offsets count Unicode scalars, for flags and families too")
    func units() {
        var writers = Writers(1, start: TextPlacementTests.text("🇨🇭👩‍👩‍👦🦊"))
        #expect(writers.text.visibleCount == 8)
        writers.type(0, "!", at: 8)
        #expect(writers.writers[0].view.string == "🇨🇭👩‍👩‍👦🦊!")
        writers.make(0, .flip(.deleted, true, writers.writers[0].view.characters(at: 2..<7)))
        #expect(writers.writers[0].view.string == "🇨🇭🦊!")
        #expect(writers.writers[0].view.visibleCount == 4)
    }

    @Test("TEXT-02: no offset lies inside a surrogate pair; one past the end means the end")
    func surrogates() {
        var writers = Writers(1, start: TextPlacementTests.text("🌍"))
        #expect(writers.text.visibleCount == 1)
        writers.type(0, "x", at: 2)
        #expect(writers.writers[0].view.string == "🌍x")
        #expect(writers.writers[0].view.characters(at: 1..<9).flatMap(\.ids) == [character(10, 1)])
        #expect(writers.writers[0].view.characters(at: -3..<1).flatMap(\.ids) == [character(1, 1)])
        #expect(writers.writers[0].view.characters(at: 5..<9).isEmpty)
    }

    @Test("TEXT-03: an emoji in front of one with the same first half is one whole edit")
    func sameHalf() {
        var writers = Writers(1, start: TextPlacementTests.text("🐟"))
        writers.type(0, "🚀", at: 0)
        let edits = writers.writers[0].view.edits(from: writers.text)
        #expect(edits == [TextEdit(offset: 0, removed: 0, inserted: "🚀")])
    }

    @Test("edits compare by identity: a character replaced by an equal one is an edit")
    func identity() {
        var writers = Writers(1, start: TextPlacementTests.text("aaa"))
        writers.make(0, .flip(.deleted, true, [range(1, 2, 1)]))
        writers.type(0, "a", at: 1)
        let edits = writers.writers[0].view.edits(from: writers.text)
        #expect(edits == [TextEdit(offset: 1, removed: 1, inserted: "a")])
        #expect(writers.text.edits(from: writers.text).isEmpty)
    }

    @Test("edits from a text that holds the same characters in another order replace what differs")
    func otherOrder() {
        func text(_ sites: [UInt64]) -> Text {
            var text = Text()
            for number in sites {
                let left = text.neighbours(at: .max).left
                let flaw = text.insert(
                    TextInsertion(first: character(number, 1), characters: String(number), left: left, right: nil))
                #expect(flaw == nil)
            }
            return text
        }
        let one = text([1, 2, 3, 4])
        let other = text([1, 3, 2, 4])
        #expect(other.edits(from: one) == [TextEdit(offset: 1, removed: 2, inserted: "32")])
        #expect(one.edits(from: other) == [TextEdit(offset: 1, removed: 2, inserted: "23")])
    }

    @Test("TEXT-04: replay from a kept copy plus the changes since equals the live text, emoji and splits included")
    func replay() {
        var random = SplitMix64(seed: 4)
        var writers = Writers(3)
        var kept: [(Int, Text)] = []
        for step in 0..<400 {
            let writer = random.below(3)
            let view = writers.writers[writer].view
            if view.visibleCount > 20, random.once(in: 3) {
                let start = random.below(view.visibleCount - 10)
                writers.make(writer, .flip(.deleted, true, view.characters(at: start..<start + 7)))
            } else {
                writers.type(writer, random.pick(["🌍", "a🚀b", "水", "👩‍👩‍👦"]), at: random.below(view.visibleCount + 1))
            }
            _ = writers.send(writer)
            if random.once(in: 3) { writers.receive(writer, .max) }
            if step % 50 == 0 { kept.append((writers.log.count, writers.text)) }
        }
        writers.settle(&random)
        for (revision, copy) in kept {
            var copy = copy
            for entry in writers.log[revision...] {
                let hasEffect = copy.apply(entry.change)
                #expect(hasEffect)
            }
            #expect(copy.signs == writers.text.signs)
            #expect(copy.digest == writers.text.digest)
        }
    }

    @Test("TEXT-05: two people type into one text, and every character of both is there, once, in one order for all")
    func twoWriters() {
        var random = SplitMix64(seed: 5)
        var writers = Writers(2)
        var typed = ["", ""]
        for _ in 0..<200 {
            let writer = random.below(2)
            let letter = writer == 0 ? "a" : "b"
            typed[writer] += letter
            writers.type(writer, letter, at: random.below(writers.writers[writer].view.visibleCount + 1))
            if random.once(in: 2) { _ = writers.send(random.below(2)) }
            if random.once(in: 2) { writers.receive(random.below(2), .max) }
        }
        writers.settle(&random)
        let string = writers.text.string
        #expect(string.filter { $0 == "a" } == typed[0])
        #expect(string.filter { $0 == "b" } == typed[1])
        #expect(writers.writers.allSatisfy { $0.view.string == string })
    }
}
