import Testing

@testable import EaselPlay

@Suite("Playing scenarios: what presses report and restore, and the life of histories")
struct ScenarioPressTests {
    @Test("a cancelled group leaves what others did, and no redo")
    func cancelling() throws {
        let story = """
            {"by":"A","create":"s1","properties":{"x":0},"history":"none"}
            {"by":"A","begin":"Drag"}
            {"by":"A","set":"s1","properties":{"x":1}}
            {"by":"B","set":"s1","properties":{"y":1}}
            {"by":"A","begin":"Inner"}
            {"by":"A","set":"s1","properties":{"x":2}}
            {"by":"A","cancel":true}
            {"expect":"all","shapes":{"s1":{"properties":{"x":0,"y":1}}}}
            {"expect":"A","undoCount":0,"redoCount":0}

            """
        #expect(try Story.complaint(story) == nil)
        #expect(
            try Story.complaint(story + #"{"expect":"A","shapes":{"s1":{"properties":{"x":2}}}}"#)
                == "x.jsonl:11: A: s1.properties.x: expected 2, found 0")
    }

    @Test("undo and redo are forgotten each for itself, and a closed history records nothing more")
    func forgetting() throws {
        #expect(
            try Story.complaint(
                """
                {"by":"A","create":"s1"}
                {"by":"A","create":"s2"}
                {"by":"A","undo":true}
                {"by":"A","clearUndo":true}
                {"expect":"A","undoCount":0,"redoCount":1}
                {"by":"A","redo":"Create s2"}
                {"by":"A","undo":true}
                {"by":"A","clearRedo":true}
                {"expect":"A","undoCount":0,"redoCount":0}
                {"by":"A","create":"s3","history":"doc"}
                {"by":"A","closeHistory":true,"history":"doc"}
                {"by":"A","set":"s3","properties":{"x":1},"history":"doc"}
                {"expect":"A","history":"doc","undoCount":0,"canUndo":false}
                {"expect":"all","order":["s1","s3"],"shapes":{"s3":{"properties":{"x":1}}}}
                """) == nil)
    }

    @Test("a history keeps as many actions and bytes as it is told")
    func limits() throws {
        let story = """
            {"by":"A","create":"s1"}
            {"by":"A","levels":2}
            {"by":"A","set":"s1","properties":{"x":1}}
            {"by":"A","set":"s1","properties":{"x":2}}
            {"expect":"A","undoCount":2}
            {"by":"A","levels":0}
            {"by":"A","bytes":1}
            {"expect":"A","undoCount":1}
            {"by":"A","clearHistory":true}
            {"expect":"A","retainedBytesAtMost":1000}

            """
        #expect(try Story.complaint(story) == nil)
        let failure = try Story.complaint(
            story + #"{"by":"A","set":"s1","properties":{"x":3}}"# + "\n" + #"{"expect":"A","retainedBytesAtMost":0}"#)
        #expect(failure?.hasPrefix("x.jsonl:13: A: retainedBytes: expected at most 0, found ") == true)
    }

    @Test("a press says what it passes over and whose work it touches, and a preview says the same before")
    func reports() throws {
        let story = """
            {"by":"A","create":"s1","properties":{"x":0},"history":"none"}
            {"by":"A","create":"s2","history":"none"}
            {"by":"A","set":"s1","properties":{"x":1}}
            {"by":"A","set":"s2","properties":{"y":1}}
            {"by":"B","set":"s1","properties":{"x":2}}
            {"by":"B","delete":"s2"}

            """
        let overwritten = #"{"reason":"overwritten","shape":"s1","keys":["x"],"by":["B"]}"#
        let preview = #"{"expect":"A","preview":{"undo":{"label":"Set s1","passed":["Set s2"]},"redo":null}}"# + "\n"
        let press = #"{"by":"A","undo":"Set s1","passed":["Set s2"]}"# + "\n"
        #expect(try Story.complaint(story + preview + press) == nil)
        #expect(
            try Story.complaint(story + #"{"by":"A","undo":"Set s1","passed":[]}"#)
                == #"x.jsonl:8: A: undo: passed: expected [], found ["Set s2"]"#)
        #expect(
            try Story.complaint(story + #"{"expect":"A","preview":{"undo":{"label":"Set s2"}}}"#)
                == #"x.jsonl:8: A: preview of undo: expected that it does "Set s2", found that it does "Set s1""#)
        #expect(
            try Story.complaint(story + #"{"expect":"A","preview":{"undo":null}}"#)
                == #"x.jsonl:8: A: preview of undo: expected that it does nothing, found that it does "Set s1""#)
        // The remarks name everything in the order of the press.
        let failure = try #require(try Story.complaint(story + #"{"by":"A","undo":true,"remarks":[]}"#))
        #expect(failure.hasPrefix("x.jsonl:8: A: undo: remarks: expected [], found ["))
        #expect(failure.contains(#"overwritten s1 ["x"] by ["B"]"#))
        #expect(failure.contains("removed s2"))
        let single = """
            {"by":"A","create":"s1","properties":{"x":0},"history":"none"}
            {"by":"A","set":"s1","properties":{"x":1}}
            {"by":"B","set":"s1","properties":{"x":2}}

            """
        #expect(try Story.complaint(single + #"{"by":"A","undo":true,"remarks":[\#(overwritten)]}"#) == nil)
        #expect(
            try Story.complaint(single + #"{"by":"A","undo":true,"remarks":[{"reason":"overwritten","shape":"s1"}]}"#)
                == nil)
        #expect(
            try Story.complaint(
                single + #"{"by":"A","undo":true,"remarks":[{"reason":"overwritten","shape":"s1","by":["C"]}]}"#)
                == #"x.jsonl:5: A: undo: remarks: expected [overwritten s1 by ["C"]], "#
                + #"found [overwritten s1 ["x"] by ["B"]]"#)
    }

    @Test("with another policy what others set is left, and so is what they worked on")
    func policies() throws {
        #expect(
            try Story.complaint(
                """
                {"by":"A","policy":{"overwritten":"yieldToRemote","creation":"keepIfOthersEdited"}}
                {"by":"A","create":"s1","properties":{"x":0}}
                {"by":"A","set":"s1","properties":{"x":1}}
                {"by":"B","set":"s1","properties":{"x":2}}
                {"by":"A","undo":false}
                {"expect":"all","order":["s1"],"shapes":{"s1":{"properties":{"x":2}}}}
                """) == nil)
    }

    @Test("a press selects what was selected at the other side of the action")
    func selections() throws {
        let story = """
            {"by":"A","create":"s1","text":"abc","selection":{"before":null,"after":{"shapes":["s1"]}}}
            {"by":"A","type":"xyz","in":"s1","at":1,"selection":{"before":{"text":"s1","from":1,"to":1},"after":{"text":"s1","from":4,"to":1}}}
            {"by":"B","type":"--","in":"s1","at":0}
            {"by":"A","undo":true,"selection":{"text":"s1","from":3,"to":3}}
            {"expect":"A","preview":{"redo":{"selection":{"text":"s1","from":6,"to":3}}}}
            {"by":"A","redo":true,"selection":{"text":"s1","from":6,"to":3}}

            """
        #expect(
            try Story.complaint(
                story.replacing(
                    #"{"expect":"A","preview":{"redo":{"selection":{"text":"s1","from":6,"to":3}}}}"#, with: ""))
                == nil)
        #expect(
            try Story.complaint(
                story.replacing(#""from":3,"to":3}}"#, with: #""from":1,"to":3}}"#))
                == "x.jsonl:5: A: undo: selection: expected 1 to 3 of the text of s1, found 3 to 3 of the text of s1")
        #expect(
            try Story.complaint(
                #"{"by":"A","create":"s1","selection":{"before":null,"after":{"shapes":["s1"]}}}"# + "\n"
                    + #"{"by":"A","undo":true,"selection":{"shapes":["s1"]}}"#)
                == #"x.jsonl:3: A: undo: selection: expected ["s1"], found null"#)
    }

    @Test("an edit made for a view that has changed since is refused as stale, and one for the same view is not")
    func staleness() throws {
        let story = """
            {"by":"A","create":"s1"}
            {"by":"A","mark":"start"}
            {"by":"A","set":"s1","properties":{"x":1},"since":"start"}
            {"by":"A","set":"s1","properties":{"x":2},"since":"start","effect":"stale"}
            {"by":"A","mark":"later"}
            {"by":"B","set":"s1","properties":{"y":1}}
            {"by":"A","set":"s1","properties":{"x":3},"since":"later","effect":"stale"}
            {"expect":"all","shapes":{"s1":{"properties":{"x":1,"y":1}}}}
            {"expect":"A","undoCount":2}

            """
        #expect(try Story.complaint(story) == nil)
        #expect(
            try Story.complaint(story + #"{"by":"A","set":"s1","properties":{"x":3},"since":"later"}"#)
                == "x.jsonl:11: A cannot make the edit: the view has changed since the mark")
        #expect(
            try Story.complaint(
                story + #"{"by":"A","mark":"m"}"# + "\n"
                    + #"{"by":"A","set":"s1","properties":{"x":3},"since":"m","effect":"stale"}"#)
                == "x.jsonl:12: A: the edit: expected that it is refused, since the view changed, "
                + "found that it changes something")
    }

    @Test("a replacement is one action, keeps shapes of the same name, and with no history is a new baseline")
    func replacing() throws {
        let story = """
            {"by":"A","create":"f","kind":"frame"}
            {"by":"A","create":"s1","in":"f","properties":{"x":1,"y":1},"text":"one"}
            {"by":"A","create":"s2","text":"two"}
            {"by":"B","create":"s3"}
            {"by":"A","replace":{"s1":{"properties":{"x":2}},"s2":{"text":"two"},"s9":{"kind":"note","text":"new"}}}
            {"expect":"all","order":["s1","s2","s9"],"shapes":{"f":{"visible":false},"s3":{"visible":false},"s1":{"properties":{"x":2,"y":null},"text":"","parent":null},"s2":{"text":"two"},"s9":{"kind":"note","text":"new"}}}
            {"by":"A","undo":"Replace all"}
            {"expect":"all","order":["f","s2","s3"],"shapes":{"s1":{"properties":{"x":1,"y":1},"text":"one","parent":"f"}}}
            {"by":"A","redo":"Replace all"}
            {"by":"A","replace":{"s3":{}},"history":"none","label":"Import"}
            {"expect":"all","order":["s3"]}
            {"expect":"A","undoCount":0,"redoCount":0}
            {"by":"A","create":"s10"}
            {"expect":"all","order":["s3","s10"]}

            """
        #expect(try Story.complaint(story) == nil)
        #expect(
            try Story.complaint(
                """
                {"by":"A","create":"f","kind":"frame"}
                {"by":"A","create":"s1","in":"f"}
                {"by":"A","create":"s2","in":"f"}
                {"by":"A","replace":{"f":{"kind":"frame"},"s2":{}}}
                {"expect":"all","order":["f","s2"],"shapes":{"f":{"children":[]},"s1":{"visible":false}}}
                """) == nil)
        #expect(
            try Story.complaint(#"{"by":"A","replace":{}}"#)
                == "x.jsonl:2: A: the replacement: expected that it changes something, found that it changes nothing")
    }

    @Test("who is killed comes back with what it had saved, with its canvas or without")
    func processes() throws {
        for canvas in ["true", "false"] {
            #expect(
                try Story.complaint(
                    """
                    {"by":"A","create":"s1","text":"a"}
                    {"by":"A","set":"s1","properties":{"x":1}}
                    {"by":"A","set":"s1","properties":{"x":2}}
                    {"by":"A","undo":true}
                    {"by":"A","create":"s2","history":"doc"}
                    {"hold":"A","direction":"up"}
                    {"by":"A","type":"b","in":"s1"}
                    {"kill":"A"}
                    {"by":"B","set":"s1","properties":{"y":1}}
                    {"expect":"all","shapes":{"s1":{"text":"a"}},"equal":true}
                    {"release":"A"}
                    {"return":"A","canvas":\(canvas)}
                    {"expect":"all","shapes":{"s1":{"text":"ab","properties":{"x":1,"y":1}}},"equal":true}
                    {"expect":"A","undoLabel":"Type in s1","undoCount":3}
                    {"expect":"A","history":"doc","undoLabel":"Create s2"}
                    {"by":"A","undo":"Create s2","history":"doc"}
                    {"by":"A","undo":"Type in s1"}
                    {"by":"A","undo":"Set s1"}
                    {"by":"A","undo":"Create s1"}
                    {"expect":"all","order":[]}
                    """) == nil, "canvas: \(canvas)")
        }
        let killed = #"{"kill":"A"}"# + "\n"
        #expect(try Story.complaint(killed + #"{"by":"A","create":"s1"}"#) == "x.jsonl:3: A was killed")
        #expect(try Story.complaint(killed + #"{"expect":["A"],"pending":0}"#) == "x.jsonl:3: A was killed")
        #expect(try Story.complaint(killed + killed) == "x.jsonl:3: A was killed before")
        #expect(try Story.complaint(#"{"return":"A"}"#) == "x.jsonl:2: A was not killed")
        #expect(
            try Story.complaint(
                """
                {"by":"A","mark":"m"}
                {"kill":"A"}
                {"return":"A"}
                {"by":"A","create":"s1","since":"m"}
                """) == "x.jsonl:5: A: the mark 'm' went with the process that set it")
    }

    @Test("who may only look cannot edit, also over a new connection, and can again when it may")
    func roles() throws {
        let story = """
            {"by":"A","create":"s1"}
            {"role":"viewer","of":["A","C"]}
            {"expect":["A","C"],"role":"viewer"}
            {"expect":"B","role":"editor"}
            {"expect":"A","canUndo":false,"undoCount":1}
            {"disconnect":"A"}
            {"connect":"A"}
            {"expect":"A","role":"viewer"}

            """
        #expect(
            try Story.complaint(
                story + """
                    {"role":"editor","of":"A"}
                    {"by":"A","undo":"Create s1"}
                    {"expect":"all","order":[]}
                    """) == nil)
        #expect(
            try Story.complaint(story + #"{"by":"A","set":"s1","properties":{"x":1}}"#)
                == "x.jsonl:10: A cannot make the edit: it may only look")
        #expect(
            try Story.complaint(story + #"{"by":"A","undo":true}"#)
                == "x.jsonl:10: A: undo is refused: it may only look")
        #expect(
            try Story.complaint(story + #"{"expect":"A","role":"editor"}"#)
                == #"x.jsonl:10: A: role: expected "editor", found "viewer""#)
    }
}
