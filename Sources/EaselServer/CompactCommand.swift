import EaselStorage
public import EaselSupport

/// `easel compact`: makes the database of a data folder as small as it can be without losing anything of the log.
public enum CompactCommand {
    /// What may be written after `easel compact`.
    public static let syntax = CommandSyntax(
        name: "compact",
        summary:
            "Removes snapshots that nothing needs, and unused space. Needs free space for two copies.",
        flags: [DataFolderArgument.flag])

    /// Compacts. Returns the exit code: 0, or 1 if something is wrong, with the reason on standard error.
    ///
    /// - Throws: `ArgumentError` for an argument that is not what it must be.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let folder = try DataFolderArgument.folder(arguments)
        let progress = ProgressLine()
        do {
            let store = try OfflineStore(folder: folder)
            let before = store.byteCount
            // VACUUM reads every page, and a damaged one could be lost with it.
            progress.show("checking the file")
            let flaws = try store.fileFlaws()
            guard flaws.isEmpty else {
                progress.clear()
                return DataFolderArgument.fail("easel.db is damaged: \(flaws[0]). 'easel verify' says more.")
            }
            var removed = 0
            for summary in try store.canvases() {
                progress.show("looking at canvas \(summary.canvas)")
                removed += try store.removeOldSnapshots(of: summary.canvas)
            }
            progress.show("writing the file anew")
            try store.vacuum()
            progress.clear()
            try Output.standard.line(
                "Compacted \(folder): \(before) bytes before, \(store.byteCount) after; snapshots removed: \(removed).")
            return 0
        } catch {
            progress.clear()
            return DataFolderArgument.fail(DataFolderArgument.sentence(for: error))
        }
    }
}
