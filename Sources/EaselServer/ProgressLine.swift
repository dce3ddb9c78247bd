import EaselSupport
import Glibc

/// Tells on a terminal how far long work has come, in one line that is written over again; silent elsewhere.
final class ProgressLine {
    /// Milliseconds between two changes of the line.
    private static let interval: UInt64 = 100

    private let isShown: Bool
    private var lastChange: Instant?
    private var width = 0

    init(isShown: Bool = isatty(STDERR_FILENO) == 1) {
        self.isShown = isShown
    }

    deinit { clear() }

    /// Shows `text` in place of what is shown, unless something was shown just now.
    func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let now = MonotonicClock.now
        if let lastChange, now.milliseconds(since: lastChange) < Self.interval { return }
        lastChange = now
        write(text())
    }

    /// Shows how much of a total is done.
    func show(_ what: String, _ done: Int, of total: Int) {
        show("\(what) \(total > 0 ? min(100, Int(Double(done) / Double(total) * 100)) : 100) %")
    }

    /// Takes the line away, so that something else can be written.
    func clear() {
        guard isShown, width > 0 else { return }
        write("")
        lastChange = nil
    }

    private func write(_ text: String) {
        let padding = String(repeating: " ", count: max(0, width - text.count))
        let bytes = Array("\r\(text)\(padding)\r".utf8)
        // Whoever does not see it misses nothing that matters.
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
        width = text.count
    }
}
