import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

@testable import EaselTerminal

@Suite("Leaving a canvas")
struct LeavingTests {
    @Test("C7: leaving gives up a drag under way, and its release comes to nothing")
    func drag() throws {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.mouse(.press, 6, 3)
        editor.mouse(.drag, 20, 9)
        editor.model.publishPresence()
        #expect(!editor.store.presence.preview.isEmpty)
        editor.model.close()
        editor.mouse(.release, 20, 9)
        #expect(editor.canvas[id]?.place == [4, 2])
        #expect(editor.store.undoLabels() == ["Create Rectangle"])
        #expect(editor.store.presence == Presence(name: "ana"))
    }

    @Test("C7: leaving closes a group of nudges: what comes next on the canvas is an action of its own")
    func nudging() throws {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.type("ll")
        editor.model.close()
        try editor.store.edit("Paste") { $0.set(id, Key.stroke, .string("red")) }
        #expect(editor.store.undoLabels() == ["Paste", "Move Rectangle", "Create Rectangle"])
        #expect(editor.canvas[id]?.place == [6, 2])
    }

    @Test("C7: leaving ends a typing burst and closes the text; what was typed stays")
    func typing() throws {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (30, 9))
        editor.press(KeyPress(.enter))
        editor.type("he")
        editor.model.close()
        #expect(editor.store.presence.caret == nil)
        try editor.store.edit("Type", coalescing: .typing) { $0.insertText("y", at: 2, in: id) }
        #expect(editor.store.undoLabels() == ["Type", "Type", "Create Rectangle"])
        #expect(editor.canvas[id]?.text.string == "hey")
    }

    @Test("C7: keys that come after leaving touch neither the old canvas nor the next one")
    func lateInput() throws {
        var old = Editor()
        let id = old.draw("r", (4, 2), (15, 7))
        let version = old.store.viewVersion
        old.model.close()
        let store = CanvasStore(
            canvas: try #require(CanvasID("next")), name: "ana", provisionalSite: try #require(SiteID(7)))
        var new = Editor(store: store)
        // The same person's shapes may have the same ids on both canvases.
        let same = new.draw("r", (4, 2), (15, 7))
        #expect(same == id)
        old.type("cxu")
        old.model.handle(.text("d"), now: old.time)
        old.click(5, 3)
        #expect(old.store.viewVersion == version)
        #expect(new.store.undoLabels() == ["Create Rectangle"])
        new.type("u")
        #expect(old.canvas[id]?.isVisible == true)
        #expect(old.model.selection.isEmpty)
    }

    @Test("C7: what was typed behind q in the same moment does nothing")
    func typedBehind() {
        let room = Room()
        var editor = Editor(store: room.join("ana"))
        editor.draw("r", (4, 2), (15, 7))
        room.settle()
        editor.takeReports()
        editor.model.handle(.text("qx"), now: editor.time)
        #expect(editor.model.isFinished)
        #expect(editor.shapes.count == 1)
    }

    @Test("C7: while an editor waits for the server before it leaves, a drag begun before is over")
    func dragWhileWaiting() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.mouse(.press, 6, 3)
        editor.mouse(.drag, 20, 9)
        editor.type("q")
        #expect(!editor.model.isFinished)
        editor.mouse(.release, 20, 9)
        #expect(editor.canvas[id]?.place == [4, 2])
    }
}
