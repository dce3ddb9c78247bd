import EaselSupport

/// Connections that take turns in writing with those of other flows: the sessions of one room, say. What one of many connections
/// sends then does not keep the few of another waiting.
///
/// A flow that rests waits after it has written for as long as that took, if it took long. What its connections get next gathers
/// meanwhile and goes out with fewer writes, and the processor is free for what brings more in.
///
/// On the loop only.
public final class Flow {
    /// Those that asked to write, in that order.
    fileprivate var waiting = Queue<Connection>()
    private let rests: Bool
    fileprivate var isResting = false
    /// Nanoseconds it has been writing since everybody in it last had.
    fileprivate var written: UInt64 = 0

    /// A flow without connections.
    public init(rests: Bool) {
        self.rests = rests
    }

    /// Notes that everybody has written, and gives the nanoseconds to rest for; 0 for none.
    fileprivate func finish() -> UInt64 {
        defer { written = 0 }
        return rests && written > TransportLimits.writeSliceNanoseconds
            ? min(written, TransportLimits.longestRestNanoseconds) : 0
    }
}

/// The connections of a loop that asked to write. Flows take turns, some connections each; within a flow they come in the order in
/// which they asked (round robin; Nagle, RFC 970, 1985).
struct WriterQueue {
    /// Those in which somebody waits, the next one first.
    private var flows = Queue<Flow>()
    private var resting: [Flow] = []

    /// Whether nobody waits, but in flows that rest.
    var isEmpty: Bool { flows.isEmpty }

    /// In how many flows somebody waits.
    var flowCount: Int { flows.count }

    /// Adds a connection.
    ///
    /// Precondition: it is not in the queue.
    mutating func add(_ connection: Connection) {
        let flow = connection.flow
        if flow.waiting.isEmpty, !flow.isResting { flows.append(flow) }
        flow.waiting.append(connection)
    }

    /// Gives the next flow a round: calls `write` with some of its connections, which leave the queue. If the flow has to rest now,
    /// returns it and until when; to be passed to `wake` then.
    mutating func giveRound(_ write: (Connection) -> Void) -> (flow: Flow, until: Instant)? {
        guard let flow = flows.popFirst() else { return nil }
        let start = MonotonicClock.now
        for _ in 0..<TransportLimits.writersPerRound {
            guard let connection = flow.waiting.popFirst() else { break }
            write(connection)
        }
        let end = MonotonicClock.now
        flow.written += end.nanoseconds(since: start)
        guard flow.waiting.isEmpty else {
            flows.append(flow)
            return nil
        }
        let rest = flow.finish()
        guard rest > 0 else { return nil }
        flow.isResting = true
        resting.append(flow)
        return (flow, end.advanced(byNanoseconds: rest))
    }

    /// A flow has rested.
    mutating func wake(_ flow: Flow) {
        flow.isResting = false
        resting.removeAll { $0 === flow }
        if !flow.waiting.isEmpty { flows.append(flow) }
    }

    mutating func removeAll() {
        for flow in resting { wake(flow) }
        while let flow = flows.popFirst() { flow.waiting = Queue() }
    }
}
