import Glibc

/// Where a command writes what it was asked for. Each write happens at once, also into a pipe, and is checked.
public struct Output: Sendable {
    /// Why a text could not be written. The description is a sentence.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        /// The system's error number.
        public let code: Int32

        /// A failure with an error number.
        public init(code: Int32) {
            self.code = code
        }

        /// What is wrong, for the person who called the program.
        public var description: String { "the output cannot be written: \(String(cString: strerror(code)))" }
    }

    private let descriptor: Int32

    /// Output to an open file descriptor, which stays the caller's.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// What the program's caller reads.
    public static let standard = Output(descriptor: STDOUT_FILENO)

    /// Writes `text` and a line end, in one piece where the system takes it in one.
    ///
    /// - Throws: `Failure` if not all of it could be written.
    public func line(_ text: String) throws(Failure) {
        let bytes = Array((text + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&watched, 1, -1)
            } else if errno != EINTR {
                throw Failure(code: errno)
            }
        }
    }
}
