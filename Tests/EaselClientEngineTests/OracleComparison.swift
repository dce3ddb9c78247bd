import EaselClientEngine
import EaselCore
import EaselProtocol

extension OracleWorld {
    /// Compares what a client put under way, behind the first `waiting` messages, with what it should have sent.
    mutating func checkSent(_ client: Int, from waiting: Int) throws(OracleMismatch) {
        var messages = network.lines[client].up.dropFirst(waiting).filter { message in
            if case .presence = message { return false }
            return true
        }[...]
        if !network.lines[client].isConnected { return }
        for sequence in clients[client].confirmations {
            try expect(messages.popFirst(), .confirm(sequence), "confirmation")
        }
        clients[client].confirmations = []
        for own in clients[client].resends {
            guard case .submit(let submission)? = messages.popFirst() else {
                try fail("\(own.label) is not sent again")
            }
            try expect(submission.sequence, own.sent, "number when sent again")
            try checkContent(submission, own.items.map { $0.operation }, own)
        }
        clients[client].resends = []
        for _ in 0..<clients[client].dueCount() { try checkNew(client, messages.popFirst()) }
        if let message = messages.first { try fail("sends \(message)") }
    }

    private mutating func checkNew(_ client: Int, _ message: ClientMessage?) throws(OracleMismatch) {
        guard let index = clients[client].pending.firstIndex(where: { $0.sent == nil }) else { return }
        guard case .submit(let submission)? = message else {
            try fail("\(clients[client].pending[index].label) is not sent")
        }
        if let highest = clients[client].highestSent, submission.sequence <= highest {
            try fail("number \(submission.sequence) after \(highest)")
        }
        clients[client].highestSent = submission.sequence
        clients[client].markSent(index, as: submission.sequence)
        let own = clients[client].pending[index]
        try checkContent(submission, own.items.map { $0.operation }, own)
    }

    private func checkContent(
        _ submission: Submission, _ operations: [Operation], _ own: OracleClient.Own
    ) throws(OracleMismatch) {
        let transaction = submission.transaction
        try expect(transaction.operations.map { $0.words }, operations.map { $0.words }, "content of \(own.label)")
        try expect(transaction.label, own.label, "label")
        try expect(transaction.cause, own.cause, "cause")
    }

    /// Checks what a writer names besides what it was asked to change: neighbours of text, shapes inside what is deleted.
    func checkWriter(of operation: Operation, _ canvas: OracleCanvas) throws(OracleMismatch) {
        switch operation {
        case .insertText(let id, let insertion):
            let text = canvas[id]?.text ?? []
            let left = insertion.left.flatMap { left in text.firstIndex { $0.id == left } }
            if let left { try expect(text[left].flags.isVisible, true, "TX-09: the left neighbour is visible") }
            let behind = left.map { $0 + 1 } ?? 0
            try expect(insertion.right, behind < text.count ? text[behind].id : nil, "TX-09: right neighbour")
        case .hide(.deleted, .shapes(let ids)):
            for shape in canvas.shapes where shape.flags.isVisible && !ids.contains(shape.id) {
                let chain = canvas.chain(shape.id)
                if let outer = chain.first(where: { ids.contains($0) }) {
                    try fail("OP-04: \(shape.id) stays in \(outer)")
                }
            }
        default: return
        }
    }

    /// Compares everything that can be asked of a client.
    func check(_ client: Int) throws(OracleMismatch) {
        let engine = network.clients[client]
        let oracle = clients[client]
        let replay = oracle.replay()
        if oracle.pending.isEmpty {
            try expect(engine.confirmed.digest, engine.view.digest, "digests with nothing pending")
        } else {
            try compare(engine.confirmed, replay.confirmed, "confirmed")
        }
        try compare(engine.view, replay.view, "view")
        let picture = OraclePicture(replay.view)
        if !picture.isShown(by: engine.view) {
            try expectLines(OraclePicture.words(of: engine.view), picture.words, "what is seen")
        }
        try expect(engine.pendingCount, oracle.pending.count, "pending")
        let state = engine.historyState()
        try expect(state.undoCount, oracle.undoStack.count, "undo count")
        try expect(state.redoCount, oracle.redoStack.count, "redo count")
        let labels = oracle.undoStack.reversed().map { oracle.entries[$0]?.label ?? "" }
        try expect(engine.undoLabels(), labels, "labels")
        let attempts = (undo: oracle.attempt(.undo, replay, picture), redo: oracle.attempt(.redo, replay, picture))
        let (undo, redo) = (attempts.undo.press, attempts.redo.press)
        try expect(engine.preview(.undo).purged, attempts.undo.purged, "what undo says is gone for good")
        try expect(engine.preview(.redo).purged, attempts.redo.purged, "what redo says is gone for good")
        try expect(state.undoLabel, undo?.label, "undo label")
        try expect(state.redoLabel, redo?.label, "redo label")
        try expect(state.canUndo, undo != nil, "canUndo")
        try expect(state.canRedo, redo != nil, "canRedo")
    }

    private func compare(_ engine: Canvas, _ oracle: OracleCanvas, _ what: String) throws(OracleMismatch) {
        let stored = OracleCanvas(engine)
        if !stored.isEqual(to: oracle) { try expectLines(stored.words, oracle.words, what) }
    }

    private func expectLines(_ engine: [String], _ oracle: [String], _ what: String) throws(OracleMismatch) {
        if engine == oracle { return }
        let missing = oracle.filter { !engine.contains($0) }
        let surplus = engine.filter { !oracle.contains($0) }
        if missing.isEmpty, surplus.isEmpty { try fail("\(what): order is \(engine), oracle has \(oracle)") }
        try fail("\(what): engine has \(surplus), oracle has \(missing)")
    }

    /// Compares all clients, and the server with the replayed log.
    func checkAll() throws(OracleMismatch) {
        for client in clients.indices { try check(client) }
    }

    /// P21: everybody holds what the server holds, when nothing is under way.
    func checkConvergence() throws(OracleMismatch) {
        for (index, client) in network.clients.enumerated() {
            try expect(client.confirmed.digest, network.canvas.digest, "digest of client \(index)")
            try expect(client.view.digest, network.canvas.digest, "digest of the view of client \(index)")
            try expect(client.pendingCount, 0, "pending of client \(index)")
        }
        let oracle = clients[0].replay().confirmed
        try compare(network.canvas, oracle, "server")
        for parent in [nil] + oracle.shapes.map({ Optional($0.id) }) {
            let children = oracle.children(of: parent).map { $0.id }
            try expect(network.canvas.children(of: parent).map { $0.id }, children, "order of siblings")
        }
    }
}

extension PressResult {
    /// The shapes of which it says that something is gone for good.
    fileprivate var purged: Set<ShapeID> {
        let remarks: [Remark]
        switch self {
        case .nothing(let all): remarks = all
        case .done(let report): remarks = report.remarks
        }
        return Set(remarks.filter { $0.reason == .purged }.map { $0.shape })
    }
}
