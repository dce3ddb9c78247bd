public import EaselCore
import EaselProtocol

extension RoomEngine {
    /// Purges what was found in the canvas at a revision, but for what somebody has named since, committed or not yet. Returns how
    /// many transactions that takes; 0 also where so much was committed since that it cannot be looked at.
    public mutating func purge(_ targets: [Targets], foundAt revision: Revision, at moment: Moment) -> Int {
        guard var named = namedInWindow(since: min(revision, history.canvas.revision)) else { return 0 }
        pipeline.forEach { named.pass($0.transaction) }
        return targets.count { target in
            let rest = target.without(named)
            return rest.map { purge([$0], at: moment) } ?? false
        }
    }

    /// What the commits after a revision name; nil if they are not in the window any more.
    private mutating func namedInWindow(since revision: Revision) -> NamedShapes? {
        endRun()
        guard history.window.covers(revision) else { return nil }
        var named = NamedShapes()
        var next = revision
        while next < history.canvas.revision {
            let read = history.window.commits(after: next, limit: ProtocolLimits.frameBytes)
            guard let messages = try? ServerMessage.decodeAll(read.bytes), read.last > next else { return nil }
            for case .commits(let run) in messages {
                for commit in run.commits { named.pass(commit.transaction) }
            }
            next = read.last
        }
        return named
    }

    /// Removes what is hidden for good: see ``/EaselCore/Operation/purge(_:)``. The transaction is the server's own and goes the way of all
    /// others; it is in the log and in the canvas once its append is durable.
    ///
    /// Returns whether it was accepted. It is not while the canvas is being read or the log cannot be written, nor if it is malformed;
    /// and like any other it can get lost with an append that fails. Then it may be asked for again.
    public mutating func purge(_ targets: [Targets], at moment: Moment) -> Bool {
        guard case .open = phase else { return false }
        let transaction = Transaction(operations: targets.map { .purge($0) }, label: "Purge")
        guard transaction.flaw == nil else { return false }
        let last = max(history.canvas.lastSequence(of: .server), pipeline.highest(of: .server))
        pipeline.stage(
            transaction, payload: transaction.encode(), id: TransactionID(site: .server, sequence: last + 1),
            session: Self.serverSession, time: moment.wallMilliseconds)
        return true
    }

    /// No connection has this number: they count from 1.
    private static let serverSession = SessionID(0)
}
