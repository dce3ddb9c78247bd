internal import Glibc

/// Keeps checkpoints of a data folder's database and copies of its files apart, across processes, by a lock on the folder itself.
///
/// A copy holds the lock shared, a checkpoint exclusively. So while files are copied the database file does not change and the
/// write-ahead log only grows. A process that dies lets go of the lock with that.
final class CheckpointGate {
    private let descriptor: Int32

    /// The gate of the folder at `path`. Needs the right to read it, no more.
    init(folder path: String) throws(StorageError) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DataFolder.noAccess(path, "cannot be opened", errno) }
    }

    deinit { close(descriptor) }

    /// Holds checkpoints off until `release` is called, after waiting for the end of one that runs.
    func holdCheckpointsOff() {
        while flock(descriptor, LOCK_SH) != 0, errno == EINTR {}
    }

    /// Whether a checkpoint may run now; if so, `release` is to be called after it. Does not wait.
    ///
    /// Where the file system has no such locks it may: whoever copies finds out.
    func beginCheckpoint() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK }

    /// Lets go.
    func release() { flock(descriptor, LOCK_UN) }
}
