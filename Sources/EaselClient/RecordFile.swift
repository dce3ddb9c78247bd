import Glibc

/// What is wrong with a file of a kept state, as a sentence without its full stop.
struct StateFileError: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }

    /// What the system says about a path.
    init(_ path: String, _ what: String, _ code: Int32) {
        sentence = "\(path) \(what): \(String(cString: strerror(code)))"
    }
}

/// A file of records that only grows, each with its length and a checksum, behind eight bytes that name format and version.
///
/// Appending costs one write, whatever stands in the file; a write that was cut short, as by `kill -9`, leaves the records in
/// front of it. To get rid of old records the file is written anew under another name and renamed.
///
/// Its owner sees to it that one thread at a time uses it.
final class RecordFile {
    /// What is in a file, as far as it can be trusted.
    struct Contents {
        /// How far a file can be trusted.
        enum End: Equatable {
            /// All of it.
            case whole
            /// Something stands behind the last good record that is none: the end of a write, or damage.
            case damaged
        }

        /// The records, oldest first, with the offset behind each.
        let records: [(bytes: [UInt8], end: Int)]
        let end: End
    }

    /// Why a file is not one that can be read here.
    enum Foreign: Error {
        /// There is no such file.
        case missing
        /// A later version wrote it.
        case newer
        /// It is something else, or damaged from the start.
        case unknown
        /// The system does not let it be read.
        case unreadable(StateFileError)
    }

    let path: String
    /// Bytes in the file.
    private(set) var size: Int
    private let descriptor: Int32

    /// Length and checksum in front of each record, bytes.
    private static let headBytes = 16
    private static let nameBytes = 8

    private init(path: String, descriptor: Int32, size: Int) {
        self.path = path
        self.descriptor = descriptor
        self.size = size
    }

    deinit { close(descriptor) }

    // MARK: Reading

    /// What is in a file.
    ///
    /// - Parameter name: seven letters that name the format, and a digit for its version.
    static func read(_ path: String, name: String) throws(Foreign) -> Contents {
        let bytes = try wholeFile(path)
        let expected = Array(name.utf8)
        precondition(expected.count == nameBytes, "a format has a name of \(nameBytes) bytes")
        guard bytes.starts(with: expected) else {
            let isNewer = bytes.starts(with: expected.dropLast()) && bytes.count >= nameBytes
            throw isNewer && bytes[nameBytes - 1] > expected[nameBytes - 1] ? .newer : .unknown
        }
        var records: [(bytes: [UInt8], end: Int)] = []
        var offset = nameBytes
        while bytes.count - offset >= headBytes {
            let length = number(bytes, at: offset)
            let start = offset + headBytes
            guard length <= UInt64(bytes.count - start) else { break }
            let record = Array(bytes[start..<start + Int(length)])
            guard checksum(record) == number(bytes, at: offset + 8) else { break }
            offset = start + record.count
            records.append((record, offset))
        }
        return Contents(records: records, end: offset == bytes.count ? .whole : .damaged)
    }

    private static func wholeFile(_ path: String) throws(Foreign) -> [UInt8] {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            let code = errno
            throw code == ENOENT ? .missing : .unreadable(StateFileError(path, "cannot be read", code))
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { throw .unknown }
        let size = Int(information.st_size)
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let result = pread(descriptor, buffer.baseAddress! + count, size - count, off_t(count))
                if result == 0 || result < 0 && errno != EINTR {
                    code = result < 0 ? errno : 0
                    break
                }
                count += max(0, result)
            }
        }
        guard code == 0 else { throw .unreadable(StateFileError(path, "cannot be read", code)) }
        return bytes
    }

    // MARK: Writing

    /// Opens a file that was read, without what stands behind `size`.
    static func reopen(_ path: String, size: Int) throws(StateFileError) -> RecordFile {
        let descriptor = Glibc.open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StateFileError(path, "cannot be opened", errno) }
        let file = RecordFile(path: path, descriptor: descriptor, size: size)
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw StateFileError(path, "cannot be written", errno) }
        return file
    }

    /// Writes a file with records under `path` and ".new", synced to the disk. It takes its place by `takePlace`.
    static func prepare(_ path: String, name: String, _ records: [[UInt8]]) throws(StateFileError) -> RecordFile {
        let descriptor = Glibc.open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StateFileError(path, "cannot be written", errno) }
        let file = RecordFile(path: path, descriptor: descriptor, size: 0)
        do throws(StateFileError) {
            try file.write(Array(name.utf8))
            try file.append(records)
            guard fsync(descriptor) == 0 else { throw StateFileError(path, "cannot be written", errno) }
        } catch {
            unlink(path + ".new")
            throw error
        }
        return file
    }

    /// Replaces what was under its path.
    func takePlace() throws(StateFileError) {
        guard rename(path + ".new", path) == 0 else {
            let code = errno
            unlink(path + ".new")
            throw StateFileError(path, "cannot be written", code)
        }
        Self.syncFolder(of: path)
    }

    /// Adds records. If that fails, the file is as it was.
    func append(_ records: [[UInt8]]) throws(StateFileError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(records.reduce(0) { $0 + Self.headBytes + $1.count })
        for record in records {
            for number in [UInt64(record.count), Self.checksum(record)] {
                for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * shift))) }
            }
            bytes += record
        }
        try write(bytes)
    }

    /// A second descriptor of the file, for syncing it elsewhere; it is the caller's to close. Nil if there are none left.
    func descriptorForSyncing() -> Int32? {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }

    private func write(_ bytes: [UInt8]) throws(StateFileError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + written, bytes.count - written, off_t(size + written))
            }
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                // A part of a record would hide the records behind it.
                _ = ftruncate(descriptor, off_t(size))
                throw StateFileError(path, "cannot be written", code)
            }
            written += count
        }
        size += bytes.count
    }

    private static func syncFolder(of path: String) {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let descriptor = Glibc.open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // Where folders cannot be synced there is nothing more to do.
        fsync(descriptor)
        close(descriptor)
    }

    // MARK: Numbers

    private static func number(_ bytes: [UInt8], at offset: Int) -> UInt64 {
        var number: UInt64 = 0
        for shift in 0..<8 { number |= UInt64(bytes[offset + shift]) << UInt64(8 * shift) }
        return number
    }

    /// Takes words in turn by exclusive or, multiplication and a shift, all of which can be undone: a change within one word always
    /// changes the sum, any other with the odds of 64 bits. (The FNV-1a constants, with a mixing step for words.)
    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(bytes.count)
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                var word: UInt64 = 0
                if bytes.count - offset >= 8 {
                    word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                } else {
                    for index in offset..<bytes.count { word = word << 8 | UInt64(bytes[index]) }
                }
                sum = (sum ^ word) &* 0x0000_0100_0000_01B3
                sum ^= sum >> 29
                offset += 8
            }
        }
        return sum
    }
}
