import EaselCore
import EaselProtocol

/// Canvases that snapshots are made of.
enum SnapshotSample {
    /// Two shapes, one inside the other, one hidden; two sites.
    static var small: Canvas {
        var result = canvas(after: [
            [create("A", Sample.properties.map { ($0.key.rawValue, $0.value) }), create("B", parent: "A", order: "W")],
            [.hide(.deleted, .shapes([shape("B")]))],
        ])
        _ = result.apply(
            Commit(
                revision: 3, id: TransactionID(site: site(9), sequence: 5), time: 0,
                transaction: Transaction(operations: [create("C", order: "a")], label: "")))
        return result
    }

    /// A text of two sites with hidden characters and a left origin that is not the character in front.
    static var texts: Canvas {
        canvas(after: [
            [create("A", text: TextInsertion(first: character(7, 1), characters: "abcdef", left: nil, right: nil))],
            [insert(character(9, 1), "XY", left: character(7, 3), right: character(7, 4))],
            [insert(character(8, 1), "é🙂", left: character(7, 3), right: character(7, 4))],
            [insert(character(8, 3), "<", left: nil, right: character(7, 1))],
            [
                .hide(.deleted, .characters(shape("A"), [CharacterRange(first: character(7, 2), count: 3)])),
                .hide(.retracted, .characters(shape("A"), [CharacterRange(first: character(9, 1), count: 2)])),
            ],
        ])
    }

    /// A text with purged characters, one of which has another in front of it than its left origin.
    static var purged: Canvas {
        var result = texts
        let ranges = [
            CharacterRange(first: character(7, 2), count: 2), CharacterRange(first: character(9, 2), count: 1),
        ]
        _ = result.apply([
            .purge(.characters(shape("A"), ranges)),
            insert(character(7, 9), "+", left: character(7, 2), right: character(7, 3)),
        ])
        return result
    }

    /// A text of several chunks.
    static var longText: Canvas {
        canvas(after: [[create("B"), insert("B", character(7, 7), String(repeating: "long ", count: 700))]])
    }

    /// A canvas after random operations of three sites.
    static func random(seed: UInt64, operations count: Int) -> Canvas {
        var random = SplitMix64(seed: seed)
        var result = Canvas()
        var sequences: [UInt64: UInt64] = [:]
        var counter: UInt64 = 0
        for _ in 0..<count {
            counter += 1
            let writer = UInt64.random(in: 1...3, using: &random)
            let operation = operation(in: result, counter: counter * 100, writer: writer, &random)
            sequences[writer, default: 0] += UInt64.random(in: 1...3, using: &random)
            _ = result.apply(
                Commit(
                    revision: result.revision + 1,
                    id: TransactionID(site: site(writer), sequence: sequences[writer] ?? 1), time: 0,
                    transaction: Transaction(operations: [operation], label: "")))
        }
        return result
    }

    private static func operation(
        in canvas: Canvas, counter: UInt64, writer: UInt64, _ random: inout SplitMix64
    ) -> Operation {
        let names = (0..<20).map { "S\($0)" }
        let name = names.randomElement(using: &random) ?? "S0"
        let parent = Bool.random(using: &random) ? nil : names.randomElement(using: &random)
        let digits = String(UInt64.random(in: 1...3_000, using: &random), radix: 36, uppercase: true)
        let cause: HiddenCause = Bool.random(using: &random) ? .deleted : .retracted
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return create(name, parent: parent, order: digits, [("x", .integer(Int64(counter)))])
        case 2:
            return .set(
                shape(name), [PropertyChange(key("y"), .double(Double(counter) + 0.5)), PropertyChange(key("x"), nil)])
        case 3: return .place(shape(name), Placement(parent: .init(parent.map { shape($0) }), order: order(digits)))
        case 4: return .hide(cause, .shapes([shape(name)]))
        case 5: return .show(cause, .shapes([shape(name)]))
        case 8:
            let named = names.filter { _ in Bool.random(using: &random) }.map { shape($0) }
            return .purge(.shapes(named + [shape(name)]))
        case 9:
            let runs = canvas[shape(name)]?.text.storedRuns() ?? []
            guard !runs.isEmpty else { return create(name, order: digits) }
            return .purge(
                .characters(shape(name), runs.map { CharacterRange(first: $0.first, count: $0.count) }))
        case 6:
            guard let text = canvas[shape(name)]?.text, text.visibleCount > 0 else {
                return create(name, order: digits)
            }
            let start = Int.random(in: 0..<text.visibleCount, using: &random)
            let end = min(text.visibleCount, start + Int.random(in: 1...5, using: &random))
            return .hide(cause, .characters(shape(name), text.characters(at: start..<end)))
        default:
            guard let text = canvas[shape(name)]?.text else { return create(name, order: digits) }
            let place = text.neighbours(at: Int.random(in: 0...text.visibleCount, using: &random))
            let characters = ["a", "bc", "déf", "🙂", "hello there"].randomElement(using: &random) ?? "a"
            return insert(name, character(writer, counter), characters, left: place.left, right: place.right)
        }
    }
}
