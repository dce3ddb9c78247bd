import EaselCore

/// Follows the purges in a log: each leaves everything that can be seen, and what it took never comes back.
struct LawPurges: Sendable {
    private var shapes: [ShapeID] = []
    private var characters: [(shape: ShapeID, id: CharacterID)] = []

    /// Whether nothing was purged.
    var isEmpty: Bool { shapes.isEmpty && characters.isEmpty }

    /// Takes the next purge. Returns what is wrong with it, if something is.
    mutating func take(_ transaction: Transaction, from before: Canvas, to after: Canvas) -> String? {
        for operation in transaction.operations {
            guard case .purge(let targets) = operation else { return "the server did something else than purge" }
            switch targets {
            case .shapes(let ids): shapes += ids.filter { before[$0] != nil && after[$0] == nil }
            case .characters(let id, _):
                for run in after[id]?.text.storedRuns() ?? [] where run.causes == .purged {
                    characters += CharacterRange(first: run.first, count: run.count).ids.map { (id, $0) }
                }
            }
        }
        return Drawing.differs(after, from: before) ? "a purge took something that could be seen" : nil
    }

    /// What has come back; nil if nothing.
    func disagreement(with canvas: Canvas) -> String? {
        for id in shapes where canvas[id] != nil { return "\(id) was purged and is there" }
        for (shape, id) in characters {
            guard let text = canvas[shape]?.text else { continue }
            if text.offset(of: id) == nil { return "a purged character of \(shape) has lost its place" }
            if text.isVisible(id) { return "a purged character of \(shape) can be seen" }
        }
        return nil
    }
}
