/// What may be written after the name of one subcommand, and the help that explains it.
public struct CommandSyntax: Sendable {
    /// The subcommand's name as it is typed.
    public let name: String
    /// One sentence that says what the subcommand does.
    public let summary: String
    /// What comes without a name, in order.
    public let positionals: [Positional]
    /// The flags, in the order in which help shows them.
    public let flags: [Flag]

    /// Creates a syntax.
    ///
    /// Precondition: flag names are distinct, no required positional follows an optional one, and a repeated one is the last.
    public init(name: String, summary: String, positionals: [Positional] = [], flags: [Flag] = []) {
        precondition(Set(flags.map(\.name)).count == flags.count, "flag names are distinct")
        let required = positionals.map(\.isRequired)
        precondition(zip(required, required.dropFirst()).allSatisfy { $0 || !$1 }, "required positionals come first")
        precondition(!positionals.dropLast().contains(where: \.isRepeated), "a repeated positional is the last")
        self.name = name
        self.summary = summary
        self.positionals = positionals
        self.flags = flags
    }

    /// An argument that is known by its place.
    public struct Positional: Sendable {
        /// The name that the program asks by and help shows.
        public let name: String
        /// One line of help.
        public let help: String
        /// Whether leaving it out is an error.
        public let isRequired: Bool
        /// Whether it takes all that follows, too.
        public let isRepeated: Bool

        /// Creates a positional argument.
        public init(_ name: String, help: String, isRequired: Bool = true, isRepeated: Bool = false) {
            self.name = name
            self.help = help
            self.isRequired = isRequired
            self.isRepeated = isRepeated
        }
    }

    /// An argument that is known by its name: `--name value`, `--name=value`, or `--name` alone for a switch.
    public struct Flag: Sendable {
        /// The name without the leading dashes, in lower case with hyphens.
        public let name: String
        /// What help calls the value, or nil for a switch, which has none.
        public let value: String?
        /// One line of help.
        public let help: String

        /// Creates a flag with a value.
        public init(_ name: String, value: String, help: String) {
            self.name = name
            self.value = value
            self.help = help
        }

        /// Creates a switch, which is on when it is given.
        public init(switch name: String, help: String) {
            self.name = name
            value = nil
            self.help = help
        }

        /// The environment variable that is read when the flag is not given: `EASEL_DATA_DIR` for `--data-dir`.
        public var environmentVariable: String {
            "EASEL_" + name.uppercased().split(separator: "-").joined(separator: "_")
        }

        fileprivate var usage: String {
            value.map { "--\(name) \($0)" } ?? "--\(name)"
        }
    }

    /// The text that `--help` prints, with a line end after each line but the last.
    public func help(program: String) -> String {
        var usage = "usage: \(program) \(name)"
        for positional in positionals {
            usage += positional.isRequired ? " <\(positional.name)>" : " [\(positional.name)]"
            if positional.isRepeated { usage += "..." }
        }
        if !flags.isEmpty {
            usage += " [flags]"
        }
        var rows = flags.map { ($0.usage, "\($0.help) [\($0.environmentVariable)]") }
        rows.append(("--help", "show this text"))
        let positionalRows = positionals.map { ($0.name, $0.help) }
        return ([summary, "", usage, ""] + CommandSyntax.columns(positionalRows + rows)).joined(separator: "\n")
    }

    /// Lays `rows` out in two columns, each line indented by two spaces.
    static func columns(_ rows: [(String, String)]) -> [String] {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { left, right in
            "  " + left + String(repeating: " ", count: width - left.count + 2) + right
        }
    }
}
