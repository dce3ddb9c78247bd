import Testing

@testable import EaselCore

/// What people are promised about text typed at the same time (the rule "left origin, server order").
@Suite("Text: placement of concurrent typing")
struct TextPlacementTests {
    enum Style: CaseIterable { case forward, backward, mixed, pasting }

    @Test("bursts that have not seen each other never interleave", arguments: Style.allCases, Style.allCases)
    func unseenBursts(_ one: Style, _ other: Style) {
        for seed in 0..<60 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let count = 2 + random.below(2)
            let (start, caret) = Self.start(&random)
            var writers = Writers(count, start: start)
            for writer in 0..<count {
                var burst = Burst(start: caret)
                for _ in 0..<2 + random.below(8) {
                    burst.type(writer, &writers, writer == 0 ? one : other, &random)
                    if random.once(in: 3) { _ = writers.send(writer) }
                }
            }
            writers.settle(&random)
            Self.expectContiguous(writers)
        }
    }

    @Test("forward typing never interleaves, even while commits of others arrive", arguments: 0..<300 as Range<UInt64>)
    func forwardBursts(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (start, caret) = Self.start(&random)
        var writers = Writers(2 + random.below(3), start: start)
        var carets = writers.writers.map { _ in Optional<CharacterID>.none }
        for _ in 0..<40 {
            let writer = random.pick(writers.writers.indices)
            switch random.below(4) {
            case 0..<2:
                let offset = carets[writer].map { writers.writers[writer].view.caret(behind: $0) }
                // Where nothing was typed yet, the caret stands in the gap all start from, as first seen.
                guard offset != nil || writers.writers[writer].seen == 0 else { continue }
                writers.type(writer, random.once(in: 5) ? "xyz" : "x", at: offset ?? caret)
                carets[writer] = CharacterID(
                    site: writers.writers[writer].site, counter: writers.writers[writer].counter)
            case 2: _ = writers.send(writer)
            default: writers.receive(writer, 1 + random.below(3))
            }
        }
        writers.settle(&random)
        Self.expectContiguous(writers)
    }

    @Test("an insertion stands directly behind its visible left neighbour, in front of hidden characters")
    func frontOfHidden() {
        var writers = Writers(1, start: Self.text("abc"))
        writers.make(0, .flip(.deleted, true, [range(1, 2, 1)]))
        writers.type(0, "X", at: 1)
        #expect(writers.writers[0].view.string == "aXc")
        #expect(writers.writers[0].view.ids == [character(1, 1), character(10, 1), character(1, 2), character(1, 3)])
    }

    @Test("the earlier of two concurrent insertions stays left, whichever site made it", arguments: [0, 1])
    func earlierStaysLeft(_ first: Int) {
        var writers = Writers(2, start: Self.text("ab"))
        writers.type(0, "XX", at: 1)
        writers.type(1, "YY", at: 1)
        _ = writers.send(first)
        _ = writers.send(1 - first)
        #expect(writers.text.string == (first == 0 ? "aXXYYb" : "aYYXXb"))
    }

    @Test("the same visible gap with an undone rival in it: in front of hidden characters goes first")
    func undoneRival() {
        var writers = Writers(2, start: Self.text("ab"))
        writers.type(1, "Y", at: 1)
        writers.type(0, "X", at: 1)
        _ = writers.send(1)
        _ = writers.send(0)
        writers.make(1, .flip(.retracted, true, [range(11, 1, 1)]))
        writers.type(1, "Z", at: 1)
        _ = writers.send(1)
        _ = writers.send(1)
        #expect(writers.text.string == "aZXb")
    }

    @Test("insertions that cannot be placed are refused and change nothing")
    func refusals() {
        var text = Self.text("abc")
        let before = text
        func refusal(
            _ left: CharacterID?, _ right: CharacterID?, first: CharacterID = character(2, 1)
        ) -> Text.InsertionProblem? {
            text.insert(TextInsertion(first: first, characters: "x", left: left, right: right))
        }
        #expect(refusal(character(9, 1), nil) == .unknownNeighbour)
        #expect(refusal(nil, character(1, 4)) == .unknownNeighbour)
        #expect(refusal(character(1, 2), character(1, 1)) == .neighboursOutOfOrder)
        #expect(refusal(character(1, 2), character(1, 2)) == .neighboursOutOfOrder)
        #expect(refusal(nil, nil, first: character(1, 3)) == .charactersExist)
        #expect(text.signs == before.signs)
        #expect(text.digest == before.digest)
        #expect(refusal(nil, nil, first: character(1, 4)) == nil)
    }

    @Test("a full text takes no more, and fills up to the last character")
    func full() {
        var text = Text()
        let page = String(repeating: "x", count: 50_000)
        for index in 0..<20 as Range<UInt64> {
            let flaw = text.insert(
                TextInsertion(
                    first: character(1, 1 + index * 50_000), characters: page, left: text.neighbours(at: .max).left,
                    right: nil))
            #expect(flaw == nil)
        }
        #expect(text.count == Limits.charactersPerText)
        let one = TextInsertion(first: character(2, 1), characters: "y", left: nil, right: nil)
        let flaw = text.insert(one)
        #expect(flaw == .textFull)
        text.checkInvariants()
    }

    // MARK: Parts

    static func text(_ string: String) -> Text {
        var text = Text()
        let flaw = text.insert(TextInsertion(first: character(1, 1), characters: string, left: nil, right: nil))
        precondition(flaw == nil, "a first text fits")
        return text
    }

    /// A text and a caret in it, with hidden characters at the caret or not.
    private static func start(_ random: inout SplitMix64) -> (Text, caret: Int) {
        if random.once(in: 4) { return (Text(), 0) }
        var text = text("abcdef")
        let hidden = random.below(3)
        if hidden > 0 { _ = text.setHidden(.deleted, true, [range(1, 3, hidden)]) }
        return (text, random.once(in: 2) ? 2 : random.below(text.visibleCount + 1))
    }

    /// Between the first and the last character of one writer stands none of another.
    private static func expectContiguous(_ writers: Writers) {
        var sites: [SiteID] = []
        for id in writers.text.ids where id.site != site(1) && sites.last != id.site { sites.append(id.site) }
        #expect(Set(sites).count == sites.count, "\(sites)")
    }
}

/// What one writer types without seeing anybody: everything adjoins what it typed before.
private struct Burst {
    private let start: Int
    private var length = 0

    init(start: Int) { self.start = start }

    mutating func type(
        _ writer: Int, _ writers: inout Writers, _ style: TextPlacementTests.Style, _ random: inout SplitMix64
    ) {
        if style == .mixed, length > 1, random.once(in: 4) {
            let place = start + random.below(length)
            let ranges = writers.writers[writer].view.characters(at: place..<place + 1)
            writers.make(writer, .flip(random.once(in: 2) ? .deleted : .retracted, true, ranges))
            length -= 1
            return
        }
        let characters = style == .pasting ? String(repeating: "p", count: 1 + random.below(5)) : "x"
        let offset: Int
        switch style {
        case .forward, .pasting: offset = length
        case .backward: offset = 0
        case .mixed: offset = random.below(length + 1)
        }
        writers.type(writer, characters, at: start + offset)
        length += characters.unicodeScalars.count
    }
}
