import EaselSupport
import Foundation

/// So many bytes over a new connection, and nothing else: what no server that sends them can be faster than.
enum BareStream {
    /// Milliseconds from connecting until the last byte is here: the median of a few.
    static func milliseconds(bytes count: Int, repeats: Int) throws(NotMeasured) -> Double {
        guard let (listener, port) = LoopbackSocket.listen() else { throw NotMeasured("no socket can listen") }
        let content = [UInt8](repeating: 1, count: count)
        Thread.detachNewThread {
            defer { close(listener) }
            Processors.on(Processors.measured) {
                for _ in 0..<repeats {
                    guard let descriptor = LoopbackSocket.accept(listener) else { return }
                    _ = LoopbackSocket.send(descriptor, content)
                    close(descriptor)
                }
            }
        }
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        var times: [Double] = []
        for _ in 0..<repeats {
            let start = MonotonicClock.now
            guard let descriptor = LoopbackSocket.connect(port: port) else {
                throw NotMeasured("a socket cannot connect")
            }
            defer { close(descriptor) }
            var taken = 0
            while taken < count {
                let received = recv(descriptor, &buffer, buffer.count, 0)
                guard received > 0 else { throw NotMeasured("what was sent does not come") }
                taken += received
            }
            times.append(Double(MonotonicClock.now.nanoseconds(since: start)) / 1e6)
        }
        return Measurement.percentile(50, of: times)
    }
}
