import EaselCore

/// The hidden causes of a shape or a character.
struct OracleFlags: Equatable {
    var isDeleted = false
    var isRetracted = false
    /// Of characters only: the content is gone.
    var isPurged = false

    var isVisible: Bool { !isDeleted && !isRetracted && !isPurged }

    subscript(cause: HiddenCause) -> Bool {
        get { cause == .deleted ? isDeleted : isRetracted }
        set {
            if cause == .deleted { isDeleted = newValue } else { isRetracted = newValue }
        }
    }
}

/// One character of a text.
struct OracleCharacter: Equatable {
    let id: CharacterID
    var scalar: Unicode.Scalar
    let origin: CharacterID?
    var flags = OracleFlags()

    /// Stands for the content of a purged one.
    static let nothing: Unicode.Scalar = "\u{0}"
}

/// One shape.
struct OracleShape: Equatable {
    let id: ShapeID
    let kind: String
    var parent: ShapeID?
    var order: String
    var flags = OracleFlags()
    var registers: [String: Value] = [:]
    var text: [OracleCharacter] = []
}

/// A canvas as section 5 and 6 of the specification describe it: flat arrays, searched from one end to the other. It shares
/// no code with the canvas it is compared with, only the words operations are written in.
struct OracleCanvas {
    /// In the order in which they were made.
    var shapes: [OracleShape] = []

    subscript(id: ShapeID) -> OracleShape? { shapes.first { $0.id == id } }

    private func index(_ id: ShapeID) -> Int? { shapes.firstIndex { $0.id == id } }

    /// A shape and everything it lies in, inside out.
    func chain(_ id: ShapeID) -> [ShapeID] {
        var result: [ShapeID] = []
        var next: ShapeID? = id
        while let id = next {
            result.append(id)
            next = self[id]?.parent
        }
        return result
    }

    /// OP-01, OP-03: whether a shape may be put under a parent.
    func mayLie(_ id: ShapeID, in parent: ShapeID?) -> Bool {
        guard let parent else { return true }
        guard self[parent] != nil else { return false }
        let chain = chain(parent)
        return !chain.contains(id) && chain.count <= 100
    }

    /// Applies an operation and returns its inverse by OP-11; nil if it had no effect.
    mutating func apply(_ operation: Operation) -> Operation? {
        switch operation {
        case .create(let creation): return create(creation)
        case .set(let id, let changes): return set(id, changes)
        case .place(let id, let placement): return place(id, placement)
        case .hide(let cause, let targets): return mark(cause, true, targets)
        case .show(let cause, let targets): return mark(cause, false, targets)
        case .insertText(let id, let insertion): return insert(insertion, into: id)
        case .purge(let targets):
            purge(targets)
            return nil
        }
    }

    private mutating func create(_ creation: Creation) -> Operation? {
        guard index(creation.id) == nil, mayLie(creation.id, in: creation.parent) else { return nil }
        var shape = OracleShape(
            id: creation.id, kind: creation.kind, parent: creation.parent, order: creation.order.rawValue)
        for property in creation.properties { shape.registers[property.key.rawValue] = property.value }
        shapes.append(shape)
        if let text = creation.text { _ = insert(text, into: creation.id) }
        return .hide(.retracted, .shapes([creation.id]))
    }

    private mutating func set(_ id: ShapeID, _ changes: [PropertyChange]) -> Operation? {
        guard let index = index(id) else { return nil }
        var registers = shapes[index].registers
        for change in changes { registers[change.key.rawValue] = change.value }
        guard registers.count <= 256 else { return nil }
        let before = shapes[index].registers
        shapes[index].registers = registers
        return .set(id, changes.map { PropertyChange($0.key, before[$0.key.rawValue]) })
    }

    private mutating func place(_ id: ShapeID, _ placement: Placement) -> Operation? {
        guard let index = index(id), let order = OrderKey(shapes[index].order) else { return nil }
        let before = shapes[index]
        if let parent = placement.parent, parent.id != before.parent {
            guard mayLie(id, in: parent.id) else { return nil }
            shapes[index].parent = parent.id
        }
        if let order = placement.order { shapes[index].order = order.rawValue }
        return .place(
            id,
            Placement(
                parent: placement.parent == nil ? nil : Placement.Parent(before.parent),
                order: placement.order == nil ? nil : order))
    }

    private mutating func mark(_ cause: HiddenCause, _ isHidden: Bool, _ targets: Targets) -> Operation? {
        var existing: Targets
        switch targets {
        case .shapes(let ids):
            let known = ids.filter { index($0) != nil }
            for id in known { if let index = index(id) { shapes[index].flags[cause] = isHidden } }
            guard !known.isEmpty else { return nil }
            existing = .shapes(known)
        case .characters(let id, let ranges):
            guard let index = index(id) else { return nil }
            var known: [CharacterID] = []
            for character in ranges.characters {
                if let place = shapes[index].text.firstIndex(where: { $0.id == character && !$0.flags.isPurged }) {
                    shapes[index].text[place].flags[cause] = isHidden
                    known.append(character)
                }
            }
            guard !known.isEmpty else { return nil }
            existing = .characters(id, known.map { CharacterRange(first: $0, count: 1) })
        }
        return isHidden ? .show(cause, existing) : .hide(cause, existing)
    }

    /// OP-12, OP-13.
    private mutating func purge(_ targets: Targets) {
        switch targets {
        case .shapes(let ids):
            var going = shapes.filter { ids.contains($0.id) && !$0.flags.isVisible }.map { $0.id }
            while let kept = going.first(where: { id in shapes.contains { $0.parent == id && !going.contains($0.id) } })
            {
                going.removeAll { $0 == kept }
            }
            shapes.removeAll { going.contains($0.id) }
        case .characters(let id, let ranges):
            guard let index = index(id) else { return }
            for character in ranges.characters {
                for place in shapes[index].text.indices where shapes[index].text[place].id == character {
                    if shapes[index].text[place].flags.isVisible { continue }
                    shapes[index].text[place].flags = OracleFlags(isPurged: true)
                    shapes[index].text[place].scalar = OracleCharacter.nothing
                }
            }
        }
    }

    /// TX-01 to TX-10.
    private mutating func insert(_ insertion: TextInsertion, into id: ShapeID) -> Operation? {
        guard let index = index(id) else { return nil }
        var text = shapes[index].text
        let scalars = Array(insertion.characters.unicodeScalars)
        let used = text.filter { $0.id.site == insertion.first.site }.map { $0.id.counter }
        guard used.allSatisfy({ $0 < insertion.first.counter }) else { return nil }
        guard text.count(where: { !$0.flags.isPurged }) + scalars.count <= 1_000_000 else { return nil }
        func position(_ id: CharacterID) -> Int? { text.firstIndex { $0.id == id } }
        var low = -1
        var high = text.count
        if let left = insertion.left {
            guard let place = position(left) else { return nil }
            low = place
        }
        if let right = insertion.right {
            guard let place = position(right) else { return nil }
            high = place
        }
        guard low < high else { return nil }
        var destination = low + 1
        for place in low + 1..<high {
            let origin = text[place].origin.flatMap { position($0) } ?? -1
            if origin < low { break }
            destination = place + 1
        }
        var origin = insertion.left
        for (offset, scalar) in scalars.enumerated() {
            let character = insertion.first.following(offset)
            text.insert(OracleCharacter(id: character, scalar: scalar, origin: origin), at: destination + offset)
            origin = character
        }
        shapes[index].text = text
        return .hide(.retracted, .characters(id, [insertion.range]))
    }
}

extension OracleCanvas {
    /// The part of an operation that would change what is stored here, for a press: ids whose flag differs, keys whose value
    /// differs, a place that differs and forms no cycle.
    func effectivePart(of operation: Operation) -> Operation? {
        switch operation {
        case .create(let creation):
            return self[creation.id] == nil && mayLie(creation.id, in: creation.parent) ? operation : nil
        case .set(let id, let changes):
            guard let shape = self[id] else { return nil }
            let rest = changes.filter { shape.registers[$0.key.rawValue] != $0.value }
            return rest.isEmpty ? nil : .set(id, rest)
        case .place(let id, let placement):
            guard let shape = self[id] else { return nil }
            let parent = placement.parent.flatMap { $0.id == shape.parent ? nil : $0 }
            let order = placement.order.flatMap { $0.rawValue == shape.order ? nil : $0 }
            if let parent, !mayLie(id, in: parent.id) { return nil }
            return parent == nil && order == nil ? nil : .place(id, Placement(parent: parent, order: order))
        case .hide(let cause, let targets): return differing(cause, true, targets).map { .hide(cause, $0) }
        case .show(let cause, let targets): return differing(cause, false, targets).map { .show(cause, $0) }
        case .insertText(let id, _): return self[id] == nil ? nil : operation
        case .purge: return nil
        }
    }

    private func differing(_ cause: HiddenCause, _ isHidden: Bool, _ targets: Targets) -> Targets? {
        switch targets {
        case .shapes(let ids):
            let rest = ids.filter { id in self[id].map { $0.flags[cause] != isHidden } ?? false }
            return rest.isEmpty ? nil : .shapes(rest)
        case .characters(let id, let ranges):
            guard let shape = self[id] else { return nil }
            let rest = ranges.characters.filter { character in
                shape.text.contains { $0.id == character && !$0.flags.isPurged && $0.flags[cause] != isHidden }
            }
            return rest.isEmpty ? nil : .characters(id, rest.map { CharacterRange(first: $0, count: 1) })
        }
    }
}

extension CharacterID {
    /// The character of the same site `count` numbers on.
    func following(_ count: Int) -> CharacterID { CharacterID(site: site, counter: counter + UInt64(count)) }
}

extension [CharacterRange] {
    /// Every character that is named, one by one.
    var characters: [CharacterID] { flatMap { range in (0..<range.count).map { range.first.following($0) } } }
}

extension Operation {
    /// The characters an operation brings into being.
    var newCharacters: [CharacterID] {
        switch self {
        case .create(let creation): return creation.text.map { [$0.range].characters } ?? []
        case .insertText(_, let insertion): return [insertion.range].characters
        case .set, .place, .hide, .show, .purge: return []
        }
    }
}
