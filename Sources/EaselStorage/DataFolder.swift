internal import Glibc

/// A data folder, held against other processes by a lock on `easel.lock` for as long as this value lives.
final class DataFolder {
    /// Absolute, without symbolic links.
    let path: String
    /// Keeps checkpoints away from copies that other processes make.
    let gate: CheckpointGate
    private let descriptor: Int32

    var database: String { path + "/easel.db" }

    /// Locks a folder.
    ///
    /// - Parameter takesUnfinished: Whether a folder will do in which a restore was interrupted.
    init(_ folder: String, takesUnfinished: Bool = false) throws(StorageError) {
        guard let resolved = realpath(folder, nil) else { throw Self.noAccess(folder, "cannot be opened", errno) }
        path = String(cString: resolved)
        free(resolved)
        guard access(path, R_OK | W_OK | X_OK) == 0 else { throw Self.noAccess(path, "cannot be used", errno) }
        gate = try CheckpointGate(folder: path)
        descriptor = open(path + "/easel.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.noAccess(path, "cannot be locked", errno) }
        // From here on all members are set, so an error ends in deinit, which closes the file.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            guard reason == EWOULDBLOCK else { throw Self.noAccess(path, "cannot be locked", reason) }
            throw Self.inUse(path, holder: holder())
        }
        let text = Array("\(getpid())\n".utf8)
        // The number is only for the sentence another process prints, so a failure to write it is no reason to stop.
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
        guard takesUnfinished || Self.size(path + "/" + FolderRestore.exchangeFolder) == nil else {
            throw Self.unfinished(path)
        }
    }

    deinit {
        // A process that is being started at this moment holds a copy of the descriptor until it runs its own program, and
        // with it the lock; letting go of the lock itself does not wait for that.
        flock(descriptor, LOCK_UN)
        Glibc.close(descriptor)
    }

    /// Refuses a folder whose database file is gone while its write-ahead log is there: SQLite would delete the log.
    func checkFilesBelongTogether() throws(StorageError) {
        guard (Self.size(database) ?? 0) == 0, (Self.size(database + "-wal") ?? 0) > 0 else { return }
        throw StorageError(
            .damaged,
            "\(database) is missing or empty, but the newest commits are in \(database)-wal. "
                + "Put both files back together from where they were moved, or restore a backup.")
    }

    /// Refuses a folder in which nothing was ever stored, and leaves it untouched.
    static func checkHasDatabase(_ folder: String) throws(StorageError) {
        guard size(folder) != nil else { throw noAccess(folder, "cannot be opened", errno) }
        guard (size(folder + "/easel.db") ?? 0) == 0, (size(folder + "/easel.db-wal") ?? 0) == 0 else { return }
        throw StorageError(
            .noAccess, "There are no canvases in \(folder): it has no easel.db. Choose another data folder.")
    }

    private func holder() -> String {
        var text = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &text, text.count, 0)
        let digits = text.prefix(max(count, 0)).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return digits.isEmpty ? "another process" : "process " + String(decoding: digits, as: UTF8.self)
    }

    /// Bytes of the file at `path`; nil if there is none.
    static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    private static func inUse(_ path: String, holder: String) -> StorageError {
        StorageError(
            .inUse, "The data folder \(path) is in use by \(holder). Stop it first, or choose another data folder.")
    }

    private static func unfinished(_ path: String) -> StorageError {
        StorageError(
            .damaged,
            "A restore into the data folder \(path) was interrupted while it exchanged files. Run it again; "
                + "what was there before is kept in a folder in it.")
    }

    static func noAccess(_ path: String, _ what: String, _ code: Int32) -> StorageError {
        let reason = String(cString: strerror(code))
        return StorageError(
            .noAccess,
            "The data folder \(path) \(what): \(reason). "
                + "Create it and give this user the right to read and write it, or choose another data folder.",
            systemCode: code)
    }
}
