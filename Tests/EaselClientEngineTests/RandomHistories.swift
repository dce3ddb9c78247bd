import EaselClientEngine
import EaselCore
import EaselPlay
import EaselProtocol

/// A random history from one seed over a ``TestNetwork``: clients edit, undo and redo while messages are late, refused and
/// lost.
struct RandomHistory {
    var network = TestNetwork(clients: 3)
    var editor: RandomEditor
    let steps: Int
    private let refusalPercent: Int
    private let refusals: SeededRandom

    init(seed: UInt64, steps: Int, refusalPercent: Int = 0, _ repertoire: RandomEditor.Repertoire = .everything) {
        self.steps = steps
        editor = RandomEditor(seed: seed, repertoire)
        self.refusalPercent = refusalPercent
        refusals = SeededRandom(seed: seed ^ 0xABCD)
        refuse()
    }

    private mutating func refuse() {
        var refusals = refusals
        let percent = refusalPercent
        if percent > 0 { network.refuses = { _, _ in refusals.chance(percent) ? .malformed : nil } }
    }

    /// Puts a note with the text "ab" on the canvas, which everybody sees and nobody can undo.
    mutating func makeText() -> ShapeID? {
        network.refuses = { _, _ in nil }
        var made: ShapeID?
        network.edit(0, "Create") { made = $0.create(kind: "note", text: "ab") }
        network.settle()
        network.clients[0].clearHistory(.main)
        refuse()
        return made
    }

    mutating func run() {
        for _ in 0..<steps { step() }
    }

    mutating func step() {
        let client = editor.random.below(3)
        if editor.random.chance(50) {
            if editor.random.chance(50) {
                network.deliverUp(client)
            } else {
                network.deliverDown(client, 1 + editor.random.below(3))
            }
        } else if editor.random.chance(1) {
            if network.lines[client].isConnected { network.disconnect(client) } else { network.connect(client) }
        } else {
            _ = editor.act(on: &network.clients[client])
            network.collect(client)
        }
    }

    /// Ends refusals and delivers everything.
    mutating func settle() {
        network.refuses = { _, _ in nil }
        network.settle()
    }

    /// A text that tells everything about a canvas, hidden state included.
    static func describe(_ canvas: Canvas) -> String {
        var lines: [String] = []
        canvas.forEachShape { shape in
            let head =
                "\(shape.id) \(shape.kind) in \(shape.parent?.rawValue ?? "-") at \(shape.order) causes \(shape.causes.rawValue)"
            let properties = shape.properties.map { "\($0.key.rawValue)=\($0.value)" }.joined(separator: " ")
            lines.append("\(head) \(properties) \"\(shape.text.string)\" of \(shape.text.count)")
        }
        return lines.sorted().joined(separator: "\n")
    }
}
