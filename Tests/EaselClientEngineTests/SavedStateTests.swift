import EaselClientEngine
import EaselCore
import EaselPlay
import EaselProtocol
import Testing

/// P15: a client that dies and comes back from the state it saved.
@Suite("Saved histories, rebased on return")
struct SavedStateTests {
    private static let x = ContractTests.x

    @Test(
        "what can be undone and redone is there after a restart, with or without the canvas", arguments: [true, false])
    func settledHistoryComesBack(includingCanvas: Bool) throws {
        var (network, id) = ContractTests.network()
        network.clients[0].setUndoPolicy(UndoPolicy(overwritten: .yieldToRemote, creation: .keepIfOthersEdited))
        for number in 1...3 { network.edit(0, "Move \(number)") { $0.set(id, Self.x, .integer(Int64(number))) } }
        network.edit(0, "Type") { $0.insertText("abc", at: 0, in: id) }
        network.undo(0)
        network.settle()
        network.clients[0].setUndoPolicy(UndoPolicy())
        try network.restart(0, includingCanvas: includingCanvas)
        network.edit(1, "Colour") { $0.set(id, ContractTests.color, .string("red")) }
        network.settle()
        network.clients[0].checkHistories()
        #expect(network.clients[0].undoLabels() == ["Move 3", "Move 2", "Move 1"])
        #expect(network.clients[0].redoLabels() == ["Type"])
        network.redo(0)
        network.undo(0)
        for expected in [2, 1, 0] {
            network.undo(0)
            network.settle()
            #expect(network.canvas[id]?[Self.x] == .integer(Int64(expected)))
        }
        #expect(network.clients[0].view.digest == network.canvas.digest)
    }

    @Test("what was under way is replayed with the log that was missed, so its undo restores the value before it there")
    func rebasedOnReturn() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(1)) }
        network.edit(1, "Move") { $0.set(id, Self.x, .integer(7)) }
        network.deliverUp(1)
        network.deliverUp(0)
        try network.restart(0, includingCanvas: true)
        network.settle()
        #expect(network.canvas[id]?[Self.x] == .integer(1))
        let result = try network.clients[0].undo()
        network.collect(0)
        network.settle()
        guard case .done(let report) = result else { return #expect(Bool(false), "\(result)") }
        #expect(report.remarks == [])
        #expect(network.canvas[id]?[Self.x] == .integer(7), "as for a client that stayed")
    }

    @Test("from a snapshot alone the last known value is restored, and the press says that it is limited")
    func limitedFromSnapshot() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(1)) }
        network.edit(1, "Move") { $0.set(id, Self.x, .integer(7)) }
        network.deliverUp(1)
        network.deliverUp(0)
        try network.restart(0, includingCanvas: false)
        network.settle()
        #expect(network.clients[0].pendingCount == 0)
        let result = try network.clients[0].undo()
        network.collect(0)
        network.settle()
        guard case .done(let report) = result else { return #expect(Bool(false), "\(result)") }
        #expect(report.remarks.map(\.reason) == [.limited])
        #expect(network.canvas[id]?[Self.x] == .integer(0))
    }

    @Test("edits and presses that were never sent are sent after the restart, a held press too")
    func pendingComesBack() throws {
        var (network, id) = ContractTests.network()
        network.disconnect(0)
        network.edit(0, "Move 1") { $0.set(id, Self.x, .integer(1)) }
        network.edit(0, "Move 2") { $0.set(id, Self.x, .integer(2)) }
        network.undo(0)
        network.edit(1, "Colour") { $0.set(id, ContractTests.color, .string("red")) }
        try network.restart(0, includingCanvas: true)
        #expect(network.clients[0].pendingCount == 3)
        #expect(network.clients[0].view[id]?[Self.x] == .integer(1))
        network.settle()
        #expect(network.canvas[id]?[Self.x] == .integer(1))
        #expect(network.clients[0].undoLabels() == ["Move 1"] && network.clients[0].redoLabels() == ["Move 2"])
        network.redo(0)
        network.settle()
        #expect(network.canvas[id]?[Self.x] == .integer(2))
    }

    @Test("random histories in which clients die and come back converge, and keep all their actions")
    func randomRestarts() throws {
        for seed in UInt64(40_001)...40_150 {
            var history = RandomHistory(seed: seed, steps: 0, refusalPercent: 4)
            for _ in 0..<120 {
                history.step()
                guard history.editor.random.chance(5) else { continue }
                let client = history.editor.random.below(3)
                let labels = history.network.clients[client].undoLabels()
                let view = RandomHistory.describe(history.network.clients[client].view)
                try history.network.restart(client, includingCanvas: true)
                #expect(RandomHistory.describe(history.network.clients[client].view) == view, "seed \(seed)")
                #expect(history.network.clients[client].undoLabels() == labels, "seed \(seed)")
            }
            history.settle()
            for client in history.network.clients {
                #expect(client.view.digest == history.network.canvas.digest, "seed \(seed)")
                #expect(client.pendingCount == 0, "seed \(seed)")
                client.checkHistories()
            }
        }
    }

    @Test("A7: a history retains the same bytes however it came about, so a budget drops the same in every process")
    func retainedBytesDependOnContentOnly() throws {
        var (network, id) = ContractTests.network()
        for number in 1...30 {
            network.edit(0, "Move \(number)") { $0.set(id, Self.x, .integer(Int64(number))) }
            network.edit(0, "Type") { $0.insertText("abc", at: 0, in: id) }
        }
        for _ in 0..<7 { network.undo(0) }
        network.settle()
        let retained = network.clients[0].retainedBytes()
        try network.restart(0, includingCanvas: true)
        #expect(network.clients[0].retainedBytes() == retained)
    }

    @Test("damaged states are refused, and none of them traps")
    func damagedStates() throws {
        var (network, id) = ContractTests.network()
        network.disconnect(0)
        network.edit(0, "Move") { $0.set(id, Self.x, .integer(1)) }
        network.edit(0, "Type") { $0.insertText("abc", at: 0, in: id) }
        network.undo(0)
        let saved = network.clients[0].save(includingCanvas: true)
        for count in 0..<saved.count {
            #expect(throws: RestoreError.self) { try ClientEngine.restore(from: Array(saved.prefix(count))) }
        }
        for index in saved.indices {
            for bit in 0..<8 {
                var damaged = saved
                damaged[index] ^= 1 << UInt8(bit)
                _ = try? ClientEngine.restore(from: damaged)
            }
        }
        #expect(throws: RestoreError.unknownFormat(9)) { try ClientEngine.restore(from: [0x83, 9, 0xF6, 0xF6]) }
    }
}
