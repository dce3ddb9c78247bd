/// Makes a history that breaks a law smaller, as long as it still breaks the same law: delta debugging over its steps (Zeller and
/// Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002), and over its clients, then simpler steps.
struct Shrinker: Sendable {
    /// Most histories played.
    static let mostPlays = 5_000

    let law: Law
    private(set) var steps: [RandomPlayStep]
    private(set) var clients: Int
    /// How many histories were played.
    private(set) var plays = 0
    private let injected: (@Sendable (RandomPlayer) -> String?)?

    /// The steps of a history that breaks a law.
    init(
        _ steps: [RandomPlayStep], clients: Int, law: Law, injected: (@Sendable (RandomPlayer) -> String?)? = nil
    ) {
        self.steps = steps
        self.clients = clients
        self.law = law
        self.injected = injected
    }

    /// Makes the history smaller until nothing that is tried is smaller and breaks the law.
    mutating func run() {
        var isSmaller = true
        while isSmaller, plays < Self.mostPlays {
            isSmaller = false
            if dropClients() { isSmaller = true }
            if dropSteps() { isSmaller = true }
            if simplifySteps() { isSmaller = true }
        }
    }

    /// Takes a history over if it breaks the law.
    private mutating func accept(_ candidate: [RandomPlayStep], clients count: Int) -> Bool {
        guard plays < Self.mostPlays else { return false }
        plays += 1
        guard RandomPlay.play(candidate, clients: count, injected: injected).breach?.law == law else { return false }
        steps = candidate
        clients = count
        return true
    }

    /// Leaves clients out one by one, the last first; where that does not do, another does what the client did.
    private mutating func dropClients() -> Bool {
        var isSmaller = false
        for client in stride(from: clients - 1, through: 0, by: -1) where clients > 1 {
            let heirs = [nil] + (0..<clients - 1).map(Optional.some)
            isSmaller = heirs.contains { replace(client, by: $0) } || isSmaller
        }
        return isSmaller
    }

    private mutating func replace(_ client: Int, by heir: Int?) -> Bool {
        let rest = steps.compactMap { step in
            step.renumbered { $0 == client ? heir : $0 > client ? $0 - 1 : $0 }
        }
        return accept(rest, clients: clients - 1)
    }

    /// Leaves steps out, half of them at a time, then a quarter, and so on to single ones.
    private mutating func dropSteps() -> Bool {
        var isSmaller = false
        var length = max(1, steps.count / 2)
        while true {
            var start = 0
            while start < steps.count {
                let end = min(start + length, steps.count)
                if accept(Array(steps[..<start] + steps[end...]), clients: clients) {
                    isSmaller = true
                } else {
                    start += length
                }
            }
            if length == 1 { return isSmaller }
            length = (length + 1) / 2
        }
    }

    /// Replaces steps by simpler ones.
    private mutating func simplifySteps() -> Bool {
        var isSmaller = false
        for index in steps.indices {
            var hasSimpler = true
            while hasSimpler {
                hasSimpler = steps[index].simpler.contains { step in
                    var candidate = steps
                    candidate[index] = step
                    return accept(candidate, clients: clients)
                }
                if hasSimpler { isSmaller = true }
            }
        }
        return isSmaller
    }
}

extension RandomPlayStep {
    /// Steps that do less or are easier to read, the simplest first. Each is simpler by a measure that cannot fall for ever.
    fileprivate var simpler: [RandomPlayStep] {
        switch self {
        case .edit(let client, let number, let edit, let manner):
            return edit.simpler.map { .edit(client: client, number: number, $0, manner) }
                + manner.simpler.map { .edit(client: client, number: number, edit, $0) }
        case .press(let client, let cause, 1): return [.press(client: client, cause, history: 0)]
        case .up(let client, let count) where count > 1: return [.up(client: client, count: 1)]
        case .down(let client, let count) where count > 1: return [.down(client: client, count: 1)]
        case .finish(let count) where count > 1: return [.finish(count: 1)]
        case .wait(let milliseconds) where milliseconds > 1: return [.wait(milliseconds: 1)]
        case .fail(true): return [.fail(isKept: false)]
        case .purge(let shapes, let isText) where shapes.count > 1:
            return shapes.map { .purge(shapes: [$0], isText: isText) }
        case .undoEverything(true, let seed): return [.undoEverything(isRacing: false, seed: seed)]
        case .probe(.neutral(let client, let presses)) where presses > 1:
            return [.probe(.neutral(client: client, presses: presses - 1))]
        case .probe(.neutralDelivered(let client, let presses, true)):
            return [.probe(.neutralDelivered(client: client, presses: presses, hasPending: false))]
        case .probe(.neutralDelivered(let client, let presses, false)) where presses > 1:
            return [.probe(.neutralDelivered(client: client, presses: presses - 1, hasPending: false))]
        case .probe(.deletedByOther(let maker, let deleter, let presses)) where presses > 1:
            return [.probe(.deletedByOther(maker: maker, deleter: deleter, presses: presses - 1))]
        default: return []
        }
    }
}

extension RandomPlayStep.Manner {
    /// The manner with one thing less that is out of the ordinary.
    fileprivate var simpler: [RandomPlayStep.Manner] {
        var result: [RandomPlayStep.Manner] = []
        func add(_ change: (inout RandomPlayStep.Manner) -> Void) {
            var manner = self
            change(&manner)
            if manner != self { result.append(manner) }
        }
        add { $0.view = 0 }
        add { $0.isTyping = false }
        add { $0.history = 0 }
        return result
    }
}

extension RandomPlayEdit {
    /// The edit with less of everything.
    fileprivate var simpler: [RandomPlayEdit] {
        switch self {
        case .create(let parent, let text, let width):
            var result: [RandomPlayEdit] = []
            if parent != nil { result.append(.create(parent: nil, text: text, width: width)) }
            if !text.isEmpty { result.append(.create(parent: parent, text: String(text.dropLast()), width: width)) }
            if width != nil { result.append(.create(parent: parent, text: text, width: nil)) }
            return result
        case .set(let shape, let changes) where changes.count > 1: return changes.map { .set(shape, [$0]) }
        case .delete(let shapes) where shapes.count > 1: return shapes.map { .delete([$0]) }
        case .type(let text, let shape, let offset):
            var result: [RandomPlayEdit] = []
            if text.count > 1 { result.append(.type(String(text.dropLast()), into: shape, at: offset)) }
            if offset > 0 { result.append(.type(text, into: shape, at: 0)) }
            return result
        case .erase(let count, let shape, let offset):
            var result: [RandomPlayEdit] = []
            if count > 1 { result.append(.erase(count - 1, from: shape, at: offset)) }
            if offset > 0 { result.append(.erase(count, from: shape, at: 0)) }
            return result
        case .put(let shape, .some): return [.put(shape, into: nil)]
        default: return []
        }
    }
}
