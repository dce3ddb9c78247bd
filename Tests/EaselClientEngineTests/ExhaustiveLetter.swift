import EaselClientEngine
import EaselCore

/// The edits whose combinations are all tried, on a canvas with a note P ("abc", x = 1) that holds a note C, and a rectangle Q
/// in front of P.
enum ExhaustiveLetter: CaseIterable, Sendable {
    case create, createInP
    /// One register, to a value of one's own and to one that others set too; and another register.
    case setX, setXSame, setY
    /// Two that form a cycle, and a way out.
    case putPInQ, putQInP, takeCOut
    case sendQToBack
    case deleteP, deleteC
    /// At one gap, over each other, and a word replaced.
    case insert, eraseAB, eraseBC, replaceB
    /// More of the same, for the long run.
    case unsetX, bringPToFront, deleteQ, insertAtStart

    /// Those whose pairs are tried in each run.
    static let few = allCases.filter { $0 != .unsetX && $0 != .bringPToFront && $0 != .deleteQ && $0 != .insertAtStart }

    /// Writes the edit as made by a client.
    func write(_ draft: inout TransactionDraft, _ canvas: ExhaustiveCanvas, client: Int) {
        let letter = client == 0 ? "x" : "y"
        switch self {
        case .create: draft.create(kind: "note", text: letter)
        case .createInP: draft.create(kind: "note", in: canvas.p, text: letter)
        case .setX: draft.set(canvas.p, PropertyKey("x"), .integer(Int64(10 + client)))
        case .setXSame: draft.set(canvas.p, PropertyKey("x"), .integer(7))
        case .unsetX: draft.set(canvas.p, PropertyKey("x"), nil)
        case .setY: draft.set(canvas.p, PropertyKey("y"), .integer(Int64(20 + client)))
        case .putPInQ: draft.put(canvas.p, into: canvas.q)
        case .putQInP: draft.put(canvas.q, into: canvas.p)
        case .takeCOut: draft.put(canvas.c, into: nil)
        case .bringPToFront: draft.bringToFront(canvas.p)
        case .sendQToBack: draft.sendToBack(canvas.q)
        case .deleteP: draft.delete([canvas.p])
        case .deleteQ: draft.delete([canvas.q])
        case .deleteC: draft.delete([canvas.c])
        case .insert: draft.insertText(letter + letter, at: 1, in: canvas.p)
        case .insertAtStart: draft.insertText(letter, at: 0, in: canvas.p)
        case .eraseAB: draft.deleteText(0..<2, in: canvas.p)
        case .eraseBC: draft.deleteText(1..<3, in: canvas.p)
        case .replaceB:
            draft.deleteText(1..<2, in: canvas.p)
            draft.insertText(letter, at: 1, in: canvas.p)
        }
    }
}

/// Two clients on the canvas that all cases start from, with empty histories.
struct ExhaustiveCanvas {
    let world: OracleWorld
    let p: ShapeID
    let c: ShapeID
    let q: ShapeID

    init() throws(OracleMismatch) {
        var world = OracleWorld(clients: 2)
        var made: [ShapeID] = []
        try world.edit(0, "Set up") { draft in
            let properties = Properties([(PropertyKey("x"), .integer(1))])
            let p = draft.create(kind: "note", properties: properties, text: "abc")
            made = [p, draft.create(kind: "note", in: p, text: "c"), draft.create(kind: "rectangle")]
        }
        try world.settle()
        world.clearHistories()
        self.world = world
        (p, c, q) = (made[0], made[1], made[2])
    }

    /// Existence and text, as everybody has them at the start.
    static func existence(_ canvas: Canvas) -> [String] {
        canvas.visibleShapes().map { "\($0.id) \($0.text.string)" }.sorted()
    }
}
