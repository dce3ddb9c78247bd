internal import Glibc

/// Makes a copy of a data folder, also while a server uses it. The copy is a data folder itself.
///
/// It is made beside its place, as `stagingFolder`, to be checked there; `finish` gives it its name. So a folder of that name is
/// always a whole backup. A process may not back up a folder that it has open itself: see `FolderCopy`.
public struct FolderBackup {
    /// Where the copy lies until `finish`.
    public var stagingFolder: String { destination + ".partial" }

    private let destination: String
    private let companions: [String]

    /// Copies the data folder `source`; what was acknowledged before the call is in the copy.
    ///
    /// - Parameters:
    ///   - destination: The backup's path. There is nothing, or an empty folder; the folder around it exists.
    ///   - companions: Files besides the database that are copied too, where the source has them.
    /// - Throws: `.noAccess`, `.damaged` (an interrupted restore), `.full`, `.io`, or `.inUse` if the files changed too fast.
    ///
    /// Complexity: linear in the size of the files.
    public init(
        _ source: String, to destination: String, companions: [String],
        progress: @escaping (CopyProgress) -> Void = { _ in }
    ) throws(StorageError) {
        self.destination = destination
        self.companions = companions
        try Self.checkIsFree(destination)
        try removeStagingFolder()
        guard mkdir(stagingFolder, 0o700) == 0 else { throw FileCopy.failure("make", stagingFolder, errno) }
        do throws(StorageError) {
            try FolderCopy.copy(source, into: stagingFolder, companions: companions, progress: progress)
        } catch {
            // What stays behind is removed by the next backup of that name.
            try? removeStagingFolder()
            throw error
        }
    }

    /// Gives the copy its name. No store may be open on the staging folder.
    public func finish() throws(StorageError) {
        unlink(stagingFolder + "/easel.lock")
        try FileCopy.sync(folder: stagingFolder)
        guard rename(stagingFolder, destination) == 0 else {
            throw FileCopy.failure("make", destination, errno)
        }
        try FileCopy.sync(folder: destination + "/..")
    }

    private static func checkIsFree(_ destination: String) throws(StorageError) {
        guard DataFolder.size(destination) != nil else { return }
        let names = opendir(destination).map { folder in
            defer { closedir(folder) }
            var count = 0
            while readdir(folder) != nil { count += 1 }
            return count
        }
        // Two for the folder itself and the one around it.
        guard let names, names <= 2 else {
            throw StorageError(
                .noAccess, "\(destination) exists and is not an empty folder. Name one that does not exist.")
        }
    }

    private func removeStagingFolder() throws(StorageError) {
        guard DataFolder.size(stagingFolder) != nil else { return }
        for file in ["easel.db", "easel.db-wal", "easel.db-journal", "easel.lock"] + companions {
            unlink(stagingFolder + "/" + file)
        }
        guard rmdir(stagingFolder) == 0 else { throw FileCopy.failure("remove", stagingFolder, errno) }
    }
}
