import EaselSupport
import EaselTransport
import Testing

/// A running loop that is stopped when the test ends, and a listener on it.
final class LoopFixture {
    let loop: EventLoop

    init() throws {
        loop = try EventLoop(name: "test", log: Log(write: { _ in }))
        try loop.start()
    }

    deinit {
        loop.stop()
    }

    /// Listens on a free port and gives the connections to `recorders`, in order; further ones are refused. Returns the port.
    func listen(_ recorders: Recorder..., identity: TLSIdentity? = nil) throws -> Int {
        try listener(recorders, identity: identity).port
    }

    func listener(_ recorders: [Recorder], identity: TLSIdentity? = nil) throws -> Listener {
        let loop = loop
        let outcome = loop.call { () -> Result<Listener, TransportError> in
            var rest = recorders[...]
            do throws(TransportError) {
                return .success(
                    try loop.listen(host: "127.0.0.1", port: 0, identity: identity) { _ in rest.popFirst() })
            } catch {
                return .failure(error)
            }
        }
        return try outcome!.get()
    }

    /// Dials a port of this machine.
    func connect(host: String = "127.0.0.1", port: Int, trust: TLSTrust? = nil, _ recorder: Recorder) {
        let loop = loop
        loop.post { _ = loop.connect(host: host, port: port, trust: trust, handler: recorder) }
    }

    /// Does `work` on the loop and waits for its result.
    func onLoop<Result: Sendable>(_ work: @escaping @Sendable () -> Result) -> Result {
        loop.call(work)!
    }
}

/// Sends what it was given, one array for each time the socket takes bytes.
func sending(_ arrays: [[UInt8]]) -> Recorder {
    let queue = Queue(arrays)
    return Recorder(
        opened: { $0.requestWritable() },
        writable: { connection in
            guard let next = queue.next() else { return }
            connection.write(next)
            connection.requestWritable()
        })
}

/// Sends back what it receives.
func echoing() -> Recorder {
    let queue = Queue([])
    return Recorder(
        received: { connection, bytes in
            queue.append(bytes)
            connection.requestWritable()
        },
        writable: { connection in
            let all = queue.all()
            guard !all.isEmpty else { return }
            connection.write(all)
        })
}

/// `count` bytes in which loss, repetition and exchange show: a random block of prime length, over and over, so that equal places
/// of power-of-two buffers differ.
func pattern(_ count: Int, seed: UInt32 = 1) -> [UInt8] {
    var state = seed
    let block: [UInt8] = (0..<4093).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
        bytes += block[..<min(block.count, count - bytes.count)]
    }
    return bytes
}

/// Records an issue where `bytes` are not `expected`, with the place from which on they differ. A failed `#expect` would look for the
/// difference of the arrays, which of megabytes takes for ever.
func expectBytes(_ bytes: [UInt8], _ expected: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    if bytes == expected { return }
    let place = zip(bytes, expected).prefix { $0 == $1 }.count
    Issue.record(
        "\(bytes.count) bytes instead of \(expected.count), which differ from byte \(place) on",
        sourceLocation: sourceLocation)
}
