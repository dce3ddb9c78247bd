import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
public import EaselSupport

/// `easel restore-version CANVAS REVISION`: brings a canvas back to what it was, by an ordinary edit.
public enum RestoreVersionCommand {
    /// What may be written after `easel restore-version`.
    public static let syntax = CommandSyntax(
        name: "restore-version",
        summary: "Brings a canvas back to an earlier revision, by one edit that can be taken back.",
        positionals: [
            CommandSyntax.Positional("canvas", help: "the canvas's name"),
            CommandSyntax.Positional("version", help: "the revision's number, or the name of a version"),
        ],
        flags: CanvasTarget.flags + [
            CommandSyntax.Flag("name", value: "NAME", help: "the name others see (your login name)")
        ])

    /// Restores, and says how to take that back. Returns the exit code: 0, or 1 with the reason on standard error.
    ///
    /// - Throws: `ArgumentError` for an argument that is not what it must be.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let target = try CanvasTarget(arguments)
        guard let point = StillPoint(argument: arguments.text("version") ?? "") else {
            throw arguments.badValue("version", expected: StillPoint.expected)
        }
        do throws(VisitFailure) {
            let still = try still(of: target, at: point)
            let visit = try CanvasVisit(target)
            defer { visit.stop() }
            let before = visit.store.status.revision
            guard try restore(still, point, visit.store) else {
                return VersionCommand.say("\(target.canvas) looks as it did at \(point.words) already.")
            }
            try visit.waitUntilStored()
            let server = CanvasTarget.flags.compactMap { flag in
                arguments.text(flag.name).map { " --\(flag.name) \($0)" }
            }.joined()
            return VersionCommand.say(
                """
                \(target.canvas) looks as it did at \(point.words) again, and that is stored as revision \
                \(visit.store.status.revision).
                It was at revision \(before). To bring that back:
                easel restore-version \(target.canvas) \(before)\(server)
                """)
        } catch {
            return error.report()
        }
    }

    /// What a canvas was at a revision.
    static func still(of target: CanvasTarget, at point: StillPoint) throws(VisitFailure) -> Still {
        let visit = try CanvasVisit(target, lookingAt: point)
        defer { visit.stop() }
        guard let still = visit.store.still else {
            throw VisitFailure(sentence: "\(target.server) does not send \(point.words)")
        }
        return still
    }

    /// False if there is nothing to change.
    private static func restore(
        _ still: Still, _ point: StillPoint, _ store: CanvasStore
    ) throws(VisitFailure) -> Bool {
        let label =
            switch point {
            case .revision(let revision): "Restore Revision \(revision)"
            case .version(let name): "Restore \(name)"
            }
        do throws(EditError) {
            return try store.restore(label, to: still).hasEffect
        } catch {
            switch error {
            case .readOnly: throw VisitFailure(sentence: "this canvas may only be looked at")
            case .stale: throw VisitFailure(sentence: "the canvas was replaced meanwhile; try again")
            case .tooLarge, .malformed, .insideEdit:
                throw VisitFailure(sentence: "the difference cannot be sent (\(error))")
            }
        }
    }
}
