/// What makes a transaction malformed, whatever the canvas holds. A server refuses such a transaction whole.
public enum Flaw: Sendable, Equatable {
    /// It has no operation.
    case noOperations
    /// It has more than ``Limits/operationsPerTransaction`` operations.
    case tooManyOperations
    /// Its label has more than ``Limits/labelBytes`` bytes.
    case labelTooLong
    /// The kind of a new shape is empty or longer than ``Limits/kindBytes`` bytes.
    case kindLength
    /// An operation names more than ``Limits/propertiesPerShape`` properties.
    case tooManyProperties
    /// A value is not in canonical form: see ``Value/isCanonical``.
    case valueNotCanonical
    /// A value takes more than ``Limits/valueBytes`` bytes.
    case valueTooLarge
    /// A `set` names a property twice.
    case repeatedKey
    /// A `set` names no property.
    case emptySet
    /// A `place` names neither parent nor order key.
    case emptyPlacement
    /// A `hide`, `show` or `purge` names nothing, or more than ``Limits/targetsPerOperation``.
    case targetCount
    /// A range of characters is empty or longer than a text, or a counter in it is 0 or above ``Limits/counter``.
    case characterNumber
    /// An insertion has no character, or more than ``Limits/charactersPerInsertion``.
    case insertionLength
    /// It has more than ``Limits/insertionsPerTransaction`` insertions.
    case tooManyInsertions
    /// It hides, shows and purges more than ``Limits/charactersPerText`` characters.
    case tooManyCharacters
    /// The text of a new shape names neighbours, which it cannot have.
    case firstTextHasNeighbours
    /// A purge in a transaction that is not the server's own.
    case purgeByClient
}

extension Transaction {
    /// What is wrong with the transaction itself, or nil if it may be applied to any canvas. Linear in its size.
    public var flaw: Flaw? {
        if operations.isEmpty { return .noOperations }
        if operations.count > Limits.operationsPerTransaction { return .tooManyOperations }
        if label.utf8.count > Limits.labelBytes { return .labelTooLong }
        var insertions = 0
        // 64 bits, since what one operation may name passes 32.
        var characters: UInt64 = 0
        for operation in operations {
            if let flaw = operation.flaw { return flaw }
            if case .insertText = operation { insertions += 1 }
            characters += operation.namedCharacters
            if insertions > Limits.insertionsPerTransaction { return .tooManyInsertions }
            if characters > UInt64(Limits.charactersPerText) { return .tooManyCharacters }
        }
        return nil
    }

    /// The same for a transaction that a client sends: what only the server may do is a flaw there.
    public var submissionFlaw: Flaw? {
        for operation in operations where operation.isServerOnly { return .purgeByClient }
        return flaw
    }
}

extension Operation {
    /// Whether only the server may make it.
    package var isServerOnly: Bool {
        if case .purge = self { return true }
        return false
    }

    /// What is wrong with the operation itself, or nil.
    var flaw: Flaw? {
        switch self {
        case .create(let creation): return creation.flaw
        case .set(_, let changes): return Self.flaw(changes)
        case .place(_, let placement): return placement.parent == nil && placement.order == nil ? .emptyPlacement : nil
        case .hide(_, let targets), .show(_, let targets), .purge(let targets): return targets.flaw
        case .insertText(_, let insertion): return insertion.flaw
        }
    }

    /// How many characters a hide, show or purge names, those named twice counted twice.
    fileprivate var namedCharacters: UInt64 {
        switch self {
        case .hide(_, .characters(_, let ranges)), .show(_, .characters(_, let ranges)),
            .purge(.characters(_, let ranges)):
            return ranges.reduce(0) { $0 + UInt64($1.count) }
        default:
            return 0
        }
    }

    private static func flaw(_ changes: [PropertyChange]) -> Flaw? {
        if changes.isEmpty { return .emptySet }
        if changes.count > Limits.propertiesPerShape { return .tooManyProperties }
        if repeatsKey(changes) { return .repeatedKey }
        for change in changes {
            if let value = change.value, let flaw = value.flaw { return flaw }
        }
        return nil
    }
}

extension Operation {
    private static func repeatsKey(_ changes: [PropertyChange]) -> Bool {
        // Few keys are compared each with each: a set of them costs more.
        guard changes.count <= 8 else { return Set(changes.map { $0.key }).count < changes.count }
        return changes.indices.contains { index in
            changes[..<index].contains { $0.key == changes[index].key }
        }
    }
}

extension Value {
    var flaw: Flaw? {
        if !isCanonical { return .valueNotCanonical }
        switch self {
        case .bool, .integer, .double: return nil
        case .string, .list, .map: break
        }
        var encoder = CBOREncoder()
        encoder.value(self)
        return encoder.bytes.count > Limits.valueBytes ? .valueTooLarge : nil
    }
}

extension Creation {
    var flaw: Flaw? {
        if !(1...Limits.kindBytes).contains(kind.utf8.count) { return .kindLength }
        if properties.count > Limits.propertiesPerShape { return .tooManyProperties }
        for property in properties {
            if let flaw = property.value.flaw { return flaw }
        }
        guard let text else { return nil }
        if text.left != nil || text.right != nil { return .firstTextHasNeighbours }
        return text.flaw
    }
}

extension TextInsertion {
    var flaw: Flaw? {
        let count = characters.unicodeScalars.count
        if !(1...Limits.charactersPerInsertion).contains(count) { return .insertionLength }
        return range.flaw
    }
}

extension CharacterRange {
    var flaw: Flaw? {
        guard count >= 1, count <= Limits.charactersPerText, first.counter >= 1, first.counter <= Limits.counter,
            UInt64(count) <= Limits.counter - first.counter + 1
        else { return .characterNumber }
        return nil
    }
}

extension Targets {
    /// The same targets in parts that one operation may name; none if nothing is named.
    var parts: [Targets] {
        switch self {
        case .shapes(let ids): return Self.parts(ids).map { .shapes(Array($0)) }
        case .characters(let id, let ranges): return Self.parts(ranges).map { .characters(id, Array($0)) }
        }
    }

    private static func parts<Element>(_ elements: [Element]) -> [ArraySlice<Element>] {
        stride(from: 0, to: elements.count, by: Limits.targetsPerOperation).map {
            elements[$0..<min($0 + Limits.targetsPerOperation, elements.count)]
        }
    }

    var flaw: Flaw? {
        let count: Int
        switch self {
        case .shapes(let ids): count = ids.count
        case .characters(_, let ranges):
            count = ranges.count
            for range in ranges {
                if let flaw = range.flaw { return flaw }
            }
        }
        return (1...Limits.targetsPerOperation).contains(count) ? nil : .targetCount
    }
}
