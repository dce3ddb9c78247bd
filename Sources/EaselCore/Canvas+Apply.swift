extension Canvas {
    /// Applies the next commit: its operations, its revision, and its number under its site.
    ///
    /// `commit.revision` must follow the canvas's, and its number must be above the site's last.
    public mutating func apply(_ commit: Commit) -> Outcome {
        precondition(commit.revision == revision + 1, "commits are applied in order")
        let last = lastSequences[commit.id.site]
        precondition(commit.id.sequence > (last ?? 0), "a number is committed once")
        let outcome = apply(commit.transaction.operations)
        revision = commit.revision
        if let last { digest &-= Self.siteHash(commit.id.site, last) }
        digest &+= Self.siteHash(commit.id.site, commit.id.sequence)
        lastSequences.set(commit.id.site, commit.id.sequence)
        return outcome
    }

    /// Applies operations in order. What cannot have an effect is reported and left out.
    ///
    /// The operations must be well formed (``Transaction/flaw``). Each costs O(what it names), not O(shapes).
    public mutating func apply(_ operations: [Operation]) -> Outcome {
        var outcome = Outcome()
        outcome.inverses.reserveCapacity(operations.count)
        for operation in operations {
            var problem: Problem?
            outcome.inverses.append(apply(operation, &problem))
            if let problem { outcome.problems.append(problem) }
        }
        return outcome
    }

    private mutating func apply(_ operation: Operation, _ problem: inout Problem?) -> Operation? {
        switch operation {
        case .create(let creation): return create(creation, &problem)
        case .set(let id, let changes): return set(id, changes, &problem)
        case .place(let id, let placement): return place(id, placement, &problem)
        case .hide(let cause, let targets): return setHidden(cause, true, targets, &problem)
        case .show(let cause, let targets): return setHidden(cause, false, targets, &problem)
        case .insertText(let id, let insertion): return insertText(id, insertion, &problem)
        case .purge(let targets):
            problem = purge(targets)
            return nil
        }
    }

    private mutating func create(_ creation: Creation, _ problem: inout Problem?) -> Operation? {
        guard shapes[creation.id] == nil else {
            problem = .shapeExists(creation.id)
            return nil
        }
        problem = obstacle(to: creation.parent, for: creation.id)
        guard problem == nil else { return nil }
        var shape = Shape(
            id: creation.id, kind: creation.kind, parent: creation.parent, order: creation.order,
            properties: creation.properties, text: Text(), causes: [])
        if let insertion = creation.text {
            let flaw = shape.text.insert(insertion)
            precondition(flaw == nil, "a first text has no neighbours and fits")
        }
        shapes.insert(shape)
        siblings.set(shape.siblingKey, true)
        visibleShapeCount += 1
        digest &+= Self.shapeHash(shape)
        return .hide(.retracted, .shapes([creation.id]))
    }

    private mutating func set(_ id: ShapeID, _ changes: [PropertyChange], _ problem: inout Problem?) -> Operation? {
        let count = shapes.read(id) { shape in
            // With room for all of them, nobody needs to know how many are new.
            if shape.properties.count + changes.count <= Limits.propertiesPerShape { return shape.properties.count }
            return changes.reduce(shape.properties.count) { count, change in
                count + (change.value == nil ? 0 : 1) - (shape.properties[change.key] == nil ? 0 : 1)
            }
        }
        guard let count else {
            problem = .unknownShape(id)
            return nil
        }
        if count > Limits.propertiesPerShape {
            problem = .tooManyProperties(id)
            return nil
        }
        let seed = Self.seed(id)
        var encoder = CBOREncoder()
        encoder.reserve(32)
        var difference: UInt64 = 0
        let inverse = shapes.update(id) { shape in
            changes.map { change in
                let old = shape.properties.set(change.key, change.value)
                if let old { difference &-= Self.propertyHash(change.key, old, seed: seed, &encoder) }
                if let new = change.value {
                    difference &+= Self.propertyHash(change.key, new, seed: seed, &encoder)
                }
                return PropertyChange(change.key, old)
            }
        }
        digest &+= difference
        return .set(id, inverse)
    }

    private mutating func place(_ id: ShapeID, _ placement: Placement, _ problem: inout Problem?) -> Operation? {
        guard let shape = shapes[id] else {
            problem = .unknownShape(id)
            return nil
        }
        if let parent = placement.parent, parent.id != shape.parent {
            problem = obstacle(to: parent.id, for: id)
            guard problem == nil else { return nil }
        }
        move(shape, parent: placement.parent.map { $0.id } ?? shape.parent, order: placement.order ?? shape.order)
        return .place(
            id,
            Placement(
                parent: placement.parent.map { _ in Placement.Parent(shape.parent) },
                order: placement.order.map { _ in shape.order }))
    }

    private mutating func move(_ shape: Shape, parent: ShapeID?, order: OrderKey) {
        siblings.remove(shape.siblingKey)
        digest &-= Self.headHash(shape)
        let moved = shapes.update(shape.id) {
            $0.parent = parent
            $0.order = order
            return $0
        }
        digest &+= Self.headHash(moved)
        siblings.set(moved.siblingKey, true)
    }

    /// What keeps `id` from being put under `parent`, if anything.
    func obstacle(to parent: ShapeID?, for id: ShapeID) -> Problem? {
        var depth = 0
        var next = parent
        while let ancestor = next {
            if ancestor == id { return .cycle(id) }
            guard let shape = shapes[ancestor] else { return .unknownShape(ancestor) }
            depth += 1
            if depth > Limits.nesting { return .tooDeep(id) }
            next = shape.parent
        }
        return nil
    }

    private mutating func setHidden(
        _ cause: HiddenCause, _ isHidden: Bool, _ targets: Targets, _ problem: inout Problem?
    ) -> Operation? {
        let existing: Targets
        switch targets {
        case .shapes(let ids):
            let known = ids.filter { shapes[$0] != nil }
            if known.count < ids.count, let unknown = ids.first(where: { shapes[$0] == nil }) {
                problem = .unknownShape(unknown)
            }
            guard !known.isEmpty else { return nil }
            for id in known { setHidden(cause, isHidden, id) }
            existing = .shapes(known)
        case .characters(let id, let ranges):
            guard shapes[id] != nil else {
                problem = .unknownShape(id)
                return nil
            }
            let known = updateText(id) { $0.setHidden(cause, isHidden, ranges).existing }
            guard !known.isEmpty else {
                problem =
                    shapes.read(id) { $0.text.hasPurged(ranges) } == true ? .charactersPurged(id) : .neighbours(id)
                return nil
            }
            existing = .characters(id, known)
        }
        return isHidden ? .show(cause, existing) : .hide(cause, existing)
    }

    private mutating func setHidden(_ cause: HiddenCause, _ isHidden: Bool, _ id: ShapeID) {
        guard let shape = shapes[id] else { return }
        let causes = shape.causes.with(cause, isHidden)
        guard causes != shape.causes else { return }
        digest &-= Self.headHash(shape)
        let changed = shapes.update(id) {
            $0.causes = causes
            return $0
        }
        digest &+= Self.headHash(changed)
        visibleShapeCount += (changed.isVisible ? 1 : 0) - (shape.isVisible ? 1 : 0)
    }

    private mutating func insertText(
        _ id: ShapeID, _ insertion: TextInsertion, _ problem: inout Problem?
    ) -> Operation? {
        guard shapes[id] != nil else {
            problem = .unknownShape(id)
            return nil
        }
        switch updateText(id, { $0.insert(insertion) }) {
        case nil: return .hide(.retracted, .characters(id, [insertion.range]))
        case .textFull: problem = .textFull(id)
        case .charactersExist: problem = .charactersExist(id)
        case .unknownNeighbour, .neighboursOutOfOrder: problem = .neighbours(id)
        }
        return nil
    }

    mutating func updateText<Result>(_ id: ShapeID, _ body: (inout Text) -> Result) -> Result {
        var difference: UInt64 = 0
        let result = shapes.update(id) { shape in
            difference &-= Self.textHash(id, shape.text)
            let result = body(&shape.text)
            difference &+= Self.textHash(id, shape.text)
            return result
        }
        digest &+= difference
        return result
    }
}
