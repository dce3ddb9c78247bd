import EaselClientEngine

/// What a client's owner was told so far, counted.
struct EventTally: Sendable {
    private var changes = 0
    /// Changes that came from a view, by its number.
    private var own: [UInt32: Int] = [:]
    private var historyEvents: [HistoryID: Int] = [:]
    /// What the first unequal digests were about; nil while all were equal.
    private(set) var divergence: Divergence?

    /// Counts an event.
    mutating func note(_ event: ClientEvent) {
        switch event {
        case .changed(let change):
            changes += 1
            if case .edit(let view) = change.origin { own[view, default: 0] += 1 }
        case .historyChanged(let history): historyEvents[history, default: 0] += 1
        case .diverged(let divergence): self.divergence = self.divergence ?? divergence
        default: break
        }
    }

    /// How many changes a view was given: all but its own.
    func changes(in view: UInt32) -> Int { changes - (own[view] ?? 0) }

    /// How often somebody who shows a history was told that it may have changed.
    func events(of history: HistoryID) -> Int { historyEvents[history] ?? 0 }
}
