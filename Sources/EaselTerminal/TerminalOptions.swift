/// How the terminal is to be used: from flags, the environment and what the terminal says of itself.
struct TerminalOptions: Equatable, Sendable {
    let depth: ColourDepth
    let isASCII: Bool
    let hasMouse: Bool

    /// - Parameters:
    ///   - color: the value of `--color`; `auto` looks at the environment.
    ///   - environment: `NO_COLOR`, `COLORTERM`, `TERM` and the locale's variables are read.
    init(color: String, isASCII: Bool, hasMouse: Bool, environment: [String: String]) {
        depth = ColourDepth(rawValue: color) ?? Self.depth(environment)
        self.isASCII = isASCII || !Self.isUTF8(environment)
        self.hasMouse = hasMouse
    }

    /// The colours a terminal has by its environment. `NO_COLOR` (no-color.org) counts when it is not empty.
    private static func depth(_ environment: [String: String]) -> ColourDepth {
        if let no = environment["NO_COLOR"], !no.isEmpty { return .none }
        let terminal = environment["TERM"] ?? ""
        switch environment["COLORTERM"] {
        case "truecolor", "24bit": return .truecolor
        default: break
        }
        if terminal.hasSuffix("-direct") { return .truecolor }
        if terminal.contains("256color") { return .palette256 }
        if terminal == "dumb" || terminal.isEmpty || terminal.hasPrefix("vt") { return .none }
        return .palette16
    }

    /// Whether the locale's characters are UTF-8, by the first of its variables that is set.
    private static func isUTF8(_ environment: [String: String]) -> Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let locale = environment[name], !locale.isEmpty else { continue }
            let lower = locale.lowercased()
            return lower.contains("utf-8") || lower.contains("utf8")
        }
        return false
    }
}
