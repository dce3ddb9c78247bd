import EaselClientEngine
import EaselCore

/// A story of several clients on one canvas, read from a file: `protocol/SCENARIOS.md` has the language.
struct Scenario: Sendable {
    /// The file it was read from, as messages name it.
    let file: String
    /// Its name, for example `UR-023`.
    let id: String
    /// One line that says what it shows.
    let title: String
    /// The names of the clients; steps use their index.
    let clients: [String]
    /// Whether its header says that it needs the simulation.
    let needsSimulation: Bool
    /// What happens, in order.
    let lines: [Line]

    /// Why it cannot be played with a real server, as a sentence; nil if it can.
    var obstacle: String? {
        if needsSimulation { return "\(file): its header says that it needs the simulation" }
        for line in lines {
            switch line.step {
            case .hold, .release: return "\(file):\(line.number): deliveries of a real server cannot be held"
            case .restart: return "\(file):\(line.number): a real server cannot be restarted from here"
            default: continue
            }
        }
        return nil
    }

    /// A step with the number of its line in the file, from 1.
    struct Line: Sendable {
        let number: Int
        let step: ScenarioStep
    }
}

/// One step of a scenario. Clients are indices into `Scenario.clients`, shapes go by the names the scenario gives them.
enum ScenarioStep: Sendable {
    /// A client makes an edit.
    case edit(client: Int, ScenarioEdit, EditTerms)
    /// A client presses undo or redo.
    case press(client: Int, Press, PressOutcome)
    /// A client opens a group of edits.
    case begin(client: Int, label: String)
    /// A client closes the innermost open group.
    case end(client: Int)
    /// A client forgets what it could undo.
    case clearHistory(client: Int)
    /// Clients lose their connection, until they are connected again.
    case disconnect(clients: [Int])
    /// Clients get a connection again.
    case connect(clients: [Int])
    /// What is sent to or by clients is held from now on.
    case hold(clients: [Int], Direction)
    /// What is held is delivered: `count` frames of it, or all of it and no more is held.
    case release(clients: [Int], Direction, count: Int?)
    /// The server is killed and started again on what it has stored.
    case restart
    /// Milliseconds pass.
    case wait(milliseconds: UInt64)
    /// Something must be so.
    case expect(Expectation)

    /// Which button is pressed.
    enum Press: Sendable {
        case undo
        case redo
    }

    /// What a press must do.
    enum PressOutcome: Sendable, Equatable {
        /// Change something visible.
        case something
        /// Change nothing.
        case nothing
        /// Change something visible that has this name.
        case named(String)
    }

    /// Which way frames go, seen from a client.
    enum Direction: Sendable {
        case up
        case down
        case both

        var includesUp: Bool { self != .down }
        var includesDown: Bool { self != .up }
    }
}

/// What a client does to the canvas.
enum ScenarioEdit: Sendable {
    case create(name: String, kind: String, parent: String?, properties: Properties, text: String)
    case set(shape: String, [PropertyChange])
    case delete(shapes: [String])
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
    /// Whether it is recorded in the client's history.
    let isRecorded: Bool
    /// Whether it may join the typing before it.
    let coalescing: Coalescing
    /// Whether it must change something; if not, it must change nothing.
    let hasEffect: Bool
}

/// What must be so, and for whom.
struct Expectation: Sendable {
    /// The clients it is said of.
    let clients: [Int]
    /// Whether it is said of the server's canvas, too.
    let includesServer: Bool
    /// What holds for shapes, by name.
    let shapes: [(name: String, facts: ShapeFacts)]
    /// The visible shapes directly on the canvas, rearmost first.
    let order: [String]?
    /// What holds for each client's history.
    let history: HistoryFacts
    /// Number of transactions of each client that are not acknowledged.
    let pending: Int?
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
    let canUndo: Bool?
    let canRedo: Bool?
    let undoLabel: String??
    let redoLabel: String??
    let undoCount: Int?
    let redoCount: Int?

    var isEmpty: Bool {
        canUndo == nil && canRedo == nil && undoLabel == nil && redoLabel == nil && undoCount == nil && redoCount == nil
    }
}
