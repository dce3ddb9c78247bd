import CTickit
import Glibc
import Testing

@testable import EaselTerminal

@Suite("The terminal library", .serialized)
struct ScreenTests {
    /// A terminal in memory with a screen on it.
    private struct Terminal {
        let term: OpaquePointer
        let screen: Screen

        init(columns: Int32 = 20, rows: Int32 = 4, depth: ColourDepth = .palette256) {
            guard let term = tickit_mockterm_new(rows, columns) else { preconditionFailure("memory for a terminal") }
            self.term = term
            screen = Screen(mock: term, depth: depth)
        }

        func text(_ row: Int32, columns: Int32 = 20) -> String {
            var buffer = [CChar](repeating: 0, count: 256)
            let count = tickit_mockterm_get_display_text(term, &buffer, buffer.count, row, 0, columns)
            return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        /// What was printed since this was last asked.
        func printed() -> [String] {
            defer { tickit_mockterm_clearlog(term) }
            return (0..<tickit_mockterm_loglen(term)).compactMap { index in
                guard let entry = tickit_mockterm_peeklog(term, index)?.pointee, entry.type == LOG_PRINT,
                    let text = entry.str
                else { return nil }
                return String(cString: text)
            }
        }

    }

    /// Reads bytes as a terminal of a type sends them.
    private func keys(_ bytes: String, type: String = "xterm-256color") throws -> [Input] {
        let term = try #require(Screen.build(type: type))
        defer { tickit_term_unref(term) }
        tickit_term_set_utf8(term, true)
        return Screen(mock: term, depth: .none).readInput(bytes: Array(bytes.utf8))
    }

    @Test("an escape key whose time ends while the wait is computed is not waited for any longer")
    func escapeAtTheEndOfItsTime() {
        let terminal = Terminal()
        #expect(terminal.screen.readInput(bytes: [0x1B]).isEmpty)
        var timeout = terminal.screen.inputTimeout
        while let left = timeout, left > 0 { timeout = terminal.screen.inputTimeout }
        #expect(timeout == 0)
        #expect(terminal.screen.readInput(isReadable: false) == [.key(KeyPress(.escape))])
        #expect(terminal.screen.inputTimeout == nil)
    }

    private static let types = ["xterm", "xterm-256color", "tmux-256color", "screen-256color"]

    @Test("a frame is shown as it is, wide characters too")
    func showing() {
        let terminal = Terminal()
        var grid = CellGrid(columns: 20, rows: 4)
        grid.put("┌─ 日本 ─┐", 1, 1, .plain)
        terminal.screen.show(grid, cursor: nil)
        #expect(terminal.text(1) == " ┌─ 日本 ─┐         ")
    }

    @Test("only what changed is written, and nothing when nothing changed")
    func onlyChanges() {
        let terminal = Terminal()
        var grid = CellGrid(columns: 20, rows: 4)
        grid.put("hello world", 0, 0, .plain)
        terminal.screen.show(grid, cursor: nil)
        _ = terminal.printed()
        grid.put("W", 6, 0, .plain)
        terminal.screen.show(grid, cursor: nil)
        #expect(terminal.printed() == ["W"])
        terminal.screen.show(grid, cursor: nil)
        #expect(terminal.printed().isEmpty)
        #expect(terminal.text(0) == "hello World         ")
    }

    @Test("colours become pens in the terminal's depth, and none without colours")
    func pens() {
        for (depth, expected) in [(ColourDepth.palette256, Int32(196)), (.truecolor, 196), (.none, -1)] {
            let terminal = Terminal(depth: depth)
            var grid = CellGrid(columns: 20, rows: 4)
            grid.put("x", 0, 0, .ink(.rgb(255, 0, 0), bold: true))
            terminal.screen.show(grid, cursor: nil)
            let pen = tickit_mockterm_get_display_pen(terminal.term, 0, 0)
            #expect(tickit_pen_get_colour_attr(pen, TICKIT_PEN_FG) == expected)
            #expect(tickit_pen_get_bool_attr(pen, TICKIT_PEN_BOLD))
            #expect(tickit_pen_has_colour_attr_rgb8(pen, TICKIT_PEN_FG) == (depth == .truecolor))
        }
    }

    @Test("another size is drawn whole")
    func resizing() {
        let terminal = Terminal()
        terminal.screen.show(CellGrid(columns: 20, rows: 4), cursor: nil)
        tickit_mockterm_resize(terminal.term, 5, 30)
        var grid = CellGrid(columns: 30, rows: 5)
        grid.put("here", 26, 4, .plain)
        terminal.screen.show(grid, cursor: nil)
        #expect(terminal.text(4, columns: 30).hasSuffix("here"))
        #expect(terminal.screen.size == (30, 5))
    }

    @Test("the cursor is placed")
    func cursor() {
        let terminal = Terminal()
        terminal.screen.show(CellGrid(columns: 20, rows: 4), cursor: CellPoint(column: 7, row: 2))
        var (line, column): (Int32, Int32) = (0, 0)
        tickit_mockterm_get_position(terminal.term, &line, &column)
        #expect(line == 2 && column == 7)
    }

    @Test("keys are read as terminals send them", arguments: types)
    func reading(type: String) throws {
        #expect(try keys("aé日", type: type) == ["a", "é", "日"].map { .key(KeyPress($0)) })
        #expect(try keys("\u{1B}[A\u{1B}[1;2C", type: type) == [.key(KeyPress(.up)), .key(KeyPress(.right, .shift))])
        #expect(try keys("\u{12}\u{1A}", type: type) == [.key(.control("r")), .key(.control("z"))])
        #expect(
            try keys("\t\r\u{7F}", type: type) == [
                .key(KeyPress(.tab)), .key(KeyPress(.enter)), .key(KeyPress(.backspace)),
            ])
        #expect(try keys("\u{1B}[Z", type: type) == [.key(KeyPress(.tab, .shift))])
        #expect(try keys("\u{1B}[3~", type: type) == [.key(KeyPress(.delete))])
        #expect(try keys("\u{1B}z", type: type) == [.key(.alt("z"))])
        #expect(try keys("\u{1B}[1;3B", type: type) == [.key(KeyPress(.down, .alt))])
    }

    @Test("the mouse is read as SGR reports, whatever terminfo says of it", arguments: types)
    func mouse(type: String) throws {
        #expect(
            try keys("\u{1B}[<0;5;3M\u{1B}[<32;300;4M\u{1B}[<0;300;4m", type: type) == [
                .mouse(MouseInput(.press, column: 4, row: 2)), .mouse(MouseInput(.drag, column: 299, row: 3)),
                .mouse(MouseInput(.release, column: 299, row: 3)),
            ])
        #expect(
            try keys("\u{1B}[<64;1;1M\u{1B}[<65;1;1M", type: type) == [
                .mouse(MouseInput(.wheelUp, column: 0, row: 0)), .mouse(MouseInput(.wheelDown, column: 0, row: 0)),
            ])
        #expect(
            try keys("\u{1B}[<16;5;3M", type: type) == [
                .mouse(MouseInput(.press, column: 4, row: 2, modifiers: .control))
            ])
    }

    private func options(_ color: String, hasMouse: Bool = true) -> TerminalOptions {
        TerminalOptions(color: color, isASCII: false, hasMouse: hasMouse, environment: ["LANG": "C.UTF-8"])
    }

    @Test("a frame leaves in one write of few bytes, and an unchanged one in none", arguments: types)
    func oneWrite(type: String) throws {
        let terminal = try #require(PseudoTerminal(columns: 80, rows: 24))
        defer { terminal.close() }
        let screen = try #require(
            Screen(
                input: terminal.program, output: terminal.program, options: options("256"), environment: ["TERM": type])
        )
        #expect(screen.size == (80, 24))
        var grid = CellGrid(columns: 80, rows: 24)
        for row in 0..<24 { grid.put(String(repeating: "─", count: 80), 0, row, .ink(.rgb(UInt8(row), 9, 9))) }
        var writes = screen.writeCount
        screen.show(grid, cursor: nil)
        #expect(screen.writeCount == writes + 1)
        (writes, _) = (screen.writeCount, terminal.shown())
        grid.put("x", 40, 12, .plain)
        let before = screen.bytesWritten
        screen.show(grid, cursor: nil)
        #expect(screen.writeCount == writes + 1)
        #expect(screen.bytesWritten - before < 64)
        #expect(terminal.shown().contains("x"))
        screen.show(grid, cursor: nil)
        #expect(screen.writeCount == writes + 1)
        screen.close()
    }

    @Test("the terminal is taken and given back as it was")
    func restoring() throws {
        let terminal = try #require(PseudoTerminal(columns: 80, rows: 24))
        defer { terminal.close() }
        #expect(!terminal.isRaw)
        let screen = try #require(
            Screen(
                input: terminal.program, output: terminal.program, options: options("auto"),
                environment: ["TERM": "xterm-256color"]))
        #expect(terminal.isRaw)
        let taken = terminal.shown()
        #expect(taken.contains("\u{1B}[?1049h") && taken.contains("\u{1B}[?1006h"))
        screen.pause()
        #expect(!terminal.isRaw)
        #expect(terminal.shown().contains("\u{1B}[?1049l"))
        screen.resume()
        #expect(terminal.isRaw)
        screen.show(CellGrid(columns: 80, rows: 24), cursor: CellPoint(column: 1, row: 1))
        #expect(terminal.shown().contains("\u{1B}[?1049h"))
        screen.close()
        #expect(!terminal.isRaw)
        let given = terminal.shown()
        for sequence in ["\u{1B}[?1049l", "\u{1B}[?1002l"] { #expect(given.contains(sequence)) }
    }

    @Test("24-bit colours are written where they are asked for, none without colours, and no mouse without the mouse")
    func depths() throws {
        for (color, expected) in [("truecolor", true), ("256", false), ("none", false)] {
            let terminal = try #require(PseudoTerminal(columns: 80, rows: 24))
            defer { terminal.close() }
            let screen = try #require(
                Screen(
                    input: terminal.program, output: terminal.program, options: options(color, hasMouse: false),
                    environment: ["TERM": "tmux-256color"]))
            #expect(!terminal.shown().contains("\u{1B}[?1002h"))
            var grid = CellGrid(columns: 80, rows: 24)
            grid.put("x", 0, 0, .ink(.rgb(1, 2, 3)))
            screen.show(grid, cursor: nil)
            let shown = terminal.shown()
            #expect(["38;2;1;2;3", "38:2:1:2:3"].contains { shown.contains($0) } == expected)
            #expect(shown.contains("38") == (color != "none"))
            screen.close()
        }
    }

    @Test("a type of terminal that lacks what drawing needs is refused, one that has it is taken")
    func terminalTypes() throws {
        for type in ["dumb", "vt100", "ansi", "no such type"] { #expect(Screen.build(type: type) == nil) }
        for type in ["linux", "screen", "xterm"] {
            let term = try #require(Screen.build(type: type))
            tickit_term_unref(term)
        }
    }

    @Test("characters and line ends that come at once are joined, other keys are not")
    func joining() {
        let inputs = [
            KeyPress("a"), KeyPress(.enter), KeyPress("b"), KeyPress(.up), KeyPress("c"), .alt("z"), KeyPress("d"),
        ]
        let joined = Input.joined(inputs.map { .key($0) })
        let expected: [Input] = [
            .text("a\nb"), .key(KeyPress(.up)), .key(KeyPress("c")), .key(.alt("z")), .key(KeyPress("d")),
        ]
        #expect(joined == expected)
    }

    @Test("a terminal that is gone is noticed")
    func gone() throws {
        let terminal = try #require(PseudoTerminal(columns: 80, rows: 24))
        let screen = try #require(
            Screen(
                input: terminal.program, output: terminal.program, options: options("none"),
                environment: ["TERM": "xterm"]))
        close(terminal.person)
        var grid = CellGrid(columns: 80, rows: 24)
        grid.put("x", 0, 0, .plain)
        screen.show(grid, cursor: nil)
        #expect(screen.isBroken)
        screen.close()
        close(terminal.program)
    }
}
