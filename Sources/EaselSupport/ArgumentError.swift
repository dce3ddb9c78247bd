/// What is wrong with a command line. The description is a sentence for the person who typed it.
public enum ArgumentError: Error, Hashable, Sendable {
    /// No subcommand was named.
    case missingCommand(program: String)
    /// There is no such subcommand; `suggestion` is the one that was perhaps meant.
    case unknownCommand(String, suggestion: String?)
    /// There is no such flag; `suggestion` is the one that was perhaps meant. Both with their dashes.
    case unknownFlag(String, suggestion: String?)
    /// The flag needs a value and has none.
    case missingValue(flag: String)
    /// The flag is a switch and takes no value.
    case unexpectedValue(flag: String)
    /// The flag was given twice.
    case repeatedFlag(String)
    /// The flag says something about what another one asks for, and that one is not given.
    case flagWithout(String, other: String)
    /// The flags contradict each other.
    case flagAgainst(String, other: String)
    /// A required argument was left out.
    case missingArgument(String)
    /// There are more arguments than the subcommand takes.
    case unexpectedArgument(String)
    /// The value of `name` (a flag with its dashes, an environment variable, or an argument) is not what it must be.
    case badValue(name: String, value: String, expected: String)
}

extension ArgumentError: CustomStringConvertible {
    /// One sentence that says what is wrong and, where it can be guessed, what was meant.
    public var description: String {
        switch self {
        case .missingCommand(let program): "name a command; '\(program) --help' lists them"
        case .unknownCommand(let name, let suggestion):
            "there is no command '\(name)'" + ArgumentError.question(suggestion)
        case .unknownFlag(let name, let suggestion):
            "there is no flag '\(name)'" + ArgumentError.question(suggestion)
        case .missingValue(let flag): "the flag '--\(flag)' needs a value"
        case .unexpectedValue(let flag): "the flag '--\(flag)' takes no value"
        case .repeatedFlag(let flag): "the flag '--\(flag)' is given twice"
        case .flagWithout(let flag, let other): "the flag '--\(flag)' means nothing without '--\(other)'"
        case .flagAgainst(let flag, let other): "the flags '--\(flag)' and '--\(other)' do not go together"
        case .missingArgument(let name): "the argument <\(name)> is missing"
        case .unexpectedArgument(let word): "the argument '\(word)' is one too many"
        case .badValue(let name, let value, let expected): "\(name) must be \(expected), not '\(value)'"
        }
    }

    private static func question(_ suggestion: String?) -> String {
        suggestion.map { "; did you mean '\($0)'?" } ?? ""
    }
}
