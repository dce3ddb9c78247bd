import EaselClient
import EaselClientEngine
import EaselCore
import Testing

@testable import EaselTerminal

@Suite("Text being edited")
struct TextViewTests {
    /// An editor with the text of a new rectangle open.
    private func typing(_ text: String = "") -> (Editor, ShapeID) {
        var editor = Editor()
        let id = editor.draw("r", (4, 2), (30, 9))
        editor.press(KeyPress(.enter))
        editor.type(text)
        return (editor, id)
    }

    private func view(_ editor: Editor) throws -> TextView {
        guard case .text(let view) = editor.model.mode else { throw NoText() }
        return view
    }

    private struct NoText: Error {}

    /// Somebody else's edit of a text, as the store reports it.
    private func remote(_ editor: Editor, _ body: (inout TransactionDraft) -> Void) throws {
        try editor.store.edit("Type", history: nil, body)
    }

    @Test("E1: what is typed goes into the buffer and the canvas once, and is never applied again")
    func noEcho() throws {
        var (editor, id) = typing("north wing")
        for _ in 0..<5 { editor.press(KeyPress(.left)) }
        editor.type("-east")
        let view = try view(editor)
        #expect(view.string == "north-east wing")
        #expect(editor.canvas[id]?.text.string == "north-east wing")
        #expect(view.caret == 10)
        #expect(view.appliedEdits == 0)
    }

    @Test("E2: the guard goes by origin: an equal change of somebody else is applied")
    func originNotText() throws {
        var (editor, id) = typing("a")
        try remote(editor) { $0.insertText("a", at: 0, in: id) }
        editor.takeReports()
        let view = try view(editor)
        #expect(view.string == "aa")
        #expect(view.appliedEdits == 1)
        #expect(view.caret == 2)
    }

    @Test("E2: a report of one's own edit makes the buffer take nothing, a report of anybody else's does")
    func ownReport() throws {
        let (editor, id) = typing()
        var view = try view(editor)
        #expect(view.insert("mine", into: editor.store) == .done)
        try remote(editor) { $0.insertText("theirs ", at: 0, in: id) }
        view.take(.edit(view: view.number), editor.canvas)
        #expect(view.string == "mine")
        view.take(.edit(view: view.number + 1), editor.canvas)
        #expect(view.string == "theirs mine")
        #expect(view.caret == 11)
        #expect(view.appliedEdits == 1)
    }

    @Test("E3: edits of others arrive as positioned edits and the caret stays with its character")
    func caretStays() throws {
        var (editor, id) = typing("abcdefghij")
        editor.press(KeyPress(.left))
        try remote(editor) { $0.deleteText(0..<8, in: id) }
        editor.takeReports()
        #expect(try view(editor).string == "ij")
        #expect(try view(editor).caret == 1)
        try remote(editor) { $0.insertText("xyz", at: 0, in: id) }
        editor.takeReports()
        #expect(try view(editor).string == "xyzij")
        #expect(try view(editor).caret == 4)
        editor.type("-")
        #expect(editor.canvas[id]?.text.string == "xyzi-j")
    }

    @Test("E3: when the caret's own character goes the caret stays at its place, and comes back with it")
    func caretOfHiddenCharacter() throws {
        var (editor, id) = typing("abcd")
        editor.press(KeyPress(.left))
        var gone: [CharacterRange] = []
        try remote(editor) {
            gone = $0.canvas[id]?.text.characters(at: 1..<3) ?? []
            $0.deleteText(1..<3, in: id)
        }
        editor.takeReports()
        #expect(try view(editor).caret == 1)
        try remote(editor) { $0.add(.show(.deleted, .characters(id, gone))) }
        editor.takeReports()
        #expect(try view(editor).caret == 3)
    }

    @Test("E3, ECHO-03: keys typed before the report of a remote edit arrives lose nothing and double nothing")
    func lateReports() throws {
        var (editor, id) = typing("one two")
        for index in 0..<20 {
            try remote(editor) { $0.insertText("<", at: 0, in: id) }
            editor.model.handle(.key(KeyPress(index % 2 == 0 ? "x" : "y")), now: editor.time)
        }
        editor.takeReports()
        let expected = String(repeating: "<", count: 20) + "one two" + String(repeating: "xy", count: 10)
        #expect(try view(editor).string == expected)
        #expect(editor.canvas[id]?.text.string == expected)
        #expect(try view(editor).caret == expected.count)
    }

    @Test("E1, E3: whatever others write, and however late it is told, buffer and canvas agree", arguments: 1...10)
    func randomEdits(seed: UInt64) throws {
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var (editor, id) = typing("some text")
        let keys: [KeyPress] = [
            KeyPress("a"), KeyPress("é"), KeyPress(.enter), KeyPress(.backspace), KeyPress(.delete), KeyPress(.left),
            KeyPress(.right), KeyPress(.home), KeyPress(.end), KeyPress(.up), KeyPress(.down), .alt("z"), .control("r"),
        ]
        for _ in 0..<400 {
            switch random(4) {
            case 0: editor.takeReports()
            case 1:
                let length = editor.canvas[id]?.text.visibleCount ?? 0
                let (offset, isInsertion) = (random(length + 1), random(3) > 0)
                try remote(editor) {
                    isInsertion
                        ? $0.insertText("zz", at: offset, in: id) : $0.deleteText(offset..<offset + 2, in: id)
                }
            default: editor.model.handle(.key(keys[random(keys.count)]), now: editor.time)
            }
            guard editor.canvas[id]?.isVisible == true else { break }
            guard case .text = editor.model.mode else { break }
        }
        editor.takeReports()
        guard case .text(let view) = editor.model.mode else { return }
        #expect(view.string == editor.canvas[id]?.text.string)
        #expect(view.caret == editor.canvas[id]?.text.caret(behind: view.anchor))
    }

    @Test("E5: the guard keeps neither history nor others from the typing")
    func guardIsNarrow() throws {
        var editor = Editor()
        var other = Editor(store: editor.store)
        let id = editor.draw("r", (4, 2), (30, 9))
        editor.press(KeyPress(.enter))
        other.model.selection = [id]
        other.press(KeyPress(.enter))
        // Two editors of one client number their views alike unless one is told otherwise.
        guard case .text(let view) = other.model.mode else { throw NoText() }
        #expect(view.number == 2)
        editor.type("hello")
        #expect(editor.store.historyState().undoLabel == "Type")
        #expect(editor.store.status.pendingCount == 6)
        #expect(editor.canvas[id]?.text.string == "hello")
    }

    @Test("E6: undo and redo reach the buffer of the view that typed")
    func undoReachesBuffer() throws {
        var (editor, id) = typing("hello")
        editor.press(.alt("z"))
        #expect(try view(editor).string == "")
        #expect(try view(editor).caret == 0)
        #expect(editor.canvas[id]?.text.string == "")
        editor.press(.control("r"))
        #expect(try view(editor).string == "hello")
        editor.type("!")
        #expect(editor.canvas[id]?.text.string == "hello!")
    }

    @Test("C1, ECHO-10: a typing burst is one action; a caret jump begins another")
    func bursts() throws {
        var (editor, id) = typing("hello world")
        editor.press(KeyPress(.home))
        editor.type("oh ")
        editor.press(KeyPress(.escape))
        #expect(editor.store.undoLabels() == ["Type", "Type", "Create Rectangle"])
        editor.type("u")
        #expect(editor.canvas[id]?.text.string == "hello world")
        editor.type("u")
        #expect(editor.canvas[id]?.text.string == "")
    }

    @Test("C1: typing again after more than half a second is another action")
    func pause() {
        var (editor, _) = typing("ab")
        editor.press(KeyPress(.escape), KeyPress(.enter))
        editor.type("cd")
        editor.press(KeyPress(.escape))
        #expect(editor.store.undoLabels() == ["Type", "Type", "Create Rectangle"])
    }

    @Test("D3: typing into a shape that is gone is refused with a notice and does not bring it back")
    func removed() throws {
        var (editor, id) = typing("hello")
        try remote(editor) { $0.delete([id]) }
        editor.model.handle(.key(KeyPress("x")), now: editor.time)
        #expect(editor.model.message == "shape was removed")
        #expect(editor.canvas[id]?.isVisible == false)
        #expect(editor.canvas[id]?.text.string == "hello")
        guard case .select = editor.model.mode else {
            Issue.record("the text is closed")
            return
        }
    }

    @Test("D3: a text whose shape others remove is closed with a notice")
    func closed() throws {
        var (editor, id) = typing("hello")
        try remote(editor) { $0.delete([id]) }
        editor.takeReports()
        #expect(editor.model.message == "shape was removed")
        #expect(throws: NoText.self) { try view(editor) }
    }

    @Test("what is pasted is one edit; keys in front of it that open the text are keys")
    func pasting() throws {
        var editor = Editor()
        let id = editor.draw("r", (2, 2), (20, 6))
        let count = editor.store.status.pendingCount
        editor.model.handle(.text("ihello\nworld"), now: 1_000)
        #expect(editor.canvas[id]?.text.string == "hello\nworld")
        #expect(editor.store.status.pendingCount == count + 1)
        editor.press(KeyPress(.escape))
        editor.model.handle(.text("dd"), now: 1_000)
        #expect(editor.shapes.count == 3)
    }

    @Test("the view follows the caret, and a shape that is too small for its text says so")
    func followingTheCaret() throws {
        var editor = Editor()
        editor.press(KeyPress("t"))
        editor.click(70, 4)
        editor.type("a text that goes beyond the edge")
        #expect(editor.screen().contains("beyond the edge"))
        editor.draw("r", (2, 2), (20, 4))
        editor.press(KeyPress("i"), KeyPress("a"), KeyPress(.enter))
        #expect(editor.model.message.hasPrefix("no room"))
    }

    @Test("backspace and delete take whole characters as people see them")
    func graphemes() throws {
        var (editor, id) = typing("a")
        editor.type("e\u{301}")
        editor.press(KeyPress(.character("👩‍👩‍👧")))
        #expect(try view(editor).buffer.count == 8)
        editor.press(KeyPress(.backspace))
        #expect(editor.canvas[id]?.text.string == "ae\u{301}")
        editor.press(KeyPress(.left), KeyPress(.delete))
        #expect(editor.canvas[id]?.text.string == "a")
        editor.press(KeyPress(.home), KeyPress(.backspace), KeyPress(.end), KeyPress(.delete))
        #expect(editor.canvas[id]?.text.string == "a")
    }

    @Test("the caret moves by lines as they are laid out")
    func lines() throws {
        var (editor, _) = typing("first")
        editor.press(KeyPress(.enter))
        editor.type("second")
        #expect(try view(editor).caret == 12)
        editor.press(KeyPress(.up))
        #expect(try view(editor).caret == 5)
        editor.press(KeyPress(.home), KeyPress(.down))
        #expect(try view(editor).caret == 6)
        editor.press(KeyPress(.end))
        #expect(try view(editor).caret == 12)
    }

    @Test("a click in the text places the caret, a click elsewhere closes it")
    func clicking() throws {
        var editor = Editor()
        let id = editor.draw("n", (4, 2), (30, 9))
        editor.type("hello")
        editor.click(7, 3)
        #expect(try view(editor).caret == 2)
        editor.type("-")
        #expect(editor.canvas[id]?.text.string == "he-llo")
        editor.click(50, 12)
        #expect(throws: NoText.self) { try view(editor) }
    }
}

@Suite("Laying out text")
struct TextLayoutTests {
    @Test("lines break at line ends, at spaces, and where a word is too long")
    func breaking() {
        #expect(TextLayout("one two three", width: 8).lines.map(\.string) == ["one two ", "three"])
        #expect(TextLayout("abcdefgh", width: 3).lines.map(\.string) == ["abc", "def", "gh"])
        #expect(TextLayout("a\n\nb", width: 9).lines.map(\.string) == ["a", "", "b"])
        #expect(TextLayout("a\r\nb", width: 9).lines.map(\.start) == [0, 3])
        #expect(TextLayout("", width: 9).lines.map(\.string) == [""])
    }

    @Test("wide characters take two columns")
    func wide() {
        #expect(TextLayout("日本語", width: 5).lines.map(\.string) == ["日本", "語"])
        #expect(TextLayout("日本", width: 9).position(of: 1).column == 2)
    }

    @Test("offsets and positions lead to each other", arguments: 1...12)
    func positions(width: Int) {
        let text = "one two\nthree 日本 four"
        let layout = TextLayout(text, width: width)
        for offset in 0...text.unicodeScalars.count {
            let (line, column) = layout.position(of: offset)
            #expect(layout.offset(line: line, column: column) == offset)
        }
    }

    @Test("only as many lines as asked for are laid out")
    func limit() {
        #expect(TextLayout(String(repeating: "word ", count: 10_000), width: 5, lineLimit: 3).lines.count == 3)
    }
}
