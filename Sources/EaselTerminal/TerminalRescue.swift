import Glibc
import Synchronization

/// Puts the terminal back when the program dies of a fault of its own, as far as a signal handler may: it writes one
/// fixed string, sets the modes that were saved, and lets the signal do what it does.
enum TerminalRescue {
    /// Ends synchronized output, mouse reports, bracketed modes and the alternate screen; shows the cursor; plain pen.
    static let resetSequence =
        "\u{1B}[?2026l\u{1B}[?1002l\u{1B}[?1003l\u{1B}[?1006l\u{1B}[?25h\u{1B}[?1049l\u{1B}>\u{1B}[m\r\n"

    private static let faults: [Int32] = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT]

    /// Remembers the terminal's modes and how to put them back. Call it before the modes are changed.
    static func arm(terminal: Int32) {
        guard armedTerminal.load(ordering: .sequentiallyConsistent) < 0 else { return }
        let modes = UnsafeMutablePointer<termios>.allocate(capacity: 1)
        guard tcgetattr(terminal, modes) == 0 else { return modes.deallocate() }
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: resetSequence.utf8.count)
        for (index, byte) in resetSequence.utf8.enumerated() { bytes[index] = byte }
        savedModes.store(UInt(bitPattern: modes), ordering: .sequentiallyConsistent)
        resetBytes.store(UInt(bitPattern: bytes), ordering: .sequentiallyConsistent)
        resetCount.store(resetSequence.utf8.count, ordering: .sequentiallyConsistent)
        armedTerminal.store(terminal, ordering: .sequentiallyConsistent)
        for number in faults {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = rescueTerminal
            // The handler runs once; the signal that comes again then ends the program.
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | Int32(SA_NODEFER)
            sigaction(number, &action, nil)
        }
    }

    /// Forgets the terminal: it has been put back.
    static func disarm() {
        guard armedTerminal.exchange(-1, ordering: .sequentiallyConsistent) >= 0 else { return }
        for number in faults { signal(number, SIG_DFL) }
        UnsafeMutablePointer<termios>(bitPattern: savedModes.exchange(0, ordering: .sequentiallyConsistent))?
            .deallocate()
        UnsafeMutablePointer<UInt8>(bitPattern: resetBytes.exchange(0, ordering: .sequentiallyConsistent))?.deallocate()
    }
}

// Global because a signal handler gets no context, atomic because it may run on any thread at any moment. Addresses are
// kept as numbers, since pointers may not be shared between threads.
private let armedTerminal = Atomic<Int32>(-1)
private let savedModes = Atomic<UInt>(0)
private let resetBytes = Atomic<UInt>(0)
private let resetCount = Atomic<Int>(0)

private func rescueTerminal(_ number: Int32) {
    let terminal = armedTerminal.load(ordering: .sequentiallyConsistent)
    if terminal >= 0 {
        if let bytes = UnsafePointer<UInt8>(bitPattern: resetBytes.load(ordering: .sequentiallyConsistent)) {
            _ = write(terminal, bytes, resetCount.load(ordering: .sequentiallyConsistent))
        }
        if let modes = UnsafePointer<termios>(bitPattern: savedModes.load(ordering: .sequentiallyConsistent)) {
            tcsetattr(terminal, TCSANOW, modes)
        }
    }
    raise(number)
}
