import Glibc
import Synchronization

/// Turns signals of the operating system into bytes on a descriptor, so that an event loop hears of them like of anything else.
///
/// A signal handler may do next to nothing; this one writes the signal's number into a pipe. There can be one watch at a time
/// in a process, because a handler knows nothing but global state.
///
/// Unchecked, because nothing in it changes after it was made, and reading the pipe is the kernel's business.
public final class SignalWatch: @unchecked Sendable {
    /// A signal that a watch can report.
    public enum Signal: CaseIterable, Sendable {
        /// SIGINT: somebody pressed Control-C.
        case interrupt
        /// SIGTERM: somebody asks the program to end.
        case terminate
        /// SIGHUP: the terminal is gone, or somebody asks the program to read its files again.
        case hangUp
        /// SIGWINCH: the size of the terminal changed.
        case windowChange

        var number: Int32 {
            switch self {
            case .interrupt: SIGINT
            case .terminate: SIGTERM
            case .hangUp: SIGHUP
            case .windowChange: SIGWINCH
            }
        }
    }

    /// Readable while there are signals to `take()`. It belongs to the watch.
    public let descriptor: Int32
    private let writeEnd: Int32
    private let previous: [(number: Int32, action: sigaction)]

    /// Starts to watch for `signals` in place of what they did before.
    ///
    /// Precondition: no other watch is alive.
    public init(_ signals: [Signal]) {
        var ends: [Int32] = [-1, -1]
        let result = pipe(&ends)
        precondition(result == 0, "no descriptors left for a pipe at the start of the program")
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        descriptor = ends[0]
        writeEnd = ends[1]
        let (isFirst, _) = signalPipe.compareExchange(
            expected: -1, desired: writeEnd, ordering: .sequentiallyConsistent)
        precondition(isFirst, "one signal watch at a time")
        previous = signals.map { signal in
            var action = sigaction()
            action.__sigaction_handler.sa_handler = forwardSignal
            action.sa_flags = SA_RESTART
            var old = sigaction()
            sigaction(signal.number, &action, &old)
            return (signal.number, old)
        }
        unblock(signals)
    }

    /// A program inherits the signals its parent has blocked, and a parent that starts it from a worker thread blocks most.
    private func unblock(_ signals: [Signal]) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal.number) }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    deinit {
        for (number, action) in previous {
            var action = action
            sigaction(number, &action, nil)
        }
        signalPipe.store(-1, ordering: .sequentiallyConsistent)
        close(descriptor)
        close(writeEnd)
    }

    /// Returns the signals that arrived since the last call, oldest first. A signal that arrives again before it is taken may
    /// count once. Never waits.
    public func take() -> [Signal] {
        var signals: [Signal] = []
        var bytes = [UInt8](repeating: 0, count: 64)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return signals }
            for byte in bytes[..<count] {
                if let signal = Signal.allCases.first(where: { $0.number == Int32(byte) }), signals.last != signal {
                    signals.append(signal)
                }
            }
        }
    }

    /// Whether a signal does nothing at present: what `nohup` does to SIGHUP for the programs it starts.
    public static func isIgnored(_ signal: Signal) -> Bool {
        var action = sigaction()
        sigaction(signal.number, nil, &action)
        // Pointers to functions have no equality.
        let (handler, ignore) = (action.__sigaction_handler.sa_handler, SIG_IGN)
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(ignore, to: Int.self)
    }

    /// Makes writing to a closed pipe or socket an error of that write instead of the end of the program. Affects the whole
    /// process.
    public static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }
}

/// The write end of the watch's pipe, or -1. Global because a signal handler gets no context, atomic because it may run on any
/// thread at any moment.
private let signalPipe = Atomic<Int32>(-1)

private func forwardSignal(_ number: Int32) {
    let savedError = errno
    let pipe = signalPipe.load(ordering: .sequentiallyConsistent)
    var byte = UInt8(truncatingIfNeeded: number)
    // A full pipe already holds this signal or enough others to wake the reader.
    _ = write(pipe, &byte, 1)
    errno = savedError
}
