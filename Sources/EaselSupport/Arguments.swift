/// The arguments of one subcommand, taken apart and checked against its syntax.
public struct Arguments: Sendable {
    private let syntax: CommandSyntax
    private let values: [String: Value]
    /// What follows the first of a repeated positional.
    private let rest: [String]

    private struct Value: Sendable {
        var text: String
        var origin: Origin
    }

    /// Where a value came from.
    private enum Origin: Sendable {
        case flag
        case positional
        case variable(String)
    }

    /// Takes `words` apart.
    ///
    /// `--name value` and `--name=value` give a flag its value, `--name` alone turns a switch on, and everything after `--` is
    /// positional. Before it a word that begins with a dash is a flag or wrong; a dash alone is positional. A flag that is not given takes its value from its environment variable, where that is set and not empty.
    ///
    /// - Throws: `ArgumentError` for the first thing that is wrong.
    public init(_ words: [String], syntax: CommandSyntax, environment: [String: String]) throws(ArgumentError) {
        var values: [String: Value] = [:]
        var positionals: [String] = []
        var remaining = words[...]
        while let word = remaining.popFirst() {
            if word == "--" {
                positionals += remaining
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                positionals.append(word)
                continue
            }
            let (name, text) = try Arguments.flag(word, syntax, &remaining)
            guard values.updateValue(Value(text: text, origin: .flag), forKey: name) == nil else {
                throw .repeatedFlag(name)
            }
        }
        for flag in syntax.flags where values[flag.name] == nil {
            if let text = environment[flag.environmentVariable], !text.isEmpty {
                values[flag.name] = Value(text: text, origin: .variable(flag.environmentVariable))
            }
        }
        for positional in syntax.positionals {
            if !positionals.isEmpty {
                values[positional.name] = Value(text: positionals.removeFirst(), origin: .positional)
            } else if positional.isRequired {
                throw .missingArgument(positional.name)
            }
        }
        if let extra = positionals.first, syntax.positionals.last?.isRepeated != true {
            throw .unexpectedArgument(extra)
        }
        rest = positionals
        self.syntax = syntax
        self.values = values
    }

    /// Whether the words ask for help rather than for work.
    static func asksForHelp(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }

    /// Reads the flag `word`, and its value from `remaining` where it does not carry one.
    private static func flag(
        _ word: String, _ syntax: CommandSyntax, _ remaining: inout ArraySlice<String>
    ) throws(ArgumentError) -> (name: String, text: String) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0].drop { $0 == "-" })
        guard word.hasPrefix("--"), let flag = syntax.flags.first(where: { "--\($0.name)" == parts[0] }) else {
            // One letter is near to any other, and so to no flag.
            let near = name.count < 2 ? nil : closest(to: name, among: syntax.flags.map(\.name))
            throw .unknownFlag(String(parts[0]), suggestion: near.map { "--\($0)" })
        }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        if flag.value == nil {
            guard attached == nil else { throw .unexpectedValue(flag: name) }
            return (name, "true")
        }
        guard let text = attached ?? remaining.popFirst() else { throw .missingValue(flag: name) }
        return (name, text)
    }

    /// The text of a flag or positional argument, or nil where it was not given.
    ///
    /// Precondition: the syntax has a flag or positional of this name.
    public func text(_ name: String) -> String? {
        precondition(
            syntax.flags.contains { $0.name == name } || syntax.positionals.contains { $0.name == name },
            "the syntax has no \(name)")
        return values[name]?.text
    }

    /// Whether a flag is in the command line itself; its environment variable does not count.
    ///
    /// Precondition: the syntax has a flag of this name.
    public func isTyped(_ flag: String) -> Bool {
        precondition(syntax.flags.contains { $0.name == flag }, "the syntax has no flag \(flag)")
        guard case .flag = values[flag]?.origin else { return false }
        return true
    }

    /// The texts of a repeated positional argument, in order; none where it was not given.
    ///
    /// Precondition: the syntax has a repeated positional of this name.
    public func texts(_ name: String) -> [String] {
        precondition(
            syntax.positionals.contains { $0.name == name && $0.isRepeated }, "the syntax has no repeated \(name)")
        return values[name].map { [$0.text] + rest } ?? []
    }

    /// Whether a switch is on.
    ///
    /// - Throws: `ArgumentError.badValue` where its environment variable holds something else than true or false.
    public func isOn(_ name: String) throws(ArgumentError) -> Bool {
        guard let text = text(name) else { return false }
        switch text {
        case "1", "true", "yes", "on": return true
        case "0", "false", "no", "off": return false
        default: throw badValue(name, expected: "true or false")
        }
    }

    /// A whole number, or `fallback` where it was not given.
    ///
    /// - Throws: `ArgumentError.badValue` where the text is no number within `range`.
    public func integer(_ name: String, in range: ClosedRange<Int>, default fallback: Int) throws(ArgumentError) -> Int
    {
        guard let text = text(name) else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw badValue(name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// One of `choices`, or `fallback` where it was not given.
    ///
    /// - Throws: `ArgumentError.badValue` where the text is none of them.
    public func choice(_ name: String, of choices: [String], default fallback: String) throws(ArgumentError) -> String {
        guard let text = text(name) else { return fallback }
        guard choices.contains(text) else {
            throw badValue(name, expected: "one of " + choices.joined(separator: ", "))
        }
        return text
    }

    /// The error for a value that is not what it must be. It names the place the value came from: the flag, its environment
    /// variable, or the argument.
    ///
    /// - Parameters:
    ///   - name: A flag or positional that has a value.
    ///   - expected: What it must be, as in "NAME must be ...".
    public func badValue(_ name: String, expected: String) -> ArgumentError {
        guard let value = values[name] else { preconditionFailure("\(name) has no value to be wrong") }
        let place =
            switch value.origin {
            case .flag: "--\(name)"
            case .positional: "<\(name)>"
            case .variable(let variable): variable
            }
        return .badValue(name: place, value: value.text, expected: expected)
    }
}
