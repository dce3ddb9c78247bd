import EaselSupport
import Glibc
import Testing

struct OutputTests {
    @Test("a line arrives whole, with its end, also where the system takes it in parts")
    func pieces() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        defer { close(readEnd) }
        let text = String(repeating: "easel ", count: 100_000)
        // A pipe holds less than the text, and this end of it does not wait.
        try #require(fcntl(writeEnd, F_SETFL, O_NONBLOCK) == 0)
        let received = Locked([UInt8]())
        try withReader(of: readEnd, into: received) {
            defer { close(writeEnd) }
            try Output(descriptor: writeEnd).line(text)
        }
        // Compared here, because a failed expectation would look for the difference of long lists for ever.
        let isWhole = received.withLock { $0 } == Array((text + "\n").utf8)
        #expect(isWhole)
    }

    /// Runs `body` while a thread reads what arrives, and returns at its end.
    private func withReader(of descriptor: Int32, into received: Locked<[UInt8]>, _ body: () throws -> Void) throws {
        let reading = Reading(descriptor: descriptor, received: received)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(reading).toOpaque()
        try #require(
            pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Reading>.fromOpaque(context).takeRetainedValue().run()
                    return nil
                }, context) == 0)
        defer { pthread_join(thread, nil) }
        try body()
    }

    private final class Reading {
        let descriptor: Int32
        let received: Locked<[UInt8]>

        init(descriptor: Int32, received: Locked<[UInt8]>) {
            self.descriptor = descriptor
            self.received = received
        }

        func run() {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { return }
                received.withLock { $0 += buffer[..<count] }
            }
        }
    }

    @Test("what cannot be written is an error with the system's reason")
    func full() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(throws: Output.Failure(code: ENOSPC)) { try Output(descriptor: descriptor).line("x") }
        #expect(Output.Failure(code: ENOSPC).description == "the output cannot be written: No space left on device")
    }
}
