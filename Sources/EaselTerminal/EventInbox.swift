import EaselClientEngine
import EaselSupport
import Glibc

/// What the store and its connection reported and the editor has not taken in yet.
///
/// They report on whatever thread caused a change; the editor takes reports on its own. `descriptor` becomes
/// readable when there is something to take, so the editor can wait for it together with the keyboard.
final class EventInbox: Sendable {
    /// One report.
    enum Report: Sendable {
        /// An event of the store.
        case event(ClientEvent)
        /// A sentence of the connection.
        case notice(String)
    }

    private let reports = Locked<[Report]>([])
    private let ends = PipeEnds()

    /// Readable while there are reports to take. It belongs to the inbox.
    var descriptor: Int32 { ends.reading }

    deinit { ends.close() }

    /// Adds a report. Safe on any thread; never waits for the editor.
    func put(_ report: Report) {
        let isFirst = reports.withLock { waiting in
            waiting.append(report)
            return waiting.count == 1
        }
        guard isFirst else { return }
        var byte: UInt8 = 1
        // It fails only when the pipe is full, and then the reader is awake anyway.
        _ = write(ends.writing, &byte, 1)
    }

    /// Takes all reports, oldest first.
    func take() -> [Report] {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(ends.reading, &bytes, bytes.count) > 0 {}
        return reports.withLock { waiting in
            let taken = waiting
            waiting = []
            return taken
        }
    }
}
