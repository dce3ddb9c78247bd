extension Canvas {
    /// The part of an operation that would change what the canvas stores; nil if none would.
    ///
    /// Of `set` the keys whose value differs, of `hide` and `show` the ids whose flag differs; a place that differs and
    /// forms no cycle. Creations and insertions are kept if their shape allows them.
    func effectivePart(of operation: Operation) -> Operation? {
        switch operation {
        case .create(let creation):
            return shapes[creation.id] == nil && obstacle(to: creation.parent, for: creation.id) == nil
                ? operation : nil
        case .set(let id, let changes):
            let differing = shapes.read(id) { shape in
                changes.filter { shape.properties[$0.key] != $0.value }
            }
            return differing.flatMap { $0.isEmpty ? nil : .set(id, $0) }
        case .place(let id, let placement):
            return effectivePart(of: placement, id).map { .place(id, $0) }
        case .hide(let cause, let targets):
            return changing(cause, true, targets).map { .hide(cause, $0) }
        case .show(let cause, let targets):
            return changing(cause, false, targets).map { .show(cause, $0) }
        case .insertText(let id, _):
            return shapes[id] == nil ? nil : operation
        case .purge(let targets):
            return purgeable(targets).map { .purge($0) }
        }
    }

    private func effectivePart(of placement: Placement, _ id: ShapeID) -> Placement? {
        guard let shape = shapes[id] else { return nil }
        let parent = placement.parent.flatMap { $0.id == shape.parent ? nil : $0 }
        if let parent, obstacle(to: parent.id, for: id) != nil { return nil }
        let order = placement.order.flatMap { $0 == shape.order ? nil : $0 }
        return parent == nil && order == nil ? nil : Placement(parent: parent, order: order)
    }

    private func changing(_ cause: HiddenCause, _ isHidden: Bool, _ targets: Targets) -> Targets? {
        switch targets {
        case .shapes(let ids):
            let flipping = ids.filter { id in
                guard let causes = shapes.read(id, { $0.causes }) else { return false }
                return causes.with(cause, isHidden) != causes
            }
            return flipping.isEmpty ? nil : .shapes(flipping)
        case .characters(let id, let ranges):
            guard let shape = shapes[id] else { return nil }
            let flipping = shape.text.changing(cause, isHidden, ranges)
            return flipping.isEmpty ? nil : .characters(id, flipping)
        }
    }

    /// Whether a person looking at both canvases could see a difference, given that only `operations` lie between them.
    ///
    /// Visible are: existence and nearest living parent of visible shapes, their order among visible siblings, their
    /// registers, and the visible characters of their texts by identity. Text is not compared as a string: with that,
    /// everyone undoing everything would not return to the start. O(what the operations name).
    func differsVisibly(from old: Canvas, after operations: [Operation]) -> Bool {
        for operation in operations {
            switch operation {
            case .create(let creation):
                if differsVisibly(from: old, creation.id) { return true }
            case .set(let id, let changes):
                let isVisible = isVisible(id)
                if isVisible != old.isVisible(id) { return true }
                guard isVisible, let new = shapes.read(id, { $0.properties }),
                    let before = old.shapes.read(id, { $0.properties })
                else { continue }
                if changes.contains(where: { new[$0.key] != before[$0.key] }) { return true }
            case .place(let id, _):
                if differsVisibly(from: old, id) { return true }
            case .hide(_, .shapes(let ids)), .show(_, .shapes(let ids)):
                if ids.contains(where: { isVisible($0) != old.isVisible($0) }) { return true }
            case .hide(_, .characters(let id, let ranges)), .show(_, .characters(let id, let ranges)):
                if differsVisibly(from: old, id, ranges) { return true }
            case .insertText(let id, let insertion):
                if differsVisibly(from: old, id, [insertion.range]) { return true }
            case .purge: continue
            }
        }
        return false
    }

    private func differsVisibly(from old: Canvas, _ id: ShapeID, _ ranges: [CharacterRange]) -> Bool {
        guard let new = shapes[id], let before = old.shapes[id] else { return false }
        if new.isVisible != before.isVisible { return true }
        return new.isVisible && new.text.differsVisibly(from: before.text, ranges)
    }

    /// Existence, living parent and place in the order of one shape. For a hidden one, those of the visible shapes that are
    /// shown in its place: placing it moves them. O(these).
    private func differsVisibly(from old: Canvas, _ id: ShapeID) -> Bool {
        if isVisible(id) != old.isVisible(id) { return true }
        if isVisible(id) { return isDrawnElsewhere(id, than: old) }
        return (visibleChildren(of: id) + old.visibleChildren(of: id)).contains { isDrawnElsewhere($0.id, than: old) }
    }

    /// Whether anything is drawn in the place of a shape: itself, or a shape in it if it is hidden.
    func isDrawn(_ id: ShapeID) -> Bool {
        isVisible(id) || lastVisible(in: id, before: SiblingKey(behind: id)) != nil
    }

    private func isDrawnElsewhere(_ id: ShapeID, than old: Canvas) -> Bool {
        livingParent(of: id) != old.livingParent(of: id)
            || presentPredecessor(of: id) != old.presentPredecessor(of: id)
    }

    /// The visible shape drawn just behind the place of a shape, among those drawn directly in the same living parent. If it
    /// is the same for all shapes that were placed, the order of all of them is the same.
    private func presentPredecessor(of id: ShapeID) -> ShapeID? {
        var next = shapes[id]
        while let shape = next {
            if let found = lastVisible(in: shape.parent, before: shape.siblingKey) { return found }
            // What is in a hidden shape stands where that stands, so what is behind that is behind it.
            next = shape.parent.flatMap { shapes[$0] }.flatMap { $0.isVisible ? nil : $0 }
        }
        return nil
    }

    /// The visible shape drawn last of the children of `parent` up to `key`; children of a hidden one stand in its place.
    /// Not recursive, since shapes may be nested deeper than a call stack.
    private func lastVisible(in parent: ShapeID?, before key: SiblingKey) -> ShapeID? {
        var places = [(parent: parent, key: key)]
        while let (parent, key) = places.popLast() {
            guard let next = siblings.last(before: key)?.key, next.parent == parent?.rawValue ?? "" else { continue }
            let child = shape(next)
            if child.isVisible { return child.id }
            places.append((parent, next))
            places.append((child.id, SiblingKey(behind: child.id)))
        }
        return nil
    }
}

extension Text {
    /// Whether any of the named characters is visible in one of the texts and not in the other.
    func differsVisibly(from old: Text, _ ranges: [CharacterRange]) -> Bool {
        for range in ranges {
            for offset in 0..<range.count {
                let id = range.first.advanced(by: offset)
                if isVisible(id) != old.isVisible(id) { return true }
            }
        }
        return false
    }
}
