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
        switch result {
        case .done(let report): return "\(verb) \(report.label)"
        case .nothing, nil: return "\(verb) nothing"
        }
    }

    /// Makes an edit, which may turn out to change nothing.
    public mutating func edit(_ client: inout ClientEngine) -> String {
        let shapes = client.view.visibleShapes()
        if repertoire == .oneText, let shape = shapes.first {
            return random.chance(50) ? type(&client, shape) : erase(&client, shape)
        }
        guard let shape = shapes.isEmpty || random.chance(10) ? nil : shapes[random.below(shapes.count)] else {
            return create(&client, shapes)
        }
        switch random.below(repertoire == .everything ? 10 : 6) {
        case 0...2: return type(&client, shape)
        case 3...4: return erase(&client, shape)
        case 5: return make("Delete", shape, &client) { $0.delete([shape.id]) }
        case 6...7: return set(&client, shape)
        case 8:
            let parent = random.chance(70) ? shapes[random.below(shapes.count)].id : nil
            return make("Put", shape, &client) { $0.put(shape.id, into: parent) }
        default: return reorder(&client, shape)
        }
    }

    private func make(
        _ label: String, _ shape: Shape, _ client: inout ClientEngine, _ body: (inout TransactionDraft) -> Void
    ) -> String {
        let result = try? client.edit(label, body)
        return "\(label) \(shape.id)\(result?.hasEffect == true ? "" : " without effect")"
    }

    private mutating func create(_ client: inout ClientEngine, _ shapes: [Shape]) -> String {
        let parent = !shapes.isEmpty && random.chance(30) ? shapes[random.below(shapes.count)].id : nil
        let text = random.chance(60) ? "ab" : ""
        var made: ShapeID?
        _ = try? client.edit("Create") { made = $0.create(kind: "note", in: parent, text: text) }
        return "Create \(made?.rawValue ?? "nothing")"
    }

    private mutating func type(_ client: inout ClientEngine, _ shape: Shape) -> String {
        let offset = random.below(shape.text.visibleCount + 1)
        let letter = Character(Unicode.Scalar(UInt8(97 + random.below(26))))
        let typed = String(repeating: letter, count: 1 + random.below(3))
        return make("Type", shape, &client) { $0.insertText(typed, at: offset, in: shape.id) }
    }

    private mutating func erase(_ client: inout ClientEngine, _ shape: Shape) -> String {
        let start = random.below(shape.text.visibleCount + 1)
        let end = start + random.below(4)
        return make("Erase", shape, &client) { $0.deleteText(start..<end, in: shape.id) }
    }

    private mutating func set(_ client: inout ClientEngine, _ shape: Shape) -> String {
        let number = Int64(random.below(4))
        let key: PropertyKey = random.chance(50) ? PropertyKey("x") : PropertyKey("color")
        return make("Set", shape, &client) { $0.set(shape.id, key, number == 0 ? nil : .integer(number)) }
    }

    private mutating func reorder(_ client: inout ClientEngine, _ shape: Shape) -> String {
        switch random.below(4) {
        case 0: return make("Bring to Front", shape, &client) { $0.bringToFront(shape.id) }
        case 1: return make("Send to Back", shape, &client) { $0.sendToBack(shape.id) }
        case 2: return make("Bring Forward", shape, &client) { $0.bringForward(shape.id) }
        default: return make("Send Backward", shape, &client) { $0.sendBackward(shape.id) }
        }
    }
}
