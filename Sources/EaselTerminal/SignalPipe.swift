import Glibc
import Synchronization

/// Turns the signals that an editor must not die of into bytes on a descriptor.
///
/// It stands beside `SignalWatch` of EaselSupport because a terminal program cares about other signals: a hang-up, and the
/// request to stop, which it may follow only when it has put the terminal back.
final class SignalPipe {
    enum Signal: CaseIterable {
        case interrupt, terminate, hangUp, windowChange, stop, resume

        var number: Int32 {
            switch self {
            case .interrupt: return SIGINT
            case .terminate: return SIGTERM
            case .hangUp: return SIGHUP
            case .windowChange: return SIGWINCH
            case .stop: return SIGTSTP
            case .resume: return SIGCONT
            }
        }
    }

    private let ends = PipeEnds()

    /// Readable while there are signals to take. It belongs to the pipe.
    var descriptor: Int32 { ends.reading }

    /// Starts to catch the signals. There can be one pipe at a time in a process.
    init() {
        let previous = signalWriteEnd.exchange(ends.writing, ordering: .sequentiallyConsistent)
        precondition(previous == -1, "one signal pipe at a time")
        for signal in Signal.allCases { Self.catchSignal(signal.number) }
        Glibc.signal(SIGPIPE, SIG_IGN)
    }

    deinit {
        for signal in Signal.allCases { Glibc.signal(signal.number, SIG_DFL) }
        signalWriteEnd.store(-1, ordering: .sequentiallyConsistent)
        ends.close()
    }

    private static func catchSignal(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = noteSignal
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
    }

    /// The signals that arrived since this was last asked, each once.
    func take() -> [Signal] {
        var bytes = [UInt8](repeating: 0, count: 64)
        var seen: [Signal] = []
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return seen }
            for byte in bytes[..<count] {
                guard let signal = Signal.allCases.first(where: { $0.number == Int32(byte) }) else { continue }
                if !seen.contains(signal) { seen.append(signal) }
            }
        }
    }

    /// Stops the process as the shell expects of Control-Z, and returns when it goes on.
    func stopProcess() {
        signal(SIGTSTP, SIG_DFL)
        raise(SIGTSTP)
        Self.catchSignal(SIGTSTP)
    }
}

/// The write end of the pipe, or -1. Global because a signal handler gets no context, atomic because it runs at any moment.
private let signalWriteEnd = Atomic<Int32>(-1)

private func noteSignal(_ number: Int32) {
    let savedError = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(signalWriteEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
    errno = savedError
}
