import EaselCore
import Testing

@testable import EaselTerminal

@Suite("Pictures of shapes")
struct PictureTests {
    private func shape(
        _ kind: ShapeKind, _ x: Int, _ y: Int, _ width: Int, _ height: Int, text: String = "", fill: String? = nil
    ) throws -> DrawnShape {
        var properties = Properties([
            (Key.x, .integer(Int64(x))), (Key.y, .integer(Int64(y))), (Key.width, .integer(Int64(width))),
            (Key.height, .integer(Int64(height))),
        ])
        properties[Key.fill] = fill.map { .string($0) }
        return DrawnShape(id: try #require(ShapeID("s")), kind: kind, properties: properties, string: text)
    }

    private func line(_ x: Int, _ y: Int, _ x2: Int, _ y2: Int) throws -> DrawnShape {
        let properties = ShapeKind.line.properties(
            from: CellPoint(column: x, row: y), to: CellPoint(column: x2, row: y2))
        return DrawnShape(id: try #require(ShapeID("l")), kind: .line, properties: properties)
    }

    private func picture(_ columns: Int, _ rows: Int, isASCII: Bool = false, _ shapes: DrawnShape...) -> String {
        var picture = Picture(viewport: Viewport(columns: columns, rows: rows), isASCII: isASCII)
        for shape in shapes { picture.draw(shape) }
        return picture.grid.text
    }

    @Test("a rectangle with its text in the middle")
    func rectangle() throws {
        #expect(
            try picture(12, 5, shape(.rectangle, 1, 1, 10, 3, text: "box")) == """

                 ┌────────┐
                 │  box   │
                 └────────┘

                """)
    }

    @Test("the same in ASCII")
    func ascii() throws {
        #expect(
            try picture(12, 4, isASCII: true, shape(.rectangle, 1, 0, 10, 3, text: "bö→")) == """
                 +--------+
                 |  b??   |
                 +--------+

                """)
    }

    @Test("an ellipse")
    func ellipse() throws {
        #expect(
            try picture(13, 5, shape(.ellipse, 0, 0, 13, 5, text: "hi")) == """
                   ╭─────╮
                 ╭─╯     ╰─╮
                │    hi     │
                 ╰─╮     ╭─╯
                   ╰─────╯
                """)
    }

    @Test("lines in all directions")
    func lines() throws {
        #expect(try picture(5, 3, line(0, 1, 4, 1)) == "\n─────\n")
        #expect(try picture(3, 3, line(1, 0, 1, 2)) == " │\n │\n │")
        #expect(try picture(3, 3, line(0, 0, 2, 2)) == "╲\n ╲\n  ╲")
        #expect(try picture(3, 3, line(0, 2, 2, 0)) == "  ╱\n ╱\n╱")
    }

    @Test("a line far longer than the canvas costs what is shown")
    func longLine() throws {
        #expect(try picture(5, 1, line(-900_000, 0, 900_000, 0)) == "─────")
        #expect(
            Picture.lineCells(
                CellPoint(column: -900_000, row: -900_000), CellPoint(column: 900_000, row: 900_000),
                within: CellBox(column: 0, row: 0, width: 3, height: 3)
            ).count == 3)
    }

    @Test("a filled shape covers what lies behind it, an outline does not")
    func covering() throws {
        let text = try shape(.text, 0, 1, 10, 1, text: "0123456789")
        #expect(try picture(10, 3, text, shape(.rectangle, 2, 0, 5, 3)) == "  ┌───┐\n01│345│789\n  └───┘")
        #expect(try picture(10, 3, text, shape(.rectangle, 2, 0, 5, 3, fill: "red")) == "  ┌───┐\n01│   │789\n  └───┘")
    }

    @Test("text is clipped to its shape")
    func clipping() throws {
        #expect(
            try picture(8, 4, shape(.note, 0, 0, 6, 4, text: "one two three four")) == "┌┄┄┄┄┐\n┆one ┆\n┆two ┆\n└┄┄┄┄┘")
    }

    @Test("wide characters and emoji take the columns the terminal gives them, and are never cut in two")
    func wideCharacters() throws {
        #expect(try picture(6, 1, shape(.text, 0, 0, 6, 1, text: "日本語")) == "日本語")
        #expect(try picture(5, 1, shape(.text, 0, 0, 6, 1, text: "日本語")) == "日本")
        #expect(try picture(5, 1, shape(.text, -1, 0, 6, 1, text: "日本語")) == " 本語")
        #expect(CellWidth.columns("👍") == 2)
        #expect(CellWidth.columns("e\u{301}") == 1)
    }

    @Test("emoji that are joined or toned are drawn as the first of them, whose width is not in doubt")
    func joinedEmoji() {
        var grid = CellGrid(columns: 10, rows: 1)
        #expect(grid.put("👩‍👩‍👧👍🏽x", 0, 0, .plain) == 5)
        #expect(grid.text(0) == "👩👍x")
    }

    @Test("writing over half of a wide character blanks the other half")
    func overwriting() {
        var grid = CellGrid(columns: 4, rows: 1)
        grid.put("日本", 0, 0, .plain)
        grid.put("x", 1, 0, .plain)
        #expect(grid.text == " x本")
        grid.put("y", 2, 0, .plain)
        #expect(grid.text == " xy")
    }

    @Test("no control character of a text or name reaches the grid")
    func controlCharacters() {
        var grid = CellGrid(columns: 12, rows: 1)
        grid.put("a\u{1B}[2Jb\u{9B}\u{202E}\u{7}", 0, 0, .plain)
        #expect(grid.text == "a?[2Jb???")
    }

    @Test("nonsense geometry is drawn somewhere or nowhere, and never traps")
    func nonsense() throws {
        let id = try #require(ShapeID("s"))
        for value in [Value.double(1e300), .double(-1e300), .string("x"), .bool(true), .list([]), .integer(.max)] {
            for kind in [ShapeKind.rectangle, .ellipse, .line, .text, .note, .other("star")] {
                let keys = [Key.x, Key.y, Key.width, Key.height, Key.x2, Key.y2, Key.stroke, Key.fill]
                let shape = DrawnShape(
                    id: id, kind: kind, properties: Properties(keys.map { ($0, value) }), string: "text")
                _ = picture(20, 5, shape)
                #expect(shape.box.width >= 1)
            }
        }
    }

    @Test("shapes are drawn in the order of the canvas")
    func order() throws {
        var draft = TransactionDraft(canvas: Canvas(), identities: IdentitySource(site: try #require(SiteID(1))))
        let box = Properties([(Key.width, .integer(3)), (Key.height, .integer(3)), (Key.fill, .string("red"))])
        let back = draft.create(kind: "rectangle", properties: box)
        draft.create(kind: "note", properties: box)
        var picture = Picture(viewport: Viewport(columns: 3, rows: 3))
        picture.draw(draft.canvas)
        #expect(picture.grid.text == "┌┄┐\n┆ ┆\n└┄┘")
        draft.bringToFront(back)
        picture.draw(draft.canvas)
        #expect(picture.grid.text == "┌─┐\n│ │\n└─┘")
    }

    @Test("easel show fits the picture to what is on the canvas and cuts it to a size")
    func showing() throws {
        var draft = TransactionDraft(canvas: Canvas(), identities: IdentitySource(site: try #require(SiteID(1))))
        draft.create(
            kind: "rectangle",
            properties: Properties([
                (Key.x, .integer(-50)), (Key.y, .integer(700)), (Key.width, .integer(4)), (Key.height, .integer(3)),
            ]))
        #expect(ShowCommand.picture(of: draft.canvas, width: 80, height: 24, isASCII: false) == "┌──┐\n│  │\n└──┘")
        #expect(ShowCommand.picture(of: draft.canvas, width: 2, height: 2, isASCII: true) == "+-\n|")
        #expect(ShowCommand.picture(of: Canvas(), width: 2, height: 2, isASCII: true) == "")
    }

    @Test("the JSON of easel show has revision, digest and every visible shape in drawing order")
    func json() throws {
        var draft = TransactionDraft(canvas: Canvas(), identities: IdentitySource(site: try #require(SiteID(1))))
        let hidden = draft.create(kind: "note")
        draft.create(
            kind: "text", properties: Properties([(Key.x, .double(1.5)), (Key.color, .string("red"))]), text: "hi")
        draft.delete([hidden])
        let json = CanvasDescription(draft.canvas, name: try #require(CanvasID("plan"))).json()
        #expect(json.contains("\"canvas\" : \"plan\""))
        #expect(json.contains("\"x\" : 1.5"))
        #expect(json.contains("\"text\" : \"hi\""))
        #expect(json.contains("\"digest\" : \"\(StatusLine.hexDigits(draft.canvas.digest))\""))
        #expect(!json.contains("note"))
    }
}

@Suite("Colours")
struct ColourTests {
    @Test("properties hold names or #RRGGBB")
    func reading() {
        #expect(Colour("#10FF03") == .rgb(16, 255, 3))
        #expect(Colour("red") != nil)
        for bad in ["", "#", "#12345", "#1234567", "#GGGGGG", "reddish"] { #expect(Colour(bad) == nil) }
    }

    @Test("the same colour in four depths")
    func depths() {
        let red = Colour.rgb(250, 10, 10)
        #expect(ColourDepth.truecolor.index(of: red) == 196)
        #expect(ColourDepth.palette256.index(of: red) == 196)
        #expect([1, 9].contains(ColourDepth.palette16.index(of: red)))
        #expect(ColourDepth.none.index(of: red) == -1)
        #expect(ColourDepth.palette256.index(of: .rgb(128, 128, 128)) == 244)
        #expect(ColourDepth.truecolor.index(of: .standard) == -1)
    }

    @Test("the depth follows from the flag, else from NO_COLOR, COLORTERM and TERM")
    func detection() {
        func depth(_ color: String, _ environment: [String: String]) -> ColourDepth {
            TerminalOptions(color: color, isASCII: false, hasMouse: true, environment: environment).depth
        }
        #expect(depth("auto", ["TERM": "xterm-256color"]) == .palette256)
        #expect(depth("auto", ["TERM": "xterm-256color", "COLORTERM": "truecolor"]) == .truecolor)
        #expect(depth("auto", ["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"]) == .none)
        #expect(depth("auto", ["TERM": "xterm-256color", "NO_COLOR": ""]) == .palette256)
        #expect(depth("256", ["TERM": "linux", "NO_COLOR": "1"]) == .palette256)
        #expect(depth("auto", ["TERM": "linux"]) == .palette16)
        #expect(depth("auto", ["TERM": "vt100"]) == .none)
    }

    @Test("ASCII is chosen by itself where the locale is not UTF-8")
    func locale() {
        func isASCII(_ environment: [String: String]) -> Bool {
            TerminalOptions(color: "auto", isASCII: false, hasMouse: true, environment: environment).isASCII
        }
        #expect(!isASCII(["LANG": "C.UTF-8"]))
        #expect(!isASCII(["LC_ALL": "de_DE.utf8", "LANG": "C"]))
        #expect(isASCII(["LC_ALL": "C", "LANG": "C.UTF-8"]))
        #expect(isASCII([:]))
    }
}
