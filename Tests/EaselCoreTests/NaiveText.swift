@testable import EaselCore

/// A text as a plain list of characters, with the placement rule written step by step: the oracle for `Text`.
struct NaiveText {
    private(set) var signs: [Contents.Sign] = []

    var visible: [Contents.Sign] { signs.filter { $0.causes.isEmpty } }

    var string: String { String(String.UnicodeScalarView(visible.compactMap { Unicode.Scalar($0.scalar) })) }

    func position(of id: CharacterID) -> Int? { signs.firstIndex { $0.id == id } }

    /// Inserts a run; false if it has no effect.
    mutating func insert(_ insertion: TextInsertion) -> Bool {
        let used = signs.filter { $0.id.site == insertion.first.site }.map(\.id.counter).max() ?? 0
        guard insertion.first.counter > used else { return false }
        var low = -1
        var high = signs.count
        if let left = insertion.left {
            guard let position = position(of: left) else { return false }
            low = position
        }
        if let right = insertion.right {
            guard let position = position(of: right) else { return false }
            high = position
        }
        guard low < high else { return false }
        var destination = low + 1
        for index in low + 1..<high {
            let origin = signs[index].origin.flatMap { position(of: $0) } ?? -1
            if origin < low { break }
            destination = index + 1
        }
        var origin = insertion.left
        for (offset, scalar) in insertion.characters.unicodeScalars.enumerated() {
            let id = insertion.first.advanced(by: offset)
            signs.insert(
                Contents.Sign(id: id, scalar: scalar.value, origin: origin, causes: []), at: destination + offset)
            origin = id
        }
        return true
    }

    /// Sets or clears a cause; gives the named characters that exist, in the order named, and how many changed.
    mutating func setHidden(
        _ cause: HiddenCause, _ isHidden: Bool, _ ranges: [CharacterRange]
    ) -> (existing: [CharacterID], changed: [CharacterID]) {
        var existing: [CharacterID] = []
        var changed: [CharacterID] = []
        for range in ranges {
            let named = signs.indices.filter { range.contains(signs[$0].id) }.sorted { signs[$0].id < signs[$1].id }
            for index in named {
                if signs[index].causes == .purged { continue }
                existing.append(signs[index].id)
                let causes = signs[index].causes.with(cause, isHidden)
                if causes != signs[index].causes { changed.append(signs[index].id) }
                signs[index].causes = causes
            }
        }
        return (existing, changed)
    }

    /// Takes the content of the named characters that are hidden; false if there is none.
    mutating func purge(_ ranges: [CharacterRange]) -> Bool {
        var hasEffect = false
        for index in signs.indices where ranges.contains(where: { $0.contains(signs[index].id) }) {
            if signs[index].causes.isEmpty || signs[index].causes == .purged { continue }
            signs[index].causes = .purged
            signs[index].scalar = 0
            hasEffect = true
        }
        return hasEffect
    }
}

extension CharacterRange {
    func contains(_ id: CharacterID) -> Bool {
        id.site == first.site && id.counter >= first.counter && id.counter < first.counter + UInt64(count)
    }

    var ids: [CharacterID] { (0..<count).map { first.advanced(by: $0) } }
}
