import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

@Suite("Refusals: the barrier, and what stands behind it")
struct RefusalTests {
    @Test("AK-07, UN-07, P15: a refused edit disappears with its own action; later edits stand")
    func refusedEdit() {
        var (network, id) = ContractTests.network()
        network.refuses = { _, submission in submission.transaction.label == "Bad" ? .malformed : nil }
        network.edit(0, "Bad") { $0.set(id, ContractTests.x, .integer(1)) }
        network.edit(0, "Good") { $0.set(id, ContractTests.color, .string("red")) }
        network.settle()
        #expect(network.canvas[id]?[ContractTests.x] == .integer(0))
        #expect(network.canvas[id]?[ContractTests.color] == .string("red"))
        #expect(network.clients[0].undoLabels() == ["Good"])
        #expect(network.refusalCount == 1)
        #expect(network.canvas.digest == network.clients[0].view.digest)
    }

    @Test("UN-07, P15: a refused undo puts its action back")
    func refusedUndo() {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move") { $0.set(id, ContractTests.x, .integer(1)) }
        network.settle()
        network.refuses = { _, submission in submission.transaction.cause == .undo ? .malformed : nil }
        network.undo(0)
        #expect(network.clients[0].view[id]?[ContractTests.x] == .integer(0))
        network.settle()
        #expect(network.clients[0].view[id]?[ContractTests.x] == .integer(1))
        #expect(network.clients[0].undoLabels() == ["Move"])
        #expect(!network.clients[0].historyState().canRedo)
    }

    @Test("P15: an undo whose action a newer edit cleared from redo comes back when it is refused")
    func refusedUndoBehindNewEdit() {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move") { $0.set(id, ContractTests.x, .integer(1)) }
        network.settle()
        network.refuses = { _, submission in submission.transaction.cause == .undo ? .malformed : nil }
        network.undo(0)
        network.edit(0, "Color") { $0.set(id, ContractTests.color, .string("red")) }
        network.settle()
        #expect(network.clients[0].undoLabels() == ["Color", "Move"])
    }

    @Test("AK-08: text typed behind refused text keeps its order beside what stands")
    func insertionsBesideRefusedText() {
        var (network, id) = ContractTests.network()
        network.edit(0) { $0.insertText("ab", at: 0, in: id) }
        network.settle()
        network.refuses = { _, submission in submission.transaction.label == "Bad" ? .malformed : nil }
        network.edit(0, "Bad") { $0.insertText("XY", at: 1, in: id) }
        network.edit(0, "Good") { $0.insertText("1", at: 2, in: id) }
        network.edit(0, "Good") { $0.insertText("2", at: 3, in: id) }
        network.settle()
        #expect(network.canvas[id]?.text.string == "a12b")
        #expect(network.canvas.digest == network.clients[0].view.digest)
    }

    @Test("AK-09: a transaction the server could not store is kept, shown and sent again")
    func temporaryRefusal() {
        var (network, id) = ContractTests.network()
        network.refuses = { _, _ in .storageUnavailable }
        network.edit(0, "Move") { $0.set(id, ContractTests.x, .integer(6)) }
        network.settle()
        #expect(network.clients[0].linkState == .inTrouble)
        #expect(network.clients[0].pendingCount == 1)
        #expect(network.clients[0].view[id]?[ContractTests.x] == .integer(6))
        network.refuses = { _, _ in nil }
        network.clients[0].retry()
        network.settle()
        #expect(network.canvas[id]?[ContractTests.x] == .integer(6))
        #expect(network.clients[0].pendingCount == 0)
    }
}
