import EaselClientEngine
import EaselCore

/// Laws that need presses which nobody made: they are made on a copy of everything.
extension RandomPlayer {
    /// Tries a law out, unless that makes no sense now.
    mutating func probe(_ probe: RandomPlayStep.Probe) {
        if hasRoles || people.contains(where: { $0.saved != nil }) { return }
        // A transaction that only one of two copies makes might be the one that is refused.
        let isRefusing = simulation.stations.contains { $0.refusals > 0 }
        switch probe {
        // Presses take memory, so with a budget of bytes they may drop what is oldest.
        case .neutral(let client, _) where people[client].bytes > 0,
            .neutralDelivered(let client, _, _) where people[client].bytes > 0:
            return
        case .neutralDelivered where isRefusing, .deletedByOther where isRefusing, .crossing where isRefusing: return
        case .neutral(let client, let presses): probeNeutral(client, presses)
        case .neutralDelivered(let client, let presses, let hasPending):
            probeNeutralDelivered(client, presses, hasPending)
        case .deletedByOther(let maker, let deleter, let presses):
            if maker != deleter, people[maker].bytes == 0 { probeDeletion(maker, deleter, presses) }
        case .crossing(let first, let second, let seed): if first != second { probeCrossing(first, second, seed) }
        }
    }

    /// Presses undo up to so often, and redo as often as that did something. Returns how often it did.
    private mutating func pressBackAndForth(_ client: Int, _ presses: Int, _ law: Law) -> Int {
        var count = 0
        while count < presses, press(client, .undo) { count += 1 }
        for number in 0..<count {
            let isRedone = press(client, .redo)
            check(law, isRedone, "after \(count) undos redo \(number + 1) does nothing")
        }
        return count
    }

    /// Presses and tells whether it did something.
    private mutating func press(_ client: Int, _ cause: Transaction.Cause) -> Bool {
        let count = people[client].presses.count
        press(client, cause, 0)
        return people[client].presses.count > count
    }

    private mutating func probeNeutral(_ client: Int, _ presses: Int) {
        var copy = self
        let view = simulation.stations[client].engine.view
        let stacks = StackGlimpse(simulation.stations[client].engine)
        let count = copy.pressBackAndForth(client, presses, .neutral)
        let after = copy.simulation.stations[client].engine
        let changed = after.view.changedShapes(since: view)
        copy.check(.neutral, changed.isEmpty, "\(count) undos and redos changed \(changed)")
        if !changed.isEmpty { copy.script?.expect(client, changed, as: view, numbers) }
        let now = StackGlimpse(after)
        copy.check(
            .neutral, now.undoLabels == stacks.undoLabels && now.redoCount == stacks.redoCount,
            "\(count) undos and redos changed the history: \(stacks.undoLabels), now \(now.undoLabels)")
        adopt(copy)
    }

    private mutating func probeNeutralDelivered(_ client: Int, _ presses: Int, _ hasPending: Bool) {
        // Before it is welcomed, a client whose messages are held gets nothing.
        if hasPending, simulation.stations[client].engine.linkState != .live { return }
        var plain = self
        plain.settle(holding: hasPending ? client : nil)
        var copy = plain
        let count = copy.pressBackAndForth(client, presses, .neutralDelivered)
        copy.settle()
        plain.settle()
        let wanted = plain.simulation.serverCanvas
        let changed = copy.simulation.serverCanvas.changedShapes(since: wanted)
        copy.check(.neutralDelivered, changed.isEmpty, "\(count) undos and redos changed \(changed) once delivered")
        if !changed.isEmpty { copy.script?.expect(nil, changed, as: wanted, numbers) }
        adopt(copy)
    }

    private mutating func probeDeletion(_ maker: Int, _ deleter: Int, _ presses: Int) {
        var copy = self
        copy.settle()
        let server = copy.simulation.serverCanvas
        let target = people[maker].made.last { $0.characters == nil && server[$0.shape]?.isVisible == true }
        guard copy.breach == nil, let shape = target?.shape, let number = numbers[shape] else {
            adopt(copy)
            return
        }
        copy.edit(deleter, Self.probeNumber, .delete([number]), RandomPlayStep.Manner())
        copy.settle()
        _ = copy.pressBackAndForth(maker, presses, .deleterUndoes)
        copy.settle()
        let isUndone = copy.press(deleter, .undo)
        copy.check(.deleterUndoes, isUndone, "the deleter's undo does nothing")
        copy.settle()
        let isBack = copy.simulation.serverCanvas[shape]?.isVisible == true
        copy.check(.deleterUndoes, isBack, "what was deleted does not come back")
        if !isBack { copy.script?.expect(nil, [shape], as: server, numbers) }
        adopt(copy)
    }

    /// The number of an edit that a probe makes: above those of the steps.
    private static let probeNumber = 1_000_000

    private mutating func probeCrossing(_ first: Int, _ second: Int, _ seed: UInt64) {
        var start = self
        start.settle()
        // What a history has room for depends on what it has to remember of others, and so on who came first.
        for client in [first, second] { start.budget(client, 0) }
        var random = SeededRandom(seed: seed)
        let shapes = start.simulation.serverCanvas.visibleShapes()
        guard start.breach == nil, !shapes.isEmpty, let number = numbers[shapes[random.below(shapes.count)].id] else {
            adopt(start)
            return
        }
        let length = start.simulation.serverCanvas[self.shapes[number] ?? shapes[0].id]?.text.visibleCount ?? 0
        for (offset, client) in [first, second].enumerated() {
            let edit: RandomPlayEdit<Int> =
                length == 0 || random.chance(20)
                ? .delete([number])
                : .erase(1 + random.below(length), from: number, at: random.below(length))
            start.edit(client, Self.probeNumber + offset, edit, RandomPlayStep.Manner())
        }
        let undoer = random.chance(50) ? first : second
        let isBoth = random.chance(30)
        var ends: [RandomPlayer] = []
        for order in [[first, second], [second, first]] {
            var copy = start
            for client in order {
                copy.up(client, .max)
                copy.finish(.max)
            }
            copy.settle()
            _ = copy.press(undoer, .undo)
            if isBoth { _ = copy.press(undoer == first ? second : first, .undo) }
            copy.settle()
            ends.append(copy)
        }
        let wanted = ends[0].simulation.serverCanvas
        let changed = ends[1].simulation.serverCanvas.changedShapes(since: wanted)
        ends[1].check(.deleteOrder, changed.isEmpty, "\(changed) depend on whose deletion came first")
        if !changed.isEmpty { ends[1].script?.expect(nil, changed, as: wanted, numbers) }
        let other = ends[0]
        adopt(other.breach == nil ? ends[1] : other)
    }

    // MARK: Everyone undoes everything

    /// Everyone undoes everything, again and again until nobody can; then the canvas must be as at the start.
    mutating func undoEverything(_ isRacing: Bool, _ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        settle()
        for client in people.indices where hasRoles { setRole(client, false) }
        settle()
        var isPressed = true
        while isPressed, breach == nil {
            isPressed = false
            for client in people.indices {
                for history in 0...(people[client].second == nil ? 0 : 1) {
                    let count = people[client].presses.count
                    press(client, .undo, history)
                    guard people[client].presses.count > count else { continue }
                    isPressed = true
                    if isRacing { jostle(&random) } else { settle() }
                }
            }
            settle()
        }
        guard breach == nil else { return }
        let left = simulation.serverCanvas.visibleShapes().map(\.id)
        check(.everyoneUndoes, left.isEmpty, "\(left.count) shapes are left though nobody can undo")
        if !left.isEmpty { script?.expect(nil, left, as: Canvas(), numbers) }
    }

    /// Delivers a little of what is under way.
    private mutating func jostle(_ random: inout SeededRandom) {
        let client = random.below(people.count)
        switch random.below(4) {
        case 0: up(client, 1 + random.below(2))
        case 1: finish(1 + random.below(2))
        case 2: down(client, 1 + random.below(2))
        default: break
        }
    }
}
