extension Canvas {
    /// The shapes that differ from those of another state of the same canvas, by id. Parts shared by both are skipped, so
    /// the cost follows the number of changes between them, not the number of shapes.
    public func changedShapes(since old: Canvas) -> [ShapeID] {
        var changed: [ShapeID] = []
        shapes.forEachDifference(from: old.shapes, Self.areEqual) { changed.append($0) }
        return changed.sorted()
    }

    private static func areEqual(_ left: Shape, _ right: Shape) -> Bool {
        left.parent == right.parent && left.order == right.order && left.causes == right.causes
            && left.text.digest == right.text.digest && left.text.count == right.text.count
            && left.properties == right.properties
    }

    /// Operations that lead from `old` to this canvas: applied to `old` they give every shape the properties, place, hidden
    /// causes and characters it has here. Only shapes and properties that differ are named. No operation has a flaw, but all
    /// together may be more than one transaction holds.
    ///
    /// Only the server destroys shapes, so a shape that `old` has and this canvas lacks is hidden as deleted. Characters cannot be
    /// inserted everywhere, and where they cannot they are left out: where `old` has characters of the same site with
    /// higher numbers (a site's numbers rise), has common characters in another order, or would have too many. Of a later
    /// state of one history all can be inserted but those that are purged there; what was purged here and is visible in `old` is
    /// hidden as deleted, and what was purged in `old` stays so. Shapes whose parent lies deeper than ``Limits/nesting`` are named, but
    /// creating or placing them there has no effect.
    public func difference(from old: Canvas) -> [Operation] {
        let changed = changedShapes(since: old)
        var operations: [Operation] = []
        // Ancestors come first: then no step can form a cycle, since each parent is where it ends up.
        let present = changed.compactMap { shapes[$0] }.sorted {
            let (left, right) = (depth(of: $0), depth(of: $1))
            return left == right ? $0.id < $1.id : left < right
        }
        for shape in present {
            if let before = old.shapes[shape.id] {
                operations += Self.headDifference(shape, from: before)
                operations += Self.textDifference(shape, from: before.text)
                operations += Self.causeDifference(shape.id, shape.causes, from: before.causes)
            } else {
                operations.append(
                    .create(
                        Creation(
                            id: shape.id, kind: shape.kind, parent: shape.parent, order: shape.order,
                            properties: shape.properties)))
                operations += Self.textDifference(shape, from: Text())
                operations += Self.causeDifference(shape.id, shape.causes, from: [])
            }
        }
        let gone = changed.filter { shapes[$0] == nil && old.shapes[$0]?.isVisible == true }
        return operations + Targets.shapes(gone).parts.map { .hide(.deleted, $0) }
    }

    func depth(of shape: Shape) -> Int {
        var depth = 0
        var next = shape.parent
        while let id = next, let parent = shapes[id] {
            depth += 1
            next = parent.parent
        }
        return depth
    }

    private static func headDifference(_ new: Shape, from old: Shape) -> [Operation] {
        var operations: [Operation] = []
        let parent = new.parent == old.parent ? nil : Placement.Parent(new.parent)
        let order = new.order == old.order ? nil : new.order
        if parent != nil || order != nil {
            operations.append(.place(new.id, Placement(parent: parent, order: order)))
        }
        // What goes comes first: cut in two, the rest might not fit beside it.
        var changes: [PropertyChange] = []
        for property in old.properties where new.properties[property.key] == nil {
            changes.append(PropertyChange(property.key, nil))
        }
        for property in new.properties where old.properties[property.key] != property.value {
            changes.append(PropertyChange(property.key, property.value))
        }
        for start in stride(from: 0, to: changes.count, by: Limits.propertiesPerShape) {
            operations.append(.set(new.id, Array(changes[start...].prefix(Limits.propertiesPerShape))))
        }
        return operations
    }

    private static func causeDifference(
        _ id: ShapeID, _ new: HiddenCauses, from old: HiddenCauses
    ) -> [Operation] {
        [HiddenCause.deleted, .retracted].compactMap { cause in
            let isHidden = new.contains(HiddenCauses(cause))
            guard isHidden != old.contains(HiddenCauses(cause)) else { return nil }
            return isHidden ? .hide(cause, .shapes([id])) : .show(cause, .shapes([id]))
        }
    }

    /// Characters that `old` lacks are inserted between their neighbours here, in order of their numbers, since a site's
    /// numbers must rise, and where that is possible; then hidden causes are made equal.
    private static func textDifference(_ shape: Shape, from old: Text) -> [Operation] {
        guard shape.text.digest != old.digest || shape.text.count != old.count else { return [] }
        var operations: [Operation] = []
        var grown = old
        for piece in shape.text.pieces(missingIn: old) {
            let (left, right) = shape.text.neighbours(around: piece.range) { grown.place(of: $0) != nil }
            let insertion = TextInsertion(
                first: piece.range.first, characters: piece.characters, left: left, right: right)
            guard grown.insert(insertion) == nil else { continue }
            operations.append(.insertText(shape.id, insertion))
        }
        for cause in [HiddenCause.deleted, .retracted] {
            for isHidden in [true, false] {
                let ranges = shape.text.ranges(cause, isHidden)
                let differing = grown.changing(cause, isHidden, ranges)
                _ = grown.setHidden(cause, isHidden, differing)
                operations += Targets.characters(shape.id, differing).parts.map {
                    isHidden ? .hide(cause, $0) : .show(cause, $0)
                }
            }
        }
        // What hid them is not known any more.
        let gone = grown.visible(of: shape.text.purgedRanges)
        return operations + Targets.characters(shape.id, gone).parts.map { .hide(.deleted, $0) }
    }
}

extension Text {
    fileprivate struct Piece {
        let range: CharacterRange
        let characters: String
    }

    /// Runs of characters that `old` lacks, by number and then by site.
    fileprivate func pieces(missingIn old: Text) -> [Piece] {
        var pieces: [Piece] = []
        forEachRun { run, scalars in
            if run.isPurged { return }
            var offset = 0
            while offset < run.count {
                let first = run.first.advanced(by: offset)
                let start = offset
                var characters = String.UnicodeScalarView()
                while offset < run.count, old.place(of: run.first.advanced(by: offset)) == nil,
                    characters.count < Limits.charactersPerInsertion
                {
                    characters.append(Self.scalar(scalars[scalars.startIndex + offset]))
                    offset += 1
                }
                if offset > start {
                    pieces.append(
                        Piece(
                            range: CharacterRange(first: first, count: offset - start), characters: String(characters)))
                } else {
                    offset += 1
                }
            }
        }
        return pieces.sorted {
            let (left, right) = ($0.range.first, $1.range.first)
            return left.counter == right.counter ? left.site < right.site : left.counter < right.counter
        }
    }

    /// The nearest characters on either side of a run for which `isKept` holds.
    fileprivate func neighbours(
        around range: CharacterRange, where isKept: (CharacterID) -> Bool
    ) -> (left: CharacterID?, right: CharacterID?) {
        let last = range.first.advanced(by: range.count - 1)
        return (neighbours(of: range.first, where: isKept).left, neighbours(of: last, where: isKept).right)
    }

    /// The characters that a cause hides, or those it does not, purged ones left out.
    fileprivate func ranges(_ cause: HiddenCause, _ isHidden: Bool) -> [CharacterRange] {
        var ranges: [CharacterRange] = []
        forEachRun { run, _ in
            guard !run.isPurged, run.causes.contains(HiddenCauses(cause)) == isHidden else { return }
            CharacterRange.append(CharacterRange(first: run.first, count: run.count), to: &ranges)
        }
        return ranges
    }
}
