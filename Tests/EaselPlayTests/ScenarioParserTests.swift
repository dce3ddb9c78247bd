import EaselCore
import Testing

@testable import EaselPlay

@Suite("Reading scenarios")
struct ScenarioParserTests {
    private static let header = #"{"scenario":"x","title":"what it shows","clients":["A","B"]}"#

    /// What is wrong with a file of the header, a line that makes `s1`, and `line`.
    private func mistake(_ line: String) -> ScenarioError? {
        let text = Self.header + "\n" + #"{"by":"A","create":"s1"}"# + "\n" + line
        return mistake(inFile: text)
    }

    private func mistake(inFile text: String) -> ScenarioError? {
        do throws(ScenarioError) {
            _ = try ScenarioParser.parse(text, file: "x.jsonl")
            return nil
        } catch {
            return error
        }
    }

    @Test("blank lines and comments count as lines and say nothing")
    func comments() throws {
        let scenario = try ScenarioParser.parse(
            "# first\r\n\r\n" + Self.header
                + "\r\n  // second\r\n{\"wait\":5}\r\n\n  {\"by\":\"B\",\"undo\":\"Drag\"}\n",
            file: "x.jsonl")
        #expect(scenario.id == "x")
        #expect(scenario.title == "what it shows")
        #expect(scenario.clients == ["A", "B"])
        #expect(scenario.lines.map(\.number) == [5, 7])
        guard case .wait(5) = scenario.lines[0].step else {
            Issue.record("not a wait")
            return
        }
        guard case .press(client: 1, let direction, history: "main", let facts) = scenario.lines[1].step else {
            Issue.record("not an undo by B")
            return
        }
        #expect("\(direction)" == "undo")
        #expect(facts.outcome == .named("Drag"))
    }

    @Test("truth values, numbers, strings, lists and maps become values, null an absent property")
    func values() throws {
        let scenario = try ScenarioParser.parse(
            Self.header + "\n" + #"{"by":"A","create":"s"}"# + "\n"
                + #"{"by":"A","set":"s","properties":{"a":true,"b":1,"c":1.0,"d":0.5,"e":"x","f":[1,false],"g":{"h":2},"i":null}}"#,
            file: "x.jsonl")
        guard case .edit(client: 0, .set(shape: "s", let changes), _) = scenario.lines[1].step else {
            Issue.record("not a set")
            return
        }
        let expected: [(PropertyKey, Value?)] = [
            (PropertyKey("a"), .bool(true)), (PropertyKey("b"), .integer(1)), (PropertyKey("c"), .integer(1)),
            (PropertyKey("d"), .double(0.5)), (PropertyKey("e"), .string("x")),
            (PropertyKey("f"), .list([.integer(1), .bool(false)])),
            (PropertyKey("g"), .map(Properties([(PropertyKey("h"), .integer(2))]))), (PropertyKey("i"), nil),
        ]
        #expect(changes == expected.map { PropertyChange($0.0, $0.1) })
    }

    @Test(
        "a mistake in a step is an error with its line and a sentence",
        arguments: [
            ("nonsense", "a line must be one JSON object"),
            ("[1]", "a line must be one JSON object"),
            (#"{"by":"A","draw":"s2"}"#, "the line has no verb; verbs are back, "),
            (#"{"by":"A","undo":true,"redo":true}"#, "the line has the verbs redo and undo; it must have one"),
            (#"{"undo":true}"#, "'by' is missing"),
            (#"{"by":"Z","undo":true}"#, "there is no client 'Z'; there are A, B"),
            (#"{"by":1,"undo":true}"#, "'by' must be a string, not a number"),
            (#"{"by":"A","undo":1}"#, "'undo' must be true, false or the name of the action"),
            (
                #"{"by":"A","undo":true,"label":"x"}"#,
                "'undo' has no 'label'; it has by, history, passed, remarks, selection, undo"
            ),
            (#"{"by":"A","create":"s1"}"#, "the shape 's1' was created before"),
            (#"{"by":"A","create":""}"#, "a shape's name must not be empty"),
            (#"{"by":"A","create":"s2","in":"s9"}"#, "no line above creates the shape 's9'"),
            (#"{"by":"A","create":"s2","properties":{"x":null}}"#, "a new shape's properties cannot be null"),
            (#"{"by":"A","create":"s2","colour":"red"}"#, "'create' has no 'colour'; it has by, create, "),
            (#"{"by":"A","set":"s1"}"#, "'properties' is missing or empty"),
            (#"{"by":"A","set":"s1","properties":[1]}"#, "'properties' must be an object, not a list"),
            (
                #"{"by":"A","set":"s1","properties":{"":1}}"#,
                "'' cannot be the name of a property; it must have 1 to 64 bytes"
            ),
            (#"{"by":"A","set":"s1","properties":{"x":[[[[[1]]]]]}}"#, "the value of 'x' cannot be that of a property"),
            (#"{"by":"A","delete":[]}"#, "'delete' must name a shape"),
            (#"{"by":"A","delete":["s1",2]}"#, "'delete' must be a string or a list of strings"),
            (#"{"by":"A","type":"x"}"#, "'in' is missing"),
            (#"{"by":"A","type":"x","in":"s1","at":-1}"#, "'at' must be a whole number, 0 to 1000000"),
            (#"{"by":"A","type":"x","in":"s1","at":0.5}"#, "'at' must be a whole number, 0 to 1000000"),
            (#"{"by":"A","type":"x","in":"s1","coalescing":"no"}"#, "'coalescing' must be typing"),
            (#"{"by":"A","set":"s1","properties":{"x":1},"coalescing":"typing"}"#, "'set' has no 'coalescing'; "),
            (#"{"by":"A","erase":1,"in":"s1"}"#, "'at' is missing"),
            (#"{"by":"A","put":"s1"}"#, "'into' is missing"),
            (#"{"by":"A","put":"s1","into":3}"#, "'into' must be a string or null, not a number"),
            (#"{"by":"A","front":"s1","history":""}"#, "a history's name must not be empty"),
            (#"{"by":"A","front":"s1","effect":1}"#, #"'effect' must be true, false or "stale", not a number"#),
            (#"{"by":"A","front":"s1","effect":"stale"}"#, "an edit can be stale only with 'since'"),
            (#"{"by":"A","front":"s1","label":""}"#, "'label' must have 1 to 256 bytes"),
            (#"{"by":"A","begin":""}"#, "'begin' must have 1 to 256 bytes"),
            (#"{"by":"A","end":false}"#, "'end' must be true, not true or false"),
            (#"{"hold":"Z"}"#, "there is no client 'Z'; there are A, B"),
            (#"{"hold":"A","direction":"left"}"#, "'direction' must be up, down or both"),
            (#"{"release":"A","count":1}"#, "'count' needs a 'direction', up or down"),
            (#"{"release":"A","direction":"up","count":0}"#, "'count' must be a whole number, 1 to 2147483647"),
            (#"{"restart":"A"}"#, "only the server can be restarted"),
            (#"{"wait":"long"}"#, "'wait' must be a whole number, 0 to 3600000"),
            (#"{"expect":"A"}"#, "'expect' expects nothing"),
            (#"{"expect":"A","shape":{}}"#, "'expect' has no 'shape'; it has canRedo, "),
            (#"{"expect":"A","shapes":{"s9":{}}}"#, "no line above creates the shape 's9'"),
            (
                #"{"expect":"A","shapes":{"s1":{"colour":"red"}}}"#,
                "what is expected of 's1' has no 'colour'; it has children, "
            ),
            (#"{"expect":"A","shapes":{"s1":"gone"}}"#, "what is expected of 's1' must be an object, not a string"),
            (#"{"expect":"A","equal":true}"#, "'equal' can be expected of all only"),
            (#"{"expect":"server","undoCount":0}"#, "the server has no history and nothing pending; name a client"),
            (#"{"expect":"A","undoLabel":false}"#, "'undoLabel' must be a string or null, not true or false"),
        ])
    func mistakes(_ line: String, _ sentence: String) throws {
        let error = try #require(mistake(line))
        #expect(error.file == "x.jsonl")
        #expect(error.line == 3)
        // A sentence that ends in a space goes on with a list that other tests need not repeat.
        #expect(sentence.hasSuffix(" ") ? error.sentence.hasPrefix(sentence) : error.sentence == sentence)
    }

    @Test(
        "a mistake in the header is an error",
        arguments: [
            ("", nil, "the file has no scenario in it"),
            ("# nothing\n", nil, "the file has no scenario in it"),
            (
                #"{"by":"A","undo":true}"#, 1,
                "the first line must be the header, with 'scenario', 'title' and 'clients'"
            ),
            (#"{"scenario":"x","clients":["A"]}"#, 1, "'title' is missing"),
            (#"{"scenario":"","title":"t","clients":["A"]}"#, 1, "'scenario' and 'title' must not be empty"),
            ("\n" + #"{"scenario":"x","title":"t","clients":[]}"#, 2, "'clients' must be 1 to 32 different names"),
            (#"{"scenario":"x","title":"t","clients":["A","A"]}"#, 1, "'clients' must be 1 to 32 different names"),
            (#"{"scenario":"x","title":"t","clients":["all"]}"#, 1, "a client cannot have the name 'all'"),
            (#"{"scenario":"x","title":"t","clients":["disk"]}"#, 1, "a client cannot have the name 'disk'"),
            (
                #"{"scenario":"x","title":"t","clients":["A"],"seed":1}"#, 1,
                "the header has no 'seed'; it has clients, needs, scenario, title"
            ),
            (#"{"scenario":"x","title":"t","clients":["A"],"needs":"luck"}"#, 1, "'needs' must be simulation"),
        ] as [(String, Int?, String)])
    func headers(_ text: String, _ line: Int?, _ sentence: String) throws {
        let error = try #require(mistake(inFile: text))
        #expect(error == ScenarioError(file: "x.jsonl", line: line, sentence: sentence))
    }

    @Test(
        "a scenario with what a real server cannot be made to do, or that says so, needs the simulation, and tells why",
        arguments: [
            (#"{"restart":"server"}"#, "x.jsonl:3: a real server cannot be restarted from here"),
            (
                #"{"hold":"disk"}"#,
                "x.jsonl:3: the disk of a real server cannot be held, and does not fail at will"
            ),
            (
                #"{"release":"disk"}"#,
                "x.jsonl:3: the disk of a real server cannot be held, and does not fail at will"
            ),
            (
                #"{"fail":"disk"}"#,
                "x.jsonl:3: the disk of a real server cannot be held, and does not fail at will"
            ),
            (#"{"refuse":"A"}"#, "x.jsonl:3: a real server cannot be made to refuse a good transaction"),
            (#"{"role":"viewer","of":"A"}"#, "x.jsonl:3: a real server cannot be told from here who may edit"),
            (#"{"disconnect":"A"}"#, nil), (#"{"wait":5}"#, nil), (#"{"hold":"A"}"#, nil), (#"{"release":"A"}"#, nil),
            (#"{"duplicate":"A"}"#, nil), (#"{"kill":"A"}"#, nil), (#"{"return":"A"}"#, nil),
        ] as [(String, String?)])
    func obstacles(_ line: String, _ sentence: String?) throws {
        let text = Self.header + "\n" + #"{"by":"A","create":"s1"}"# + "\n" + line
        #expect(try ScenarioParser.parse(text, file: "x.jsonl").obstacle == sentence)
        let marked = text.replacing("\"clients\"", with: "\"needs\":\"simulation\",\"clients\"", maxReplacements: 1)
        #expect(
            try ScenarioParser.parse(marked, file: "x.jsonl").obstacle
                == "x.jsonl: its header says that it needs the simulation")
    }

    @Test("a file that cannot be read is an error")
    func unreadable() {
        #expect(throws: ScenarioError(file: "no/such.jsonl", line: nil, sentence: "the file cannot be read")) {
            try ScenarioParser.read(path: "no/such.jsonl")
        }
    }

    @Test("an error names file and line")
    func description() {
        #expect(ScenarioError(file: "x.jsonl", line: 7, sentence: "is wrong").description == "x.jsonl:7: is wrong")
        #expect(ScenarioError(file: "x.jsonl", line: nil, sentence: "is wrong").description == "x.jsonl: is wrong")
    }
}
