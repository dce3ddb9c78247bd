import EaselServerEngine
import EaselTransport
import Glibc

/// The file in the data folder that holds the server's secret key.
///
/// It has to stay with the data: without it, clients that come back are not known any more and get new sites.
enum SiteKeyFile {
    /// Why the key cannot be had.
    struct Failure: Error {
        /// For the operator.
        let sentence: String
    }

    private static let name = "site.key"
    private static let byteCount = 16

    /// The key of a data folder that this process has to itself; a new one if there is none.
    static func key(folder: String) throws(Failure) -> SiteKey {
        let path = folder + "/" + name
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, "cannot be opened") }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: byteCount + 1)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw failure(path, "cannot be read") }
        if count == 0 {
            bytes = SecureRandom.bytes(byteCount)
            guard pwrite(descriptor, bytes, byteCount, 0) == byteCount, fsync(descriptor) == 0 else {
                throw failure(path, "cannot be written")
            }
        } else if count != byteCount {
            throw Failure(
                sentence: "\(path) should have \(byteCount) bytes and has not. "
                    + "Restore it from a backup, or remove it; clients that come back then get new identities.")
        }
        return bytes.withUnsafeBytes {
            SiteKey($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    private static func failure(_ path: String, _ what: String) -> Failure {
        Failure(sentence: "\(path) \(what): \(String(cString: strerror(errno))).")
    }
}
