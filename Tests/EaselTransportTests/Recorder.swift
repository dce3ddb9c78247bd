import EaselSupport
import EaselTransport
import Glibc

/// A handler that notes what happens, lets a test wait for it, and answers with what the test gives it.
final class Recorder: ConnectionHandler, Sendable {
    struct Notes: Sendable {
        var connection: Connection?
        var opened = 0
        var received: [UInt8] = []
        var writable = 0
        var reasons: [CloseReason] = []
    }

    private let notes = Locked(Notes())
    private let onOpened: @Sendable (Connection) -> Void
    private let onReceived: @Sendable (Connection, [UInt8]) -> Void
    private let onWritable: @Sendable (Connection) -> Void

    init(
        opened: @escaping @Sendable (Connection) -> Void = { _ in },
        received: @escaping @Sendable (Connection, [UInt8]) -> Void = { _, _ in },
        writable: @escaping @Sendable (Connection) -> Void = { _ in }
    ) {
        onOpened = opened
        onReceived = received
        onWritable = writable
    }

    /// What happened so far.
    var now: Notes {
        notes.withLock { $0 }
    }

    func opened(_ connection: Connection) {
        notes.withLock {
            $0.connection = connection
            $0.opened += 1
        }
        onOpened(connection)
    }

    func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) {
        let copy = Array(bytes)
        notes.withLock { $0.received += copy }
        onReceived(connection, copy)
    }

    func writable(_ connection: Connection) {
        notes.withLock { $0.writable += 1 }
        onWritable(connection)
    }

    func closed(_ connection: Connection, _ reason: CloseReason) {
        notes.withLock { $0.reasons.append(reason) }
    }
}

/// Waits until `condition` holds; false where that takes longer than a test may.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<10_000 {
        if condition() { return true }
        usleep(1000)
    }
    return false
}
