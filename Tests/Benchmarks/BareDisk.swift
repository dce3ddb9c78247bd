import EaselStorage
import EaselSupport
import Foundation

/// Bytes written to a file and synced: what the disk itself takes for an append.
enum BareDisk {
    /// How long each of `count` syncs takes, microseconds, behind a write of `bytes` bytes each, with a pause of so many microseconds
    /// between them: a disk and a processor that have rested take longer.
    ///
    /// The file is written whole first and then overwritten from its start, as a write-ahead log is: so a sync has no new length to
    /// make durable.
    static func syncs(_ count: Int, bytes: Int, pause: UInt32 = 0, in folder: String) throws(NotMeasured) -> [Double] {
        let file = open(folder + "/bare", O_RDWR | O_CREAT, 0o600)
        guard file >= 0 else { throw NotMeasured("no file can be made in \(folder)") }
        defer { close(file) }
        let content = [UInt8](repeating: 1, count: bytes)
        for index in 0..<count { pwrite(file, content, bytes, off_t(index * bytes)) }
        fsync(file)
        return (0..<count).map { index in
            if pause > 0 { usleep(pause) }
            return Measurement.microseconds {
                pwrite(file, content, bytes, off_t(index * bytes))
                fdatasync(file)
            }
        }
    }
}
