import EaselCore

/// One step of a random history with all its choices made, so that a history is a value: any part of it can be played. A step
/// that makes no sense when its turn comes does nothing.
///
/// Clients go by their index, shapes by the number of the step that created them, histories by 0 (every client's own) and 1.
enum RandomPlayStep: Sendable, Equatable {
    /// A client edits. Its number names the action and the shape it creates.
    case edit(client: Int, number: Int, RandomPlayEdit<Int>, Manner)
    /// A client presses undo or redo.
    case press(client: Int, Transaction.Cause, history: Int)
    /// A client opens a group of edits.
    case begin(client: Int, number: Int, history: Int)
    /// A client closes a group.
    case end(client: Int, history: Int)
    /// A client gives up all open groups.
    case cancel(client: Int, history: Int)
    /// A client forgets what it could undo.
    case clear(client: Int, history: Int)
    /// A client bounds its histories, by actions or by bytes.
    case limit(client: Int, levels: Int)
    case budget(client: Int, bytes: Int)
    /// The server gets frames of a client.
    case up(client: Int, count: Int)
    /// The server gets a frame of a client twice.
    case duplicate(client: Int)
    /// A client gets frames.
    case down(client: Int, count: Int)
    /// Appends become durable.
    case finish(count: Int)
    /// All appends under way fail; the oldest may have reached the disk all the same.
    case fail(isKept: Bool)
    /// A client loses its connection and stays without one.
    case disconnect(client: Int)
    /// A client gets a connection again.
    case connect(client: Int)
    /// The server is killed and starts again; everybody who is not disconnected gets another connection.
    case restart
    /// The server will refuse a client's next transaction.
    case refuse(client: Int)
    /// The server removes what is hidden of shapes for good: themselves, or characters of their texts.
    case purge(shapes: [Int], isText: Bool)
    /// The server changes what a client may do, until its connection ends.
    case role(client: Int, isViewer: Bool)
    /// A client's process ends.
    case kill(client: Int)
    /// It starts again on what it saved.
    case revive(client: Int, hasCanvas: Bool)
    /// Time passes.
    case wait(milliseconds: UInt64)
    /// Everything is delivered to everybody.
    case settle
    /// Everyone undoes everything, either with all delivered after each press or with presses that race; the seed says how.
    case undoEverything(isRacing: Bool, seed: UInt64)
    /// A law is tried out on a copy of everything.
    case probe(Probe)

    /// How an edit is made.
    struct Manner: Sendable, Equatable {
        /// Where it can be undone; nil for nowhere.
        var history: Int? = 0
        /// Whether it may join the typing before it.
        var isTyping = false
        /// The view it comes from; 0 for none.
        var view: UInt32 = 0
    }

    /// What is tried out.
    enum Probe: Sendable, Equatable {
        /// So many undos and as many redos of a client, with whatever it has pending.
        case neutral(client: Int, presses: Int)
        /// The same with everything delivered; with `hasPending`, all but what the client itself has sent.
        case neutralDelivered(client: Int, presses: Int, hasPending: Bool)
        /// A client deletes what another has made, which presses undo and redo so often; the deleter undoes.
        case deletedByOther(maker: Int, deleter: Int, presses: Int)
        /// Two clients delete parts of the same at the same time and undo it; the server orders them either way.
        case crossing(first: Int, second: Int, seed: UInt64)
    }
}

extension RandomPlayStep {
    /// The step with other numbers for clients; nil if one of its clients has none.
    func renumbered(_ other: (Int) -> Int?) -> RandomPlayStep? {
        switch self {
        case .edit(let client, let number, let edit, let manner):
            return other(client).map { .edit(client: $0, number: number, edit, manner) }
        case .press(let client, let cause, let history):
            return other(client).map { .press(client: $0, cause, history: history) }
        case .begin(let client, let number, let history):
            return other(client).map { .begin(client: $0, number: number, history: history) }
        case .end(let client, let history): return other(client).map { .end(client: $0, history: history) }
        case .cancel(let client, let history): return other(client).map { .cancel(client: $0, history: history) }
        case .budget(let client, let bytes): return other(client).map { .budget(client: $0, bytes: bytes) }
        case .role(let client, let isViewer): return other(client).map { .role(client: $0, isViewer: isViewer) }
        case .kill(let client): return other(client).map { .kill(client: $0) }
        case .revive(let client, let hasCanvas):
            return other(client).map { .revive(client: $0, hasCanvas: hasCanvas) }
        case .clear(let client, let history): return other(client).map { .clear(client: $0, history: history) }
        case .limit(let client, let levels): return other(client).map { .limit(client: $0, levels: levels) }
        case .up(let client, let count): return other(client).map { .up(client: $0, count: count) }
        case .duplicate(let client): return other(client).map { .duplicate(client: $0) }
        case .down(let client, let count): return other(client).map { .down(client: $0, count: count) }
        case .disconnect(let client): return other(client).map { .disconnect(client: $0) }
        case .connect(let client): return other(client).map { .connect(client: $0) }
        case .refuse(let client): return other(client).map { .refuse(client: $0) }
        case .probe(let probe): return probe.renumbered(other).map { .probe($0) }
        case .finish, .fail, .restart, .purge, .wait, .settle, .undoEverything: return self
        }
    }
}

extension RandomPlayStep.Probe {
    fileprivate func renumbered(_ other: (Int) -> Int?) -> RandomPlayStep.Probe? {
        switch self {
        case .neutral(let client, let presses):
            return other(client).map { .neutral(client: $0, presses: presses) }
        case .neutralDelivered(let client, let presses, let hasPending):
            return other(client).map { .neutralDelivered(client: $0, presses: presses, hasPending: hasPending) }
        case .deletedByOther(let maker, let deleter, let presses):
            guard let maker = other(maker), let deleter = other(deleter) else { return nil }
            return .deletedByOther(maker: maker, deleter: deleter, presses: presses)
        case .crossing(let first, let second, let seed):
            guard let first = other(first), let second = other(second) else { return nil }
            return .crossing(first: first, second: second, seed: seed)
        }
    }
}
