import EaselSupport
import Glibc

/// The terminal that a program was started in. When it goes, the program gets the same SIGHUP by which an operator asks a server to
/// read its files again; this tells the two apart.
struct StartTerminal {
    /// Whether the program ends with the terminal: there was one, and nobody asked for going on without it (`nohup`).
    private let isNeeded = StartTerminal.isThere && !SignalWatch.isIgnored(.hangUp)

    /// Whether the program has lost a terminal that it ends with.
    var isLost: Bool { isNeeded && !StartTerminal.isThere }

    private static var isThere: Bool {
        let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
