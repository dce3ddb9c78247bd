import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselSupport
import Glibc

/// Waiting until a real server and its clients have done what there is to do.
extension LiveStage {
    /// Connects every client and waits until all are. Returns what is wrong as soon as an attempt fails, if one does.
    mutating func open() -> String? {
        for index in seats.indices {
            if let problem = dial(index) { return problem }
        }
        let deadline = MonotonicClock.now.advanced(byMilliseconds: Self.patience)
        while MonotonicClock.now < deadline {
            if let problem = endedSession { return problem }
            if seats.allSatisfy({ $0.store.status.link == .live }) { return nil }
            if let failure = seats.lazy.compactMap({ $0.connection?.failure }).first {
                return failure.advice
            }
            usleep(Self.interval)
        }
        return complaint
    }

    /// What a server said that ended a client's session, if one did.
    private var endedSession: String? {
        for seat in seats {
            if case .ended(let error) = seat.store.status.link {
                return "the server ends the session: \(error.message)"
            }
        }
        return nil
    }

    func wait(_ milliseconds: UInt64) {
        usleep(UInt32(milliseconds) * 1_000)
    }

    /// Waits until everything that is not held has reached everybody. Returns what is wrong if that does not happen in time.
    func settle() -> String? {
        let deadline = MonotonicClock.now.advanced(byMilliseconds: Self.patience)
        while true {
            if let problem = endedSession { return problem }
            if isAtRest { return divergence }
            if MonotonicClock.now >= deadline { return complaint }
            usleep(Self.interval)
        }
    }

    private var divergence: String? {
        for client in seats.indices {
            if let divergence = tally(client).divergence {
                return "the canvas differs from the server's at revision \(divergence.revision)"
            }
        }
        return nil
    }

    /// Whether the server has everything that was let through to it, the one who watches has all of that, and so have the
    /// clients whose messages are not held.
    private var isAtRest: Bool {
        // First what was sent, then what came of it: so nothing that is sent in between is missed.
        let sent = seats.map { $0.connection?.traffic ?? Traffic() }
        let watching = watcher.engine
        guard watching.linkState == .live else { return false }
        for (seat, traffic) in zip(seats, sent) where seat.connection != nil {
            if let last = traffic.lastPassed, watching.confirmed.lastSequence(of: last.site) < last.sequence {
                return false
            }
            // Whoever's greeting or welcome is held goes no further.
            if seat.isHeldDown || seat.isHeldUp && !traffic.hasGreeted { continue }
            let status = seat.store.status
            guard status.link == .live, status.revision == watching.confirmed.revision,
                status.digest == watching.confirmed.digest
            else { return false }
            if !seat.isHeldUp, status.pendingCount > 0 { return false }
        }
        return true
    }

    private var complaint: String {
        let statuses = seats.filter { $0.connection != nil }.map { $0.store.status }
        let seconds = Self.patience / 1_000
        if !statuses.contains(where: { $0.link == .live }) {
            return "no Easel server answers at \(server.address) within \(seconds) seconds"
        }
        let pending = statuses.reduce(0) { $0 + $1.pendingCount }
        return "the clients are not the same within \(seconds) seconds; \(pending) edits are pending"
    }
}
