import EaselCore
import Testing

@testable import EaselPlay

@Suite("Playing scenarios")
struct ScenarioRunnerTests {
    /// How a scenario of the clients A and B fails; nil if it passes.
    private func failure(_ lines: String) throws -> ScenarioFailure? {
        let header = #"{"scenario":"x","title":"x","clients":["A","B"]}"#
        let scenario = try ScenarioParser.parse(header + "\n" + lines, file: "x.jsonl")
        do throws(ScenarioFailure) {
            try ScenarioRunner.play(scenario)
            return nil
        } catch {
            return error
        }
    }

    private func mismatch(_ subject: String, _ expected: String, _ found: String) -> ScenarioFailure.Reason {
        .mismatch(subject: subject, expected: expected, found: found)
    }

    @Test("a failed expectation says line, expected and found, each for itself")
    func mismatches() throws {
        let failure = try #require(
            try failure(
                """
                {"by":"A","create":"s1","properties":{"x":1},"text":"ab"}
                # The next line is the fourth.
                {"expect":"B","shapes":{"s1":{"visible":false,"text":"ba","kind":"note","properties":{"x":2,"y":3}}},"order":[],"canUndo":true,"undoLabel":"Create s1","redoCount":1,"pending":1}
                """))
        #expect(failure.file == "x.jsonl")
        #expect(failure.line == 4)
        #expect(
            failure.reasons == [
                mismatch("B: s1.visible", "false", "true"),
                mismatch("B: s1.kind", #""note""#, #""rectangle""#),
                mismatch("B: s1.properties.x", "2", "1"),
                mismatch("B: s1.properties.y", "3", "null"),
                mismatch("B: s1.text", #""ba""#, #""ab""#),
                mismatch("B: order", "[]", #"["s1"]"#),
                mismatch("B: canUndo", "true", "false"),
                mismatch("B: undoLabel", #""Create s1""#, "null"),
                mismatch("B: redoCount", "1", "0"),
                mismatch("B: pending", "1", "0"),
            ])
        #expect(failure.description.hasPrefix("x.jsonl:4: B: s1.visible: expected false, found true\nx.jsonl:4: "))
    }

    @Test("parent, children, absent properties and hidden shapes are compared")
    func places() throws {
        let story = """
            {"by":"A","create":"f","kind":"frame"}
            {"by":"A","create":"s1","in":"f"}
            {"by":"B","put":"s1","into":null}
            {"by":"B","undo":"Put s1"}
            {"by":"A","create":"s2","in":"f"}
            {"by":"A","back":"s2"}
            {"by":"B","delete":"f"}
            {"by":"B","undo":true}

            """
        #expect(
            try failure(
                story + #"{"expect":"all","shapes":{"f":{"children":["s2","s1"],"parent":null},"s1":{"parent":"f"}}}"#)
                == nil)
        let wrong = try failure(
            story
                + #"{"expect":"server","shapes":{"f":{"children":["s1","s2"],"parent":"s2"},"s1":{"parent":null}}}"#)
        #expect(
            wrong?.reasons == [
                mismatch("server: f.parent", #""s2""#, "null"),
                mismatch("server: f.children", #"["s1","s2"]"#, #"["s2","s1"]"#),
                mismatch("server: s1.parent", "null", #""f""#),
            ])
    }

    @Test("the first failed step ends a scenario")
    func stopsAtFirst() throws {
        let failure = try failure(
            """
            {"by":"A","undo":false}
            {"by":"A","undo":true}
            {"by":"A","redo":true}
            """)
        #expect(failure?.line == 3)
        #expect(failure?.reasons == [mismatch("A: undo", "that it does something", "that it does nothing")])
    }

    @Test("a press must do what the scenario says")
    func presses() throws {
        let create = #"{"by":"A","create":"s1"}"# + "\n"
        #expect(
            try failure(create + #"{"by":"A","undo":false}"#)?.reasons
                == [mismatch("A: undo", "that it does nothing", #"that it does "Create s1""#)])
        #expect(
            try failure(create + #"{"by":"A","undo":"Drag"}"#)?.reasons
                == [mismatch("A: undo", #"that it does "Drag""#, #"that it does "Create s1""#)])
        #expect(
            try failure(create + #"{"by":"A","redo":"Drag"}"#)?.reasons
                == [mismatch("A: redo", #"that it does "Drag""#, "that it does nothing")])
    }

    @Test("an edit must have an effect unless the scenario says that it has none")
    func effects() throws {
        let create = #"{"by":"A","create":"s1","properties":{"x":1}}"# + "\n"
        let same = create + #"{"by":"A","set":"s1","properties":{"x":1}"#
        #expect(try failure(same + #","effect":false}"#) == nil)
        #expect(
            try failure(same + "}")?.reasons
                == [mismatch("A: the edit", "that it changes something", "that it changes nothing")])
        #expect(
            try failure(create + #"{"by":"A","set":"s1","properties":{"x":2},"effect":false}"#)?.reasons
                == [mismatch("A: the edit", "that it changes nothing", "that it changes something")])
    }

    @Test("A8: an edit of a shape that the client does not know is reported with the shape's name")
    func unknownShape() throws {
        let failure = try failure(
            """
            {"disconnect":"A"}
            {"by":"A","create":"s1"}
            {"by":"B","set":"s1","properties":{"x":1}}
            """)
        #expect(failure?.line == 4)
        #expect(
            failure?.reasons == [
                mismatch(
                    "B: the edit", "that it changes something", "that it changes nothing: it does not know s1")
            ])
    }

    @Test("what is held in one direction does not hold the other, and frames are released one by one")
    func holding() throws {
        let story = """
            {"hold":"A","direction":"up"}
            {"by":"A","create":"s1"}
            {"by":"A","create":"s2"}
            {"by":"B","create":"s3"}
            {"expect":"A","order":["s3","s1","s2"],"pending":2}
            {"expect":["B","server"],"order":["s3"]}
            {"release":"A","direction":"up","count":1}
            {"expect":["B","server"],"order":["s3","s1"]}
            {"expect":"A","pending":1}
            {"expect":"all","equal":false}
            {"hold":"B","direction":"down"}
            {"release":"A"}
            {"expect":"A","pending":0}
            {"expect":"B","order":["s3","s1"]}
            {"by":"B","create":"s4"}
            {"expect":"server","shapes":{"s2":{"visible":true},"s4":{"visible":true}}}
            {"expect":"B","shapes":{"s2":{"visible":false}},"pending":1}
            {"release":"B"}
            {"expect":"all","shapes":{"s2":{"visible":true},"s4":{"visible":true}},"pending":0,"equal":true}

            """
        #expect(try failure(story) == nil)
        let tooMany = try failure(story + #"{"release":"A","direction":"up","count":2}"#)
        #expect(tooMany?.reasons == [.impossible("2 messages must be released, but only 0 are held")])
    }

    @Test("offline edits wait, and a restarted server is found again")
    func connections() throws {
        #expect(
            try failure(
                """
                {"by":"A","create":"s1"}
                {"disconnect":"A"}
                {"by":"A","set":"s1","properties":{"x":1}}
                {"by":"B","set":"s1","properties":{"y":2}}
                {"restart":"server"}
                {"expect":"A","shapes":{"s1":{"properties":{"x":1,"y":null}}},"pending":1}
                {"expect":["B","server"],"shapes":{"s1":{"properties":{"x":null,"y":2}}}}
                {"connect":"A"}
                {"expect":"all","shapes":{"s1":{"properties":{"x":1,"y":2}}},"equal":true}
                {"by":"A","undo":"Set s1"}
                {"by":"B","undo":"Set s1"}
                {"expect":"all","shapes":{"s1":{"properties":{"x":null,"y":null}}},"equal":true}
                """) == nil)
    }

    @Test("equal canvases are told from unequal ones")
    func equality() throws {
        #expect(
            try failure(#"{"expect":"all","equal":false}"#)?.reasons
                == [mismatch("all canvases", "a difference", "that they are equal")])
        let unequal = try failure(
            """
            {"disconnect":"A"}
            {"by":"A","create":"s1"}
            {"by":"B","create":"s2"}
            {"expect":"all","equal":true}
            """)
        #expect(unequal?.line == 5)
        #expect(unequal?.reasons.count == 2)
        #expect(unequal?.reasons.first == mismatch("A: edits not acknowledged", "0", "1"))
    }

    @Test("a forgotten history leaves nothing to undo")
    func clearing() throws {
        #expect(
            try failure(
                """
                {"by":"A","create":"s1"}
                {"by":"A","create":"s2"}
                {"by":"A","undo":true}
                {"by":"A","clearHistory":true}
                {"expect":"A","canUndo":false,"canRedo":false,"undoCount":0,"redoCount":0}
                {"by":"A","undo":false}
                {"expect":"all","order":["s1"]}
                """) == nil)
    }
}
