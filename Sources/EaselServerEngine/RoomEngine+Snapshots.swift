internal import EaselCore
internal import EaselProtocol

extension RoomEngine {
    /// Gives a joiner the snapshot there is, or lets it wait for one.
    mutating func serveSnapshot(to id: SessionID, into actions: inout [RoomAction], at moment: Moment) {
        if let ready = feed.current, serves(ready) {
            feed.use(at: moment.milliseconds)
            give(ready, to: id)
        } else {
            encodeSnapshot(into: &actions)
        }
    }

    /// Whether little enough was committed after a snapshot.
    func serves(_ ready: SnapshotFeed.Ready) -> Bool {
        guard let weight = history.weight(after: ready.revision) else { return false }
        return weight <= max(limits.snapshotReuseBytes, ready.byteCount / 4)
    }

    private mutating func give(_ ready: SnapshotFeed.Ready, to id: SessionID) {
        welcome(id, .snapshot(byteCount: ready.byteCount), parts: ready.parts, at: ready.revision)
    }

    private mutating func encodeSnapshot(into actions: inout [RoomAction]) {
        guard !feed.isEncoding else { return }
        feed = .encoding(history.canvas.revision, previous: feed.current)
        actions.append(.encodeSnapshot(history.canvas))
    }

    /// A canvas that the room gave away is encoded.
    public mutating func snapshotEncoded(
        _ snapshot: EncodedSnapshot, into actions: inout [RoomAction], at moment: Moment
    ) {
        guard feed.isEncoding else { return }
        let ready = SnapshotFeed.Ready(
            revision: snapshot.revision, byteCount: UInt64(snapshot.bytes.count), parts: snapshot.parts,
            lastUse: moment.milliseconds)
        feed = .ready(ready)
        for id in sessions.keys.sorted() {
            guard case .waiting = sessions[id]?.stage else { continue }
            give(ready, to: id)
        }
        if history.isSnapshotDue, mayStore(at: moment), snapshot.revision > 0 {
            storing = .underWay(revision: snapshot.revision, byteCount: UInt64(snapshot.bytes.count))
            actions.append(.storeSnapshot(revision: snapshot.revision, bytes: snapshot.bytes))
        }
    }

    // MARK: Storing

    /// The outcome of storing a snapshot.
    public mutating func snapshotStored(_ isStored: Bool, at moment: Moment) {
        guard case .underWay(let revision, let byteCount) = storing else { return }
        if isStored {
            history.snapshotStored(revision: revision, byteCount: byteCount)
            storing = .idle
        } else {
            storing = .pausing(until: moment.milliseconds + limits.snapshotIdleMilliseconds)
        }
    }

    mutating func storeSnapshotIfDue(into actions: inout [RoomAction], at moment: Moment) {
        if history.isSnapshotDue, mayStore(at: moment) { encodeSnapshot(into: &actions) }
    }

    private func mayStore(at moment: Moment) -> Bool {
        switch storing {
        case .idle: return true
        case .underWay: return false
        case .pausing(let until): return moment.milliseconds >= until
        }
    }
}
