import EaselClientEngine
import EaselCore
import EaselPlay
import Testing

@Suite("Laws of undo on random histories, against a server written from the specification")
struct UndoLawTests {
    @Test("P21: all replicas are equal once everything is delivered", arguments: [0, 8])
    func replicasConverge(refusalPercent: Int) {
        for seed in UInt64(1)...300 {
            var history = RandomHistory(seed: seed, steps: 200, refusalPercent: refusalPercent)
            history.run()
            history.settle()
            history.network.canvas.checkInvariants()
            for client in history.network.clients {
                #expect(client.confirmed.digest == history.network.canvas.digest, "seed \(seed)")
                #expect(client.view.digest == history.network.canvas.digest, "seed \(seed)")
                #expect(client.pendingCount == 0, "seed \(seed)")
            }
        }
    }

    @Test(
        "P8: everyone undoing everything returns to the start",
        arguments: [RandomEditor.Repertoire.existenceAndText, .oneText], [0, 8])
    func everyoneUndoesEverything(repertoire: RandomEditor.Repertoire, refusalPercent: Int) {
        for seed in UInt64(10_001)...10_300 {
            var history = RandomHistory(seed: seed, steps: 60, refusalPercent: refusalPercent, repertoire)
            let start = repertoire == .oneText ? history.makeText() : nil
            for client in history.network.clients.indices { history.network.clients[client].setLevelsOfUndo(0) }
            history.run()
            history.settle()
            var isPressed = true
            while isPressed {
                isPressed = false
                for client in history.network.clients.indices where history.network.undo(client) {
                    isPressed = true
                    if history.editor.random.chance(50) { history.network.settle() }
                }
                history.network.settle()
            }
            #expect(history.network.canvas.visibleShapes().map(\.id) == (start.map { [$0] } ?? []), "seed \(seed)")
            if let start { #expect(history.network.canvas[start]?.text.string == "ab", "seed \(seed)") }
        }
    }

    @Test("P2: k undos and k redos change nothing in the presser's view, hidden state and stacks included")
    func undoAndRedoAreNeutral() {
        for seed in UInt64(20_001)...20_300 {
            var history = RandomHistory(seed: seed, steps: 80)
            history.run()
            for client in history.network.clients.indices {
                let before = RandomHistory.describe(history.network.clients[client].view)
                let labels = history.network.clients[client].undoLabels()
                var count = 0
                while count < 5, history.network.undo(client) { count += 1 }
                for _ in 0..<count {
                    let isRedone = history.network.redo(client)
                    #expect(isRedone, "seed \(seed)")
                }
                #expect(RandomHistory.describe(history.network.clients[client].view) == before, "seed \(seed)")
                #expect(history.network.clients[client].undoLabels() == labels, "seed \(seed)")
            }
        }
    }

    @Test("UN-03, UN-04, P9, P11: a press changes something exactly when canUndo or canRedo says so")
    func pressesAreAsPromised() {
        for seed in UInt64(30_001)...30_200 {
            var history = RandomHistory(seed: seed, steps: 0, refusalPercent: 4)
            for _ in 0..<80 {
                history.step()
                let client = history.editor.random.below(3)
                let state = history.network.clients[client].historyState()
                let before = history.network.clients[client].view
                let isUndo = history.editor.random.chance(50)
                let isPromised = isUndo ? state.canUndo : state.canRedo
                let isPressed = isUndo ? history.network.undo(client) : history.network.redo(client)
                #expect(isPressed == isPromised, "seed \(seed)")
                #expect((history.network.clients[client].view.digest != before.digest) == isPressed, "seed \(seed)")
            }
        }
    }
}
