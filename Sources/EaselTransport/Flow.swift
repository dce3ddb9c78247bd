import EaselSupport

/// Connections that take turns in writing with those of other flows: the sessions of one room, say. What one of many connections
/// sends then does not keep the few of another waiting.
///
/// On the loop only.
public final class Flow {
    /// Those that asked to write, in that order.
    fileprivate var waiting = Queue<Connection>()

    /// A flow without connections.
    public init() {}
}

/// The connections of a loop that asked to write. Flows take turns, some connections each; within a flow they come in the order in
/// which they asked (round robin; Nagle, RFC 970, 1985).
struct WriterQueue {
    /// Those in which somebody waits, the next one first.
    private var flows = Queue<Flow>()
    /// How many of the first flow's have been served in this round.
    private var round = 0
    /// Flows that have not had their first round of this turn.
    private var unserved = 0

    var isEmpty: Bool { flows.isEmpty }

    /// Begins a turn.
    mutating func beginTurn() { unserved = flows.count }

    /// Whether each flow has had a round in this turn, so that only those are left that have many.
    var hasServedAll: Bool { unserved == 0 }

    /// Adds a connection.
    ///
    /// Precondition: it is not in the queue.
    mutating func add(_ connection: Connection) {
        let flow = connection.flow
        if flow.waiting.isEmpty { flows.append(flow) }
        flow.waiting.append(connection)
    }

    /// Takes out the next connection.
    mutating func next() -> Connection? {
        guard let flow = flows.first, let connection = flow.waiting.popFirst() else { return nil }
        round += 1
        if flow.waiting.isEmpty {
            endRound()
        } else if round == TransportLimits.writersPerRound {
            endRound()
            flows.append(flow)
        }
        return connection
    }

    private mutating func endRound() {
        _ = flows.popFirst()
        round = 0
        unserved = max(0, unserved - 1)
    }

    mutating func removeAll() {
        while next() != nil {}
    }
}
