import EaselClient
import EaselCore
import EaselProtocol
public import EaselSupport

/// `easel version CANVAS NAME`: names a revision, or takes a name away.
public enum VersionCommand {
    /// What may be written after `easel version`.
    public static let syntax = CommandSyntax(
        name: "version", summary: "Names the present revision of a canvas, so that it can be shown and restored later.",
        positionals: [
            CommandSyntax.Positional("canvas", help: "the canvas's name"),
            CommandSyntax.Positional("version", help: "the version's name; not a number"),
        ],
        flags: CanvasTarget.flags + [
            CommandSyntax.Flag("at", value: "REVISION", help: "name this revision instead"),
            CommandSyntax.Flag(switch: "remove", help: "take the name away; the canvas stays as it is"),
            CommandSyntax.Flag("name", value: "NAME", help: "who names it (your login name)"),
        ])

    /// Names or removes. Returns the exit code: 0, or 1 with the reason on standard error.
    ///
    /// - Throws: `ArgumentError` for an argument that is not what it must be.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let target = try CanvasTarget(arguments)
        let name = arguments.text("version") ?? ""
        guard NamedVersion.isName(name), Revision(name) == nil else {
            throw arguments.badValue(
                "version", expected: "1 to \(Limits.versionNameBytes) bytes, no control characters and not a number")
        }
        let isRemoving = try arguments.isOn("remove")
        var revision: Revision?
        if arguments.text("at") != nil {
            revision = Revision(try arguments.integer("at", in: 1...Int(Limits.counter), default: 1))
        }
        do throws(VisitFailure) {
            let visit = try CanvasVisit(target)
            defer { visit.stop() }
            let versions = try visit.versions(isRemoving ? .remove(name: name) : .add(name: name, revision: revision))
            let named = versions.first { $0.name == name }?.revision
            return say(
                named.map { "Revision \($0) of \(target.canvas) is named '\(name)'." }
                    ?? "No revision of \(target.canvas) is named '\(name)' any more.")
        } catch {
            return error.report()
        }
    }

    /// Prints a line, and gives the exit code.
    static func say(_ line: String) -> Int32 {
        do throws(Output.Failure) {
            try Output.standard.line(line)
            return 0
        } catch {
            return EditCommand.fail(error.description)
        }
    }
}
