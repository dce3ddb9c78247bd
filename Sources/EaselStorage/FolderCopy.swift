internal import Glibc

/// How far a copy is.
public struct CopyProgress: Sendable {
    /// Bytes copied.
    public let done: Int
    /// Bytes there were when the copy began; the write-ahead log may have grown since.
    public let total: Int
}

/// Copies the database of a data folder as of one moment, also while a server writes to it.
///
/// The copy is the database file, then the write-ahead log. Why that is one moment, and nothing acknowledged before it is missing:
///
/// * The database file changes by checkpoints only, and `CheckpointGate` holds those off. Where one runs all the same (a server
///   that stops, or whose log has grown too large), each page it writes has a frame in the log that is copied afterwards.
/// * Frames are only added to the log as long as its header stays the same. The header is compared before and after; if it
///   changed, the copy is made anew.
/// * A frame that was half written, or belongs to a transaction that was not committed, ends the log for whoever reads the
///   copy ("WAL File Format" of SQLite's file format: salts and running checksums). An acknowledged commit lies in front of it.
///
/// No connection is opened to the source, so nothing can disturb the server's own; for the same reason no process may copy the
/// folder that it holds itself: closing a file lets go of the locks that its process has on it.
struct FolderCopy {
    private let source: String
    private let destination: String
    private let progress: (CopyProgress) -> Void

    /// Copies `easel.db` and its write-ahead log from the data folder `source` into the existing folder `destination`, and syncs
    /// them; then the files `companions`, where the source has them. Whoever opens the copy finds every commit that was
    /// acknowledged before the call.
    ///
    /// - Throws: `.noAccess`, `.damaged` (an interrupted restore), `.full`, `.io`, or `.inUse` if the files changed too fast.
    ///
    /// Complexity: linear in the size of the files.
    static func copy(
        _ source: String, into destination: String, companions: [String], progress: @escaping (CopyProgress) -> Void
    ) throws(StorageError) {
        guard let resolved = realpath(source, nil) else { throw DataFolder.noAccess(source, "cannot be opened", errno) }
        defer { free(resolved) }
        try FolderCopy(source: String(cString: resolved), destination: destination, progress: progress).run()
        for name in companions { try FileCopy.copy(source + "/" + name, to: destination + "/" + name) }
    }

    private func run() throws(StorageError) {
        try DataFolder.checkHasDatabase(source)
        let gate = try CheckpointGate(folder: source)
        gate.holdCheckpointsOff()
        defer { gate.release() }
        for _ in 0..<StorageLimits.copyAttempts {
            // If nobody has the folder, nobody gets it meanwhile.
            let lock = try lockIfFree()
            let isDone = try copy(isAlone: lock != nil)
            withExtendedLifetime(lock) {}
            if isDone { return }
        }
        throw StorageError(
            .inUse, "The data folder \(source) changed too fast to be copied. Try again, or stop the server first.")
    }

    /// The lock on the source; nil if another process has it or this one may not write there.
    private func lockIfFree() throws(StorageError) -> DataFolder? {
        do throws(StorageError) {
            return try DataFolder(source)
        } catch {
            guard error.kind == .inUse || error.kind == .noAccess else { throw error }
            return nil
        }
    }

    /// False if the files changed in a way that the copy cannot have followed.
    private func copy(isAlone: Bool) throws(StorageError) -> Bool {
        let before = FileState(source)
        let total = before.databaseBytes + before.logBytes
        var done = 0
        for name in ["easel.db", "easel.db-wal"] {
            try FileCopy.copy(source + "/" + name, to: destination + "/" + name) { count in
                done += count
                progress(CopyProgress(done: done, total: max(done, total)))
            }
        }
        return isAlone || FileState(source).continues(before)
    }
}

/// What tells whether the database and its write-ahead log have gone on from a state.
private struct FileState {
    let databaseBytes: Int
    let logBytes: Int
    /// The header of the write-ahead log: another one each time it is begun anew. Empty without a log.
    private let logHeader: [UInt8]
    private let modified: timespec

    private static let headerBytes = 32

    init(_ folder: String) {
        var database = stat()
        let exists = stat(folder + "/easel.db", &database) == 0
        databaseBytes = exists ? Int(database.st_size) : 0
        modified = database.st_mtim
        let path = folder + "/easel.db-wal"
        logBytes = DataFolder.size(path) ?? 0
        var header = [UInt8](repeating: 0, count: Self.headerBytes)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        let count = descriptor >= 0 ? pread(descriptor, &header, header.count, 0) : 0
        if descriptor >= 0 { close(descriptor) }
        logHeader = Array(header.prefix(max(count, 0)))
    }

    func continues(_ before: FileState) -> Bool {
        guard logHeader == before.logHeader else { return false }
        guard logHeader.isEmpty else { return logHeader.count == Self.headerBytes }
        // Without a log only the database file itself can tell.
        return databaseBytes == before.databaseBytes && modified.tv_sec == before.modified.tv_sec
            && modified.tv_nsec == before.modified.tv_nsec
    }
}
