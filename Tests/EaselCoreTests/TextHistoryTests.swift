import Testing

@testable import EaselCore

/// Random histories of several writers, compared step by step with the naive text.
@Suite("Text: random histories against a naive list")
struct TextHistoryTests {
    @Test("single characters and short words", arguments: 1...20 as ClosedRange<UInt64>)
    func short(_ seed: UInt64) { History(seed: seed, writers: 3, longest: 6).run(steps: 250) }

    @Test("words and paragraphs", arguments: 101...105 as ClosedRange<UInt64>)
    func medium(_ seed: UInt64) { History(seed: seed, writers: 4, longest: 120).run(steps: 200) }

    @Test("long pastes, so that chunks split", arguments: 201...202 as ClosedRange<UInt64>)
    func long(_ seed: UInt64) { History(seed: seed, writers: 2, longest: 2_000).run(steps: 90) }

    @Test("a long paste is cut into chunks that are half full at least and keep no memory besides")
    func pasteIsCutEvenly() throws {
        let site = try #require(SiteID(7))
        for count in [1_025, 5_000, 65_536] {
            var text = Text()
            let characters = String(repeating: "x", count: count)
            let insertion = TextInsertion(
                first: CharacterID(site: site, counter: 1), characters: characters, left: nil, right: nil)
            #expect(text.insert(insertion) == nil && text.string == characters)
            let sizes = text.chunks.map(\.scalars.count)
            #expect(sizes.allSatisfy { (Text.chunkScalars / 2...Text.chunkScalars).contains($0) })
            let room = text.chunks.reduce(0) { $0 + $1.scalars.capacity }
            #expect(room < count + count / 4 + 64, "\(room) places for \(count) characters")
        }
    }

    @Test("one writer, thousands of single characters at random places", arguments: [301, 302] as [UInt64])
    func scattered(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var text = Text()
        var naive: [(CharacterID, UInt32)] = []
        for counter in 1...4_000 as ClosedRange<UInt64> {
            let offset = random.below(naive.count + 1)
            let (left, right) = text.neighbours(at: offset)
            let scalar = UInt32(97 + random.below(26))
            let id = character(1, counter)
            let flaw = text.insert(
                TextInsertion(first: id, characters: String(Text.scalar(scalar)), left: left, right: right))
            #expect(flaw == nil)
            naive.insert((id, scalar), at: offset)
            if counter % 500 == 0 { text.checkInvariants() }
        }
        #expect(text.signs.map(\.id) == naive.map(\.0))
        #expect(text.signs.map(\.scalar) == naive.map(\.1))
        for (offset, (id, _)) in naive.enumerated() where offset % 7 == 0 { #expect(text.offset(of: id) == offset) }
    }

    @Test("characters are found after runs were cut, joined again, and moved to another chunk")
    func joinedRuns() {
        var text = Text()
        func insert(_ siteNumber: UInt64, _ counter: UInt64, _ count: Int, at offset: Int) {
            let (left, right) = text.neighbours(at: offset)
            let characters = String(repeating: "x", count: count)
            let flaw = text.insert(
                TextInsertion(first: character(siteNumber, counter), characters: characters, left: left, right: right))
            #expect(flaw == nil)
            text.checkInvariants()
        }
        insert(2, 1, 800, at: 0)
        insert(1, 1, 100, at: 800)
        _ = text.setHidden(.deleted, true, [range(1, 41, 20)])
        insert(3, 1, 200, at: 0)
        _ = text.setHidden(.deleted, false, [range(1, 41, 20)])
        text.checkInvariants()
        insert(4, 1, 600, at: text.visibleCount - 100)
        insert(5, 1, 600, at: text.visibleCount - 100)
        for counter in 1...100 as ClosedRange<UInt64> { #expect(text.isVisible(character(1, counter))) }
    }
}

extension TextHistoryTests {
    @Test("chunks are found by number after splits at every place, and in copies that split otherwise")
    func chunkNumbers() {
        var random = SplitMix64(seed: 9)
        var texts = [TextPlacementTests.text(String(repeating: "x", count: 9_000))]
        for step in 0..<40 as Range<UInt64> {
            let index = random.below(texts.count)
            let before = texts[index].string
            if texts.count < 6 { texts.append(texts[index]) }
            let offset = random.below(texts[index].visibleCount + 1)
            let (left, right) = texts[index].neighbours(at: offset)
            let page = String(repeating: "y", count: 1 + random.below(3_000))
            let flaw = texts[index].insert(
                TextInsertion(first: character(2, 1 + step * 3_000), characters: page, left: left, right: right))
            #expect(flaw == nil)
            texts[index].checkInvariants()
            #expect(texts[index].string == before.prefix(offset) + page + before.dropFirst(offset))
        }
        for text in texts { text.checkInvariants() }
        #expect(texts.count == 6 && Set(texts.map(\.digest)).count == 6)
    }

    @Test(
        "the place among thousands of rivals, over many chunks, is that of the rule taken step by step",
        arguments: 1...4 as ClosedRange<UInt64>)
    func rivals(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var text = Text()
        // Characters are numbered from 1; 0 is the start of the text, which stands at -1.
        var sequence: [Int] = []
        var origins = [0]
        var positions = [-1]
        for number in 1...3_000 {
            let left = random.once(in: 2) ? random.below(min(number, 9)) : random.below(number)
            let low = positions[left]
            let high = random.once(in: 3) ? low + 1 + random.below(sequence.count - low) : sequence.count
            var destination = low + 1
            while destination < high, positions[origins[sequence[destination]]] >= low { destination += 1 }
            let insertion = TextInsertion(
                first: character(1, UInt64(number)), characters: "x",
                left: left == 0 ? nil : character(1, UInt64(left)),
                right: high == sequence.count ? nil : character(1, UInt64(sequence[high])))
            let flaw = text.insert(insertion)
            #expect(flaw == nil)
            sequence.insert(number, at: destination)
            origins.append(left)
            positions.append(0)
            for position in destination..<sequence.count { positions[sequence[position]] = position }
            if number % 500 == 0 { text.checkInvariants() }
        }
        #expect(text.chunks.count > 10)
        #expect(text.ids.map { Int($0.counter) } == sequence)
        var stored: Text?
        do { stored = try Text(storedRuns: text.storedRuns()) } catch { Issue.record("\(error)") }
        stored?.checkInvariants()
        #expect(stored?.signs == text.signs)
    }
}

/// One random history.
private struct History {
    private var random: SplitMix64
    private var writers: Writers
    private var naive = NaiveText()
    private let longest: Int
    private var sequences: [[CharacterID]] = []

    init(seed: UInt64, writers count: Int, longest: Int) {
        random = SplitMix64(seed: seed)
        writers = Writers(count)
        self.longest = longest
    }

    func run(steps: Int) {
        var history = self
        for _ in 0..<steps { history.step() }
        history.writersSettle()
        history.checkOrder()
        history.checkEarlierStaysLeft()
    }

    private mutating func step() {
        let writer = random.pick(writers.writers.indices)
        if random.once(in: 12) { purge() }
        switch random.below(10) {
        case 0..<4: write(writer)
        case 4..<8: send(writer)
        default:
            writers.receive(writer, random.once(in: 3) ? .max : 1 + random.below(4))
            writers.writers[writer].view.checkInvariants()
            let behind = writers.text
            let view = writers.writers[writer].view
            #expect(view.string.applying(behind.edits(from: view)) == behind.string)
        }
        sequences.append(writers.writers[writer].view.ids)
    }

    private mutating func write(_ writer: Int) {
        let view = writers.writers[writer].view
        guard view.visibleCount > 0, random.below(10) > 5 else {
            let offset = random.once(in: 3) ? view.visibleCount : random.below(view.visibleCount + 1)
            writers.type(writer, word(), at: offset, skipping: random.once(in: 5) ? UInt64(1 + random.below(3)) : 0)
            let before = view.string.unicodeScalars
            let typed = writers.writers[writer].view.string.unicodeScalars
            #expect(typed.prefix(offset).elementsEqual(before.prefix(offset)))
            #expect(typed.suffix(before.count - offset).elementsEqual(before.suffix(before.count - offset)))
            return
        }
        let cause: HiddenCause = random.once(in: 2) ? .deleted : .retracted
        let start = random.below(view.visibleCount)
        let end = min(view.visibleCount, start + 1 + random.below(longest * 2))
        switch random.below(4) {
        case 0: writers.make(writer, .flip(cause, true, view.characters(at: start..<end)))
        case 1:
            let first = random.pick(view.ids)
            let range = CharacterRange(first: first, count: 1 + random.below(longest * 2))
            writers.make(writer, .flip(cause, false, [range]))
        case 2:
            let ids = (0..<3).map { _ in random.pick(view.ids) }
            let ranges = ids.map { CharacterRange(first: $0, count: 1 + random.below(longest)) }
            writers.make(writer, .flip(cause, random.once(in: 2), ranges))
        default:
            let unknown = CharacterID(site: site(UInt64(10 + random.below(6))), counter: UInt64(1 + random.below(200)))
            writers.make(writer, .flip(cause, true, [CharacterRange(first: unknown, count: 1 + random.below(5_000))]))
        }
    }

    private mutating func purge() {
        let old = writers.text
        guard !naive.signs.isEmpty else { return }
        let ranges = (0..<1 + random.below(3)).map { _ in
            CharacterRange(first: random.pick(naive.signs).id, count: 1 + random.below(longest * 4))
        }
        let foreseen = Set(old.purgeable(ranges).flatMap(\.ids))
        let before = naive.signs
        let hasEffect = naive.purge(ranges)
        let isPurged = writers.purge(ranges)
        #expect(isPurged == hasEffect)
        let changed = zip(before, naive.signs).filter { $0.causes != $1.causes }.map(\.0.id)
        #expect(foreseen == Set(changed))
        compare(old)
        #expect(writers.text.purgedCount == naive.signs.count { $0.causes == .purged })
        var stored: Text?
        do { stored = try Text(storedRuns: writers.text.storedRuns()) } catch { Issue.record("\(error)") }
        stored?.checkInvariants()
        #expect(stored?.signs == naive.signs && stored?.digest == writers.text.digest)
    }

    private mutating func word() -> String {
        let count = random.once(in: 4) ? 1 + random.below(longest) : 1 + random.below(min(longest, 3))
        let scalars = (0..<count).map { _ in random.pick("abcdefgh éß水🌍🚀".unicodeScalars) }
        return String(String.UnicodeScalarView(scalars))
    }

    private mutating func send(_ writer: Int) {
        let old = writers.text
        var probe = old
        guard let change = writers.send(writer) else { return }
        switch change {
        case .insert(let insertion):
            let hasEffect = naive.insert(insertion)
            #expect(hasEffect)
        case .flip(let cause, let isHidden, let ranges):
            let (existing, changed) = naive.setHidden(cause, isHidden, ranges)
            let foreseen = old.changing(cause, isHidden, ranges)
            let flip = probe.setHidden(cause, isHidden, ranges)
            #expect(flip.existing.flatMap(\.ids) == existing)
            #expect(flip.changed == changed.count)
            #expect(Set(foreseen.flatMap(\.ids)) == Set(changed))
            #expect(probe.digest == writers.text.digest)
        case .purge: Issue.record("writers purge nothing")
        }
        compare(old)
    }

    private mutating func compare(_ old: Text) {
        let text = writers.text
        text.checkInvariants()
        #expect(text.signs == naive.signs)
        #expect(text.count == naive.signs.count)
        let visible = naive.visible
        #expect(text.visibleCount == visible.count)
        #expect(text.string == naive.string)
        #expect(old.string.applying(text.edits(from: old)) == text.string)
        #expect(text.string.applying(old.edits(from: text)) == old.string)
        for _ in 0..<4 { compareOffsets(text, visible) }
    }

    private mutating func compareOffsets(_ text: Text, _ visible: [Contents.Sign]) {
        let index = random.below(naive.signs.count)
        let sign = naive.signs[index]
        let offset = naive.signs[..<index].count { $0.causes.isEmpty }
        #expect(text.offset(of: sign.id) == offset)
        #expect(text.isVisible(sign.id) == sign.causes.isEmpty)
        #expect(text.caret(behind: sign.id) == offset + (sign.causes.isEmpty ? 1 : 0))

        let caret = random.below(visible.count + 2)
        let neighbours = text.neighbours(at: caret)
        let left = caret == 0 ? nil : visible.prefix(caret).last?.id
        let right = left.flatMap { naive.position(of: $0) }.map { $0 + 1 } ?? 0
        #expect(neighbours.left == left)
        #expect(neighbours.right == (right < naive.signs.count ? naive.signs[right].id : nil))

        let start = random.below(visible.count + 1)
        let end = start + random.below(visible.count + 3)
        #expect(
            text.characters(at: start..<end).flatMap(\.ids)
                == visible[start..<min(end, visible.count)].map(\.id))

        let modulus = UInt64(2 + random.below(3))
        let kept = text.neighbours(of: sign.id) { $0.counter % modulus == 0 }
        #expect(kept.left == naive.signs[..<index].last { $0.id.counter % modulus == 0 }?.id)
        #expect(kept.right == naive.signs[(index + 1)...].first { $0.id.counter % modulus == 0 }?.id)
    }

    private mutating func writersSettle() {
        writers.settle(&random)
        for writer in writers.writers {
            #expect(writer.view.signs == writers.text.signs)
            #expect(writer.view.digest == writers.text.digest)
        }
    }

    /// No two characters ever swap: each view's sequence is a part of the last one, in its order.
    private func checkOrder() {
        let positions = positions()
        for sequence in sequences {
            let places = sequence.map { positions[$0] ?? -1 }
            #expect(places.allSatisfy { $0 >= 0 })
            #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    /// Of inserts with the same two neighbours the earlier in the server's order stays left.
    private func checkEarlierStaysLeft() {
        let positions = positions()
        var last: [[CharacterID?]: Int] = [:]
        for case (_, .insert(let insertion)) in writers.log {
            let place = positions[insertion.first] ?? -1
            let gap = [insertion.left, insertion.right]
            if let earlier = last[gap] { #expect(earlier < place) }
            last[gap] = place
        }
    }

    private func positions() -> [CharacterID: Int] {
        Dictionary(uniqueKeysWithValues: writers.text.ids.enumerated().map { ($1, $0) })
    }
}
