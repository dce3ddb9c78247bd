/// What keys stand for outside of typing.
enum Command: Hashable, Sendable {
    case tool(ShapeKind)
    case selectNext, selectPrevious, selectAll, escape
    case nudge(columns: Int, rows: Int)
    case pan(columns: Int, rows: Int)
    case resize(columns: Int, rows: Int)
    case colour, fill, delete, duplicate
    case forward, backward, front, back
    case editText, undo, redo, fit, help, leave
}

/// The keys of the editor. Help and the key line are made of this table, so they cannot disagree with what keys do.
enum KeyTable {
    /// A line of help: how keys are written and what they do.
    struct HelpLine: Sendable {
        let keys: String
        let text: String
    }

    /// Cells that the view moves with one key.
    private static let panColumns = 8
    private static let panRows = 4

    /// What a key does. `l` and the other three vim letters nudge while something is selected; without, `l` is the line tool.
    static func command(for press: KeyPress, hasSelection: Bool) -> Command? {
        if !hasSelection, press == KeyPress("l") { return .tool(.line) }
        return table[press]
    }

    private static let table: [KeyPress: Command] = {
        var table: [KeyPress: Command] = [
            KeyPress("r"): .tool(.rectangle), KeyPress("e"): .tool(.ellipse), KeyPress("L"): .tool(.line),
            KeyPress("t"): .tool(.text), KeyPress("n"): .tool(.note),
            KeyPress(.tab): .selectNext, KeyPress(.tab, .shift): .selectPrevious, .control("a"): .selectAll,
            KeyPress(.escape): .escape, KeyPress("c"): .colour, KeyPress("C"): .fill, KeyPress("x"): .delete,
            KeyPress(.delete): .delete, KeyPress(.backspace): .delete, KeyPress("d"): .duplicate,
            KeyPress("]"): .forward, KeyPress("["): .backward, KeyPress("}"): .front, KeyPress("{"): .back,
            KeyPress(.enter): .editText, KeyPress("i"): .editText, KeyPress("u"): .undo, .alt("z"): .undo,
            .control("_"): .undo, .control("r"): .redo, KeyPress("f"): .fit, KeyPress("?"): .help,
            KeyPress("q"): .leave,
            KeyPress(.pageUp): .pan(columns: 0, rows: -4 * panRows),
            KeyPress(.pageDown): .pan(columns: 0, rows: 4 * panRows),
        ]
        let directions: [(KeyPress.Key, Character, Int, Int)] = [
            (.left, "h", -1, 0), (.down, "j", 0, 1), (.up, "k", 0, -1), (.right, "l", 1, 0),
        ]
        for (arrow, letter, columns, rows) in directions {
            table[KeyPress(arrow)] = .nudge(columns: columns, rows: rows)
            table[KeyPress(letter)] = .nudge(columns: columns, rows: rows)
            table[KeyPress(arrow, .shift)] = .pan(columns: columns * panColumns, rows: rows * panRows)
            table[KeyPress(arrow, .alt)] = .resize(columns: columns, rows: rows)
        }
        return table
    }()

    /// The table that `?` shows.
    static let help: [HelpLine] = [
        HelpLine(keys: "r e L t n", text: "rectangle, ellipse, line, text, note; then drag or Enter"),
        HelpLine(keys: "Tab S-Tab", text: "select the next or the previous shape; Ctrl-A selects all"),
        HelpLine(keys: "arrows hjkl", text: "move what is selected, or the view if nothing is"),
        HelpLine(keys: "Shift-arrows", text: "move the view, as wheel, PgUp and PgDn do; f shows all"),
        HelpLine(keys: "Alt-arrows", text: "change the size"),
        HelpLine(keys: "Enter i", text: "edit the text; Esc ends"),
        HelpLine(keys: "c C", text: "next colour, next fill"),
        HelpLine(keys: "] [ } {", text: "forward, backward, to the front, to the back"),
        HelpLine(keys: "d x", text: "duplicate, delete"),
        HelpLine(keys: "u Ctrl-R", text: "undo, redo your own work; while typing Alt-Z, Ctrl-R"),
        HelpLine(keys: "mouse", text: "click selects, Ctrl-click adds, drag moves, corner resizes"),
        HelpLine(keys: "Ctrl-Z q", text: "suspend, leave; Ctrl-L draws the screen again"),
    ]

    /// The line of keys at the bottom.
    struct KeyLine: Sendable {
        let title: String
        let keys: String
        /// Whether `?` and `q` mean help and leaving here.
        var hasHelp = false
    }

    /// The keys that matter most in a mode.
    static func keyLine(_ mode: EditorModel.Mode, hasSelection: Bool, isDragging: Bool) -> KeyLine {
        if isDragging { return KeyLine(title: "DRAG", keys: "release to finish  Esc cancel") }
        switch mode {
        case .select where hasSelection:
            return KeyLine(
                title: "SELECT", keys: "hjkl move  i text  c colour  d copy  x delete  ][ order  Esc none",
                hasHelp: true)
        case .select:
            return KeyLine(
                title: "SELECT", keys: "r box  e ellipse  l line  t text  n note  Tab next", hasHelp: true)
        case .tool(let kind):
            return KeyLine(title: kind.title.uppercased(), keys: "drag to draw  Enter place  Esc back", hasHelp: true)
        case .text: return KeyLine(title: "TEXT", keys: "type  Esc done  Alt-Z undo  Ctrl-R redo")
        case .help: return KeyLine(title: "HELP", keys: "any key goes back")
        case .leaving: return KeyLine(title: "LEAVING", keys: "q leave now  Esc stay")
        }
    }
}
