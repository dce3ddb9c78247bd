import EaselSupport
import Foundation

/// The same bytes sent to the same number of sockets by a loop around `send`, and taken off them by another around `poll` and
/// `recv`, a processor each: what no server with these messages can be faster than. Nothing is checked, kept or ordered.
enum BareBroadcast {
    /// What it reached.
    struct Result {
        /// Deliveries a second.
        let deliveries: Double
        /// Processor time of the sender for a million of them, seconds.
        let secondsPerMillion: Double
    }

    /// How long is sent, seconds.
    private static let seconds = 1.0

    /// Sends frames of `batch` messages of so many bytes to every socket in turn. Nil if there are no descriptors left.
    static func run(sockets count: Int, batch: Int, messageBytes: Int) -> Result? {
        guard let pairs = connect(count) else { return nil }
        defer { for (sender, receiver) in pairs { _ = (close(sender), close(receiver)) } }
        let frame = [UInt8](repeating: 1, count: batch * messageBytes + 4)
        let sender = Sender(descriptors: pairs.map { $0.sender }, frame: frame, seconds: seconds)
        let start = MonotonicClock.now
        Thread.detachNewThread { Processors.on(Processors.measured) { sender.run() } }
        let bytes = Processors.on(Processors.harness) { receive(pairs.map { $0.receiver }) }
        let time = Double(MonotonicClock.now.nanoseconds(since: start)) / 1e9
        let used = sender.processorSeconds
        let deliveries = Double(bytes / frame.count * batch)
        return Result(deliveries: deliveries / time, secondsPerMillion: used / deliveries * 1e6)
    }

    private static func connect(_ count: Int) -> [(sender: Int32, receiver: Int32)]? {
        guard let (listener, port) = LoopbackSocket.listen() else { return nil }
        defer { close(listener) }
        var pairs: [(sender: Int32, receiver: Int32)] = []
        for _ in 0..<count {
            guard let receiver = LoopbackSocket.connect(port: port), let sender = LoopbackSocket.accept(listener) else {
                return nil
            }
            pairs.append((sender, receiver))
        }
        return pairs
    }

    /// Reads until every socket is at its end, and returns how many bytes came.
    private static func receive(_ descriptors: [Int32]) -> Int {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        var (bytes, open) = (0, descriptors.count)
        while open > 0, poll(&polled, nfds_t(polled.count), 10_000) > 0 {
            for index in polled.indices where polled[index].revents != 0 {
                let count = recv(polled[index].fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 {
                    bytes += count
                } else if count == 0 {
                    // A negative descriptor is passed over.
                    polled[index].fd = -1
                    open -= 1
                }
            }
        }
        return bytes
    }
}

/// The sending thread.
private final class Sender: Sendable {
    private let descriptors: [Int32]
    private let frame: [UInt8]
    private let seconds: Double
    private let used = Locked(0.0)

    init(descriptors: [Int32], frame: [UInt8], seconds: Double) {
        self.descriptors = descriptors
        self.frame = frame
        self.seconds = seconds
    }

    /// Processor time it took; known once the receivers are at their end.
    var processorSeconds: Double { used.withLock { $0 } }

    func run() {
        let end = MonotonicClock.now.nanoseconds + UInt64(seconds * 1e9)
        let before = Self.threadSeconds
        while MonotonicClock.now.nanoseconds < end {
            for descriptor in descriptors { _ = LoopbackSocket.send(descriptor, frame) }
        }
        let after = Self.threadSeconds
        used.withLock { $0 = after - before }
        for descriptor in descriptors { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    private static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
