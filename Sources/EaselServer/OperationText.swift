import EaselCore

/// Operations in words, for people who read a log. One line each, whatever the texts in them hold.
enum OperationText {
    /// Characters of a text and targets of an operation that are shown.
    private static let shownCharacters = 60
    private static let shownTargets = 8

    /// What an operation does.
    static func describe(_ operation: Operation) -> String {
        switch operation {
        case .create(let creation): describe(creation)
        case .set(let shape, let changes):
            "set \(list(changes.map { "\(word($0.key.rawValue)) = \($0.value.map(describe) ?? "nothing")" })) of \(shape)"
        case .place(let shape, let placement): describe(placement, of: shape)
        case .hide(.deleted, let targets): "delete \(describe(targets))"
        case .hide(.retracted, let targets): "retract \(describe(targets))"
        case .show(.deleted, let targets): "restore \(describe(targets))"
        case .show(.retracted, let targets): "bring back \(describe(targets))"
        case .insertText(let shape, let insertion): "insert \(quote(insertion.characters)) into the text of \(shape)"
        case .purge(let targets): "remove for good \(describe(targets))"
        }
    }

    private static func describe(_ creation: Creation) -> String {
        var parts = ["create \(word(creation.kind)) \(creation.id)"]
        if let parent = creation.parent { parts[0] += " in \(parent)" }
        parts += creation.properties.map { "\(word($0.key.rawValue)) = \(describe($0.value))" }
        if let text = creation.text { parts.append("text \(quote(text.characters))") }
        return parts.joined(separator: ", ")
    }

    private static func describe(_ placement: Placement, of shape: ShapeID) -> String {
        var text = "move \(shape)"
        switch placement.parent {
        case .canvas?: text += " onto the canvas"
        case .shape(let parent)?: text += " into \(parent)"
        case nil: break
        }
        if let order = placement.order { text += " to place \(order.rawValue)" }
        return text
    }

    private static func describe(_ targets: Targets) -> String {
        switch targets {
        case .shapes(let shapes): return list(shapes.map(\.rawValue))
        case .characters(let shape, let ranges):
            let count = ranges.reduce(0) { $0 + $1.count }
            return "\(count) \(count == 1 ? "character" : "characters") of the text of \(shape)"
        }
    }

    private static func describe(_ value: Value) -> String {
        switch value {
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): quote(value)
        case .list(let values): "[\(list(values.map(describe)))]"
        case .map(let properties): "{\(list(properties.map { "\(word($0.key.rawValue)): \(describe($0.value))" }))}"
        }
    }

    private static func list(_ parts: [String]) -> String {
        let shown = parts.prefix(shownTargets).joined(separator: ", ")
        return parts.count > shownTargets ? "\(shown) and \(parts.count - shownTargets) more" : shown
    }

    /// A name as it is, in quotes if it could be misread.
    private static func word(_ name: String) -> String {
        name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") } ? name : quote(name)
    }

    /// A text in quotes, cut where it is long, without anything that acts on a terminal.
    static func quote(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars.prefix(shownCharacters) {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where acts(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        let isCut = text.unicodeScalars.count > shownCharacters
        return result + (isCut ? "...\"" : "\"")
    }

    /// Control and format characters, and those that change the direction of what follows.
    private static func acts(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        default: false
        }
    }
}
