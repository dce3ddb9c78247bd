import EaselCore
import EaselStorage
public import EaselSupport
import Glibc

/// `easel log CANVAS`: prints what was committed to a canvas.
public enum LogCommand {
    /// What may be written after `easel log`.
    public static let syntax = CommandSyntax(
        name: "log", summary: "Prints what was committed to a canvas, from a data folder or a backup.",
        positionals: [CommandSyntax.Positional("canvas", help: "the canvas's name")],
        flags: [
            DataFolderArgument.flag,
            CommandSyntax.Flag("since", value: "N", help: "only what came after revision N (0)"),
            CommandSyntax.Flag(switch: "json", help: "print each commit as one line of JSON"),
        ])

    /// Bytes of log records read at a time.
    private static let pageBytes = 4 << 20

    /// Prints the log. Returns the exit code: 0, or 1 if not all of it can be read or printed, with the reason on standard error.
    ///
    /// - Throws: `ArgumentError` for an argument that is not what it must be.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let folder = try DataFolderArgument.folder(arguments)
        guard let name = arguments.text("canvas"), let canvas = CanvasID(name) else {
            throw arguments.badValue("canvas", expected: "1 to 128 of the characters A-Z a-z 0-9 . _ ~ -")
        }
        let since = Revision(try arguments.integer("since", in: 0...Int.max, default: 0))
        let isJSON = try arguments.isOn("json")
        SignalWatch.ignoreBrokenPipes()
        do {
            let store = try OfflineStore(folder: folder)
            let summaries = try store.canvases()
            guard let summary = summaries.first(where: { $0.canvas == canvas }) else {
                return DataFolderArgument.fail(unknown(canvas, folder: folder, summaries))
            }
            if since < summary.base {
                Log.writeToStandardError(
                    "easel: the log of \(canvas) is kept from revision \(summary.base + 1) on; what came before was trimmed"
                )
            }
            return try print(canvas, in: store, after: max(since, summary.base), isJSON: isJSON)
        } catch let failure as Output.Failure where failure.isBrokenPipe {
            // Whoever closed the pipe has read enough.
            return 0
        } catch {
            return DataFolderArgument.fail(DataFolderArgument.sentence(for: error))
        }
    }

    private static func print(
        _ canvas: CanvasID, in store: OfflineStore, after since: Revision, isJSON: Bool
    ) throws -> Int32 {
        var after = since
        while true {
            let page = try store.read(canvas, after: after, limitBytes: pageBytes)
            for entry in page.entries {
                let transaction: Transaction
                do throws(DecodingError) {
                    transaction = try Transaction.decode(entry.payload)
                } catch {
                    return DataFolderArgument.fail(
                        "the transaction of revision \(entry.revision) cannot be read (\(error)); 'easel verify' checks all"
                    )
                }
                try Output.standard.line(
                    isJSON ? LogDescription(entry, transaction).json() : text(entry, transaction))
                after = entry.revision
            }
            if let damage = page.damage { return DataFolderArgument.fail(damage.description) }
            guard !page.entries.isEmpty, after < page.head else { return 0 }
        }
    }

    /// A line for the commit and one for each of its operations.
    private static func text(_ entry: LogEntry, _ transaction: Transaction) -> String {
        let head =
            "#\(entry.revision)  \(LogDescription.time(of: entry))  site \(entry.site) number \(entry.sequence)  "
            + "\(LogDescription.word(for: transaction.cause))  \(OperationText.quote(entry.label))"
        return ([head] + transaction.operations.map { "    " + OperationText.describe($0) }).joined(separator: "\n")
    }

    private static func unknown(_ canvas: CanvasID, folder: String, _ summaries: [CanvasSummary]) -> String {
        let shownNames = 20
        let names = summaries.prefix(shownNames).map(\.canvas.rawValue).joined(separator: ", ")
        let more = summaries.count > shownNames ? " and \(summaries.count - shownNames) more" : ""
        return "there is no canvas '\(canvas)' in \(folder); "
            + (summaries.isEmpty ? "there is none at all" : "it has \(names)\(more)")
    }
}

extension Output.Failure {
    fileprivate var isBrokenPipe: Bool { self == Output.Failure(code: EPIPE) }
}
