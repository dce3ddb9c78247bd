import Glibc

/// One of the places a folder has for editors of one canvas, held against other processes for as long as this value lives.
///
/// Two live clients must never share a site, so each editor has a seat of its own, with files of its own. The lock is the
/// kernel's and goes with the process, however that ends.
final class StateSeat: Sendable {
    /// The folder of its files.
    let folder: String
    private let lock: Int32

    /// Seats a canvas has, which is how many editors of it keep their edits at once.
    private static let most = 64

    private init(folder: String, lock: Int32) {
        self.folder = folder
        self.lock = lock
    }

    deinit {
        // A process that is being started at this moment may hold a copy of the descriptor.
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// Takes a free seat: the first in which edits wait to be sent, else the first.
    ///
    /// - Parameters:
    ///   - folder: the folder of the canvas, which is made if need be.
    ///   - countWaiting: how many edits wait in the folder of a seat.
    /// - Returns: the seat, and how many edits wait in other free ones.
    static func take(
        in folder: String, countWaiting: (_ folder: String) -> Int
    ) throws(StateFileError) -> (seat: StateSeat, left: Int) {
        try make(folder)
        // Whoever looks at seats locks them for a moment, which another must not take for an editor.
        let door = try lock(folder + "/lock", waits: true)
        defer { if let door { close(door) } }
        var free: [(seat: StateSeat, waiting: Int)] = []
        for number in 1...most {
            let path = "\(folder)/\(number)"
            let isNew = access(path, F_OK) != 0
            if isNew, !free.isEmpty { break }
            try make(path)
            guard let lock = try lock(path + "/lock", waits: false) else { continue }
            free.append((StateSeat(folder: path, lock: lock), isNew ? 0 : countWaiting(path)))
        }
        guard let chosen = free.firstIndex(where: { $0.waiting > 0 }) ?? free.indices.first else {
            throw StateFileError("\(folder) is in use by \(most) editors, which is the most")
        }
        let left = free.indices.reduce(0) { $1 == chosen ? $0 : $0 + free[$1].waiting }
        return (free[chosen].seat, left)
    }

    /// Locks a file; nil if another process has it and `waits` is false.
    private static func lock(_ path: String, waits: Bool) throws(StateFileError) -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StateFileError(path, "cannot be opened", errno) }
        while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            close(descriptor)
            if code == EWOULDBLOCK { return nil }
            throw StateFileError(path, "cannot be locked", code)
        }
        return descriptor
    }

    /// Makes a folder and those it lies in. They are the person's alone, since what is in them proves who the client is.
    private static func make(_ folder: String) throws(StateFileError) {
        var path = folder.hasPrefix("/") ? "" : "."
        for part in folder.split(separator: "/") {
            path += "/" + part
            if mkdir(path, 0o700) != 0, errno != EEXIST {
                let code = errno
                // On the way there may be folders that can be passed but not looked at.
                if access(path, F_OK) != 0 { throw StateFileError(path, "cannot be made", code) }
            }
        }
        var information = stat()
        guard stat(folder, &information) == 0 else { throw StateFileError(folder, "cannot be opened", errno) }
        guard information.st_mode & S_IFMT == S_IFDIR else { throw StateFileError("\(folder) is no folder") }
    }

    /// A text as the name of a file or folder: everything but letters, digits and `_ ~ - : [ ]` as %XX, and so a dot in front.
    static func fileName(_ text: String) -> String {
        var name = ""
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "-"),
                UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: ".") where index > 0:
                name += "."
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                name += "%" + (digits.count < 2 ? "0" + digits : digits)
            }
        }
        return name
    }
}
