internal import EaselProtocol

extension RoomOutlet {
    /// What a session is to be sent next, or nil if there is nothing now; ask only when its socket takes it, because what was
    /// given counts as sent. Sessions that are at the same place get the same object.
    public mutating func nextPayload(for id: SessionID, into actions: inout [OutletAction]) -> SharedPayload? {
        // By its index, which changes it where it lies; the key would take it out and put it back.
        guard let index = readers.index(forKey: id) else { return nil }
        switch readers.values[index].next(from: &broadcast) {
        case .payload(let payload): return payload
        case .page(let cursor): actions.append(.report(.needsPage(id, after: cursor)))
        case .nothing: break
        }
        return nil
    }
}
