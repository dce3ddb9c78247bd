extension Text {
    /// What hiding or showing characters did.
    struct Flip {
        /// The named characters that exist and are not purged.
        var existing: [CharacterRange] = []
        /// How many of them changed.
        var changed = 0
    }

    /// Adds or removes a cause on the named characters that exist and are not purged. O(their number + pieces × log n).
    mutating func setHidden(_ cause: HiddenCause, _ isHidden: Bool, _ ranges: [CharacterRange]) -> Flip {
        var flip = Flip()
        for range in ranges {
            forEachPiece(of: range) { text, place, count in
                let causes = text.run(place).causes
                guard causes != .purged else { return }
                CharacterRange.append(CharacterRange(first: text.id(place), count: count), to: &flip.existing)
                let new = causes.with(cause, isHidden)
                guard new != causes else { return }
                flip.changed += count
                text.setCauses(new, place, count)
            }
        }
        return flip
    }

    /// The parts of the named characters that exist, are not purged, and on which the cause would change.
    func changing(_ cause: HiddenCause, _ isHidden: Bool, _ ranges: [CharacterRange]) -> [CharacterRange] {
        var result: [CharacterRange] = []
        var copy = self
        for range in ranges {
            copy.forEachPiece(of: range) { text, place, count in
                let causes = text.run(place).causes
                guard causes != .purged, causes.with(cause, isHidden) != causes else { return }
                CharacterRange.append(CharacterRange(first: text.id(place), count: count), to: &result)
            }
        }
        return result
    }

    /// Calls `body` with each maximal piece of `range` that lies within one run, skipping numbers never inserted.
    mutating func forEachPiece(of range: CharacterRange, _ body: (inout Text, Place, Int) -> Void) {
        var next = range.first
        let end = range.first.counter + UInt64(range.count)
        while next.counter < end {
            guard let place = place(of: next) else {
                // The next character that exists begins a run that is in the index.
                guard let entry = chunkOfRun.first(after: next), entry.key.site == next.site, entry.key.counter < end
                else { return }
                next = entry.key
                continue
            }
            let count = min(run(place).count - place.offset, Int(end - next.counter))
            body(&self, place, count)
            next = next.advanced(by: count)
        }
    }

    /// Changes the causes of characters of one run that are not purged. With the cause `purged` their content goes.
    mutating func setCauses(_ causes: HiddenCauses, _ place: Place, _ count: Int) {
        makeUnique(place.chunk)
        let chunk = chunks[place.chunk]
        let run = chunk.runs[place.run]
        let start = Self.start(of: place.run, in: chunk) + place.offset
        var previous: CharacterID?
        if place.offset > 0 {
            previous = run.first.advanced(by: place.offset - 1)
        } else if let before = self.place(before: place) {
            previous = id(before)
        }
        var piece = Run(
            first: run.first.advanced(by: place.offset), count: count,
            origin: place.offset == 0 ? run.origin : previous, causes: run.causes)
        let scalars = Array(chunk.scalars[start..<start + count])
        digest &-= hash(of: piece, scalars, previous: previous)
        piece.causes = causes
        digest &+= hash(of: piece, scalars, previous: previous)

        let visibleChange = (causes.isEmpty ? count : 0) - (run.isVisible ? count : 0)
        chunk.visibleCount += visibleChange
        visibleCount += visibleChange
        if causes == .purged {
            chunk.scalars.removeSubrange(start..<start + count)
            purgedCount += count
        }

        cut(chunk: place.chunk, run: place.run, at: place.offset + count)
        cut(chunk: place.chunk, run: place.run, at: place.offset)
        let target = place.run + (place.offset > 0 ? 1 : 0)
        chunk.runs[target].causes = causes
        mergeWithNext(chunk, target)
        if target > 0 { mergeWithNext(chunk, target - 1) }
        splitIfLarge(place.chunk)
    }

    /// Joins a run with the next one in its chunk where the two were one before a cut. The entry that the second may
    /// have in the index goes, or it would keep naming this chunk when the joined run moves to another.
    private mutating func mergeWithNext(_ chunk: Chunk, _ index: Int) {
        guard index + 1 < chunk.runs.count else { return }
        let right = chunk.runs[index + 1]
        guard chunk.runs[index].isContinued(by: right) else { return }
        chunk.runs[index].count += right.count
        chunk.runs.remove(at: index + 1)
        if chunkOfRun[right.first] != nil { chunkOfRun.remove(right.first) }
    }
}
