extension Text {
    /// Takes the content of the named characters that are hidden, and makes one run of those side by side. They keep identity,
    /// place and left origin, so that insertions beside them and in front of them go where they would have gone.
    ///
    /// Returns whether there were any; none are taken if there would be more than ``Limits/purgedCharactersPerText``. Linear in the
    /// text then: what is left of its chunks is put together anew.
    mutating func purge(_ ranges: [CharacterRange]) -> Bool {
        let before = self
        for range in ranges {
            forEachPiece(of: range) { text, place, count in
                let causes = text.run(place).causes
                if !causes.isEmpty, causes != .purged { text.setCauses(.purged, place, count) }
            }
        }
        guard purgedCount > before.purgedCount else { return false }
        guard purgedCount <= Limits.purgedCharactersPerText else {
            self = before
            return false
        }
        compact()
        return true
    }

    /// Puts the same text into as few runs and chunks as it needs.
    private mutating func compact() {
        var compacted = Text()
        var open: Run?
        var characters: [UInt32] = []
        var previous: CharacterID?
        func close(_ run: Run) {
            compacted.append(run, characters, behind: previous)
            previous = run.last
            characters = []
        }
        forEachRun { run, scalars in
            if let front = open, front.isContinued(by: run) {
                open?.count += run.count
            } else {
                if let front = open { close(front) }
                open = run
            }
            characters += scalars
        }
        if let front = open { close(front) }
        self = compacted
    }

    /// The named characters that a purge would take the content of.
    func purgeable(_ ranges: [CharacterRange]) -> [CharacterRange] {
        pieces(of: ranges) { !$0.isEmpty && $0 != .purged }
    }

    /// The named characters that are visible.
    func visible(of ranges: [CharacterRange]) -> [CharacterRange] { pieces(of: ranges) { $0.isEmpty } }

    /// Whether any of the named characters was purged. O(their number × log n), not more than the text has.
    func hasPurged(_ ranges: [CharacterRange]) -> Bool {
        purgedCount > 0 && !pieces(of: ranges) { $0 == .purged }.isEmpty
    }

    private func pieces(of ranges: [CharacterRange], where isMeant: (HiddenCauses) -> Bool) -> [CharacterRange] {
        var result: [CharacterRange] = []
        var copy = self
        for range in ranges {
            copy.forEachPiece(of: range) { text, place, count in
                guard isMeant(text.run(place).causes) else { return }
                CharacterRange.append(CharacterRange(first: text.id(place), count: count), to: &result)
            }
        }
        return result
    }

    /// The purged characters, in order of the text.
    var purgedRanges: [CharacterRange] {
        var ranges: [CharacterRange] = []
        forEachRun { run, _ in
            if run.isPurged { CharacterRange.append(CharacterRange(first: run.first, count: run.count), to: &ranges) }
        }
        return ranges
    }

    /// The visible characters that were purged in another state of the text, in pieces side by side.
    func visiblePieces(purgedIn other: Text) -> [(range: CharacterRange, characters: String)] {
        var result: [(range: CharacterRange, characters: String)] = []
        forEachRun { run, scalars in
            guard run.isVisible else { return }
            let whole = CharacterRange(first: run.first, count: run.count)
            for range in other.pieces(of: [whole], where: { $0 == .purged }) {
                let start = scalars.startIndex + Int(range.first.counter - run.first.counter)
                var characters = String.UnicodeScalarView()
                for value in scalars[start..<start + range.count] { characters.append(Self.scalar(value)) }
                result.append((range, String(characters)))
            }
        }
        return result
    }
}

extension Text.Run {
    /// Whether the two are one run where they stand side by side.
    func isContinued(by next: Text.Run) -> Bool {
        causes == next.causes && last.advanced(by: 1) == next.first && next.origin == last
    }
}
