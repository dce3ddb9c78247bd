/// What must hold in every history. The numbers are those of the contracts and of the study of undo with others.
enum Law: Int, CaseIterable, Sendable {
    case order
    case convergence
    case invariants
    case untouched
    case neutral
    case neutralDelivered
    case values
    case everyoneUndoes
    case visible
    case redoLives
    case announced
    case cancelled
    case bounded
    case refusal
    case echo
    case emptyPress
    case deleteOrder
    case deleterUndoes
    case inverse
    case durable
    case kept
    case saved
    case readOnly
    case purged
    /// What a test demands.
    case injected

    /// What it demands, with the numbers it goes by.
    var sentence: String {
        switch self {
        case .order: "no session breaks off"
        case .convergence: "P21, UR-245: all replicas are equal once everything is delivered"
        case .invariants: "the parts of a canvas agree with each other"
        case .untouched: "P1, UR-243: a press changes nothing that the presser never touched"
        case .neutral: "P2, UR-240, UR-247: k undos and k redos change nothing, hidden state and stacks included"
        case .neutralDelivered: "P2: k undos and k redos change nothing once delivered, if nothing unseen came in front"
        case .values: "P3, UR-029: a press puts back the value just before mine in the server's order"
        case .everyoneUndoes: "P8, UR-241: everyone undoing everything returns to the start"
        case .visible: "P9, UR-242: a press that does something changes something visible"
        case .redoLives: "P10: only a new edit of one's own that changes something ends redo"
        case .announced: "P11: undo and redo do what canUndo and canRedo announced"
        case .cancelled: "P12: giving up a group restores what stood before it and leaves no redo"
        case .bounded: "P13: a history keeps no more actions and bytes than its limits"
        case .refusal: "P15: a refusal removes only its own action"
        case .echo: "P16: own commits come back once and change nothing in the view; an action is one change"
        case .emptyPress: "P20, UR-246: a press that does nothing touches nothing and sends nothing"
        case .deleteOrder: "UR-244: the server's order does not matter for deletions and their undo"
        case .deleterUndoes: "UR-248: presses of others do not keep a deletion from being undone"
        case .inverse: "the inverse of an inverse leads back"
        case .durable: "what is shown or acknowledged is in the log, and nothing is there twice"
        case .saved: "P15: who is killed and returns has its histories and its pending work"
        case .readOnly: "P19: who may only look can change nothing, and keeps what could be undone"
        case .purged: "a purge takes nothing that can be seen, and nothing that was purged comes back"
        case .kept: "acknowledged work is on the server's canvas"
        case .injected: "a law of a test"
        }
    }
}

/// A law that a history breaks.
struct LawBreach: Sendable {
    let law: Law
    /// What is wrong.
    let sentence: String
}

/// What was done and looked at, so that a reader can see that something was tested.
struct LawTally: Sendable {
    var steps = 0
    var presses = 0
    var refusals = 0
    var reconnects = 0
    var restarts = 0
    /// How often each law was checked.
    private(set) var checks = [Int](repeating: 0, count: Law.allCases.count)

    mutating func count(_ law: Law) { checks[law.rawValue] += 1 }

    /// How often a law was checked.
    func checks(of law: Law) -> Int { checks[law.rawValue] }

    static func += (left: inout LawTally, right: LawTally) {
        left.steps += right.steps
        left.presses += right.presses
        left.refusals += right.refusals
        left.reconnects += right.reconnects
        left.restarts += right.restarts
        for index in left.checks.indices { left.checks[index] += right.checks[index] }
    }

    /// One line for people.
    var description: String {
        let total = checks.reduce(0, +)
        return "\(steps) steps, \(presses) presses, \(refusals) refusals, \(reconnects) reconnects, "
            + "\(restarts) restarts, \(total) checks of \(checks.count { $0 > 0 }) laws"
    }
}
