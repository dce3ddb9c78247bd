import EaselSupport
import Foundation

/// The same bytes sent to the same number of sockets by a loop around `send`, and taken off them by another around `poll` and
/// `recv`, a processor each: what no server with these messages can be faster than. Nothing is checked, kept or ordered.
enum BareBroadcast {
    /// What it reached.
    struct Result {
        /// What it is called as a reference.
        let name: String
        /// Deliveries a second.
        let deliveries: Double
        /// Processor time of the sender for a million of them, seconds.
        let secondsPerMillion: Double
    }

    /// How long is sent, seconds.
    private static let seconds = 1.0
    /// How long nothing may come, milliseconds.
    private static let patience: Int32 = 10_000

    /// Sends what a room sends for a batch of moves to every socket in turn.
    ///
    /// - Parameters:
    ///   - receivers: How many of the sockets are counted: not that of the writer of a move, who is told too.
    ///   - writers: Who made the batch.
    static func run(sockets count: Int, receivers: Int, batch: Int, writers: Int) throws(NotMeasured) -> Result {
        let bytes = RoomUnderTest.frames(ofMoves: batch, writers: writers).reduce(0) {
            $0 + $1.count + frameHeaderBytes($1.count)
        }
        let pairs = try connect(count)
        defer { for (sender, receiver) in pairs { _ = (close(sender), close(receiver)) } }
        let sender = Sender(
            descriptors: pairs.map { $0.sender }, frame: [UInt8](repeating: 1, count: bytes), seconds: seconds)
        let start = MonotonicClock.now
        Thread.detachNewThread { Processors.on(Processors.measured) { sender.run() } }
        let received = Processors.on(Processors.harness) { receive(pairs.map { $0.receiver }) }
        let time = Double(MonotonicClock.now.nanoseconds(since: start)) / 1e9
        // Before its descriptors are closed, and are perhaps others'.
        let used = sender.processorSeconds()
        let deliveries = Double(received / bytes * batch) * Double(receivers) / Double(count)
        guard let used, deliveries > 0 else { throw NotMeasured("a bare broadcast does not arrive") }
        return Result(
            name: "a bare broadcast in frames of about \(batch)", deliveries: deliveries / time,
            secondsPerMillion: used / deliveries * 1e6)
    }

    /// RFC 6455, section 5.2: of a frame that is not masked.
    private static func frameHeaderBytes(_ payloadBytes: Int) -> Int {
        payloadBytes < 126 ? 2 : payloadBytes < 65_536 ? 4 : 10
    }

    private static func connect(_ count: Int) throws(NotMeasured) -> [(sender: Int32, receiver: Int32)] {
        guard let (listener, port) = LoopbackSocket.listen() else { throw NotMeasured("no socket can listen") }
        defer { close(listener) }
        var pairs: [(sender: Int32, receiver: Int32)] = []
        for _ in 0..<count {
            guard let receiver = LoopbackSocket.connect(port: port), let sender = LoopbackSocket.accept(listener) else {
                for (sender, receiver) in pairs { _ = (close(sender), close(receiver)) }
                throw NotMeasured("\(count) sockets cannot connect")
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
        while open > 0, poll(&polled, nfds_t(polled.count), patience) > 0 {
            for index in polled.indices where polled[index].revents != 0 {
                let count = recv(polled[index].fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 {
                    bytes += count
                } else if count == 0 || errno != EAGAIN {
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
    private let done = DispatchSemaphore(value: 0)

    init(descriptors: [Int32], frame: [UInt8], seconds: Double) {
        self.descriptors = descriptors
        self.frame = frame
        self.seconds = seconds
    }

    /// Waits for its end, and returns the processor time it took; nil if it does not end.
    func processorSeconds() -> Double? {
        done.wait(timeout: .now() + 60) == .success ? used.withLock { $0 } : nil
    }

    func run() {
        let end = MonotonicClock.now.nanoseconds + UInt64(seconds * 1e9)
        let before = Self.threadSeconds
        while MonotonicClock.now.nanoseconds < end, descriptors.allSatisfy({ LoopbackSocket.send($0, frame) }) {}
        let after = Self.threadSeconds
        used.withLock { $0 = after - before }
        for descriptor in descriptors { shutdown(descriptor, Int32(SHUT_WR)) }
        done.signal()
    }

    private static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
