import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol

/// One step of a scenario. Clients are indices into `Scenario.clients`; shapes, histories and marks go by the names the
/// scenario gives them.
enum ScenarioStep: Sendable {
    /// A client makes an edit.
    case edit(client: Int, ScenarioEdit, EditTerms)
    /// A client replaces everything on the canvas in bulk. No history: a new baseline.
    case replace(client: Int, [ReplacementShape], label: String, history: String?)
    /// A client presses undo or redo.
    case press(client: Int, PressDirection, history: String, PressFacts)
    /// A client does something to one of its histories.
    case history(client: Int, HistoryStep, history: String)
    /// A client remembers the version of what it shows.
    case mark(client: Int, name: String)
    /// Clients lose their connection, until they are connected again.
    case disconnect(clients: [Int])
    /// Clients get a connection again.
    case connect(clients: [Int])
    /// What is sent to or by clients is held from now on.
    case hold(clients: [Int], Direction)
    /// What is held is delivered: `count` messages of it, or all of it and no more is held.
    case release(clients: [Int], Direction, count: Int?)
    /// The oldest message that a client sent and that is held reaches the server twice.
    case duplicate(client: Int)
    /// The processes of clients end without warning.
    case kill(clients: [Int])
    /// Clients that were killed start again on what they had saved, with their canvas or without.
    case revive(clients: [Int], includesCanvas: Bool)
    /// The server is killed and started again on what it has stored.
    case restart
    /// What the server stores waits from now on.
    case holdDisk
    /// `count` appends reach the disk, or all and no more wait.
    case releaseDisk(count: Int?)
    /// The appends that wait fail. The oldest may have reached the disk all the same.
    case failDisk(keepsFirst: Bool)
    /// The server refuses the next transaction of a client.
    case refuse(client: Int)
    /// The server removes what is hidden for good: shapes, or characters of their texts.
    case purge(shapes: [String], isText: Bool)
    /// The server changes what clients may do.
    case role(Role, clients: [Int])
    /// Milliseconds pass.
    case wait(milliseconds: UInt64)
    /// Something must be so.
    case expect(Expectation)

    /// Which way messages go, seen from a client.
    enum Direction: Sendable {
        case up
        case down
        case both

        /// The single directions it stands for.
        var parts: [MessageDirection] {
            switch self {
            case .up: [.up]
            case .down: [.down]
            case .both: [.up, .down]
            }
        }
    }
}

/// What a client does to one of its histories besides editing and pressing.
enum HistoryStep: Sendable {
    /// Opens a group of edits.
    case begin(label: String)
    /// Closes the innermost open group.
    case end
    /// Takes back what was done since the outermost open group began, and forgets it.
    case cancel
    /// Forgets what could be undone and redone.
    case clear
    /// Forgets what could be undone.
    case clearUndo
    /// Forgets what could be redone.
    case clearRedo
    /// Its editor was closed.
    case close
    /// How many actions are kept; 0 for no limit.
    case levels(Int)
    /// How many bytes are kept; 0 for no limit.
    case bytes(Int)
    /// What a press does about what others did.
    case policy(UndoPolicy)
}

/// What a client does to the canvas.
enum ScenarioEdit: Sendable {
    case create(name: String, kind: String, parent: String?, properties: Properties, text: String)
    case set(shape: String, [PropertyChange])
    case delete(shapes: [String])
    /// Shows shapes that were deleted, by hand and not by undo.
    case show(shapes: [String])
    case type(String, shape: String, offset: Int)
    case erase(count: Int, shape: String, offset: Int)
    case put(shape: String, parent: String?)
    case reorder(shape: String, Reordering)

    /// A step in the order of siblings.
    enum Reordering: String, Sendable {
        case front
        case back
        case forward
        case backward
    }
}

/// How an edit is made.
struct EditTerms: Sendable {
    /// Its name in undo menus.
    let label: String
    /// The number of the view it comes from; 0 for none.
    let view: UInt32
    /// The name of the history it is recorded in; nil for none.
    let history: String?
    /// Whether it may join the typing before it.
    let coalescing: Coalescing
    /// What was selected before and after it; nil if nothing is said of that.
    let selection: SelectionTerms?
    /// The name of the mark since which the view must be unchanged; nil if that does not matter.
    let mark: String?
    /// What it must come to.
    let effect: Effect

    /// What an edit comes to.
    enum Effect: String, Sendable {
        /// It changes something.
        case something
        /// It changes nothing.
        case nothing
        /// It is refused, since the view changed after the mark.
        case stale
    }
}

/// What was selected before and after an edit.
struct SelectionTerms: Sendable {
    let before: SelectionFacts?
    let after: SelectionFacts?
}

/// A selection: shapes, or a part of a text by visible characters. A caret is a part of no characters.
enum SelectionFacts: Sendable {
    case shapes([String])
    case text(shape: String, anchor: Int, head: Int)
}

/// One of the shapes that replace everything.
struct ReplacementShape: Sendable {
    /// Its name: that of a shape made before, which then stays the same shape, or a new one.
    let name: String
    let kind: String
    let properties: Properties
    let text: String
}
