/// The shapes that transactions name.
public struct NamedShapes: Sendable {
    private var ids = Set<ShapeID>()
    /// Those of which characters are hidden or shown.
    private var texts = Set<ShapeID>()

    /// None.
    public init() {}

    /// Takes those of a transaction. O(what it names).
    public mutating func pass(_ transaction: Transaction) {
        for operation in transaction.operations {
            switch operation {
            case .create(let creation): ids.insert(creation.id)
            case .set(let id, _), .place(let id, _), .insertText(let id, _): ids.insert(id)
            case .hide(_, let targets), .show(_, let targets), .purge(let targets):
                switch targets {
                case .shapes(let named): ids.formUnion(named)
                case .characters(let id, _):
                    ids.insert(id)
                    texts.insert(id)
                }
            }
        }
    }

    fileprivate func names(_ id: ShapeID) -> Bool { ids.contains(id) }
    fileprivate func namesCharacters(of id: ShapeID) -> Bool { texts.contains(id) }
}

extension Targets {
    /// The targets but for shapes that are named, and for characters of texts of which characters are; nil if nothing is left.
    public func without(_ named: NamedShapes) -> Targets? {
        switch self {
        case .shapes(let ids):
            let rest = ids.filter { !named.names($0) }
            return rest.isEmpty ? nil : .shapes(rest)
        case .characters(let id, _): return named.namesCharacters(of: id) ? nil : self
        }
    }
}

/// Finds what has been hidden from a revision on, without a break and without anybody touching it: what may be purged if that
/// revision is the horizon.
///
/// Begin with the canvas at the horizon, pass every transaction committed since, and ask with the canvas they lead to.
public struct PurgeSurvey: Sendable {
    private let earlier: Canvas
    private var named = NamedShapes()

    /// Begins at the horizon.
    public init(from earlier: Canvas) { self.earlier = earlier }

    /// Takes a transaction that was committed since. O(what it names).
    public mutating func pass(_ transaction: Transaction) { named.pass(transaction) }

    /// What may be purged of the canvas that the transactions led to, in parts that fit into an operation each. What lies deeper
    /// comes first, so that a shape is empty when its turn comes. Linear in the earlier canvas and its hidden characters.
    public func targets(in canvas: Canvas) -> [Targets] {
        var shapes: [(depth: Int, id: ShapeID)] = []
        var texts: [Targets] = []
        earlier.forEachShape { before in
            guard let shape = canvas[before.id] else { return }
            if !before.isVisible, !shape.isVisible, !named.names(shape.id) {
                shapes.append((canvas.depth(of: shape), shape.id))
            } else if !named.namesCharacters(of: shape.id) {
                let ranges = shape.text.purgeable(before.text.hiddenRanges)
                if !ranges.isEmpty { texts += Targets.characters(shape.id, ranges).parts }
            }
        }
        shapes.sort { ($1.depth, $0.id) < ($0.depth, $1.id) }
        return Targets.shapes(shapes.map { $0.id }).parts + texts
    }
}

extension Text {
    /// The hidden characters that have their content, in order of the text.
    fileprivate var hiddenRanges: [CharacterRange] {
        var ranges: [CharacterRange] = []
        forEachRun { run, _ in
            if !run.isVisible, !run.isPurged {
                CharacterRange.append(CharacterRange(first: run.first, count: run.count), to: &ranges)
            }
        }
        return ranges
    }
}
