@testable import EaselCore

/// Makes random operations of one site: sensible ones, as an editor would send them from its view, and others.
struct RandomOperations {
    let site: SiteID
    var random: SplitMix64
    private var shapeCounter: UInt64 = 0
    private var characterCounter: UInt64 = 0

    init(site: SiteID, seed: UInt64) {
        self.site = site
        random = SplitMix64(seed: seed)
    }

    /// An operation that has an effect on `canvas`, and hides or shows only what that changes.
    mutating func sensible(_ canvas: Canvas) -> Operation {
        let ids = Self.ids(canvas)
        for _ in 0..<4 where ids.count > 4 {
            let id = random.pick(ids)
            switch random.below(8) {
            case 0: return .set(id, changes())
            case 1: return .place(id, Placement(order: place(canvas, canvas[id]?.parent)))
            case 2:
                let parent: ShapeID? = random.once(in: 3) ? nil : random.pick(ids)
                if canvas.obstacle(to: parent, for: id) == nil {
                    let order = random.once(in: 2) ? nil : place(canvas, parent)
                    return .place(id, Placement(parent: .init(parent), order: order))
                }
            case 3: if let flip = shapeFlip(canvas, ids) { return flip }
            case 4: if let flip = characterFlip(canvas, id) { return flip }
            case 5, 6: return typing(canvas, id)
            default: return creation(canvas, ids)
            }
        }
        return creation(canvas, ids)
    }

    /// Any well-formed operation, often one that has no effect, whole or in part.
    mutating func careless(_ canvas: Canvas) -> Operation {
        let ids = Self.ids(canvas) + [ShapeID(site: site, counter: 900_000)]
        let cause: HiddenCause = random.once(in: 2) ? .deleted : .retracted
        let named = (0..<1 + random.below(3)).map { _ in random.pick(ids) }
        let first = CharacterID(site: site, counter: UInt64(1 + random.below(40)))
        switch random.below(7) {
        case 0: return .place(named[0], Placement(parent: .init(random.pick(ids))))
        case 1: return random.once(in: 2) ? .hide(cause, .shapes(named)) : .show(cause, .shapes(named))
        case 2:
            let targets = Targets.characters(named[0], [CharacterRange(first: first, count: 1 + random.below(20))])
            return random.once(in: 2) ? .hide(cause, targets) : .show(cause, targets)
        case 3:
            return .insertText(named[0], TextInsertion(first: first, characters: "no", left: first, right: nil))
        case 4: return .set(named[0], changes())
        case 5: return purging(canvas)
        default:
            return .create(
                Creation(id: named[0], kind: "x", parent: random.pick(ids), order: order("V"), properties: Properties())
            )
        }
    }

    /// A purge, often of something that can be seen or that is not there.
    mutating func purging(_ canvas: Canvas) -> Operation {
        let ids = Self.ids(canvas) + [ShapeID(site: site, counter: 900_000)]
        if random.once(in: 2) {
            let id = random.pick(ids)
            guard let text = canvas[id]?.text, !text.isEmpty else {
                return .purge(.characters(id, [CharacterRange(first: character(1, 1), count: 9)]))
            }
            let ranges = (0..<1 + random.below(3)).map { _ in
                CharacterRange(first: random.pick(text.ids), count: 1 + random.below(12))
            }
            return .purge(.characters(id, ranges))
        }
        // All that is hidden would often be too little to let anything go.
        let named = random.once(in: 2) ? ids.filter { canvas[$0]?.isVisible != true } : ids
        return .purge(.shapes(Array(named.shuffled(using: &random).prefix(1 + random.below(8)))))
    }

    // MARK: Parts

    static func ids(_ canvas: Canvas) -> [ShapeID] {
        var ids: [ShapeID] = []
        canvas.forEachShape { ids.append($0.id) }
        return ids.sorted()
    }

    private mutating func changes() -> [PropertyChange] {
        let names = ["x", "y", "fill", "points", "style"].shuffled(using: &random).prefix(1 + random.below(3))
        return names.map { PropertyChange(propertyKey($0), random.once(in: 5) ? nil : value()) }
    }

    private mutating func value() -> Value {
        switch random.below(5) {
        case 0: return .integer(Int64(random.below(2_000) - 1_000))
        case 1: return .double(Double(random.below(1_000)) + 0.5)
        case 2: return .string(random.pick(["red", "blau", "青"]))
        case 3: return .list([.integer(Int64(random.below(10))), .bool(random.once(in: 2))])
        default: return .map(Properties([(propertyKey("k"), .integer(Int64(random.below(5))))]))
        }
    }

    private mutating func place(_ canvas: Canvas, _ parent: ShapeID?) -> OrderKey {
        let children = canvas.children(of: parent)
        let index = random.below(children.count + 1)
        let lower = index > 0 ? children[index - 1].order : nil
        let upper = index < children.count ? children[index].order : nil
        return OrderKey.between(lower, upper, site: site) ?? upper ?? order("V")
    }

    private mutating func creation(_ canvas: Canvas, _ ids: [ShapeID]) -> Operation {
        shapeCounter += 1
        let parent = ids.isEmpty || random.once(in: 2) ? nil : random.pick(ids)
        let properties = changes().compactMap { change in change.value.map { (change.key, $0) } }
        var text: TextInsertion?
        if random.once(in: 3) {
            text = TextInsertion(first: CharacterID(site: site, counter: 1), characters: "new🌍", left: nil, right: nil)
            characterCounter = max(characterCounter, 4)
        }
        return .create(
            Creation(
                id: ShapeID(site: site, counter: shapeCounter), kind: random.pick(["rectangle", "frame"]),
                parent: parent.flatMap { canvas.obstacle(to: $0, for: shapeID("none")) == nil ? $0 : nil },
                order: place(canvas, parent), properties: Properties(properties), text: text))
    }

    private mutating func shapeFlip(_ canvas: Canvas, _ ids: [ShapeID]) -> Operation? {
        let cause: HiddenCause = random.once(in: 2) ? .deleted : .retracted
        let hides = random.once(in: 2)
        let named = Array(ids.shuffled(using: &random).prefix(3)).filter {
            canvas[$0]?.causes.contains(HiddenCauses(cause)) == !hides
        }
        guard !named.isEmpty else { return nil }
        return hides ? .hide(cause, .shapes(named)) : .show(cause, .shapes(named))
    }

    private mutating func characterFlip(_ canvas: Canvas, _ id: ShapeID) -> Operation? {
        guard let text = canvas[id]?.text, !text.isEmpty else { return nil }
        let cause: HiddenCause = random.once(in: 2) ? .deleted : .retracted
        let hides = random.once(in: 3)
        let start = random.pick(text.ids)
        let ranges = text.changing(cause, hides, [CharacterRange(first: start, count: 1 + random.below(6))])
        guard !ranges.isEmpty else { return nil }
        return hides ? .hide(cause, .characters(id, ranges)) : .show(cause, .characters(id, ranges))
    }

    private mutating func typing(_ canvas: Canvas, _ id: ShapeID) -> Operation {
        let text = canvas[id]?.text ?? Text()
        let (left, right) = text.neighbours(at: random.below(text.visibleCount + 1))
        let first = CharacterID(site: site, counter: characterCounter + 1)
        let characters = random.pick(["a", "word ", "🚀", "éé"])
        characterCounter += UInt64(characters.unicodeScalars.count)
        return .insertText(id, TextInsertion(first: first, characters: characters, left: left, right: right))
    }
}
