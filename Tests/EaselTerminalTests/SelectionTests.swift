import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

@testable import EaselTerminal

@Suite("Selections that undo and redo bring back")
struct SelectionTests {
    private func caret(_ editor: Editor) -> Int? {
        guard case .text(let view) = editor.model.mode else { return nil }
        return view.caret
    }

    @Test("P13: undo selects what was selected before the step, redo what was selected after it")
    func stepByStep() {
        var editor = Editor()
        let first = editor.draw("r", (4, 2), (10, 5))
        let second = editor.draw("r", (20, 2), (30, 5))
        editor.press(.control("a"))
        editor.type("c")
        editor.press(KeyPress(.escape))
        editor.type("u")
        #expect(editor.model.selection == [first, second])
        editor.press(KeyPress(.escape), .control("r"))
        #expect(editor.model.selection == [first, second])
    }

    @Test("P13: a deleted shape is selected again by undo, a copy's original too, and redo selects the copy")
    func deletingAndCopying() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (10, 5))
        editor.type("d")
        let copy = editor.model.selection
        editor.type("x")
        #expect(editor.model.selection.isEmpty)
        editor.type("u")
        #expect(editor.model.selection == copy)
        editor.type("u")
        #expect(editor.model.selection == [id])
        editor.press(.control("r"))
        #expect(editor.model.selection == copy)
        editor.press(.control("r"))
        #expect(editor.model.selection.isEmpty)
    }

    @Test("P13: undo of a shape that was drawn selects what was selected before, redo the shape")
    func creating() {
        var editor = Editor()
        let first = editor.draw("r", (4, 2), (10, 5))
        editor.press(KeyPress("e"))
        editor.drag((20, 2), (30, 8))
        let second = editor.model.selection
        editor.type("u")
        #expect(editor.model.selection == [first])
        editor.press(KeyPress(.escape), .control("r"))
        #expect(editor.model.selection == second)
    }

    @Test("P13: a drag and a burst of nudges give their shapes back")
    func moving() {
        var editor = Editor()
        let first = editor.draw("r", (4, 2), (10, 5))
        let second = editor.draw("r", (20, 2), (30, 5))
        editor.press(KeyPress(.escape))
        editor.drag((5, 3), (7, 4))
        editor.click(21, 3)
        editor.type("ll")
        editor.wait(600)
        editor.press(KeyPress(.escape))
        editor.type("u")
        #expect(editor.model.selection == [second])
        editor.type("u")
        #expect(editor.model.selection == [first])
    }

    @Test("P13: undo and redo of typing put the caret where it was, whatever others typed meanwhile")
    func typing() throws {
        let room = Room()
        var ana = Editor(store: room.join("ana"))
        let rui = room.join("rui")
        let id = ana.draw("r", (4, 2), (30, 9))
        ana.press(KeyPress(.enter))
        ana.type("hello")
        ana.press(KeyPress(.left), KeyPress(.left))
        ana.type("--")
        ana.press(KeyPress(.home))
        room.settle()
        try rui.edit("Type") { $0.insertText("oh ", at: 0, in: id) }
        room.settle()
        ana.takeReports()
        #expect(caret(ana) == 0)
        ana.press(.alt("z"))
        #expect(ana.canvas[id]?.text.string == "oh hello")
        #expect(caret(ana) == 6)
        ana.press(KeyPress(.home), .control("r"))
        #expect(ana.canvas[id]?.text.string == "oh hel--lo")
        #expect(caret(ana) == 8)
        ana.press(KeyPress(.home), KeyPress(.delete))
        ana.press(KeyPress(.end), .alt("z"))
        #expect(caret(ana) == 0)
        ana.type(">")
        #expect(ana.canvas[id]?.text.string == ">oh hel--lo")
    }

    @Test("P13: undo of typing whose text is not open selects the shape")
    func closedText() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (30, 9))
        editor.press(KeyPress(.enter))
        editor.type("hello")
        editor.press(KeyPress(.escape), KeyPress(.escape))
        #expect(editor.model.selection.isEmpty)
        editor.type("u")
        #expect(editor.canvas[id]?.text.string == "")
        #expect(editor.model.selection == [id])
    }

    @Test("P13: a text that is open stays open and selected when a step elsewhere is undone; it closes with its shape")
    func openText() {
        var editor = Editor()
        let first = editor.draw("r", (4, 2), (10, 5))
        editor.type("c")
        editor.press(KeyPress("n"))
        editor.drag((20, 2), (40, 8))
        let second = editor.model.selection[0]
        editor.press(KeyPress(.escape))
        editor.click(5, 3)
        editor.type("c")
        editor.click(22, 3)
        editor.press(KeyPress(.enter), .alt("z"))
        #expect(caret(editor) == 0)
        #expect(editor.model.selection == [second])
        #expect(editor.model.message == "undid: Recolor Rectangle")
        editor.press(.alt("z"))
        #expect(caret(editor) == nil)
        #expect(editor.shapes.map(\.id) == [first])
        #expect(editor.model.selection == [first])
    }

    @Test("P13: what others have selected stays theirs")
    func others() {
        let room = Room()
        var ana = Editor(store: room.join("ana"))
        var rui = Editor(store: room.join("rui"))
        ana.draw("r", (4, 2), (10, 5))
        let second = ana.draw("r", (20, 2), (30, 5))
        ana.type("x")
        room.settle()
        rui.takeReports()
        rui.press(KeyPress(.tab))
        let selected = rui.model.selection
        rui.model.publishPresence()
        ana.type("u")
        ana.model.publishPresence()
        room.settle()
        rui.takeReports()
        #expect(rui.model.selection == selected)
        #expect(ana.model.selection == [second])
        #expect(ana.store.participants.first?.presence.selection == selected)
        #expect(rui.store.participants.first?.presence.selection == [second])
    }

    @Test("P13, D3: a shape that others deleted meanwhile is not selected again")
    func deletedMeanwhile() throws {
        var editor = Editor()
        let gone = editor.draw("r", (4, 2), (10, 5))
        let left = editor.draw("r", (20, 2), (30, 5))
        editor.press(.control("a"))
        editor.type("c")
        editor.press(KeyPress(.escape))
        try editor.store.edit("Delete Rectangle", history: nil) { $0.delete([gone]) }
        editor.takeReports()
        editor.type("u")
        #expect(editor.model.selection == [left])
    }
}
