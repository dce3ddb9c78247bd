extension Text {
    /// Neighbours for an insertion behind the first `offset` visible characters: the visible character in front, and
    /// the one directly behind that in the whole sequence. `offset` beyond the end means the end.
    public func neighbours(at offset: Int) -> (left: CharacterID?, right: CharacterID?) {
        guard offset > 0, let left = visiblePlace(min(offset, visibleCount) - 1) else {
            return (nil, firstPlace.map { id($0) })
        }
        return (id(left), place(after: left).map { id($0) })
    }

    /// The visible characters at `offsets`, as ranges in order of the text. Offsets beyond the end are left out.
    public func characters(at offsets: Range<Int>) -> [CharacterRange] {
        var result: [CharacterRange] = []
        let offsets = offsets.clamped(to: 0..<visibleCount)
        var remaining = offsets.count
        guard var place = visiblePlace(offsets.lowerBound) else { return [] }
        while remaining > 0 {
            let run = run(place)
            if run.isVisible {
                let count = min(run.count - place.offset, remaining)
                CharacterRange.append(
                    CharacterRange(first: run.first.advanced(by: place.offset), count: count), to: &result)
                remaining -= count
            }
            guard let next = self.place(after: Place(chunk: place.chunk, run: place.run, offset: run.count - 1)) else {
                break
            }
            place = next
        }
        return result
    }

    /// Number of visible characters in front of a character, whether that is hidden or not; nil if it is unknown.
    public func offset(of id: CharacterID) -> Int? {
        guard let place = place(of: id) else { return nil }
        var offset = 0
        for index in 0..<place.chunk { offset += chunks[index].visibleCount }
        for index in 0..<place.run {
            let run = chunks[place.chunk].runs[index]
            if run.isVisible { offset += run.count }
        }
        return offset + (run(place).isVisible ? place.offset : 0)
    }

    /// Whether a character exists and is visible.
    public func isVisible(_ id: CharacterID) -> Bool { place(of: id).map { run($0).isVisible } ?? false }

    /// Where a caret that stood behind `anchor` stands now: behind the nearest visible character at or before it.
    public func caret(behind anchor: CharacterID?) -> Int {
        guard let anchor, let offset = offset(of: anchor) else { return 0 }
        return isVisible(anchor) ? offset + 1 : offset
    }

    /// The nearest characters left and right of `id` in the whole sequence for which `isKept` holds.
    public func neighbours(
        of id: CharacterID, where isKept: (CharacterID) -> Bool
    ) -> (left: CharacterID?, right: CharacterID?) {
        guard let start = place(of: id) else { return (nil, nil) }
        var left = place(before: start)
        while let place = left, !isKept(self.id(place)) { left = self.place(before: place) }
        var right = place(after: start)
        while let place = right, !isKept(self.id(place)) { right = self.place(after: place) }
        return (left.map { self.id($0) }, right.map { self.id($0) })
    }

    /// The place of the visible character with `offset` visible ones in front of it.
    func visiblePlace(_ offset: Int) -> Place? {
        guard offset >= 0 else { return nil }
        var rest = offset
        for (chunkIndex, chunk) in chunks.enumerated() {
            if rest >= chunk.visibleCount {
                rest -= chunk.visibleCount
                continue
            }
            for (runIndex, run) in chunk.runs.enumerated() where run.isVisible {
                if rest < run.count { return Place(chunk: chunkIndex, run: runIndex, offset: rest) }
                rest -= run.count
            }
        }
        return nil
    }
}

/// One change of the visible characters of a text, for views that show it: offsets count Unicode scalars.
public struct TextEdit: Hashable, Sendable {
    /// Where, in the text as left by the edits before this one.
    public let offset: Int
    /// How many characters go.
    public let removed: Int
    /// What comes in their place.
    public let inserted: String

    /// An edit at an offset.
    public init(offset: Int, removed: Int, inserted: String) {
        self.offset = offset
        self.removed = removed
        self.inserted = inserted
    }
}

extension Text {
    /// The edits that turn the visible characters of `old` into those of this text, to be made in order.
    ///
    /// Characters are compared by identity, so a caret or selection mapped through the edits keeps its place.
    /// `old` is an earlier or later state of the same text; if it is not, and has common characters in another order, all
    /// between the first and the last difference is replaced. Chunks shared by both are skipped at either end.
    public func edits(from old: Text) -> [TextEdit] {
        var prefix = 0
        while prefix < min(chunks.count, old.chunks.count), chunks[prefix] === old.chunks[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < min(chunks.count, old.chunks.count) - prefix,
            chunks[chunks.count - 1 - suffix] === old.chunks[old.chunks.count - 1 - suffix]
        { suffix += 1 }
        let start = chunks[..<prefix].reduce(0) { $0 + $1.visibleCount }
        return Self.edits(
            from: Self.visible(old.chunks[prefix..<old.chunks.count - suffix]),
            to: Self.visible(chunks[prefix..<chunks.count - suffix]), offset: start)
    }

    private struct VisibleCharacter {
        let id: CharacterID
        let scalar: UInt32
    }

    private static func visible(_ chunks: ArraySlice<Chunk>) -> [VisibleCharacter] {
        var result: [VisibleCharacter] = []
        for chunk in chunks {
            var start = 0
            for run in chunk.runs {
                if run.isVisible {
                    for offset in 0..<run.count {
                        result.append(
                            VisibleCharacter(id: run.first.advanced(by: offset), scalar: chunk.scalars[start + offset]))
                    }
                }
                start += run.scalarCount
            }
        }
        return result
    }

    private static func edits(
        from old: [VisibleCharacter], to new: [VisibleCharacter], offset start: Int
    ) -> [TextEdit] {
        var front = 0
        while front < min(old.count, new.count), old[front].id == new[front].id { front += 1 }
        var back = 0
        while back < min(old.count, new.count) - front, old[old.count - 1 - back].id == new[new.count - 1 - back].id {
            back += 1
        }
        return edits(from: old[front..<old.count - back], to: new[front..<new.count - back], offset: start + front)
    }

    private static func edits(
        from old: ArraySlice<VisibleCharacter>, to new: ArraySlice<VisibleCharacter>, offset start: Int
    ) -> [TextEdit] {
        var kept = Set(new.map { $0.id }).intersection(old.map { $0.id })
        // Characters never swap, but a replica that was found to differ from the server's may hold anything.
        let keptOld = old.map { $0.id }.filter { kept.contains($0) }
        if keptOld != new.map({ $0.id }).filter({ kept.contains($0) }) { kept = [] }
        var edits: [TextEdit] = []
        var offset = start
        var oldIndex = old.startIndex
        var newIndex = new.startIndex
        while oldIndex < old.endIndex || newIndex < new.endIndex {
            var removed = 0
            while oldIndex < old.endIndex, !kept.contains(old[oldIndex].id) {
                removed += 1
                oldIndex += 1
            }
            var inserted = String.UnicodeScalarView()
            while newIndex < new.endIndex, !kept.contains(new[newIndex].id) {
                inserted.append(scalar(new[newIndex].scalar))
                newIndex += 1
            }
            if removed > 0 || !inserted.isEmpty {
                edits.append(TextEdit(offset: offset, removed: removed, inserted: String(inserted)))
                offset += inserted.count
            }
            while oldIndex < old.endIndex, newIndex < new.endIndex, old[oldIndex].id == new[newIndex].id {
                oldIndex += 1
                newIndex += 1
                offset += 1
            }
        }
        return edits
    }
}
