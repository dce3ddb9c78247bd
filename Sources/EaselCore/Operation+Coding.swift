/// The numbers that operations begin with.
enum OperationKind: UInt64 {
    case create = 1
    case set = 2
    case place = 3
    case hideShapes = 4
    case showShapes = 5
    case hideCharacters = 6
    case showCharacters = 7
    case insertText = 8
    case purgeShapes = 9
    case purgeCharacters = 10
}

extension CBOREncoder {
    package mutating func operation(_ operation: Operation) {
        switch operation {
        case .create(let creation): self.creation(creation)
        case .set(let id, let changes):
            begin(.set, id, fields: 3)
            array(changes.count * 2)
            for change in changes {
                word(change.key.rawValue)
                if let value = change.value { self.value(value) } else { null() }
            }
        case .place(let id, let placement): place(id, placement)
        case .hide(let cause, .shapes(let ids)): setHidden(.hideShapes, cause, ids)
        case .show(let cause, .shapes(let ids)): setHidden(.showShapes, cause, ids)
        case .hide(let cause, .characters(let id, let ranges)): setHidden(.hideCharacters, cause, id, ranges)
        case .show(let cause, .characters(let id, let ranges)): setHidden(.showCharacters, cause, id, ranges)
        case .insertText(let id, let insertion):
            begin(.insertText, id, fields: 7)
            bareCharacterID(insertion.first)
            text(insertion.characters)
            optionalCharacterID(insertion.left)
            optionalCharacterID(insertion.right)
        case .purge(.shapes(let ids)):
            array(2)
            unsigned(OperationKind.purgeShapes.rawValue)
            shapeIDs(ids)
        case .purge(.characters(let id, let ranges)):
            begin(.purgeCharacters, id, fields: 3)
            characterRanges(ranges)
        }
    }

    private mutating func begin(_ kind: OperationKind, _ id: ShapeID, fields: Int) {
        array(fields)
        unsigned(kind.rawValue)
        shapeID(id)
    }

    private mutating func creation(_ creation: Creation) {
        begin(.create, creation.id, fields: 7)
        word(creation.kind)
        optionalShapeID(creation.parent)
        text(creation.order.rawValue)
        properties(creation.properties)
        guard let insertion = creation.text else { return null() }
        array(3)
        bareCharacterID(insertion.first)
        text(insertion.characters)
    }

    private mutating func place(_ id: ShapeID, _ placement: Placement) {
        begin(.place, id, fields: 4)
        switch placement.parent {
        case nil: null()
        case .canvas: bool(false)
        case .shape(let parent): shapeID(parent)
        }
        if let order = placement.order { text(order.rawValue) } else { null() }
    }

    private mutating func setHidden(_ kind: OperationKind, _ cause: HiddenCause, _ ids: [ShapeID]) {
        array(3)
        unsigned(kind.rawValue)
        unsigned(UInt64(cause.rawValue))
        shapeIDs(ids)
    }

    private mutating func shapeIDs(_ ids: [ShapeID]) {
        array(ids.count)
        for id in ids { shapeID(id) }
    }

    private mutating func setHidden(
        _ kind: OperationKind, _ cause: HiddenCause, _ id: ShapeID, _ ranges: [CharacterRange]
    ) {
        begin(kind, id, fields: 4)
        unsigned(UInt64(cause.rawValue))
        characterRanges(ranges)
    }

    private mutating func characterRanges(_ ranges: [CharacterRange]) {
        array(ranges.count * 3)
        for range in ranges {
            bareCharacterID(range.first)
            unsigned(UInt64(range.count))
        }
    }
}

extension CBORDecoder {
    /// Reads an operation. How many items its lists may have is left to ``Transaction/flaw``.
    package mutating func operation() throws(DecodingError) -> Operation {
        let count = try array()
        guard count > 0 else { throw .missingField }
        guard let kind = OperationKind(rawValue: try unsigned()) else { throw .unknownOperation }
        guard count >= kind.fieldCount else { throw .missingField }
        guard count == kind.fieldCount else { throw .surplusField }
        switch kind {
        case .create: return .create(try creation())
        case .set: return .set(try shapeID(), try changes())
        case .place: return .place(try shapeID(), try placement())
        case .hideShapes: return .hide(try cause(), try shapes())
        case .showShapes: return .show(try cause(), try shapes())
        case .hideCharacters, .showCharacters:
            let id = try shapeID()
            let cause = try cause()
            let targets = Targets.characters(id, try ranges())
            return kind == .hideCharacters ? .hide(cause, targets) : .show(cause, targets)
        case .insertText: return .insertText(try shapeID(), try insertion())
        case .purgeShapes: return .purge(try shapes())
        case .purgeCharacters: return .purge(.characters(try shapeID(), try ranges()))
        }
    }

    private mutating func creation() throws(DecodingError) -> Creation {
        let id = try shapeID()
        let kind = try word(1...Limits.kindBytes)
        let parent = try optionalShapeID()
        let order = try orderKey()
        let properties = try properties()
        var text: TextInsertion?
        if !null() {
            try fields(3)
            text = TextInsertion(first: try bareCharacterID(), characters: try characters(), left: nil, right: nil)
        }
        return Creation(id: id, kind: kind, parent: parent, order: order, properties: properties, text: text)
    }

    private mutating func changes() throws(DecodingError) -> [PropertyChange] {
        let count = try groupCount(2)
        var changes: [PropertyChange] = []
        changes.reserveCapacity(min(count, Self.trustedCount))
        for _ in 0..<count {
            guard let key = PropertyKey(try word(1...Limits.propertyKeyBytes)) else { throw .outOfRange }
            changes.append(PropertyChange(key, null() ? nil : try value()))
        }
        return changes
    }

    private mutating func placement() throws(DecodingError) -> Placement {
        var parent: Placement.Parent?
        if !null() {
            if next == 0xF4 {
                _ = try bool()
                parent = .canvas
            } else {
                parent = .shape(try shapeID())
            }
        }
        return Placement(parent: parent, order: null() ? nil : try orderKey())
    }

    private mutating func cause() throws(DecodingError) -> HiddenCause {
        guard let cause = HiddenCause(rawValue: UInt8(try unsigned(in: 0...1))) else { throw .outOfRange }
        return cause
    }

    private mutating func shapes() throws(DecodingError) -> Targets {
        .shapes(try list { decoder throws(DecodingError) in try decoder.shapeID() })
    }

    private mutating func ranges() throws(DecodingError) -> [CharacterRange] {
        let count = try groupCount(3)
        var ranges: [CharacterRange] = []
        ranges.reserveCapacity(min(count, Self.trustedCount))
        for _ in 0..<count {
            let first = try bareCharacterID()
            let length = try unsigned(in: 1...UInt64(Limits.charactersPerText))
            ranges.append(CharacterRange(first: first, count: Int(length)))
        }
        return ranges
    }

    private mutating func insertion() throws(DecodingError) -> TextInsertion {
        let first = try bareCharacterID()
        let characters = try characters()
        return TextInsertion(
            first: first, characters: characters, left: try optionalCharacterID(), right: try optionalCharacterID())
    }

    /// A text string of any length that the bytes hold; the number of characters is checked by ``Transaction/flaw``.
    package mutating func characters() throws(DecodingError) -> String { try text(0...Int.max) }

    /// Reads the head of an array that holds groups of `size` items, and returns the number of groups.
    private mutating func groupCount(_ size: Int) throws(DecodingError) -> Int {
        let count = try array()
        guard count.isMultiple(of: size) else { throw .missingField }
        return count / size
    }
}

extension OperationKind {
    /// Number of elements of its array.
    var fieldCount: Int {
        switch self {
        case .create, .insertText: return 7
        case .purgeShapes: return 2
        case .set, .hideShapes, .showShapes, .purgeCharacters: return 3
        case .place, .hideCharacters, .showCharacters: return 4
        }
    }
}
