import EaselCore
import EaselStorage
public import EaselSupport
import Foundation

/// `easel restore SRC`: puts a backup in the place of a data folder.
public enum RestoreCommand {
    /// What may be written after `easel restore`.
    public static let syntax = CommandSyntax(
        name: "restore", summary: "Checks a backup and makes it the data folder that a server uses.",
        positionals: [CommandSyntax.Positional("src", help: "the backup: a folder that easel backup made")],
        flags: [
            DataFolderArgument.flag,
            CommandSyntax.Flag(
                switch: "aside", help: "move the canvases that the data folder has into a folder in it; none is deleted"
            ),
        ])

    /// Restores. Returns the exit code: 0, or 1 if the data folder is as it was, with the reason on standard error.
    ///
    /// Every canvas gets a new epoch: clients then fetch it anew and send what they have that was not stored.
    ///
    /// - Throws: `ArgumentError` for an argument that is not what it must be.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let folder = try DataFolderArgument.folder(arguments)
        guard let source = arguments.text("src"), !source.isEmpty else {
            throw arguments.badValue("src", expected: "a folder")
        }
        let movesAside = try arguments.isOn("aside")
        let progress = ProgressLine()
        _ = umask(0o077)
        do {
            guard Self.real(source) != Self.real(folder) else {
                return DataFolderArgument.fail("\(source) is the data folder itself. Name a backup of it.")
            }
            guard FileManager.default.fileExists(atPath: source) else {
                return DataFolderArgument.fail("there is no backup \(source). Name a folder that easel backup made.")
            }
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let restore = try FolderRestore(source, into: folder, companions: DataFolderArgument.companions) {
                progress.show("copying", $0.done, of: $0.total)
            }
            guard movesAside || !restore.hasPredecessor else {
                restore.abandon()
                return DataFolderArgument.fail(
                    "\(folder) has canvases. With --aside they are moved into a folder in it and kept.")
            }
            let report = try prepare(restore, progress: progress)
            guard report.isSound else {
                restore.abandon()
                return DataFolderArgument.fail(
                    "\(source) is damaged: \(report.sentences.joined(separator: "; ")). Restore another backup.")
            }
            let aside = asideName()
            let hadPredecessor = restore.hasPredecessor
            try restore.finish(aside: aside)
            try Output.standard.line("Restored \(report.extent) into \(folder), checked.")
            if hadPredecessor { try Output.standard.line("What it had before is in \(folder)/\(aside).") }
            return 0
        } catch {
            progress.clear()
            return DataFolderArgument.fail(sentence(for: error, folder: folder))
        }
    }

    /// Checks the copy, and renews its epochs if it is sound.
    private static func prepare(_ restore: FolderRestore, progress: ProgressLine) throws(StorageError) -> FolderReport {
        do throws(StorageError) {
            let report = try FolderCheck.run(folder: restore.stagingFolder, progress: progress)
            if report.isSound {
                let store = try OfflineStore(folder: restore.stagingFolder, upgrading: true)
                try store.renewEpochs { SystemRandom.value() % StorageLimits.largestEpoch + 1 }
            }
            return report
        } catch {
            restore.abandon()
            throw error
        }
    }

    /// A name that says when, and sorts by it: `before-restore-20310506T070809.010Z`.
    private static func asideName() -> String {
        "before-restore-" + WallTime.now.description.filter { $0 != "-" && $0 != ":" }
    }

    private static func real(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    private static func sentence(for error: any Error, folder: String) -> String {
        // The general advice for a folder in use is to make a backup; here it would be wrong.
        if let error = error as? StorageError, error.kind == .inUse { return error.sentence }
        return DataFolderArgument.sentence(for: error)
    }
}
