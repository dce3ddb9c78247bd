import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import Testing

@testable import EaselTerminal

@Suite("Gestures with the mouse")
struct GestureTests {
    @Test("a tool and a drag draw a shape between the two cells")
    func drawing() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        #expect(editor.canvas[id]?.kind == "rectangle")
        #expect(editor.canvas[id]?.place == [4, 2])
        #expect(editor.canvas[id]?.size == [12, 6])
        #expect(editor.store.undoLabels() == ["Create Rectangle"])
    }

    @Test("a click with a tool places a shape of the default size")
    func placing() {
        var editor = Editor()
        editor.press(KeyPress("e"))
        editor.click(10, 4)
        #expect(editor.shapes.map(\.kind) == ["ellipse"])
        #expect(editor.shapes[0].place == [10, 4])
        #expect(editor.shapes[0].size == [18, 7])
    }

    @Test("B2: a drag is preview until the button goes up, then one commit")
    func oneCommit() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.mouse(.press, 6, 3)
        for step in 1...9 { editor.mouse(.drag, 6 + step, 3 + step / 3) }
        #expect(editor.canvas[id]?.place == [4, 2])
        #expect(editor.model.presence.preview.map(\.shape) == [id])
        #expect(editor.model.presence.preview[0].properties[Key.x] == .integer(13))
        #expect(editor.store.undoLabels() == ["Create Rectangle"])
        editor.mouse(.release, 16, 6)
        #expect(editor.canvas[id]?.place == [14, 5])
        #expect(editor.model.presence.preview.isEmpty)
        #expect(editor.store.undoLabels() == ["Move Rectangle", "Create Rectangle"])
    }

    @Test("A10: a drag that ends where it began records nothing")
    func returning() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.mouse(.press, 6, 3)
        editor.mouse(.drag, 20, 9)
        editor.mouse(.drag, 6, 3)
        #expect(editor.model.presence.preview.isEmpty)
        editor.mouse(.release, 6, 3)
        #expect(editor.canvas[id]?.place == [4, 2])
        #expect(editor.store.undoLabels() == ["Create Rectangle"])
    }

    @Test("A10, B2: Esc cancels a drag and leaves no trace, neither in the canvas nor in the history nor for others")
    func cancelling() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.mouse(.press, 6, 3)
        editor.mouse(.drag, 20, 9)
        editor.press(KeyPress(.escape))
        editor.mouse(.release, 20, 9)
        #expect(editor.canvas[id]?.place == [4, 2])
        #expect(editor.model.presence.preview.isEmpty)
        #expect(editor.store.historyState().undoLabel == "Create Rectangle")
        #expect(!editor.store.historyState().canRedo)
    }

    @Test("Esc cancels a shape being drawn")
    func cancellingDrawing() {
        var editor = Editor()
        editor.press(KeyPress("r"))
        editor.mouse(.press, 2, 2)
        editor.mouse(.drag, 9, 6)
        editor.press(KeyPress(.escape))
        editor.mouse(.release, 9, 6)
        #expect(editor.shapes.isEmpty)
        #expect(!editor.store.historyState().canUndo)
    }

    @Test("E4: what others write during a drag neither ends it nor moves the preview")
    func remoteDuringDrag() throws {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.mouse(.press, 6, 3)
        editor.mouse(.drag, 16, 3)
        try editor.store.edit("Move Rectangle", history: nil) { $0.set(id, Key.x, .integer(40)) }
        editor.takeReports()
        #expect(editor.model.presence.preview[0].properties[Key.x] == .integer(14))
        editor.mouse(.release, 16, 3)
        #expect(editor.canvas[id]?.place == [14, 2])
    }

    @Test("undo during a drag cancels the drag first")
    func undoDuringDrag() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.mouse(.press, 6, 3)
        editor.mouse(.drag, 20, 9)
        editor.type("u")
        editor.mouse(.release, 20, 9)
        #expect(editor.canvas[id]?.isVisible == false)
        #expect(editor.store.historyState().redoLabel == "Create Rectangle")
    }

    @Test("a drag over empty canvas selects the shapes that lie whole in the rubber band")
    func rubberBand() {
        var editor = Editor()
        let inside = editor.draw("r", (4, 2), (10, 5))
        let outside = editor.draw("r", (30, 2), (40, 5))
        editor.press(KeyPress(.escape))
        editor.drag((1, 1), (32, 12))
        #expect(editor.model.selection == [inside])
        editor.drag((1, 1), (60, 12))
        #expect(Set(editor.model.selection) == [inside, outside])
    }

    @Test("several selected shapes move as one action")
    func movingSeveral() {
        var editor = Editor()
        let first = editor.draw("r", (4, 2), (10, 5))
        let second = editor.draw("l", (20, 2), (30, 5))
        editor.press(.control("a"))
        editor.drag((5, 3), (7, 4))
        #expect(editor.canvas[first]?.place == [6, 3])
        #expect(editor.canvas[second]?.place == [22, 3])
        #expect(editor.canvas[second]?.number(Key.x2) == 32)
        #expect(editor.store.historyState().undoLabel == "Move 2 Shapes")
        editor.type("u")
        #expect(editor.canvas[first]?.place == [4, 2])
        #expect(editor.canvas[second]?.number(Key.x2) == 30)
    }

    @Test("the last corner resizes, never below one cell")
    func resizing() {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (15, 7))
        editor.drag((15, 7), (20, 9))
        #expect(editor.canvas[id]?.size == [17, 8])
        editor.drag((20, 9), (0, 0))
        #expect(editor.canvas[id]?.size == [1, 1])
        #expect(editor.canvas[id]?.place == [4, 2])
    }

    @Test("Ctrl-click adds to the selection and takes out of it")
    func adding() {
        var editor = Editor()
        let first = editor.draw("r", (4, 2), (10, 5))
        let second = editor.draw("r", (20, 2), (30, 5))
        editor.click(5, 3)
        editor.click(21, 3, .control)
        #expect(editor.model.selection == [first, second])
        editor.click(5, 3, .control)
        #expect(editor.model.selection == [second])
    }

    @Test("the foremost shape under the mouse is picked")
    func picking() {
        var editor = Editor()
        editor.draw("r", (4, 2), (15, 7))
        let front = editor.draw("r", (8, 4), (20, 9))
        editor.press(KeyPress(.escape))
        editor.click(10, 5)
        #expect(editor.model.selection == [front])
    }

    @Test("the wheel pans, and presses then hit what is shown there")
    func panning() {
        var editor = Editor()
        let id = editor.draw("r", (4, 8), (15, 12))
        editor.press(KeyPress(.escape))
        editor.mouse(.wheelDown, 0, 0)
        editor.click(5, 6)
        #expect(editor.model.selection == [id])
    }

    @Test("a release whose press was lost does nothing")
    func strayRelease() {
        var editor = Editor()
        editor.draw("r", (4, 2), (15, 7))
        editor.mouse(.drag, 20, 9)
        editor.mouse(.release, 20, 9)
        #expect(editor.store.undoLabels() == ["Create Rectangle"])
    }
}
