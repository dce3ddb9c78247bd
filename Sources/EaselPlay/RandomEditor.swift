public import EaselClientEngine
import EaselCore

/// Makes random edits, undos and redos, as people at a canvas might, from a seed.
public struct RandomEditor: Sendable {
    /// Which edits are made.
    public enum Repertoire: Sendable {
        /// All kinds.
        case everything
        /// Creating, deleting and text: what the law "everyone undoing everything returns to the start" speaks of.
        case existenceAndText
        /// Typing and erasing in one text, where people meet most.
        case oneText
    }

    /// The numbers it draws from.
    public var random: SeededRandom
    private let repertoire: Repertoire

    /// An editor that draws from a seed.
    public init(seed: UInt64, _ repertoire: Repertoire = .everything) {
        random = SeededRandom(seed: seed)
        self.repertoire = repertoire
    }

    /// Undoes, redoes or edits. Returns what it did, for a transcript.
    public mutating func act(on client: inout ClientEngine) -> String {
        switch random.below(10) {
        case 0...1: return Self.describe("undo", try? client.undo())
        case 2: return Self.describe("redo", try? client.redo())
        default: return edit(&client)
        }
    }

    private static func describe(_ verb: String, _ result: PressResult?) -> String {
        result?.label.map { "\(verb) \($0)" } ?? "\(verb) nothing"
    }

    /// Makes an edit, which may turn out to change nothing.
    public mutating func edit(_ client: inout ClientEngine) -> String {
        let edit = choose(in: client.view)
        let result = try? client.edit(edit.verb) { edit.write(to: &$0) }
        return "\(edit.verb)\(result?.hasEffect == true ? "" : " without effect")"
    }

    /// Chooses an edit of what can be seen on a canvas.
    mutating func choose(in view: Canvas) -> RandomPlayEdit<ShapeID> {
        let shapes = view.visibleShapes()
        if repertoire == .oneText, let shape = shapes.first {
            return random.chance(50) ? typing(shape) : erasing(shape)
        }
        guard let shape = shapes.isEmpty || random.chance(10) ? nil : shapes[random.below(shapes.count)] else {
            return creation(shapes)
        }
        switch random.below(repertoire == .everything ? 10 : 6) {
        case 0...2: return typing(shape)
        case 3...4: return erasing(shape)
        case 5: return deletion(shape, shapes)
        case 6...7: return .set(shape.id, changes())
        case 8: return .put(shape.id, into: random.chance(70) ? shapes[random.below(shapes.count)].id : nil)
        default:
            let reorderings: [ScenarioEdit.Reordering] = [.front, .back, .forward, .backward]
            return .reorder(shape.id, reorderings[random.below(4)])
        }
    }

    private mutating func creation(_ shapes: [Shape]) -> RandomPlayEdit<ShapeID> {
        let parent = !shapes.isEmpty && random.chance(30) ? shapes[random.below(shapes.count)].id : nil
        let text = random.chance(60) ? "ab" : ""
        return .create(parent: parent, text: text, width: random.chance(30) ? 1 : nil)
    }

    private mutating func deletion(_ shape: Shape, _ shapes: [Shape]) -> RandomPlayEdit<ShapeID> {
        let other = shapes[random.below(shapes.count)].id
        return .delete(other == shape.id || random.chance(70) ? [shape.id] : [shape.id, other])
    }

    private mutating func typing(_ shape: Shape) -> RandomPlayEdit<ShapeID> {
        let offset = random.below(shape.text.visibleCount + 1)
        let letter = Character(Unicode.Scalar(UInt8(97 + random.below(26))))
        return .type(String(repeating: letter, count: 1 + random.below(3)), into: shape.id, at: offset)
    }

    private mutating func erasing(_ shape: Shape) -> RandomPlayEdit<ShapeID> {
        let offset = random.below(shape.text.visibleCount + 1)
        return .erase(1 + random.below(3), from: shape.id, at: offset)
    }

    /// New values of one register or of two; few values, so that people often set what is there already.
    private mutating func changes() -> [RandomPlayEdit<ShapeID>.Change] {
        let isFirst = random.chance(50)
        let first = RandomPlayEdit<ShapeID>.Change(key: isFirst ? Self.x : Self.color, value: value())
        guard random.chance(20) else { return [first] }
        return [first, RandomPlayEdit<ShapeID>.Change(key: isFirst ? Self.color : Self.x, value: value())]
    }

    private mutating func value() -> Int? {
        let number = random.below(4)
        return number == 0 ? nil : number
    }

    private static let x: PropertyKey = PropertyKey("x")
    private static let color: PropertyKey = PropertyKey("color")
}
