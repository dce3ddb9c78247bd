import EaselCore
import EaselProtocol

/// What must be so, and for whom. What is nil or empty is not looked at.
struct Expectation: Sendable {
    /// Whether it is said of everybody; those whose process was killed are then left out.
    let isAll: Bool
    /// The clients it is said of.
    let clients: [Int]
    /// Whether it is said of the server's canvas, too.
    let includesServer: Bool
    /// What holds for shapes, by name.
    let shapes: [(name: String, facts: ShapeFacts)]
    /// The visible shapes directly on the canvas, rearmost first.
    let order: [String]?
    /// What holds for a history of each client.
    let history: HistoryFacts
    /// What holds for each client besides.
    let client: ClientFacts
    /// Whether all canvases are the same.
    let equal: Bool?
}

/// What must hold for one shape. What is nil is not looked at.
struct ShapeFacts: Sendable {
    let visible: Bool?
    let kind: String?
    /// The registers looked at; nil means absent.
    let properties: [PropertyChange]
    let text: String?
    /// The nearest living parent; an inner nil is the canvas.
    let parent: String??
    /// The visible shapes directly in it, rearmost first.
    let children: [String]?
}

/// What must hold for a history. What is nil is not looked at; an inner nil says that there is no such action.
struct HistoryFacts: Sendable {
    /// The history's name.
    let name: String
    let canUndo: Bool?
    let canRedo: Bool?
    let undoLabel: String??
    let redoLabel: String??
    let undoCount: Int?
    let redoCount: Int?
    /// What a press of undo would do now.
    let undoPreview: PressFacts?
    /// What a press of redo would do now.
    let redoPreview: PressFacts?
    /// How often somebody who shows the history was told that it may have changed.
    let events: Int?
    /// Most bytes it may keep.
    let retainedBytesAtMost: Int?

    var isEmpty: Bool {
        canUndo == nil && canRedo == nil && undoLabel == nil && redoLabel == nil && undoCount == nil && redoCount == nil
            && undoPreview == nil && redoPreview == nil && events == nil && retainedBytesAtMost == nil
    }
}

/// What must hold for a client. What is nil or empty is not looked at.
struct ClientFacts: Sendable {
    /// Number of transactions that are not acknowledged.
    let pending: Int?
    /// Number of transactions sent so far.
    let sent: Int?
    /// Numbers of changes delivered to views so far.
    let changes: [(view: UInt32, count: Int)]
    let role: Role?

    var isEmpty: Bool { pending == nil && sent == nil && changes.isEmpty && role == nil }
}

/// What a press must do. What is nil is not looked at.
struct PressFacts: Sendable {
    let outcome: Outcome
    /// The names of the actions it passes over.
    let passed: [String]?
    /// What it has to say of what others did.
    let remarks: [RemarkFacts]?
    /// What is selected after it; an inner nil says that nothing is said of that.
    let selection: SelectionFacts??

    /// What a press does.
    enum Outcome: Sendable, Equatable {
        /// It changes something visible.
        case something
        /// It changes nothing.
        case nothing
        /// It changes something visible that has this name.
        case named(String)
    }
}

/// What must hold for one thing that a press has to say of what others did. What is nil is not looked at.
struct RemarkFacts: Sendable {
    let reason: Remark.Reason
    let shape: String
    let keys: [PropertyKey]?
    /// The clients that did it.
    let clients: [Int]?
}
