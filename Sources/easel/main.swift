import EaselLoad
import EaselPlay
import EaselServer
import EaselSupport
import EaselTerminal
import Foundation

let commandSet = CommandSet(
    program: "easel",
    summary: "Easel: several people paint on one canvas.",
    commands: [
        ServeCommand.syntax, EditCommand.syntax, ShowCommand.syntax, BackupCommand.syntax, RestoreCommand.syntax,
        VerifyCommand.syntax, LogCommand.syntax, CompactCommand.syntax, VersionCommand.syntax, VersionsCommand.syntax,
        RestoreVersionCommand.syntax, PlayCommand.syntax, LoadCommand.syntax,
    ])

/// Prints a text that was asked for and returns the exit code.
func show(_ text: String) -> Int32 {
    do {
        try Output.standard.line(text)
        return 0
    } catch {
        Log.writeToStandardError("easel: \(error)")
        return 1
    }
}

/// Runs one command line and returns the exit code: 0 done, 1 failed, 2 wrongly called.
func run(_ words: [String], environment: [String: String]) -> Int32 {
    if words == ["--version"] { return show("easel \(EaselVersion.current)") }
    do {
        switch try commandSet.choose(words, environment: environment) {
        case .help(let text): return show(text)
        case .run(command: ServeCommand.syntax.name, let arguments): return try ServeCommand.run(arguments)
        case .run(command: EditCommand.syntax.name, let arguments): return try EditCommand.run(arguments)
        case .run(command: ShowCommand.syntax.name, let arguments): return try ShowCommand.run(arguments)
        case .run(command: BackupCommand.syntax.name, let arguments): return try BackupCommand.run(arguments)
        case .run(command: RestoreCommand.syntax.name, let arguments): return try RestoreCommand.run(arguments)
        case .run(command: VerifyCommand.syntax.name, let arguments): return try VerifyCommand.run(arguments)
        case .run(command: LogCommand.syntax.name, let arguments): return try LogCommand.run(arguments)
        case .run(command: CompactCommand.syntax.name, let arguments): return try CompactCommand.run(arguments)
        case .run(command: VersionCommand.syntax.name, let arguments): return try VersionCommand.run(arguments)
        case .run(command: VersionsCommand.syntax.name, let arguments): return try VersionsCommand.run(arguments)
        case .run(command: RestoreVersionCommand.syntax.name, let arguments):
            return try RestoreVersionCommand.run(arguments)
        case .run(command: PlayCommand.syntax.name, let arguments): return try PlayCommand.run(arguments)
        case .run(command: LoadCommand.syntax.name, let arguments): return try LoadCommand.run(arguments)
        case .run(let command, _): preconditionFailure("\(command) is not wired")
        }
    } catch {
        Log.writeToStandardError("easel: \(error)")
        return 2
    }
}

exit(run(Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
