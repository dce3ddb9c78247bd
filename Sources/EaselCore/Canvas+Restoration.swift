extension Canvas {
    /// Operations that bring back what people saw at an earlier state of this canvas's history: applied to this canvas, they
    /// give every shape that was visible then the properties, place and visible text it had, show it, and hide as deleted what
    /// was not visible then. Shapes and characters keep their identities; only what differs is named.
    ///
    /// What was hidden then and is hidden now stays as it is. No operation has a flaw, but all together may be more than one
    /// transaction holds. The cost follows the shapes that differ and the length of their texts.
    public func restoration(of earlier: Canvas) -> [Operation] {
        let differing = earlier.difference(from: self).filter { operation in
            switch operation {
            case .create, .place, .insertText: true
            case .set(let id, _): earlier.shapes[id]?.isVisible == true
            case .hide, .show, .purge: false
            }
        }
        let changed = changedShapes(since: earlier)
        let texts = changed.flatMap { id -> [Operation] in
            guard let then = earlier.shapes[id], then.isVisible else { return [] }
            return Self.visibleDifference(of: id, from: shapes[id]?.text ?? Text(), to: then.text)
        }
        return differing + texts + visibleDifference(of: changed, to: earlier)
    }

    private func visibleDifference(of ids: [ShapeID], to earlier: Canvas) -> [Operation] {
        var flips = Flips<ShapeID>()
        for id in ids {
            let causes = shapes[id]?.causes ?? []
            flips.add(id, causes, isShown: earlier.shapes[id]?.isVisible == true)
        }
        return flips.operations { .shapes($0) }
    }

    private static func visibleDifference(of id: ShapeID, from now: Text, to then: Text) -> [Operation] {
        guard now.digest != then.digest || now.count != then.count else { return [] }
        var flips = Flips<CharacterRange>()
        now.forEachRun { run, _ in
            for offset in 0..<run.count {
                let character = run.first.advanced(by: offset)
                flips.add(character, run.causes, isShown: then.isVisible(character))
            }
        }
        return flips.operations { .characters(id, $0) }
    }
}

/// What has to be shown and hidden.
private struct Flips<Target> {
    private var hidden: [Target] = []
    private var shown: [(cause: HiddenCause, targets: [Target])] = [(.deleted, []), (.retracted, [])]

    func operations(_ targets: ([Target]) -> Targets) -> [Operation] {
        shown.flatMap { cause, named in targets(named).parts.map { .show(cause, $0) } }
            + targets(hidden).parts.map { .hide(.deleted, $0) }
    }

    /// Notes what something with hidden causes needs to be shown, or not to be; `append` adds it to a list.
    mutating func note(_ causes: HiddenCauses, isShown: Bool, _ append: (inout [Target]) -> Void) {
        if !isShown {
            if causes.isEmpty { append(&hidden) }
            return
        }
        for index in shown.indices where causes.contains(HiddenCauses(shown[index].cause)) {
            append(&shown[index].targets)
        }
    }
}

extension Flips<ShapeID> {
    fileprivate mutating func add(_ id: ShapeID, _ causes: HiddenCauses, isShown: Bool) {
        note(causes, isShown: isShown) { $0.append(id) }
    }
}

extension Flips<CharacterRange> {
    fileprivate mutating func add(_ character: CharacterID, _ causes: HiddenCauses, isShown: Bool) {
        note(causes, isShown: isShown) {
            CharacterRange.append(CharacterRange(first: character, count: 1), to: &$0)
        }
    }
}
