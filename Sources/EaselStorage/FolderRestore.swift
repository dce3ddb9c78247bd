internal import Glibc

/// Puts a copy of a data folder in the place of another, so that a crash at any point leaves the old, the new, or a folder that
/// refuses to open until the restore is run again; never a mixture, and never an empty one. Nothing is deleted: what was there is
/// moved into a folder of its own inside.
///
/// The folder stays locked as long as the value lives. After `init` the copy lies in `stagingFolder`, a data folder of its own, to
/// be checked and changed; `finish` exchanges the files.
public final class FolderRestore {
    /// The name of the folder, inside the data folder, in which the copy is prepared. It has no meaning to a server.
    private static let preparationFolder = "easel.restoring"
    /// Its name while files are exchanged. A data folder that has it does not open.
    static let exchangeFolder = "easel.restored"
    private static let databaseFiles = ["easel.db", "easel.db-wal", "easel.db-journal"]

    /// Files of a data folder besides the database and its write-ahead log that belong to it.
    private let companions: [String]
    private let folder: DataFolder

    /// Where the copy lies until `finish`.
    public var stagingFolder: String { folder.path + "/" + Self.preparationFolder }

    /// Locks the data folder `target`, which must exist, and copies `source` into it.
    ///
    /// - Parameter companions: Files besides the database that are copied and exchanged with it, where the source has them.
    /// - Throws: as `FolderBackup.init` and `SQLiteLog.init`.
    public init(
        _ source: String, into target: String, companions: [String],
        progress: @escaping (CopyProgress) -> Void = { _ in }
    ) throws(StorageError) {
        folder = try DataFolder(target, takesUnfinished: true)
        self.companions = companions
        try removeFolder(Self.preparationFolder)
        guard mkdir(stagingFolder, 0o700) == 0 else { throw FileCopy.failure("make", stagingFolder, errno) }
        do throws(StorageError) {
            try FolderCopy.copy(source, into: stagingFolder, companions: companions, progress: progress)
        } catch {
            abandon()
            throw error
        }
    }

    /// Whether the data folder has canvases of its own, which `finish` would move aside.
    public var hasPredecessor: Bool { Self.databaseFiles.contains(where: exists) }

    /// Removes the copy; the data folder is as it was.
    public func abandon() {
        // What stays behind disturbs nobody, and the next restore removes it.
        try? removeFolder(Self.preparationFolder)
    }

    /// Exchanges the files, the old ones going to a new folder `name` in the data folder.
    ///
    /// No store may be open on the staging folder, and the last one must have emptied its write-ahead log.
    public func finish(aside name: String) throws(StorageError) {
        guard (DataFolder.size(stagingFolder + "/easel.db-wal") ?? 0) == 0 else {
            throw StorageError(
                .io, "The copy in \(stagingFolder) could not be completed. Free space on its disk and restore again.")
        }
        let new = (companions + ["easel.db"]).filter { exists(Self.preparationFolder + "/" + $0) }
        let old = (Self.databaseFiles + companions.filter(new.contains)).filter(exists)
        try removeFolder(Self.exchangeFolder)
        try move(Self.preparationFolder, to: Self.exchangeFolder)
        try FileCopy.sync(folder: folder.path)
        if !old.isEmpty {
            let aside = folder.path + "/" + name
            guard mkdir(aside, 0o700) == 0 else { throw FileCopy.failure("make", aside, errno) }
            for file in old { try move(file, to: name + "/" + file) }
            try FileCopy.sync(folder: aside)
        }
        for file in new { try move(Self.exchangeFolder + "/" + file, to: file) }
        try FileCopy.sync(folder: folder.path)
        try removeFolder(Self.exchangeFolder)
        try FileCopy.sync(folder: folder.path)
    }

    private func exists(_ file: String) -> Bool { DataFolder.size(folder.path + "/" + file) != nil }

    private func move(_ file: String, to other: String) throws(StorageError) {
        guard rename(folder.path + "/" + file, folder.path + "/" + other) == 0 else {
            throw FileCopy.failure("move", folder.path + "/" + file, errno)
        }
    }

    /// Removes one of our two folders with the files a copy of a data folder has.
    private func removeFolder(_ name: String) throws(StorageError) {
        guard exists(name) else { return }
        let path = folder.path + "/" + name
        for file in Self.databaseFiles + ["easel.lock"] + companions {
            guard unlink(path + "/" + file) == 0 || errno == ENOENT else {
                throw FileCopy.failure("remove", path + "/" + file, errno)
            }
        }
        guard rmdir(path) == 0 else { throw FileCopy.failure("remove", path, errno) }
    }
}
