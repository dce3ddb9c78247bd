import EaselCore
import EaselStorage
public import EaselSupport

/// `easel verify`: checks everything a data folder holds.
public enum VerifyCommand {
    /// What may be written after `easel verify`.
    public static let syntax = CommandSyntax(
        name: "verify", summary: "Checks every record and every canvas of a data folder or a backup.",
        flags: [DataFolderArgument.flag])

    /// Prints a line for each canvas and each finding. Returns the exit code: 0 if everything is sound, else 1.
    ///
    /// - Throws: `ArgumentError` for an argument that is not what it must be.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let folder = try DataFolderArgument.folder(arguments)
        let progress = ProgressLine()
        do {
            let report = try FolderCheck.run(folder: folder, progress: progress)
            for line in table(report.canvases) { try Output.standard.line(line) }
            for sentence in report.sentences { try Output.standard.line("WRONG  \(sentence)") }
            try Output.standard.line("\(report.extent): \(verdict(report))")
            return report.isSound ? 0 : 1
        } catch {
            progress.clear()
            return DataFolderArgument.fail(DataFolderArgument.sentence(for: error))
        }
    }

    private static func verdict(_ report: FolderReport) -> String {
        guard !report.isSound else { return "everything is sound." }
        return "damage was found. Keep this folder as it is, and restore a backup: easel restore DIR --aside."
    }

    /// The canvases in columns, with a headline.
    private static func table(_ reports: [CanvasReport]) -> [String] {
        guard !reports.isEmpty else { return [] }
        let head = ["canvas", "revision", "digest", "records", "bytes", "snapshots", ""]
        let rows = reports.map { report in
            [
                report.canvas.rawValue, "\(report.head)",
                report.digest.map(CanvasCheck.digits) ?? "unknown",
                "\(report.recordCount)", "\(report.byteCount)",
                report.snapshots.isEmpty ? "none" : report.snapshots.map { "\($0)" }.joined(separator: ","),
                report.findings.isEmpty ? "sound" : "DAMAGED",
            ]
        }
        let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
        return ([head] + rows).map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
        }
    }
}
