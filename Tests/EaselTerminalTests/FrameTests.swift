import EaselCore
import EaselProtocol
import Testing

@testable import EaselClient
@testable import EaselClientEngine
@testable import EaselTerminal

@Suite("Frames of the editor")
struct FrameTests {
    private func status(_ link: LinkState, _ pending: Int = 0) -> String {
        StatusLine.saveState(
            Status(link: link, pendingCount: pending, role: .editor, site: nil, revision: 0, digest: 0))
    }

    @Test("the save state in words")
    func saveStates() {
        #expect(status(.live) == "stored")
        #expect(status(.live, 3) == "sending 3")
        #expect(status(.offline) == "offline")
        #expect(status(.offline, 3) == "offline, 3 kept")
        #expect(status(.connecting, 1) == "connecting, 1 kept")
        #expect(status(.synchronizing(received: 1, of: 4)) == "loading 25%")
        #expect(status(.inTrouble, 2) == "in trouble: the server cannot store, 2 kept")
        #expect(status(.ended(ProtocolError(code: .replaced, message: "taken over"))) == "ended: taken over")
    }

    @Test("the top line names canvas, revision, digest and save state")
    func topLine() {
        var editor = Editor()
        let line = editor.screen().split(separator: "\n")[0]
        #expect(line.hasPrefix(" plan  #0 00000000  ● offline"))
    }

    @Test("of many others as many are named as fit, and the rest are counted")
    func manyOthers() throws {
        let others = try (1...12).map {
            Participant(site: try #require(SiteID($0)), presence: Presence(name: "person \($0)"))
        }
        var grid = CellGrid(columns: 80, rows: 3)
        let status = Status(link: .live, pendingCount: 0, role: .editor, site: nil, revision: 0, digest: 0)
        StatusLine(canvas: try #require(CanvasID("plan")), status: status, others: others).draw(into: &grid)
        #expect(grid.text(0).hasSuffix("person 4 person 5 +7"))
    }

    @Test("the bottom lines show message, undo and redo by name, mode and keys")
    func bottomLines() {
        var editor = Editor()
        editor.draw("r", (4, 2), (15, 7))
        editor.type("l")
        editor.wait(600)
        editor.type("lu")
        let rows = editor.screen().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(rows[22].contains("undid: Move Rectangle"))
        #expect(rows[22].contains("u undo: Move Rectangle"))
        #expect(rows[22].contains("^R redo: Move Rectangle"))
        #expect(rows[23].hasPrefix(" SELECT "))
        editor.press(KeyPress(.enter))
        #expect(editor.screen().contains("\n TEXT "))
    }

    @Test("the key line changes with mode and selection")
    func keyLine() {
        let without = KeyTable.keyLine(.select, hasSelection: false, isDragging: false)
        let with = KeyTable.keyLine(.select, hasSelection: true, isDragging: false)
        #expect(without.keys.contains("r box"))
        #expect(with.keys.contains("x delete"))
        #expect(KeyTable.keyLine(.tool(.note), hasSelection: false, isDragging: false).title == "NOTE")
    }

    @Test("help is readable whole on 80 columns")
    func helpWidth() {
        var editor = Editor()
        editor.type("?")
        let screen = editor.screen()
        for line in KeyTable.help { #expect(screen.contains(line.text)) }
    }

    @Test("while typing, the lines at the bottom promise no key that types itself")
    func typingLines() {
        var editor = Editor()
        editor.draw("n", (4, 2), (30, 9))
        editor.type("hi")
        let screen = editor.screen()
        #expect(screen.contains("Alt-Z undo: Type"))
        #expect(!screen.contains("q quit"))
    }

    @Test("help fits the smallest screen's rows and names the keys")
    func help() {
        var editor = Editor()
        editor.type("?")
        #expect(editor.screen().contains("undo, redo your own work"))
        editor.type("x")
        #expect(!editor.screen().contains("undo, redo your own work"))
    }

    @Test("a terminal below 40x12 gets a message, and every size is survived")
    func sizes() {
        var editor = Editor()
        editor.draw("r", (4, 2), (15, 7))
        #expect(editor.screen(columns: 30, rows: 10).contains("Easel needs 40x12"))
        for (columns, rows) in [(0, 0), (1, 1), (40, 12), (39, 50), (500, 3), (300, 200)] {
            editor.model.viewport.resize(
                columns: columns, rows: rows - EditorFrame.topLines - EditorFrame.bottomLines)
            _ = editor.screen(columns: columns, rows: rows)
            editor.type("?")
            _ = editor.screen(columns: columns, rows: rows)
            editor.type("?")
        }
        #expect(editor.shapes.count == 1)
    }

    @Test("resizing keeps the middle of the canvas in the middle")
    func resizing() {
        var viewport = Viewport(columns: 80, rows: 20)
        let centre = viewport.centre
        viewport.resize(columns: 120, rows: 40)
        #expect(viewport.centre == centre)
    }

    @Test("the cursor stands where the next character goes")
    func cursor() throws {
        var editor = Editor()
        editor.draw("n", (4, 2), (30, 9))
        editor.type("hi")
        let canvas = try #require(CanvasID("plan"))
        let frame = EditorFrame(&editor.model, canvas: canvas, columns: 80, rows: 24, isASCII: false)
        #expect(frame.cursor == CellPoint(column: 7, row: 4))
        editor.press(KeyPress(.escape))
        #expect(EditorFrame(&editor.model, canvas: canvas, columns: 80, rows: 24, isASCII: false).cursor == nil)
    }

    @Test("in ASCII mode nothing else is written")
    func ascii() {
        var editor = Editor()
        editor.draw("e", (4, 2), (25, 9))
        editor.draw("n", (30, 2), (50, 9))
        editor.type("日本 é")
        let isASCII = editor.screen(isASCII: true).utf8.allSatisfy { $0 < 0x80 }
        #expect(isASCII)
    }

    @Test("the difference between two frames is what changed and nothing else")
    func difference() {
        var old = CellGrid(columns: 10, rows: 2)
        old.put("hello", 0, 0, .plain)
        var new = old
        #expect(FrameDifference.spans(from: old, to: new).isEmpty)
        new.put("y", 1, 0, .plain)
        new.put("日本", 4, 1, .ink(.rgb(1, 2, 3)))
        let spans = FrameDifference.spans(from: old, to: new)
        #expect(spans.map(\.text) == ["y", "日本"])
        #expect(spans.map(\.column) == [1, 4])
        #expect(FrameDifference.spans(from: new, to: old).map(\.text) == ["e", "    "])
    }
}
