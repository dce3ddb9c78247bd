/// The runs assembled last, so that sessions at the same place get the very same bytes.
struct RunCache<Run: Sendable>: Sendable {
    private struct Entry: Sendable {
        let from: UInt64
        let through: UInt64
        /// Whether a frame had no room for more: then it does not grow when there is more.
        let isFull: Bool
        let run: Run
    }

    private static var capacity: Int { 8 }
    private var entries: [Entry] = []
    private var next = 0

    /// The run that begins behind `from`, if there is one that is full or reaches to `head`; and how far it reaches.
    func run(from: UInt64, head: UInt64) -> (run: Run, through: UInt64)? {
        for entry in entries where entry.from == from && (entry.isFull || entry.through == head) {
            return (entry.run, entry.through)
        }
        return nil
    }

    /// Keeps a run that was assembled while everything reached to `head`, in place of the one kept longest.
    mutating func keep(_ run: Run, from: UInt64, through: UInt64, head: UInt64) {
        let entry = Entry(from: from, through: through, isFull: through < head, run: run)
        if entries.count < Self.capacity {
            entries.append(entry)
        } else {
            entries[next] = entry
            next = (next + 1) % Self.capacity
        }
    }
}
