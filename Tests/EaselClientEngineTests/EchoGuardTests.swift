import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

@Suite("Echo guard: own changes are never applied again")
struct EchoGuardTests {
    func changes(_ events: [ClientEvent]) -> [CanvasChange] {
        events.compactMap { if case .changed(let change) = $0 { return change } else { return nil } }
    }

    @Test(
        "E1, E2: a change carries the view it came from, and only that view leaves it out, even where values are equal")
    func changesCarryTheirOrigin() throws {
        var (network, id) = ContractTests.network()
        network.events[0] = []
        _ = try network.clients[0].edit("Type", from: 3) { $0.insertText("a", at: 0, in: id) }
        network.collect(0)
        let own = try #require(changes(network.events[0]).last)
        #expect(own.origin == .edit(view: 3))
        #expect(own.origin.isEcho(in: 3))
        #expect(!own.origin.isEcho(in: 4))
        #expect(!ChangeOrigin.edit(view: 0).isEcho(in: 0))
    }

    @Test("E3: another's edit reaches a text view as positioned edits, and a caret keeps its place")
    func remoteEditsArePositioned() throws {
        var (network, id) = ContractTests.network()
        network.edit(0) { $0.insertText("hello world", at: 0, in: id) }
        network.settle()
        let caret = try #require(network.clients[0].view[id]?.text.neighbours(at: 11).left)
        network.events[0] = []
        network.edit(1) { $0.insertText("big ", at: 6, in: id) }
        network.settle()
        let change = try #require(changes(network.events[0]).last)
        #expect(change.origin == .remote([try #require(network.clients[1].site)]))
        #expect(change.textEdits(of: id) == [TextEdit(offset: 6, removed: 0, inserted: "big ")])
        #expect(network.clients[0].view[id]?.text.caret(behind: caret) == 15)
    }

    @Test("AK-03, E5, UR-219: an own commit that comes back causes no change, but is stored and stays undoable")
    func acknowledgementsAreNoChanges() throws {
        var (network, id) = ContractTests.network()
        network.edit(0, "Move") { $0.set(id, ContractTests.x, .integer(4)) }
        network.events[0] = []
        network.settle()
        #expect(changes(network.events[0]).isEmpty)
        #expect(network.events[0].contains { if case .stored(count: 1) = $0 { return true } else { return false } })
        #expect(network.clients[0].historyState().undoLabel == "Move")
        #expect(changes(network.events[1]).contains { $0.shapes == [id] })
    }

    @Test("E6: undo and redo reach every view, the one that made the edit too")
    func undoReachesEveryView() throws {
        var (network, id) = ContractTests.network()
        _ = try network.clients[0].edit("Type", from: 3) { $0.insertText("ab", at: 0, in: id) }
        network.collect(0)
        network.events[0] = []
        network.undo(0)
        let undone = try #require(changes(network.events[0]).last)
        #expect(undone.origin == .undo)
        #expect(!undone.origin.isEcho(in: 3))
        #expect(undone.textEdits(of: id) == [TextEdit(offset: 0, removed: 2, inserted: "")])
        network.redo(0)
        let redone = try #require(changes(network.events[0]).last)
        #expect(redone.origin == .redo)
        #expect(!redone.origin.isEcho(in: 3))
    }

    @Test("E7, RS-07: a transaction resent over a new connection is applied once", arguments: [true, false])
    func resentTransactionsAreAppliedOnce(reachedTheServer: Bool) {
        var (network, id) = ContractTests.network()
        network.edit(0) { $0.insertText("once", at: 0, in: id) }
        if reachedTheServer { network.deliverUp(0) }
        network.disconnect(0)
        network.settle()
        #expect(network.clients[0].view[id]?.text.string == "once")
        #expect(network.canvas[id]?.text.string == "once")
        #expect(network.clients[0].pendingCount == 0)
    }

    @Test(
        "AK-01, RS-07, RECON-01: what is edited while offline goes out under new numbers, what was in flight under its own"
    )
    func offlineEdits() {
        var (network, id) = ContractTests.network()
        network.edit(0) { $0.insertText("a", at: 0, in: id) }
        network.deliverUp(0)
        network.disconnect(0)
        network.edit(0) { $0.insertText("b", at: 1, in: id) }
        network.edit(0) { $0.insertText("c", at: 2, in: id) }
        network.settle()
        #expect(network.canvas[id]?.text.string == "abc")
        #expect(network.log.suffix(3).map(\.commit.id.sequence) == [2, 3, 4])
    }

    @Test("AK-01, RS-07: what was lost on its way goes out again under the number it had, with the same content")
    func lostTransactionsKeepTheirNumbers() {
        var (network, id) = ContractTests.network()
        network.edit(0) { $0.insertText("a", at: 0, in: id) }
        let sent = network.lines[0].up
        network.disconnect(0)
        network.edit(0) { $0.insertText("b", at: 1, in: id) }
        network.connect(0)
        network.deliverUp(0)
        network.deliverDown(0)
        #expect(network.lines[0].up.prefix(1) == sent.suffix(1))
        network.settle()
        #expect(network.log.suffix(2).map(\.commit.id.sequence) == [2, 3])
        #expect(network.canvas[id]?.text.string == "ab")
    }
}
