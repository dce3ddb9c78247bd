public import EaselCore

extension RoomEngine {
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
