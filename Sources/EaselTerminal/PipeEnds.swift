import Glibc

/// A pipe whose reader never waits, for waking a loop.
struct PipeEnds: Sendable {
    let reading: Int32
    let writing: Int32

    /// Opens a pipe; both ends are closed in programs started from here.
    init() {
        var ends: [Int32] = [-1, -1]
        let result = pipe(&ends)
        precondition(result == 0, "no descriptors left at the start of the program")
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        reading = ends[0]
        writing = ends[1]
    }

    func close() {
        Glibc.close(reading)
        Glibc.close(writing)
    }
}
