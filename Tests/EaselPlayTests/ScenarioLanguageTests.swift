import Testing

@testable import EaselPlay

@Suite("Playing scenarios: views, histories, the disk and the server")
struct ScenarioLanguageTests {
    @Test("a view is not told of its own edits; other views and other clients are")
    func views() throws {
        let story = """
            {"by":"A","create":"s1","view":1}
            {"by":"A","set":"s1","properties":{"x":1},"view":2}
            {"by":"A","set":"s1","properties":{"x":2}}
            {"by":"B","set":"s1","properties":{"x":3},"view":1}
            {"by":"A","undo":true}

            """
        #expect(
            try Story.complaint(
                story + #"{"expect":"A","changes":{"1":4,"2":4,"3":5}}"# + "\n"
                    + #"{"expect":"B","changes":{"1":4,"2":5}}"#) == nil)
        #expect(
            try Story.complaint(story + #"{"expect":"A","changes":{"1":5}}"#)
                == "x.jsonl:7: A: changes of view 1: expected 5, found 4")
    }

    @Test("histories by name are apart, and one that was not used has nothing to undo")
    func histories() throws {
        let story = """
            {"by":"A","create":"s1","history":"left"}
            {"by":"A","create":"s2","history":"right"}
            {"by":"A","create":"s3"}
            {"expect":"A","history":"left","undoLabel":"Create s1","undoCount":1,"canRedo":false}
            {"expect":"A","history":"right","undoLabel":"Create s2"}
            {"expect":"A","undoLabel":"Create s3","undoCount":1}
            {"expect":"A","history":"other","undoLabel":null,"undoCount":0}
            {"by":"A","begin":"Two","history":"left"}
            {"by":"A","set":"s1","properties":{"x":1},"history":"left"}
            {"by":"A","set":"s1","properties":{"y":1},"history":"left"}
            {"by":"A","end":true,"history":"left"}
            {"by":"A","undo":"Create s2","history":"right"}
            {"by":"A","undo":"Two","history":"left"}
            {"by":"A","redo":"Two","history":"left"}
            {"by":"A","clearHistory":true,"history":"left"}
            {"by":"A","undo":false,"history":"left"}
            {"by":"A","redo":"Create s2","history":"right"}
            {"by":"A","undo":"Create s3"}
            {"expect":"all","order":["s1","s2"]}
            """
        #expect(try Story.complaint(story) == nil)
        #expect(
            try Story.complaint(story + "\n" + #"{"expect":"A","history":"left","canUndo":true}"#)
                == "x.jsonl:21: A, history left: canUndo: expected true, found false")
    }

    @Test("a deleted shape is shown by hand, which is an edit like any other")
    func showing() throws {
        #expect(
            try Story.complaint(
                """
                {"by":"A","create":"f"}
                {"by":"A","create":"s1","in":"f"}
                {"by":"A","delete":"f"}
                {"by":"B","show":["f","s1"]}
                {"expect":"all","shapes":{"f":{"children":["s1"]}},"order":["f"]}
                {"by":"B","show":"f","effect":false}
                {"by":"B","undo":"Show f, s1"}
                {"expect":"all","order":[]}
                """) == nil)
    }

    @Test("transactions sent are counted once each, those that wait included")
    func sending() throws {
        let story = """
            {"by":"A","create":"s1"}
            {"by":"A","set":"s1","properties":{"x":1},"effect":true}
            {"by":"A","set":"s1","properties":{"x":1},"effect":false}
            {"expect":"A","sent":2}
            {"expect":"B","sent":0}
            {"hold":"A","direction":"up"}
            {"by":"A","undo":true}
            {"expect":"A","sent":3,"pending":1}
            {"disconnect":"A"}
            {"release":"A"}
            {"connect":"A"}
            {"expect":"A","sent":3,"pending":0}

            """
        #expect(try Story.complaint(story) == nil)
        #expect(
            try Story.complaint(story + #"{"expect":"A","sent":4}"#)
                == "x.jsonl:14: A: sent: expected 4, found 3")
    }

    @Test("somebody who shows a history is told of it once an action, and of what others do")
    func historyEvents() throws {
        let story = """
            {"by":"A","create":"s1"}
            {"expect":"A","historyEvents":1}
            {"by":"A","set":"s1","properties":{"x":1}}
            {"by":"B","set":"s1","properties":{"x":2}}
            {"by":"A","undo":true}
            {"expect":"A","historyEvents":4}

            """
        #expect(try Story.complaint(story) == nil)
        #expect(
            try Story.complaint(story + #"{"expect":"A","historyEvents":5}"#)
                == "x.jsonl:8: A: historyEvents: expected 5, found 4")
    }

    @Test("messages are released one by one in both directions, and the order of release is the server's")
    func releasing() throws {
        #expect(
            try Story.complaint(
                """
                {"by":"C","create":"s1","properties":{"x":0}}
                {"hold":["A","B"],"direction":"up"}
                {"hold":"C","direction":"down"}
                {"by":"A","set":"s1","properties":{"x":1}}
                {"by":"A","set":"s1","properties":{"y":1}}
                {"by":"B","set":"s1","properties":{"x":2}}
                {"release":"B","direction":"up","count":1}
                {"release":"A","direction":"up","count":1}
                {"expect":"server","shapes":{"s1":{"properties":{"x":1,"y":null}}}}
                {"expect":"C","shapes":{"s1":{"properties":{"x":0}}}}
                {"release":"C","direction":"down","count":1}
                {"expect":"C","shapes":{"s1":{"properties":{"x":2}}}}
                {"release":"C","direction":"down","count":1}
                {"expect":"C","shapes":{"s1":{"properties":{"x":1,"y":null}}}}
                {"release":["A","B","C"]}
                {"expect":"all","shapes":{"s1":{"properties":{"x":1,"y":1}}},"equal":true}
                """) == nil)
        #expect(
            try Story.complaint(#"{"hold":"A"}"# + "\n" + #"{"release":"A","direction":"down","count":1}"#)
                == "x.jsonl:3: 1 messages must be released, but only 0 are held")
    }

    @Test("a message that comes twice counts once")
    func duplicates() throws {
        let story = """
            {"by":"A","create":"s1","text":"a"}
            {"hold":"A","direction":"up"}
            {"by":"A","type":"b","in":"s1"}
            {"by":"A","type":"c","in":"s1"}
            {"duplicate":"A"}
            {"expect":["server","B"],"shapes":{"s1":{"text":"ab"}}}
            {"expect":"A","pending":1}
            {"duplicate":"A"}
            {"release":"A"}
            {"expect":"all","shapes":{"s1":{"text":"abc"}},"equal":true}

            """
        #expect(try Story.complaint(story) == nil)
        #expect(
            try Story.complaint(story + #"{"duplicate":"A"}"#)
                == "x.jsonl:12: no message is held on its way up")
    }

    @Test("nothing is acknowledged or seen by others before it is on the disk")
    func disk() throws {
        let story = """
            {"hold":"disk"}
            {"by":"A","create":"s1"}
            {"by":"B","create":"s2"}
            {"expect":"all","equal":false}
            {"expect":["A","B"],"pending":1}
            {"expect":["server","C"],"order":[]}
            {"release":"disk","count":1}
            {"expect":["server","C"],"order":["s1"]}
            {"release":"disk"}
            {"expect":"all","shapes":{"s1":{"visible":true},"s2":{"visible":true}},"equal":true}

            """
        #expect(try Story.complaint(story) == nil)
        #expect(
            try Story.complaint(story + #"{"release":"disk","count":1}"#)
                == "x.jsonl:12: 1 appends must reach the disk, but only 0 wait")
    }

    @Test("what the disk failed to take is sent again, and what had reached it all the same counts once")
    func failingDisk() throws {
        let opening = """
            {"hold":"disk"}
            {"by":"A","create":"s1","text":"a"}

            """
        let ending = """
            {"release":"disk"}
            {"expect":"all","shapes":{"s1":{"text":"a"}},"order":["s1"],"equal":true}
            {"expect":"A","sent":1}
            {"restart":"server"}
            {"expect":"all","order":["s1"],"equal":true}
            """
        let lost = """
            {"fail":"disk"}
            {"expect":"A","pending":1}
            {"expect":["server","B"],"order":[]}

            """
        let kept = """
            {"fail":"disk","kept":true}
            {"expect":"A","pending":0}
            {"expect":["server","B"],"order":["s1"]}

            """
        #expect(try Story.complaint(opening + lost + ending) == "x.jsonl:9: A: sent: expected 1, found 2")
        #expect(try Story.complaint(opening + lost + ending.replacing(#""sent":1"#, with: #""sent":2"#)) == nil)
        #expect(try Story.complaint(opening + kept + ending) == nil)
        #expect(try Story.complaint(#"{"fail":"disk"}"#) == "x.jsonl:2: no append waits for the disk")
    }

    @Test("a refused transaction is taken out at its client alone, and what stood behind it stays")
    func refusing() throws {
        #expect(
            try Story.complaint(
                """
                {"by":"A","create":"s1","properties":{"x":0}}
                {"hold":"A","direction":"up"}
                {"refuse":"A"}
                {"by":"A","set":"s1","properties":{"x":1}}
                {"by":"A","set":"s1","properties":{"y":1}}
                {"expect":"A","shapes":{"s1":{"properties":{"x":1,"y":1}}},"undoCount":3}
                {"release":"A"}
                {"expect":"all","shapes":{"s1":{"properties":{"x":0,"y":1}}},"equal":true}
                {"expect":"A","undoCount":2}
                {"by":"A","set":"s1","properties":{"x":2}}
                {"expect":"all","shapes":{"s1":{"properties":{"x":2}}}}
                """) == nil)
    }
}
