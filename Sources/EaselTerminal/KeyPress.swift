/// Keys held with another.
struct Modifiers: OptionSet, Hashable, Sendable {
    let rawValue: Int

    // The terminal library's values.
    static let shift = Modifiers(rawValue: 1)
    static let alt = Modifiers(rawValue: 2)
    static let control = Modifiers(rawValue: 4)
}

/// A key that was pressed.
struct KeyPress: Hashable, Sendable {
    enum Key: Hashable, Sendable {
        /// A character as typed: shift is in it already.
        case character(Character)
        case up, down, left, right
        case home, end, pageUp, pageDown
        case tab, enter, escape, backspace, delete
        /// A key that nothing here uses, by the terminal library's name.
        case other(String)
    }

    let key: Key
    let modifiers: Modifiers

    init(_ key: Key, _ modifiers: Modifiers = []) {
        self.key = key
        self.modifiers = modifiers
    }

    /// A typed character.
    init(_ character: Character) { self.init(.character(character)) }

    /// A typed character with the control key.
    static func control(_ character: Character) -> KeyPress { KeyPress(.character(character), .control) }

    /// A typed character with the alt key.
    static func alt(_ character: Character) -> KeyPress { KeyPress(.character(character), .alt) }

    /// What the person meant: terminals send alt as an escape byte in front, so Esc followed quickly by another key looks like
    /// alt. Where alt has no meaning of its own, it was Esc.
    var meant: [KeyPress] {
        guard modifiers == .alt, self != .alt("z") else { return [self] }
        switch key {
        case .character, .escape, .tab, .enter: return [KeyPress(.escape), KeyPress(key)]
        default: return [self]
        }
    }

    /// Reads the terminal library's name of a key that is no plain character: `Up`, `S-Tab`, `C-r`, `M-z`.
    init(name: String, modifiers: Modifiers) {
        var rest = Substring(name)
        while rest.count > 2, let prefix = rest.first, "SMCA".contains(prefix), rest.dropFirst().first == "-" {
            rest = rest.dropFirst(2)
        }
        self.init(Self.named[String(rest)] ?? Self.character(rest), modifiers)
    }

    private static func character(_ rest: Substring) -> Key {
        rest.count == 1 ? .character(rest[rest.startIndex]) : .other(String(rest))
    }

    private static let named: [String: Key] = [
        "Up": .up, "Down": .down, "Left": .left, "Right": .right, "Home": .home, "End": .end, "Find": .home,
        "Select": .end, "PageUp": .pageUp, "PageDown": .pageDown, "Tab": .tab, "Enter": .enter, "Escape": .escape,
        "Backspace": .backspace, "DEL": .backspace, "Delete": .delete, "Space": .character(" "),
    ]
}

/// Something the mouse did, at a cell of the screen.
struct MouseInput: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        /// The main button went down.
        case press
        /// It is moved while the button is down.
        case drag
        /// The button went up.
        case release
        case wheelUp
        case wheelDown
    }

    let action: Action
    let cell: CellPoint
    let modifiers: Modifiers

    init(_ action: Action, column: Int, row: Int, modifiers: Modifiers = []) {
        self.action = action
        cell = CellPoint(column: column, row: row)
        self.modifiers = modifiers
    }
}

/// What a person did.
enum Input: Hashable, Sendable {
    case key(KeyPress)
    /// Characters and line ends that came at once, as they do when a person pastes.
    case text(String)
    case mouse(MouseInput)

    /// The inputs with runs of typed characters joined.
    static func joined(_ inputs: [Input]) -> [Input] {
        var result: [Input] = []
        for input in inputs {
            if case .text(let before) = result.last, let typed = input.typed {
                result[result.count - 1] = .text(before + typed)
            } else if case .key = result.last, let before = result.last?.typed, let typed = input.typed {
                result[result.count - 1] = .text(before + typed)
            } else {
                result.append(input)
            }
        }
        return result
    }

    /// What the input types into a text; nil if it does something else.
    private var typed: String? {
        guard case .key(let press) = self, press.modifiers.isEmpty else { return nil }
        switch press.key {
        case .character(let character): return String(character)
        case .enter: return "\n"
        default: return nil
        }
    }
}
