internal import Glibc

/// Copies single files durably.
enum FileCopy {
    /// Copies the file at `source` over the one at `destination` and syncs it; removes the latter if there is no source.
    ///
    /// `note` is told of bytes as they are copied. The copy is for this user only.
    static func copy(_ source: String, to destination: String, note: (Int) -> Void = { _ in }) throws(StorageError) {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else {
            guard errno == ENOENT else { throw failure("read", source, errno) }
            guard unlink(destination) == 0 || errno == ENOENT else { throw failure("remove", destination, errno) }
            return
        }
        defer { close(input) }
        let output = open(destination, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure("write", destination, errno) }
        defer { close(output) }
        var block = [UInt8](repeating: 0, count: StorageLimits.copyBlockBytes)
        while true {
            let count = read(input, &block, block.count)
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw failure("read", source, errno)
            }
            try write(block[..<count], to: output, destination)
            note(count)
        }
        guard fsync(output) == 0 else { throw failure("sync", destination, errno) }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to output: Int32, _ path: String) throws(StorageError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw failure("write", path, errno)
            }
        }
    }

    /// Makes what was created, renamed or removed in a folder durable.
    static func sync(folder path: String) throws(StorageError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", path, errno) }
    }

    static func failure(_ what: String, _ path: String, _ code: Int32) -> StorageError {
        let reason = String(cString: strerror(code))
        switch code {
        case ENOSPC, EDQUOT:
            return StorageError(
                .full, "Could not \(what) \(path): \(reason). Free space on its disk.", systemCode: code)
        case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR:
            return StorageError(
                .noAccess, "Could not \(what) \(path): \(reason). Choose another folder, or give this user the right.",
                systemCode: code)
        default:
            return StorageError(
                .io, "Could not \(what) \(path): \(reason). Check the disk and the system's log.", systemCode: code)
        }
    }
}
