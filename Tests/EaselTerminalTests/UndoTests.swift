import EaselClient
import EaselProtocol
import Testing

@testable import EaselClientEngine
@testable import EaselCore
@testable import EaselTerminal

@Suite("What the editor says of undo and redo")
struct UndoTests {
    private static let shape: ShapeID = ShapeID("s")!
    private static let rui: SiteID = SiteID(2)!
    private static let bea: SiteID = SiteID(3)!

    private var people: People {
        var people = People()
        people.meet([
            Participant(site: Self.rui, presence: Presence(name: "Rui")),
            Participant(site: Self.bea, presence: Presence(name: "Bea")),
        ])
        return people
    }

    private func report(_ label: String, passed: [String] = [], _ remarks: [Remark]) -> PressResult {
        .done(PressReport(label: label, passed: passed, shapes: [Self.shape], remarks: remarks, selection: nil))
    }

    private func remark(
        _ reason: Remark.Reason, _ keys: [PropertyKey] = [], by sites: [SiteID] = [UndoTests.rui],
        shape: ShapeID = UndoTests.shape
    ) -> Remark {
        Remark(reason: reason, shape: shape, keys: keys, sites: sites)
    }

    /// Two editors, a rectangle of the first that both know, and what the second does with it selected.
    private func pair(
        _ keys: String = "", then others: String = ""
    ) -> (room: Room, ana: Editor, rui: Editor, id: ShapeID) {
        let room = Room()
        var ana = Editor(store: room.join("ana"))
        var rui = Editor(store: room.join("rui"))
        let id = ana.draw("r", (4, 2), (15, 7))
        ana.type(keys)
        ana.wait(600)
        room.settle()
        rui.takeReports()
        rui.press(KeyPress(.tab))
        rui.type(others)
        rui.wait(600)
        room.settle()
        ana.takeReports()
        return (room, ana, rui, id)
    }

    // MARK: Words

    @Test("P17: every reason has words, short enough for the line, whoever it was", arguments: Remark.Reason.allCases)
    func everyReason(reason: Remark.Reason) throws {
        for sites in [[], [Self.rui], [Self.rui, Self.bea], [Self.bea, Self.rui, try #require(SiteID(9))]] {
            for keys in [[], [Key.x, Key.y], [Key.stroke, Key.width], [Key.x, Key.width, Key.fill]] {
                let clause = Sentences.clause(remark(reason, keys, by: sites), people)
                #expect(!clause.isEmpty && CellWidth.columns(clause) <= 44, "\(clause)")
            }
        }
    }

    @Test("P17: reasons in words")
    func words() {
        func clause(_ reason: Remark.Reason, _ keys: [PropertyKey] = []) -> String {
            Sentences.clause(remark(reason, keys), people)
        }
        #expect(clause(.overwritten, [Key.stroke]) == "over Rui's colour")
        #expect(clause(.overwritten, [Key.x, Key.y]) == "over Rui's move")
        #expect(clause(.overwritten, [Key.x, Key.width]) == "over Rui's move and size")
        #expect(clause(.overwritten, [PropertyKey("locked")]) == "over Rui's change")
        #expect(clause(.overwritten) == "over Rui's order")
        #expect(clause(.yielded, [Key.fill]) == "leaving Rui's colour")
        #expect(clause(.removed) == "Rui deleted the shape")
        #expect(clause(.charactersRemoved) == "Rui deleted some of the text")
        #expect(clause(.edited) == "with Rui's work")
        #expect(clause(.kept) == "it stays, with Rui's work")
        #expect(clause(.obstructed) == "its old place is out of reach")
        #expect(clause(.limited, [Key.x]) == "as far as known here")
    }

    @Test("P17: people are called by name, those who are not known somebody; who leaves keeps the name")
    func names() throws {
        let stranger = try #require(SiteID(9))
        var people = people
        #expect(people.named([Self.rui]) == "Rui")
        #expect(people.owning([Self.rui, Self.bea]) == "Rui's and Bea's")
        #expect(people.named([stranger]) == "somebody")
        #expect(people.named([stranger, Self.rui]) == "Rui and somebody")
        #expect(people.owning([Self.rui, Self.bea, stranger]) == "Rui's and 2 others'")
        people.meet([Participant(site: stranger, presence: Presence(name: "a name that is much too long for a line"))])
        #expect(people.named([stranger]) == "a name that is m")
        #expect(people.named([Self.rui]) == "Rui")
    }

    @Test("P17: of several remarks the most important is said, and how many more there are; none twice")
    func severalRemarks() {
        let remarks = [
            remark(.removed, by: [Self.bea], shape: ShapeID("t")!), remark(.overwritten, [Key.stroke]),
            remark(.charactersRemoved), remark(.overwritten, [Key.stroke], shape: Self.shape),
        ]
        let sentence = Sentences.pressed(.redo, report("Recolor Rectangle", remarks), people)
        #expect(sentence == "redid: Recolor Rectangle (over Rui's colour +2 more)")
    }

    @Test("P8, P17: a press says which actions it passes over, and why")
    func passing() {
        let gone = ShapeID("t")!
        let remarks = [remark(.overwritten, [Key.stroke], shape: gone), remark(.removed, shape: gone)]
        let passed = report("Move Note", passed: ["Recolor Rectangle"], remarks)
        #expect(
            Sentences.pressed(.undo, passed, people)
                == "undid: Move Note (past Recolor Rectangle: Rui deleted the shape)")
        #expect(
            Sentences.note(on: report("Move Note", passed: ["Fill Note", "Type"], []), people)
                == "past Fill Note and 1 more")
    }

    // MARK: With others

    @Test("P17: undo says over whose colour it goes, before the press and after it")
    func overwriting() {
        var (_, ana, _, id) = pair("c", then: "cc")
        #expect(ana.screen().contains("u undo: Recolor Rectangle (over rui's colour)"))
        ana.type("u")
        #expect(ana.model.message == "undid: Recolor Rectangle (over rui's colour)")
        #expect(ana.canvas[id]?[Key.stroke] == nil)
        #expect(
            ana.screen(columns: 140).contains("u undo: Create Rectangle (with rui's work)  ^R redo: Recolor Rectangle"))
        ana.press(.control("r"))
        #expect(ana.canvas[id]?[Key.stroke]?.asString == Colour.cycle[2])
    }

    @Test("P17: undo of a shape that somebody worked on says that their work goes with it")
    func creationWithWork() {
        var (_, ana, _, _) = pair("", then: "c")
        ana.type("u")
        #expect(ana.model.message == "undid: Create Rectangle (with rui's work)")
    }

    @Test("P10, P17: where nothing is left to undo, the editor says why, on both lines")
    func nothing() {
        var (_, ana, _, _) = pair("c", then: "cx")
        ana.model.message = ""
        #expect(ana.screen().contains("u undo: nothing (rui deleted the shape)"))
        ana.type("u")
        #expect(ana.model.message == "nothing to undo: rui deleted the shape")
    }

    @Test("P17: what undo would do is asked once a change, not once a frame")
    func keeping() {
        var (room, ana, rui, id) = pair("c")
        #expect(ana.screen().contains("u undo: Recolor Rectangle"))
        #expect(ana.model.offers != nil)
        rui.click(40, 12)
        rui.model.publishPresence()
        room.settle()
        ana.takeReports()
        #expect(ana.model.offers != nil)
        rui.model.selection = [id]
        rui.type("c")
        room.settle()
        ana.takeReports()
        #expect(ana.model.offers == nil)
        #expect(ana.screen().contains("(over rui's colour)"))
    }

    // MARK: Room

    @Test("P17: where there is little room redo goes first, then the end of what there is to say", arguments: 0...120)
    func fitting(width: Int) {
        let undo = report("Recolor Rectangle", [remark(.overwritten, [Key.stroke])])
        let redo = report("Move Note", [remark(.removed)])
        let line = UndoLine(offers: Offers(undo: undo, redo: redo), undoKey: "u", people: people)
        let text = line.text(width: width, isASCII: false)
        #expect(CellWidth.columns(text) <= width)
        let whole = "u undo: Recolor Rectangle (over Rui's colour)"
        switch width {
        case ..<UndoLine.leastColumns: #expect(text.isEmpty)
        case ..<45: #expect(text == whole.prefix(width - 1) + "…")
        case ..<54: #expect(text == whole)
        case ..<65: #expect(text == whole + "  ^R redo")
        case ..<89: #expect(text == whole + "  ^R redo: Move Note")
        default: #expect(text == whole + "  ^R redo: Move Note (Rui deleted the shape)")
        }
        #expect(line.text(width: width, isASCII: true).utf8.allSatisfy { $0 < 0x80 })
    }

    @Test("P17: why a key would do nothing is said where there is room, and never instead of what another does")
    func fittingNothing() {
        let nothing = PressResult.nothing([remark(.removed)])
        func text(_ undo: PressResult, _ redo: PressResult, _ width: Int) -> String {
            UndoLine(offers: Offers(undo: undo, redo: redo), undoKey: "u", people: people)
                .text(width: width, isASCII: false)
        }
        #expect(text(nothing, .nothing([]), 40) == "u undo: nothing (Rui deleted the shape)")
        #expect(text(nothing, .nothing([]), 38).isEmpty)
        #expect(text(.nothing([]), .nothing([]), 80).isEmpty)
        let redo = report("Move Note", [])
        #expect(text(nothing, redo, 80) == "u undo: nothing (Rui deleted the shape)  ^R redo: Move Note")
        #expect(text(nothing, redo, 40) == "^R redo: Move Note")
        #expect(text(nothing, redo, 14) == "^R redo: Move…")
    }

    @Test("a long message is cut where the line ends, and what undo would do makes room for it")
    func longMessage() {
        var (_, ana, _, _) = pair("c", then: "c")
        ana.model.viewport.resize(columns: 40, rows: 9)
        ana.model.message = "undid: Recolor Rectangle (over Rui's colour +2 more)"
        let rows = ana.screen(columns: 40, rows: 12).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(rows[10] == " undid: Recolor Rectangle (over Rui's …")
        let wide = ana.screen(columns: 80, rows: 12).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(wide[10].contains("+2 more)  u undo: Recolor Rectang…"))
    }
}
