import EaselClientEngine
import EaselCore
import EaselPlay
import EaselProtocol
import Testing

/// P19: permissions that come and go.
@Suite("Roles that change")
struct RoleTests {
    private static let x = ContractTests.x

    @Test("UR-213: a viewer can undo nothing and keeps the stacks; an editor again, it goes on where it was")
    func stacksAreKept() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(1)) }
        network.edit(0, "Move again") { $0.set(id, Self.x, .integer(2)) }
        network.undo(0)
        network.settle()
        network.setRole(0, .viewer)
        network.settle()
        let state = network.clients[0].historyState()
        #expect(!state.canUndo && !state.canRedo && state.undoCount == 1 && state.redoCount == 1)
        #expect(network.clients[0].preview(.undo) == .nothing([]))
        #expect(throws: EditError.readOnly) { try network.clients[0].undo() }
        #expect(throws: EditError.readOnly) { try network.clients[0].cancelGroup() }
        network.setRole(0, .editor)
        network.settle()
        let isUndone = network.undo(0)
        #expect(isUndone)
        network.settle()
        #expect(network.canvas[id]?[Self.x] == .integer(0))
    }

    @Test("AK-10: of many edits behind a refusal for the role, none is sent again")
    func oneRoundTrip() {
        var (network, id) = ContractTests.network()
        network.disconnect(0)
        for number in 1...300 { network.edit(0, "Move \(number)") { $0.set(id, Self.x, .integer(Int64(number))) } }
        network.lines[0].role = .viewer
        network.settle()
        #expect(network.clients[0].pendingCount == 0)
        #expect(network.clients[0].view.digest == network.canvas.digest)
        #expect(network.refusalCount == 0, "what was never sent is not sent")
        let refused = network.events[0].count { if case .refused(_, .readOnly) = $0 { true } else { false } }
        #expect(refused == 300)
        #expect(network.clients[0].historyState().undoCount == 0)
    }

    @Test(
        "AK-11: what was accepted before the role changed stands, what is behind it goes, and the stacks are as at that point"
    )
    func roleLostInFlight() {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move 1") { $0.set(id, Self.x, .integer(1)) }
        network.settle()
        network.edit(0, "Move 2") { $0.set(id, Self.x, .integer(2)) }
        network.deliverUp(0)
        network.edit(0, "Move 3") { $0.set(id, Self.x, .integer(3)) }
        network.undo(0)
        network.undo(0)
        network.setRole(0, .viewer)
        network.settle()
        #expect(network.canvas[id]?[Self.x] == .integer(2))
        #expect(network.clients[0].view.digest == network.canvas.digest)
        #expect(network.clients[0].undoLabels() == ["Move 2", "Move 1"])
        #expect(network.clients[0].historyState().redoCount == 0)
        network.clients[0].checkHistories()
    }

    @Test("random histories in which roles come and go converge")
    func randomRoles() {
        for seed in UInt64(50_001)...50_150 {
            var history = RandomHistory(seed: seed, steps: 0, refusalPercent: 3)
            for _ in 0..<120 {
                history.step()
                guard history.editor.random.chance(6) else { continue }
                let client = history.editor.random.below(3)
                history.network.setRole(client, history.network.lines[client].role == .editor ? .viewer : .editor)
            }
            history.settle()
            for client in history.network.clients {
                #expect(client.view.digest == history.network.canvas.digest, "seed \(seed)")
                #expect(client.confirmed.digest == history.network.canvas.digest, "seed \(seed)")
                #expect(client.pendingCount == 0, "seed \(seed)")
                client.checkHistories()
            }
        }
    }
}
