import EaselStorage
public import EaselSupport
import Foundation

/// `easel backup DEST`: copies a data folder, also while a server uses it, and checks the copy.
public enum BackupCommand {
    /// What may be written after `easel backup`.
    public static let syntax = CommandSyntax(
        name: "backup", summary: "Copies a data folder, also while a server uses it, and checks the copy.",
        positionals: [
            CommandSyntax.Positional("dest", help: "the folder to make; it must not exist, or be empty")
        ],
        flags: [DataFolderArgument.flag])

    /// Makes the backup. Returns the exit code: 0, or 1 if there is none, with the reason on standard error.
    ///
    /// - Throws: `ArgumentError` for an argument that is not what it must be.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let source = try DataFolderArgument.folder(arguments)
        guard let text = arguments.text("dest"), !text.isEmpty else {
            throw arguments.badValue("dest", expected: "a folder")
        }
        let destination = URL(fileURLWithPath: text).standardizedFileURL
        let progress = ProgressLine()
        // What is copied is for this user only, also in a folder that others may look into.
        _ = umask(0o077)
        do {
            try FileManager.default.createDirectory(
                at: destination.deletingLastPathComponent(), withIntermediateDirectories: true)
            let backup = try FolderBackup(
                source, to: destination.path, companions: DataFolderArgument.companions
            ) { progress.show("copying", $0.done, of: $0.total) }
            let report = try FolderCheck.run(folder: backup.stagingFolder, progress: progress)
            guard report.isSound else {
                return DataFolderArgument.fail(
                    "the copy is damaged: \(report.sentences.joined(separator: "; ")). It is kept in "
                        + "\(backup.stagingFolder). 'easel verify' says whether \(source) is, too; keep older backups.")
            }
            try backup.finish()
            try Output.standard.line("Backup of \(report.extent) in \(destination.path), checked.")
            return 0
        } catch {
            progress.clear()
            return DataFolderArgument.fail(DataFolderArgument.sentence(for: error))
        }
    }
}
