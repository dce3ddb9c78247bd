import EaselCore

/// What a person sees of a canvas: two pictures are equal exactly if nobody could tell the canvases apart by looking.
///
/// Seen are the visible shapes with the visible ancestor they are drawn in, their order among those drawn there, their
/// registers, and the visible characters of their texts by identity.
struct OraclePicture: Equatable {
    struct Sight: Equatable {
        let id: ShapeID
        let parent: ShapeID?
        let registers: [String: Value]
        let characters: [CharacterID]
        let string: String
    }

    /// In drawing order.
    private(set) var sights: [Sight] = []

    init(_ canvas: OracleCanvas) { draw(canvas, inside: nil, on: nil) }

    /// OP-09: what lies in a hidden shape is drawn in that shape's place, on the visible one around it.
    private mutating func draw(_ canvas: OracleCanvas, inside parent: ShapeID?, on seen: ShapeID?) {
        for shape in canvas.children(of: parent) {
            if shape.flags.isVisible {
                let visible = shape.text.filter { $0.flags.isVisible }
                var string = String.UnicodeScalarView()
                for character in visible { string.append(character.scalar) }
                sights.append(
                    Sight(
                        id: shape.id, parent: seen, registers: shape.registers, characters: visible.map { $0.id },
                        string: String(string)))
                draw(canvas, inside: shape.id, on: shape.id)
            } else {
                draw(canvas, inside: shape.id, on: seen)
            }
        }
    }
}

extension OracleCanvas {
    /// OK-02: by the bytes of the order key, then by those of the id.
    func children(of parent: ShapeID?) -> [OracleShape] {
        shapes.filter { $0.parent == parent }.sorted {
            let (left, right) = (Array($0.order.utf8), Array($1.order.utf8))
            if left != right { return left.lexicographicallyPrecedes(right) }
            return $0.id.rawValue.utf8.lexicographicallyPrecedes($1.id.rawValue.utf8)
        }
    }
}

// Everything the oracle and the engine are compared by becomes lines of words, so that a difference can be read.

extension OracleCanvas {
    /// Everything stored, hidden state and left origins included, one shape a line.
    var words: [String] {
        shapes.sorted { $0.id.rawValue < $1.id.rawValue }.map { shape in
            let registers = shape.registers.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let head = "\(shape.id) \(shape.kind) in \(shape.parent.words) at \(shape.order)\(shape.flags.words)"
            let text = shape.text.map { character in
                "\(character.scalar)\(character.id.words)<\(character.origin.words)\(character.flags.words)"
            }
            return ([head] + registers + text).joined(separator: " ")
        }
    }

    /// The same as the engine stores it.
    init(_ canvas: Canvas) {
        canvas.forEachShape { shape in
            var copy = OracleShape(
                id: shape.id, kind: shape.kind, parent: shape.parent, order: shape.order.rawValue,
                flags: OracleFlags(shape.causes))
            for property in shape.properties { copy.registers[property.key.rawValue] = property.value }
            for run in shape.text.storedRuns() {
                var origin = run.origin
                let nothing = Array(repeating: OracleCharacter.nothing, count: run.causes == .purged ? run.count : 0)
                for (offset, scalar) in (nothing + Array(run.characters.unicodeScalars)).enumerated() {
                    let id = run.first.following(offset)
                    copy.text.append(
                        OracleCharacter(id: id, scalar: scalar, origin: origin, flags: OracleFlags(run.causes)))
                    origin = id
                }
            }
            shapes.append(copy)
        }
    }

    /// Whether two canvases store the same, in whatever order their shapes are listed.
    func isEqual(to other: OracleCanvas) -> Bool {
        shapes.count == other.shapes.count && shapes.allSatisfy { other[$0.id] == $0 }
    }
}

extension OraclePicture {
    /// One shape a line, in drawing order.
    var words: [String] {
        sights.map { sight in
            let registers = sight.registers.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return ([sight.id.rawValue, "on", sight.parent.words, sight.string] + registers).joined(separator: " ")
        }
    }

    /// Whether the engine shows the same.
    func isShown(by canvas: Canvas) -> Bool {
        let shapes = canvas.visibleShapes()
        return shapes.count == sights.count
            && zip(shapes, sights).allSatisfy { shape, sight in
                shape.id == sight.id && canvas.livingParent(of: shape.id) == sight.parent
                    && shape.text.string == sight.string && shape.properties.count == sight.registers.count
                    && shape.properties.allSatisfy { sight.registers[$0.key.rawValue] == $0.value }
            }
    }

    /// The same as the engine shows it.
    static func words(of canvas: Canvas) -> [String] {
        canvas.visibleShapes().map { shape in
            let registers = shape.properties.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
            let parent = canvas.livingParent(of: shape.id)
            return ([shape.id.rawValue, "on", parent.words, shape.text.string] + registers).joined(separator: " ")
        }
    }
}

extension OracleFlags {
    init(_ causes: HiddenCauses) {
        isDeleted = causes.contains(.deleted)
        isRetracted = causes.contains(.retracted)
        isPurged = causes.contains(.purged)
    }

    fileprivate var words: String {
        (isDeleted ? " deleted" : "") + (isRetracted ? " retracted" : "") + (isPurged ? " purged" : "")
    }
}

extension ShapeID? {
    fileprivate var words: String { self?.rawValue ?? "-" }
}

extension CharacterID {
    fileprivate var words: String { "(\(site),\(counter))" }
}

extension CharacterID? {
    fileprivate var words: String { self?.words ?? "-" }
}

extension Operation {
    /// What an operation says, whatever way its targets are listed: one operation, one text.
    var words: String {
        switch self {
        case .create(let creation):
            let head = "create \(creation.id) \(creation.kind) in \(creation.parent.words) at \(creation.order)"
            let properties = creation.properties.map { "\($0.key.rawValue)=\($0.value)" }
            let text = creation.text.map { "\($0.first.words)\($0.characters)" }
            return ([head] + properties + [text ?? "-"]).joined(separator: " ")
        case .set(let id, let changes):
            let changes = changes.map { change in
                "\(change.key.rawValue)=\(change.value.map { "\($0)" } ?? "nothing")"
            }
            return "set \(id) \(changes.sorted().joined(separator: " "))"
        case .place(let id, let placement):
            let parent = placement.parent.map { " in \($0.id.words)" } ?? ""
            return "place \(id)\(parent)\(placement.order.map { " at \($0)" } ?? "")"
        case .hide(let cause, let targets): return "hide \(cause) \(targets.words)"
        case .show(let cause, let targets): return "show \(cause) \(targets.words)"
        case .insertText(let id, let insertion):
            let (left, right) = (insertion.left.words, insertion.right.words)
            return "insert \(id) \(insertion.first.words)\(insertion.characters) between \(left) and \(right)"
        case .purge(let targets): return "purge \(targets.words)"
        }
    }
}

extension Targets {
    fileprivate var words: String {
        switch self {
        case .shapes(let ids): return Set(ids).map { $0.rawValue }.sorted().joined(separator: " ")
        case .characters(let id, let ranges):
            let characters = Set(ranges.characters).sorted { ($0.site, $0.counter) < ($1.site, $1.counter) }
            return "\(id) \(characters.map { $0.words }.joined())"
        }
    }
}
