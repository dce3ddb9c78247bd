import EaselClientEngine
import EaselCore

/// What a random history is like.
struct RandomPlayTerms: Sendable, Equatable {
    /// Most clients unless told otherwise.
    static let mostClients = 8

    let clients: Int
    let repertoire: RandomEditor.Repertoire
    /// Whether people have two histories.
    let hasTwoHistories: Bool
    /// The limit of histories; nil for the usual one.
    let levels: Int?
    /// The bytes that histories may keep; nil for any number.
    let bytes: Int?
    /// Whether people are made viewers and editors again.
    let hasRoles: Bool
    /// Whether processes end and start again.
    let hasKills: Bool
    /// Whether the server purges what is hidden now and then.
    let hasPurges: Bool
    /// Whether everyone undoes everything in the end.
    let endsAtStart: Bool

    /// Draws what a history is like.
    ///
    /// - Parameters:
    ///   - clients: how many there are; nil for 2 to 8.
    init(_ random: inout SeededRandom, clients: Int?) {
        let count = 2 + random.below(Self.mostClients - 1)
        self.clients = clients ?? count
        let draw = random.below(100)
        repertoire = draw < 85 ? .everything : draw < 95 ? .existenceAndText : .oneText
        endsAtStart = repertoire != .everything
        hasTwoHistories = random.chance(25)
        levels = endsAtStart ? 0 : random.chance(20) ? 1 + random.below(6) : nil
        bytes = !endsAtStart && random.chance(8) ? 500 + random.below(4_000) : nil
        hasRoles = random.chance(12)
        hasKills = random.chance(15)
        hasPurges = random.chance(25)
    }
}

/// Writes random histories: each step is chosen in view of what the steps before it led to, with all its choices made.
struct RandomPlayWriter: Sendable {
    /// How often things happen, percent of the steps.
    struct Rates: Sendable {
        /// A connection is cut, or one that was cut comes back.
        var disconnect = 2
        /// The server dies and starts again.
        var restart = 1
        /// Appends fail.
        var storage = 1
        /// A client's next transaction is refused.
        var refusal = 1
        /// A law is tried out on a copy.
        var probe = 1
        /// Something else is done to a history than editing and pressing.
        var history = 4
        /// A client's process ends, in histories where that happens.
        var kill = 2
        /// The server purges something, in histories where that happens.
        var purge = 12
        /// A client becomes a viewer or an editor, in histories where that happens.
        var role = 4
        /// Something is delivered.
        var delivery = 50

        /// The usual mix.
        init() {}
    }

    let terms: RandomPlayTerms
    private let rates: Rates
    private let steps: Int
    private var editor: RandomEditor
    private var next = 0

    /// The history that belongs to a seed.
    init(seed: UInt64, steps: Int, clients: Int?, rates: Rates = Rates()) {
        var random = SeededRandom(seed: seed)
        terms = RandomPlayTerms(&random, clients: clients)
        editor = RandomEditor(seed: random.next(), terms.repertoire)
        self.steps = steps
        self.rates = rates
    }

    /// The next step, given where the steps so far have led; nil at the end.
    mutating func step(_ player: RandomPlayer) -> RandomPlayStep? {
        defer { next += 1 }
        if next < terms.clients, let levels = terms.levels { return .limit(client: next, levels: levels) }
        if next < terms.clients, let bytes = terms.bytes { return .budget(client: next, bytes: bytes) }
        let number = next - (terms.levels == nil && terms.bytes == nil ? 0 : terms.clients)
        if number < steps { return randomStep(number, player) }
        if number == steps, terms.endsAtStart {
            return .undoEverything(isRacing: editor.random.chance(50), seed: editor.random.next())
        }
        return nil
    }

    private mutating func chance(_ percent: Int) -> Bool { editor.random.chance(percent) }

    private mutating func below(_ bound: Int) -> Int { editor.random.below(bound) }

    private mutating func randomStep(_ number: Int, _ player: RandomPlayer) -> RandomPlayStep {
        let client = below(terms.clients)
        if chance(rates.disconnect) {
            return player.people[client].isOffline ? .connect(client: client) : .disconnect(client: client)
        }
        if player.people[client].isOffline, chance(5) { return .connect(client: client) }
        if terms.hasKills, player.people[client].saved != nil { return .revive(client: client, hasCanvas: chance(70)) }
        if terms.hasKills, chance(rates.kill) { return .kill(client: client) }
        if terms.hasRoles, chance(rates.role) { return .role(client: client, isViewer: chance(40)) }
        if terms.hasPurges, chance(rates.purge), let purge = purge(player) { return purge }
        if chance(rates.restart) { return .restart }
        if chance(rates.storage) { return .fail(isKept: chance(50)) }
        if chance(rates.refusal) { return .refuse(client: client) }
        if chance(rates.probe) { return .probe(probe(client)) }
        if chance(rates.delivery) { return delivery(client) }
        let history = terms.hasTwoHistories && chance(30) ? 1 : 0
        if chance(rates.history) { return groupStep(client, number, history, player) }
        switch below(10) {
        case 0...1: return .press(client: client, .undo, history: history)
        case 2: return .press(client: client, .redo, history: history)
        default: return edit(client, number, history, player)
        }
    }

    /// Names most of what is hidden on the server, shapes or texts, and a few others; nil if nothing is hidden.
    private mutating func purge(_ player: RandomPlayer) -> RandomPlayStep? {
        var shapes: [Shape] = []
        player.simulation.serverCanvas.forEachShapeBySibling { shapes.append($0) }
        let texts = shapes.filter { $0.text.visibleCount + $0.text.purgedCount < $0.text.count }
        let hidden = shapes.filter { !$0.isVisible }
        let isText = hidden.isEmpty || !texts.isEmpty && chance(50)
        let meant = Set((isText ? texts : hidden).map(\.id))
        guard !meant.isEmpty else { return nil }
        let share = 60 + below(60)
        let named = shapes.filter { chance(meant.contains($0.id) ? share : 8) }.compactMap { player.numbers[$0.id] }
        return named.isEmpty ? nil : .purge(shapes: named, isText: isText)
    }

    private mutating func edit(
        _ client: Int, _ number: Int, _ history: Int, _ player: RandomPlayer
    ) -> RandomPlayStep {
        let chosen = editor.choose(in: player.simulation.stations[client].engine.view)
        guard let edit = chosen.renamed({ player.numbers[$0] }) else {
            preconditionFailure("every shape in a view was created by a step")
        }
        var manner = RandomPlayStep.Manner(history: history, view: UInt32(below(3)))
        if !terms.endsAtStart, chance(3) { manner.history = nil }
        switch edit {
        case .type, .erase: manner.isTyping = chance(40)
        default: break
        }
        return .edit(client: client, number: number, edit, manner)
    }

    private mutating func groupStep(
        _ client: Int, _ number: Int, _ history: Int, _ player: RandomPlayer
    ) -> RandomPlayStep {
        if !terms.endsAtStart, chance(5) { return .clear(client: client, history: history) }
        guard player.people[client].groups[history] != nil else {
            return .begin(client: client, number: number, history: history)
        }
        switch below(10) {
        case 0: return .begin(client: client, number: number, history: history)
        case 1...5: return .end(client: client, history: history)
        default: return .cancel(client: client, history: history)
        }
    }

    private mutating func delivery(_ client: Int) -> RandomPlayStep {
        switch below(16) {
        case 0...4: return .up(client: client, count: 1 + below(4))
        case 5...8: return .finish(count: 1 + below(3))
        case 9...13: return .down(client: client, count: 1 + below(4))
        case 14: return .duplicate(client: client)
        default: return .wait(milliseconds: UInt64(below(400)))
        }
    }

    private mutating func probe(_ client: Int) -> RandomPlayStep.Probe {
        let other = (client + 1 + below(max(1, terms.clients - 1))) % terms.clients
        switch below(8) {
        case 0...3: return .neutral(client: client, presses: 1 + below(4))
        case 4...5: return .neutralDelivered(client: client, presses: 1 + below(3), hasPending: chance(50))
        case 6: return .deletedByOther(maker: client, deleter: other, presses: 1 + below(4))
        default: return .crossing(first: client, second: other, seed: editor.random.next())
        }
    }
}
