import EaselClientEngine
import EaselCore
import EaselPlay
import EaselProtocol

/// Two people and a note. Clients and server are the real engines; network, disk and clock are simulated, so that the story
/// always takes the same course.
struct Story {
    private static let color: PropertyKey = PropertyKey("color")
    private static let x: PropertyKey = PropertyKey("x")

    private var room = Simulation()
    private let ana: Int
    private let rui: Int
    private let note: ShapeID

    /// Both have come and see the note. It is in nobody's history.
    init() throws {
        ana = room.addClient(name: "Ana")
        rui = room.addClient(name: "Rui")
        room.settle()
        let properties = Properties([(Self.color, .string("black")), (Self.x, .integer(0))])
        note = try room.act(ana) { client in
            var draft = try client.draft()
            let note = draft.create(kind: "note", properties: properties, text: "Hi")
            _ = try client.submit(draft, "Create", history: nil)
            return note
        }
        room.settle()
        // Who is there is told a little later than what is drawn.
        room.advance(by: 1_000)
        room.settle()
    }

    mutating func restoreMine() throws {
        print("Restore mine")
        try edit(ana, "Paint red") { $0.set($1, Self.color, .string("red")) }
        try edit(rui, "Paint green") { $0.set($1, Self.color, .string("green")) }
        try press(.undo, ana)
        try press(.redo, ana)
    }

    mutating func perProperty() throws {
        print("\nOnly what is mine")
        try edit(ana, "Move") { $0.set($1, Self.x, .integer(5)) }
        try edit(rui, "Paint blue") { $0.set($1, Self.color, .string("blue")) }
        try press(.undo, ana)
    }

    mutating func yield() throws {
        print("\nYield to others")
        room.act(ana) { client in
            client.clearHistory(.main)
            client.setUndoPolicy(UndoPolicy(overwritten: .yieldToRemote))
        }
        try edit(ana, "Paint red and move") {
            $0.set($1, [PropertyChange(Self.color, .string("red")), PropertyChange(Self.x, .integer(9))])
        }
        try edit(rui, "Paint white") { $0.set($1, Self.color, .string("white")) }
        try press(.undo, ana)
        room.act(ana) { client in client.setUndoPolicy(UndoPolicy()) }
    }

    mutating func deleteHides() throws {
        print("\nDelete hides")
        try edit(ana, "Delete", isSeen: false) { $0.delete([$1]) }
        try edit(rui, "Type") { $0.insertText(" Ana", at: 2, in: $1) }
        try press(.undo, ana)
    }

    mutating func passOver() throws {
        print("\nSteps without effect are passed over")
        try edit(ana, "Move") { $0.set($1, Self.x, .integer(7)) }
        try edit(ana, "Type") { $0.insertText("!", at: 6, in: $1) }
        try edit(rui, "Erase") { $0.deleteText(6..<7, in: $1) }
        try press(.undo, ana)
        try press(.redo, ana)
    }

    mutating func sayWhy() throws {
        print("\nWhere nothing would change, nothing is touched")
        try edit(rui, "Delete") { $0.delete([$1]) }
        try press(.undo, ana)
        try press(.undo, rui)
    }

    // MARK: What each person does

    /// Makes an edit. Everybody sees it, unless the network is to be slow.
    private mutating func edit(
        _ person: Int, _ label: String, isSeen: Bool = true, _ body: (inout TransactionDraft, ShapeID) -> Void
    ) throws {
        let note = note
        _ = try room.act(person) { client in try client.edit(label) { draft in body(&draft, note) } }
        if isSeen { room.settle() }
        print("  \(name(person)): \(label)\(isSeen ? "" : ", not seen by others yet")")
        if isSeen { printNote() }
    }

    /// Looks at what a press would do, then presses.
    private mutating func press(_ direction: PressDirection, _ person: Int) throws {
        let preview = room.client(person).preview(direction)
        print("  \(name(person)) is told:")
        for line in Sentences.of(preview, direction, room.client(person).participants) { print("    | \(line)") }

        let result = try room.act(person) { client in
            direction == .undo ? try client.undo() : try client.redo()
        }
        precondition(result == preview, "a press does what its preview said")
        room.settle()
        printNote()
    }

    private func name(_ person: Int) -> String { room.client(person).presence.name }

    private func printNote() {
        let digests = [room.client(ana), room.client(rui)].map { $0.view.digest }
        precondition(digests.allSatisfy { $0 == room.serverCanvas.digest }, "everybody sees the same")
        guard let shape = room.serverCanvas[note], shape.isVisible else { return print("      -> hidden") }
        guard case .string(let color) = shape[Self.color], case .integer(let x) = shape[Self.x] else { return }
        print("      -> \(color), x \(x), \"\(shape.text.string)\"")
    }
}
