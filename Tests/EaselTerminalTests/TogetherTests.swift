import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

@testable import EaselTerminal

@Suite("Two editors on one canvas")
struct TogetherTests {
    private func pair() -> (Room, Editor, Editor) {
        let room = Room()
        return (room, Editor(store: room.join("ana")), Editor(store: room.join("rui")))
    }

    @Test("E7: both see the same shapes, revision and digest, and own work comes back as stored only")
    func sameCanvas() {
        var (room, ana, rui) = pair()
        ana.draw("r", (2, 2), (12, 6))
        rui.draw("e", (20, 2), (40, 8))
        room.settle()
        let (first, second) = (ana.screen(), rui.screen())
        #expect(first.split(separator: "\n")[0].contains("#2 "))
        #expect(ana.store.status.digest == rui.store.status.digest)
        #expect(ana.store.status.pendingCount == 0)
        #expect(ana.shapes.map(\.id) == rui.shapes.map(\.id))
        #expect(first.contains("stored") && second.contains("stored"))
        #expect(first.contains("rui") && second.contains("ana"))
    }

    @Test("B2: others see a drag while it goes on, as a preview that is in no canvas and no history")
    func previewOfOthers() {
        var (room, ana, rui) = pair()
        let id = ana.draw("r", (2, 2), (12, 6))
        ana.model.publishPresence()
        room.settle()
        let before = rui.screen()
        ana.mouse(.press, 5, 3)
        ana.mouse(.drag, 35, 10)
        ana.model.publishPresence()
        room.settle()
        let during = rui.screen()
        #expect(before != during)
        #expect(rui.canvas[id]?.place == [2, 2])
        #expect(rui.store.participants.first?.presence.preview.first?.shape == id)
        ana.press(KeyPress(.escape))
        ana.model.publishPresence()
        room.settle()
        #expect(rui.canvas.revision == 1)
        let rows = rui.screen().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(rows[3].contains("─────────"))
    }

    @Test("E3: while one edits a text the other's caret keeps its place, through the server")
    func textTogether() throws {
        var (room, ana, rui) = pair()
        let id = ana.draw("r", (2, 2), (40, 8))
        room.settle()
        ana.press(KeyPress(.enter))
        ana.type("hello world")
        room.settle()
        rui.takeReports()
        rui.click(5, 4)
        rui.press(KeyPress(.enter), KeyPress(.home))
        rui.type(">> ")
        ana.type("!")
        room.settle()
        ana.takeReports()
        rui.takeReports()
        guard case .text(let anas) = ana.model.mode, case .text(let ruis) = rui.model.mode else {
            Issue.record("both texts are open")
            return
        }
        #expect(ana.canvas[id]?.text.string == ">> hello world!")
        #expect(anas.string == ">> hello world!")
        #expect(ruis.string == ">> hello world!")
        #expect(anas.caret == 15)
        #expect(ruis.caret == 3)
    }

    @Test("D3: a shape that the other deletes while one types into it is not put back")
    func deletedUnderTheCaret() {
        var (room, ana, rui) = pair()
        let id = ana.draw("n", (2, 2), (40, 8))
        ana.type("hello")
        room.settle()
        rui.takeReports()
        rui.click(5, 4)
        rui.type("x")
        ana.type("!")
        room.settle()
        ana.takeReports()
        #expect(ana.model.message == "shape was removed")
        #expect(ana.canvas[id]?.isVisible == false)
        #expect(ana.store.status.digest == rui.store.status.digest)
        rui.type("u")
        room.settle()
        #expect(ana.canvas[id]?.isVisible == true)
        #expect(ana.canvas[id]?.text.string == "hello!")
    }

    @Test("an editor that opens a canvas whose shapes lie elsewhere shows them")
    func fitting() {
        let room = Room()
        let ana = Editor(store: room.join("ana"))
        do {
            try ana.store.edit("Create Note") { draft in
                let properties = ShapeKind.note.properties(
                    from: CellPoint(column: 500, row: -300), to: CellPoint(column: 520, row: -290))
                draft.create(kind: "note", properties: properties, text: "far away")
            }
        } catch {
            Issue.record("\(error)")
        }
        room.settle()
        let store = room.enter("rui")
        var rui = Editor(store: store)
        room.connect(store)
        #expect(rui.screen().contains("far away"))
    }

    @Test("undo takes back one's own work only")
    func localUndo() {
        var (room, ana, rui) = pair()
        let anas = ana.draw("r", (2, 2), (12, 6))
        let ruis = rui.draw("e", (20, 2), (40, 8))
        room.settle()
        ana.takeReports()
        ana.type("u")
        room.settle()
        #expect(rui.canvas[anas]?.isVisible == false)
        #expect(rui.canvas[ruis]?.isVisible == true)
        ana.type("u")
        #expect(ana.model.message == "nothing to undo")
    }

    @Test("the other's pointer and selection are shown, with the name")
    func overlays() {
        var (room, ana, rui) = pair()
        ana.draw("r", (2, 2), (12, 6))
        ana.click(8, 4)
        ana.model.publishPresence()
        room.settle()
        let rows = rui.screen().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(rows[5].contains("◂ana"))
        #expect(rows[3].contains("◇"))
    }

    @Test("a pointer is gone for others once its owner uses the keyboard, and back with the mouse")
    func hidingThePointer() {
        var (room, ana, rui) = pair()
        for (isKey, isShown) in [(false, true), (true, false), (false, true)] {
            if isKey { ana.press(KeyPress(.tab)) } else { ana.click(30, 10) }
            ana.model.publishPresence()
            room.settle()
            #expect(rui.screen().contains("◂ana") == isShown)
        }
    }

    @Test("what others show is bounded by the screen, whatever numbers they send")
    func hostilePresence() throws {
        var (room, ana, rui) = pair()
        let id = ana.draw("r", (2, 2), (12, 6))
        var presence = Presence(name: "ana\u{1B}[2J")
        presence.pointer = Presence.Point(x: .infinity, y: .nan)
        presence.selection = [id, try #require(ShapeID("gone"))]
        presence.caret = Presence.Caret(shape: id, behind: nil)
        presence.preview = [
            Presence.Preview(
                shape: id, properties: Properties([(Key.width, .double(1e200)), (Key.x, .double(-1e200))]))
        ]
        ana.store.show(presence)
        room.settle()
        #expect(!rui.screen().contains("\u{1B}"))
    }
}
