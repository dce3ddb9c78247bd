import CWebSockets
import EaselSupport
import Glibc

/// A descriptor that can be read from an instant on: it ends a loop's wait to the microsecond, where libwebsockets' own wait knows
/// whole milliseconds only.
final class Alarm {
    private let descriptor: Int32
    private var deadline: Instant?

    /// - Throws: `TransportError` where the process is out of descriptors.
    init() throws(TransportError) {
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard descriptor >= 0 else { throw .system("timerfd_create") }
    }

    deinit {
        close(descriptor)
    }

    /// Lets `loop` wake up at the deadlines to be set.
    func wake(_ loop: EventLoop) throws(TransportError) {
        _ = try loop.watch(descriptor: descriptor) { [self] in
            // What it has to say is that it rang. From now on it is set to nothing.
            var count: UInt64 = 0
            read(descriptor, &count, MemoryLayout<UInt64>.size)
            deadline = nil
        }
    }

    /// Sets when it rings; nil for never.
    func set(_ deadline: Instant?) {
        guard deadline != self.deadline else { return }
        self.deadline = deadline
        var time = itimerspec()
        if let deadline {
            // All zeros would take it off.
            let nanoseconds = max(1, deadline.nanoseconds)
            time.it_value = timespec(
                tv_sec: Int(clamping: nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        }
        let code = timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &time, nil)
        precondition(code == 0, "an instant is a valid time")
    }
}
