import Foundation

/// So many bytes over a new connection, and nothing else: what no server that sends them can be faster than.
enum BareStream {
    /// Milliseconds from connecting until the last byte is here: the median of a few.
    static func milliseconds(bytes count: Int, repeats: Int) -> Double {
        guard let (listener, port) = LoopbackSocket.listen() else { return .nan }
        defer { close(listener) }
        let content = [UInt8](repeating: 1, count: count)
        Thread.detachNewThread {
            Processors.on(Processors.measured) {
                for _ in 0..<repeats {
                    guard let descriptor = LoopbackSocket.accept(listener) else { return }
                    _ = LoopbackSocket.send(descriptor, content)
                    close(descriptor)
                }
            }
        }
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        let times = (0..<repeats).map { _ in
            Measurement.microseconds {
                guard let descriptor = LoopbackSocket.connect(port: port) else { return }
                while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
                close(descriptor)
            }
        }
        return Measurement.percentile(50, of: times) / 1_000
    }
}
