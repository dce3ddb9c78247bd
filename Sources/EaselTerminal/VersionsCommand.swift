import EaselCore
public import EaselSupport
import Foundation

/// `easel versions CANVAS`: lists the named versions.
public enum VersionsCommand {
    /// What may be written after `easel versions`.
    public static let syntax = CommandSyntax(
        name: "versions", summary: "Lists the named versions of a canvas.",
        positionals: [CommandSyntax.Positional("canvas", help: "the canvas's name")],
        flags: CanvasTarget.flags + [
            CommandSyntax.Flag(switch: "json", help: "print them as JSON")
        ])

    /// Prints the list. Returns the exit code: 0, or 1 with the reason on standard error.
    ///
    /// - Throws: `ArgumentError` for an argument that is not what it must be.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let target = try CanvasTarget(arguments, hasName: false)
        let isJSON = try arguments.isOn("json")
        do throws(VisitFailure) {
            let visit = try CanvasVisit(target)
            defer { visit.stop() }
            let versions = try visit.versions()
            if isJSON { return VersionCommand.say(json(versions)) }
            guard !versions.isEmpty else {
                Log.writeToStandardError(
                    "easel: \(target.canvas) has no named versions; 'easel version \(target.canvas) NAME' makes one")
                return 0
            }
            return VersionCommand.say(table(versions))
        } catch {
            return error.report()
        }
    }

    /// A line for each version: revision, time, name, and who named it.
    static func table(_ versions: [NamedVersion]) -> String {
        let width = versions.map { "\($0.revision)".count }.max() ?? 0
        return versions.map { version in
            let revision = "\(version.revision)"
            return String(repeating: " ", count: width - revision.count)
                + "\(revision)  \(time(of: version))  \(version.name)  (\(version.author))"
        }.joined(separator: "\n")
    }

    private struct Description: Encodable {
        let name: String
        let revision: UInt64
        let time: String
        let author: String
    }

    static func json(_ versions: [NamedVersion]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let described = versions.map {
            Description(name: $0.name, revision: $0.revision, time: time(of: $0), author: $0.author)
        }
        do {
            return String(decoding: try encoder.encode(described), as: UTF8.self)
        } catch {
            preconditionFailure("texts and numbers can be written as JSON: \(error)")
        }
    }

    private static func time(of version: NamedVersion) -> String {
        WallTime(millisecondsSince1970: Int64(clamping: version.time)).description
    }
}
