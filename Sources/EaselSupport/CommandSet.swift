/// The subcommands of a program.
public struct CommandSet: Sendable {
    /// The program's name as it is typed.
    public let program: String
    /// One sentence that says what the program is for.
    public let summary: String
    /// The subcommands, in the order in which help shows them.
    public let commands: [CommandSyntax]

    /// Creates a set of subcommands.
    public init(program: String, summary: String, commands: [CommandSyntax]) {
        self.program = program
        self.summary = summary
        self.commands = commands
    }

    /// What the words of a command line ask for.
    public enum Choice: Sendable {
        /// Print this text and succeed.
        case help(String)
        /// Run the named subcommand with these arguments.
        case run(command: String, Arguments)
    }

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - words: The words after the program's name.
    ///   - environment: The variables that stand in for flags that are not given.
    /// - Throws: `ArgumentError`, whose description is a sentence for the person who typed the words.
    public func choose(_ words: [String], environment: [String: String]) throws(ArgumentError) -> Choice {
        guard let name = words.first else { throw .missingCommand(program: program) }
        if name == "help", words.count == 2 { return try choose([words[1], "--help"], environment: environment) }
        if name == "--help" || name == "-h" || name == "help" {
            return .help(help)
        }
        guard let syntax = commands.first(where: { $0.name == name }) else {
            throw .unknownCommand(name, suggestion: closest(to: name, among: commands.map(\.name)))
        }
        let rest = Array(words.dropFirst())
        if Arguments.asksForHelp(rest) {
            return .help(syntax.help(program: program))
        }
        return .run(command: name, try Arguments(rest, syntax: syntax, environment: environment))
    }

    /// The text that lists all subcommands.
    public var help: String {
        let rows = commands.map { ($0.name, $0.summary) }
        let tail = ["", "\(program) <command> --help explains one command."]
        return ([summary, "", "usage: \(program) <command> [arguments]", ""] + CommandSyntax.columns(rows) + tail)
            .joined(separator: "\n")
    }
}
