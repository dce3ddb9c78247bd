extension Canvas {
    /// Removes what is named for good, as far as it is hidden: see ``purgeable(_:)``. Says why if that is nothing.
    ///
    /// O(what is named), and for characters O(the text).
    mutating func purge(_ targets: Targets) -> Problem? {
        switch targets {
        case .shapes(let ids):
            let purgeable = purgeable(ids)
            for id in purgeable { remove(id) }
            guard purgeable.isEmpty else { return nil }
            if let known = ids.first(where: { shapes[$0] != nil }) { return .notPurged(known) }
            return ids.first.map { .unknownShape($0) }
        case .characters(let id, let ranges):
            guard shapes[id] != nil else { return .unknownShape(id) }
            return updateText(id) { $0.purge(ranges) } ? nil : .notPurged(id)
        }
    }

    private mutating func remove(_ id: ShapeID) {
        guard let shape = shapes[id] else { return }
        siblings.remove(shape.siblingKey)
        shapes.remove(id)
        digest &-= Self.shapeHash(shape)
    }

    /// What a purge of the targets would remove; nil if nothing.
    func purgeable(_ targets: Targets) -> Targets? {
        switch targets {
        case .shapes(let ids):
            let ids = purgeable(ids)
            return ids.isEmpty ? nil : .shapes(ids)
        case .characters(let id, let ranges):
            guard let ranges = shapes.read(id, { $0.text.purgeable(ranges) }), !ranges.isEmpty else { return nil }
            return .characters(id, ranges)
        }
    }

    /// Of the shapes named those that are hidden and in which there is nothing, at any depth, but shapes of the same kind: so
    /// nothing goes that can be seen, or that was put there since the writer looked. O(number of ids).
    private func purgeable(_ ids: [ShapeID]) -> [ShapeID] {
        var candidates = Set<ShapeID>()
        let hidden = ids.filter { id in
            shapes.read(id) { !$0.isVisible } == true && candidates.insert(id).inserted
        }
        for id in hidden {
            var isKept = false
            forEachChild(of: id) { child in
                isKept = !candidates.contains(child.id)
                return !isKept
            }
            // What is kept keeps what it lies in.
            var next = isKept ? id : nil
            while let kept = next, candidates.remove(kept) != nil {
                next = shapes.read(kept) { $0.parent } ?? nil
            }
        }
        return hidden.filter { candidates.contains($0) }
    }
}
