public import EaselCore
import EaselProtocol

/// Why an edit, undo or redo was not made. Nothing was changed.
public enum EditError: Error, Sendable, Equatable {
    /// The session may only look.
    case readOnly
    /// The edit is malformed.
    case malformed(Flaw)
    /// A single operation of it does not fit into one message; in an edit, all of them together. Undo and redo are cut into as
    /// many messages as they need.
    case tooLarge
    /// The view has changed since the version that the edit was made for, or it is another canvas.
    case stale
    /// The store was asked to edit, undo, redo, group or forget inside an edit's closure.
    case insideEdit
}

/// How edits that follow each other quickly become one action.
public enum Coalescing: Sendable, Equatable {
    /// Each edit is an action of its own.
    case none
    /// Adjacent typing, or adjacent deleting, in one text within half a second is one action.
    case typing
}

/// What an edit did.
public struct EditResult: Sendable {
    /// Whether anything changed; if not, nothing is sent and nothing can be undone.
    public let hasEffect: Bool
    /// Why parts were left out, for example since a shape was removed.
    public let problems: [Problem]
}

/// A state of one client's view of one canvas. Equal versions are the same state.
///
/// Whoever works on the canvas asynchronously (an import, a layout, a request to another service) keeps the version it started
/// from and gives it with the edit: if anything has changed since, the edit is refused and nothing happens.
public struct ViewVersion: Sendable, Equatable {
    let canvas: CanvasID
    let epoch: UInt64?
    let instance: SiteID
    let change: UInt64
}

extension ClientEngine {
    /// An open group: edits until its end are one action.
    struct Group: Sendable {
        let label: String
        var depth = 1
        var entry: UInt64?
    }

    /// Typing that later typing may join.
    struct Burst: Sendable {
        enum Kind: Sendable { case inserting, deleting }

        let kind: Kind
        let shape: ShapeID
        let entry: UInt64
        /// The character the caret stands behind.
        let caret: CharacterID?
        let time: UInt64

        /// Milliseconds within which typing joins.
        static let window: UInt64 = 500
    }

    /// Makes an edit: applies it to the view at once and sends it when it may be.
    ///
    /// - Parameters:
    ///   - label: its name for people, for example "Move Rectangle".
    ///   - origin: the number of the view it comes from, for the echo guard; 0 for none.
    ///   - history: where it can be undone; nil for nowhere.
    ///   - coalescing: whether it may join the typing before it.
    ///   - version: the view the edit was made for; if that has changed, the edit is refused. nil for any.
    ///   - now: milliseconds of a clock that never goes back; only for joining typing.
    ///   - body: writes the edit.
    public mutating func edit(
        _ label: String, from origin: UInt32 = 0, history: HistoryID? = .main, coalescing: Coalescing = .none,
        unchangedSince version: ViewVersion? = nil, now: UInt64 = 0,
        _ body: (inout TransactionDraft) -> Void
    ) throws(EditError) -> EditResult {
        var draft = try draft(unchangedSince: version)
        body(&draft)
        return try submit(
            draft, label, from: origin, history: history, coalescing: coalescing, now: now)
    }

    /// An empty draft on the view, to be given to `submit` before anything else changes the view.
    public func draft(unchangedSince version: ViewVersion? = nil) throws(EditError) -> TransactionDraft {
        guard role == .editor else { throw .readOnly }
        if let version, version != viewVersion { throw .stale }
        return TransactionDraft(canvas: view, identities: identities)
    }

    /// Makes the edit that was written to a draft: see `edit`.
    public mutating func submit(
        _ draft: TransactionDraft, _ label: String, from origin: UInt32 = 0, history: HistoryID? = .main,
        coalescing: Coalescing = .none, now: UInt64 = 0
    ) throws(EditError) -> EditResult {
        identities = draft.identities
        if let flaw = draft.flaw { throw .malformed(flaw) }
        let change = CanvasChange(origin: .edit(view: origin), before: view, after: draft.canvas)
        guard !change.shapes.isEmpty else { return EditResult(hasEffect: false, problems: draft.problems) }
        try Self.check(Transaction(operations: draft.operations, label: label))
        make(draft, label, from: origin, history, coalescing, now)
        reportHistories()
        report(change)
        return EditResult(hasEffect: true, problems: draft.problems)
    }

    /// Makes the transaction of a draft on the present view, without telling anybody yet.
    private mutating func make(
        _ draft: TransactionDraft, _ label: String, from origin: UInt32, _ history: HistoryID?,
        _ coalescing: Coalescing, _ now: UInt64
    ) {
        let history = history.flatMap { histories[$0.index].isClosed ? nil : $0 }
        let number = nextLocal
        nextLocal += 1
        var entry: UInt64 = 0
        if let history {
            entry = record(number, label, draft, history, coalescing, now)
        }
        let items = draft.operations.enumerated().map { index, operation in
            UndoStack.Item(operation, key: index, entry: entry)
        }
        pending.append(
            Pending(
                number: number, label: label, cause: .edit, view: origin, history: history, items: items, sentAs: nil))
        if let history {
            histories[history.index].stack.update(number, items: items, inverses: draft.inverses)
        }
        view = draft.canvas
    }

    /// Replaces everything by another canvas, as one action: see ``/EaselCore/TransactionDraft/replaceAll(with:)``.
    ///
    /// What does not fit into one message is made as several edits, of which others may see one before the next.
    ///
    /// - Parameters:
    ///   - label: its name for people.
    ///   - canvas: what there is afterwards.
    ///   - origin: the number of the view it comes from, for the echo guard; 0 for none.
    ///   - history: where it can be undone. nil makes a new baseline: then nothing done before can be undone either, in any
    ///     history.
    public mutating func replaceAll(
        _ label: String, with canvas: Canvas, from origin: UInt32 = 0, history: HistoryID? = .main
    ) throws(EditError) -> EditResult {
        var draft = try draft()
        draft.replaceAll(with: canvas)
        let change = try makeInParts(draft, label, from: origin, history)
        if history == nil {
            for index in histories.indices { forget(HistoryID(index: index)) }
        }
        reportHistories()
        if !change.shapes.isEmpty { report(change) }
        return EditResult(hasEffect: !change.shapes.isEmpty, problems: draft.problems)
    }

    /// Makes the edit that was written to a draft as one action, in as many transactions as it takes to fit into messages. The
    /// change is to be reported.
    mutating func makeInParts(
        _ draft: TransactionDraft, _ label: String, from origin: UInt32, _ history: HistoryID?
    ) throws(EditError) -> CanvasChange {
        let operations = draft.operations
        let change = CanvasChange(origin: .edit(view: origin), before: view, after: draft.canvas)
        guard !change.shapes.isEmpty else { return change }
        let ranges = try Self.parts(of: operations, operations.indices, label)
        identities = draft.identities
        if let history { beginGroup(label, history: history) }
        for range in ranges {
            var part = TransactionDraft(canvas: view, identities: identities)
            for operation in operations[range] { part.add(operation) }
            make(part, label, from: origin, history, .none, 0)
        }
        if let history { endGroup(history: history) }
        return change
    }

    /// What cannot be sent must not be made: the server would refuse it, or end the connection, again and again.
    static func check(_ transaction: Transaction) throws(EditError) {
        if let flaw = transaction.submissionFlaw { throw .malformed(flaw) }
        let room = ProtocolLimits.clientMessageBytes - ProtocolLimits.submissionHeadBytes
        if transaction.encode().count > room { throw .tooLarge }
    }

    /// Records an edit in a history, alone or joined, and returns its entry.
    private mutating func record(
        _ number: LocalNumber, _ label: String, _ draft: TransactionDraft, _ id: HistoryID,
        _ coalescing: Coalescing, _ now: UInt64
    ) -> UInt64 {
        let index = id.index
        if let group = histories[index].group {
            let entry = histories[index].stack.recordEdit(
                number, label: group.label, joining: group.entry, selection: draft.selection)
            histories[index].group?.entry = entry
            histories[index].burst = nil
            return entry
        }
        let step = coalescing == .typing ? Typing(draft, in: view) : nil
        var joined: UInt64?
        if let step, let burst = histories[index].burst, burst.entry == histories[index].stack.newestEntry,
            burst.accepts(step, now)
        {
            joined = burst.entry
        }
        let entry = histories[index].stack.recordEdit(number, label: label, joining: joined, selection: draft.selection)
        histories[index].burst = step.map {
            Burst(kind: $0.kind, shape: $0.shape, entry: entry, caret: $0.caretAfter, time: now)
        }
        return entry
    }
}

/// A draft that is one step of typing: an insertion, or a deletion of characters side by side.
private struct Typing {
    let kind: ClientEngine.Burst.Kind
    let shape: ShapeID
    /// The character the caret stood behind before, and stands behind after.
    let caretBefore: CharacterID?
    let caretAfter: CharacterID?

    init?(_ draft: TransactionDraft, in view: Canvas) {
        guard draft.operations.count == 1 else { return nil }
        switch draft.operations[0] {
        case .insertText(let id, let insertion):
            kind = .inserting
            shape = id
            caretBefore = insertion.left
            let range = insertion.range
            caretAfter = CharacterID(
                site: range.first.site, counter: range.first.counter + UInt64(range.count) - 1)
        case .hide(.deleted, .characters(let id, let ranges)):
            guard ranges.count == 1, let text = view[id]?.text, let offset = text.offset(of: ranges[0].first) else {
                return nil
            }
            kind = .deleting
            shape = id
            let range = ranges[0]
            caretBefore = CharacterID(
                site: range.first.site, counter: range.first.counter + UInt64(range.count) - 1)
            caretAfter = text.neighbours(at: offset).left
        default:
            return nil
        }
    }
}

extension ClientEngine.Burst {
    fileprivate func accepts(_ step: Typing, _ now: UInt64) -> Bool {
        kind == step.kind && shape == step.shape && caret == step.caretBefore && now >= time
            && now - time <= Self.window
    }
}
