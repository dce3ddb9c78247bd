import EaselClient
import EaselClientEngine
import EaselCore
import Testing

@testable import EaselTerminal

@Suite("Commands of the editor")
struct CommandTests {
    @Test("C1: nudges in quick succession are one action, a pause begins another")
    func nudging() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.type("lllj")
        #expect(editor.canvas[id]?.place == [7, 3])
        editor.wait(600)
        editor.press(KeyPress(.right))
        editor.wait(600)
        #expect(editor.store.undoLabels() == ["Move Rectangle", "Move Rectangle", "Create Rectangle"])
        editor.type("u")
        #expect(editor.canvas[id]?.place == [7, 3])
        editor.type("u")
        #expect(editor.canvas[id]?.place == [4, 2])
    }

    @Test("C1: after the pause the group of nudges is closed: an edit from elsewhere is an action of its own")
    func nudgingEnds() throws {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.type("l")
        editor.wait(600)
        try editor.store.edit("Paste") { $0.set(id, Key.stroke, .string("red")) }
        #expect(editor.store.undoLabels() == ["Paste", "Move Rectangle", "Create Rectangle"])
    }

    @Test("C1: another key between two nudges makes them two actions")
    func nudgingInterrupted() {
        var editor = Editor()
        editor.draw("r", (4, 2), (15, 7))
        editor.type("lcl")
        #expect(
            editor.store.undoLabels() == ["Move Rectangle", "Recolor Rectangle", "Move Rectangle", "Create Rectangle"])
    }

    @Test("undo in the middle of a burst of nudges takes the whole burst back")
    func undoOfOpenGroup() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.type("lllu")
        #expect(editor.canvas[id]?.place == [4, 2])
        #expect(editor.store.historyState().redoLabel == "Move Rectangle")
    }

    @Test("B1: undo works in an editor that came later than the edit")
    func newEditor() {
        let store = Editor.store()
        var first = Editor(store: store)
        let id = first.draw("r", (4, 2), (15, 7))
        first.type("l")
        first.wait(600)
        var second = Editor(store: store)
        second.type("u")
        #expect(second.canvas[id]?.place == [4, 2])
        #expect(second.model.message == "undid: Move Rectangle")
    }

    @Test("B6: undo and redo say what they did, and that there is nothing to do")
    func messages() {
        var editor = Editor()
        editor.type("u")
        #expect(editor.model.message == "nothing to undo")
        editor.draw("n", (4, 2), (15, 7))
        editor.press(KeyPress(.escape))
        editor.type("u")
        #expect(editor.model.message == "undid: Create Note")
        editor.press(.control("r"))
        #expect(editor.model.message == "redid: Create Note")
        #expect(editor.shapes.count == 1)
    }

    @Test("D3: an edit of a shape that others removed is refused with a notice and never puts it back")
    func removedShape() throws {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        try editor.store.edit("Delete Rectangle", history: nil) { $0.delete([id]) }
        // The editor has not heard of it yet.
        editor.model.handle(.key(KeyPress("c")), now: editor.time)
        #expect(editor.model.message == "shape was removed")
        #expect(editor.canvas[id]?.isVisible == false)
        #expect(editor.canvas[id]?[Key.stroke] == nil)
        #expect(editor.model.selection.isEmpty)
    }

    @Test("D3: a selected shape that others remove leaves the selection with a notice")
    func removedSelection() throws {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        try editor.store.edit("Delete Rectangle", history: nil) { $0.delete([id]) }
        editor.takeReports()
        #expect(editor.model.selection.isEmpty)
        #expect(editor.model.message == "shape was removed")
    }

    @Test("D3: of several selected shapes those still there are changed")
    func partlyRemoved() throws {
        var editor = Editor()
        let gone = editor.draw("r", (4, 2), (10, 5))
        let left = editor.draw("r", (20, 2), (30, 5))
        editor.press(.control("a"))
        try editor.store.edit("Delete Rectangle", history: nil) { $0.delete([gone]) }
        editor.model.handle(.key(KeyPress("c")), now: editor.time)
        #expect(editor.model.message == "shape was removed")
        #expect(editor.canvas[left]?[Key.stroke] == .string("red"))
        #expect(editor.model.selection == [left])
    }

    @Test("D1: Tab goes through the shapes by identity, also when their order changes in between")
    func cycling() {
        var editor = Editor()
        let back = editor.draw("r", (4, 2), (10, 5))
        let front = editor.draw("r", (20, 2), (30, 5))
        editor.press(KeyPress(.escape), KeyPress(.tab))
        #expect(editor.model.selection == [back])
        editor.type("}")
        #expect(editor.shapes.map(\.id) == [front, back])
        #expect(editor.model.selection == [back])
        editor.press(KeyPress(.tab))
        #expect(editor.model.selection == [front])
        editor.press(KeyPress(.tab, .shift))
        #expect(editor.model.selection == [back])
    }

    @Test("A3: order keys move shapes forward, backward, to the front and to the back, and undo restores the order")
    func reordering() {
        var editor = Editor()
        let shapes = (0..<4).map { editor.draw("r", ($0 * 10, 2), ($0 * 10 + 5, 5)) }
        editor.model.selection = [shapes[0], shapes[1]]
        editor.type("]")
        #expect(editor.shapes.map(\.id) == [shapes[2], shapes[0], shapes[1], shapes[3]])
        editor.type("}")
        #expect(editor.shapes.map(\.id) == [shapes[2], shapes[3], shapes[0], shapes[1]])
        editor.type("[{")
        #expect(editor.shapes.map(\.id) == [shapes[0], shapes[1], shapes[2], shapes[3]])
        editor.type("uuuu")
        #expect(editor.shapes.map(\.id) == shapes)
        #expect(editor.store.historyState().undoLabel == "Create Rectangle")
    }

    @Test("Alt and arrows change the size, and the end of a line")
    func resizing() {
        var editor = Editor()
        let box = editor.draw("r", (4, 2), (10, 5))
        editor.press(KeyPress(.right, .alt), KeyPress(.down, .alt))
        #expect(editor.canvas[box]?.size == [8, 5])
        #expect(editor.store.historyState().undoLabel == "Resize Rectangle")
        let line = editor.draw("l", (20, 2), (30, 5))
        editor.press(KeyPress(.left, .alt))
        #expect(editor.canvas[line]?.number(Key.x2) == 29)
        #expect(editor.canvas[line]?.place == [20, 2])
    }

    @Test("colours go round and end with none")
    func colours() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (10, 5))
        var seen: [String?] = []
        for _ in 0...Colour.cycle.count {
            editor.type("c")
            seen.append(editor.canvas[id]?[Key.stroke]?.asString)
        }
        #expect(seen == Colour.cycle + [nil])
    }

    @Test("a copy lies beside its original, with its text, and is selected")
    func duplicating() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.press(KeyPress(.enter))
        editor.type("box")
        editor.press(KeyPress(.escape))
        editor.type("d")
        let copy = editor.model.selection[0]
        #expect(copy != id)
        #expect(editor.canvas[copy]?.place == [6, 3])
        #expect(editor.canvas[copy]?.text.string == "box")
        #expect(editor.store.historyState().undoLabel == "Duplicate Rectangle")
    }

    @Test("a shape placed by keys does not cover another one exactly")
    func cascading() {
        var editor = Editor()
        editor.press(KeyPress("r"), KeyPress(.enter), KeyPress(.escape), KeyPress("r"), KeyPress(.enter))
        #expect(editor.shapes.count == 2)
        #expect(editor.shapes[0].place != editor.shapes[1].place)
    }

    @Test("l is the line tool while nothing is selected, and moves right while something is")
    func letterL() {
        #expect(KeyTable.command(for: KeyPress("l"), hasSelection: false) == .tool(.line))
        #expect(KeyTable.command(for: KeyPress("l"), hasSelection: true) == .nudge(columns: 1, rows: 0))
    }

    @Test("Esc leads back to SELECT from everywhere", arguments: ["r", "e", "t", "n", "L", "?"])
    func escaping(key: Character) {
        var editor = Editor()
        editor.press(KeyPress(key), KeyPress(.escape))
        guard case .select = editor.model.mode else {
            Issue.record("another mode")
            return
        }
    }

    @Test("Esc followed so quickly by a key that it looks like alt is Esc and that key")
    func quickEscape() {
        var editor = Editor()
        editor.draw("n", (4, 2), (15, 7))
        editor.type("text")
        editor.press(.alt("x"))
        #expect(editor.shapes.isEmpty)
        editor.press(KeyPress("u"), KeyPress(.tab), KeyPress(.enter), .alt("z"))
        #expect(editor.shapes.map(\.text.string) == [""])
        editor.press(KeyPress(.escape, .alt))
        #expect(editor.model.selection.isEmpty)
    }

    @Test("q leaves at once when everything is stored")
    func leaving() {
        var editor = Editor()
        editor.type("q")
        #expect(editor.model.isFinished)
    }

    @Test("q waits for edits that are not stored; a second one leaves without them, another key stays")
    func leavingUnsaved() {
        var editor = Editor()
        editor.draw("r", (4, 2), (10, 5))
        editor.type("q")
        #expect(!editor.model.isFinished)
        #expect(editor.model.message.hasPrefix("1 edit is not stored yet"))
        editor.type("s")
        editor.wait(10)
        #expect(!editor.model.isFinished)
        editor.type("qq")
        #expect(editor.model.isFinished)
    }

    @Test("Control-Z asks to suspend, in every mode")
    func suspending() {
        var editor = Editor()
        editor.draw("n", (4, 2), (15, 7))
        editor.press(.control("z"))
        #expect(editor.model.wantsSuspension)
        #expect(editor.shapes[0].text.isEmpty)
    }
}
