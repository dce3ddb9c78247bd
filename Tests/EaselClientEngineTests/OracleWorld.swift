import EaselClientEngine
import EaselCore
import EaselProtocol

/// The engine and the oracle do not agree.
struct OracleMismatch: Error {
    let sentence: String
}

/// A network of real clients, and beside each client, and beside the server, the oracle's idea of it. Everything that happens
/// goes through here, happens to both, and is compared.
struct OracleWorld {
    var network: TestNetwork
    var clients: [OracleClient]
    /// What the server ordered.
    private var log: [(site: SiteID, operations: [String])] = []
    private var lastSequences: [SequenceNumber]
    private var barriers: [SequenceNumber?]
    /// What is done at the moment, for messages.
    private(set) var step = ""

    /// Clients that are connected to an empty canvas.
    init(clients count: Int) {
        network = TestNetwork(clients: count)
        clients = network.lines.map { OracleClient(site: $0.site ?? SiteID(1)!) }
        lastSequences = Array(repeating: 0, count: count)
        barriers = Array(repeating: nil, count: count)
        for client in network.clients.indices { network.clients[client].setLevelsOfUndo(0) }
    }

    func fail(_ sentence: String) throws(OracleMismatch) -> Never {
        throw OracleMismatch(sentence: "\(step): \(sentence)")
    }

    func expect<Value: Equatable>(
        _ found: Value, _ predicted: Value, _ what: String
    ) throws(OracleMismatch) {
        if found != predicted { try fail("\(what): engine \(found), oracle \(predicted)") }
    }

    // MARK: What people do

    /// Makes an edit. Returns whether it had an effect.
    @discardableResult
    mutating func edit(
        _ client: Int, _ label: String, _ body: (inout TransactionDraft) -> Void
    ) throws(OracleMismatch) -> Bool {
        step = "client \(client) makes \(label)"
        var operations: [Operation] = []
        let before = clients[client].replay().view
        let result = try? network.clients[client].edit(label) { draft in
            body(&draft)
            operations = draft.operations
        }
        // What would change no stored value is left out by the writer.
        var copy = before
        for operation in operations {
            try expect(operation.words, copy.effectivePart(of: operation)?.words ?? "nothing", "effective operations")
            try checkWriter(of: operation, copy)
            _ = copy.apply(operation)
        }
        let hasEffect = clients[client].edit(operations, label: label)
        try expect(result?.hasEffect ?? false, hasEffect, "effect")
        let waiting = network.lines[client].up.count
        network.collect(client)
        try checkSent(client, from: waiting)
        try check(client)
        return hasEffect
    }

    /// Presses undo or redo. Returns whether anything was done.
    @discardableResult
    mutating func press(_ cause: Transaction.Cause, _ client: Int) throws(OracleMismatch) -> Bool {
        step = "client \(client) presses \(cause)"
        let waiting = network.lines[client].up.count
        let isDone = cause == .undo ? network.undo(client) : network.redo(client)
        try expect(isDone, clients[client].press(cause) != nil, "press")
        try checkSent(client, from: waiting)
        try check(client)
        return isDone
    }

    mutating func beginGroup(_ client: Int, _ label: String) {
        network.clients[client].beginGroup(label)
        clients[client].beginGroup(label)
    }

    mutating func endGroup(_ client: Int) {
        network.clients[client].endGroup()
        clients[client].endGroup()
    }

    mutating func clearHistories() {
        for client in clients.indices {
            network.clients[client].clearHistory(.main)
            clients[client].clearHistory()
        }
    }

    // MARK: What the network does

    mutating func connect(_ client: Int) throws(OracleMismatch) {
        step = "client \(client) connects"
        barriers[client] = nil
        clients[client].connect()
        network.connect(client)
        guard case .hello(let hello)? = network.lines[client].up.first, network.lines[client].up.count == 1 else {
            try fail("hello is the first message and alone")
        }
        try expect(hello.resume?.revision, Revision(clients[client].log.count), "revision in hello")
        try check(client)
    }

    mutating func disconnect(_ client: Int) throws(OracleMismatch) {
        step = "client \(client) disconnects"
        clients[client].disconnect()
        network.disconnect(client)
        try check(client)
    }

    /// Hands the server the next message of a client.
    mutating func deliverUp(_ client: Int) throws(OracleMismatch) {
        guard let message = network.lines[client].up.first else { return }
        step = "the server takes a message of client \(client)"
        let refusals = network.refusalCount
        network.deliverUp(client)
        let isRefused = network.refusalCount > refusals
        switch message {
        case .submit(let submission):
            if barriers[client] != nil || submission.sequence <= lastSequences[client] {
                try expect(isRefused, false, "refusal behind a barrier")
            } else if isRefused {
                barriers[client] = submission.sequence
            } else {
                lastSequences[client] = submission.sequence
                log.append((clients[client].site, submission.transaction.operations.map { $0.words }))
            }
        case .confirm(let sequence):
            try expect(sequence, barriers[client], "confirmed refusal")
            barriers[client] = nil
        default: break
        }
        try expect(network.log.count, log.count, "length of the log")
        if let last = log.last, let commit = network.log.last?.commit {
            try expect(commit.id.site, last.site, "site of the commit")
            try expect(commit.transaction.operations.map { $0.words }, last.operations, "commit")
        }
    }

    /// The server purges something.
    mutating func purge(_ targets: Targets) throws(OracleMismatch) {
        step = "the server purges"
        network.purge(targets)
        log.append((.server, [Operation.purge(targets).words]))
    }

    /// Hands a client its next `count` messages in one frame.
    mutating func deliverDown(_ client: Int, _ count: Int = 1) throws(OracleMismatch) {
        let messages = network.lines[client].down.prefix(count)
        guard !messages.isEmpty else { return }
        step = "client \(client) takes \(messages.count) messages"
        let waiting = network.lines[client].up.count
        network.deliverDown(client, count)
        if let message = clients[client].receive(messages) { try fail("unexpected message \(message)") }
        try checkSent(client, from: waiting)
        try check(client)
    }

    /// Delivers everything, client by client, until nothing is under way.
    mutating func settle(first: Int = 0) throws(OracleMismatch) {
        var isBusy = true
        while isBusy {
            isBusy = false
            for offset in clients.indices {
                let client = (first + offset) % clients.count
                if !network.lines[client].isConnected { try connect(client) }
                while !network.lines[client].up.isEmpty {
                    try deliverUp(client)
                    isBusy = true
                }
            }
            for client in clients.indices where !network.lines[client].down.isEmpty {
                try deliverDown(client, network.lines[client].down.count)
                isBusy = true
            }
        }
    }
}
