import EaselClient
import Foundation
import Testing

@Suite("Scenarios with real clients of a real server", .serialized)
struct ScenarioServerTests {
    /// Plays stories of the clients A, B and C, given by name as lines without the header, on a server of their own.
    private func play(_ stories: [(name: String, lines: String)]) throws -> (status: Int32, output: String) {
        let folder = try TemporaryFolder()
        let data = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: data.path)
        for (name, lines) in stories {
            let header = #"{"scenario":"\#(name)","title":"t","clients":["A","B","C"]}"#
            try Data((header + "\n" + lines).utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name).jsonl"))
        }
        let result = try Program.run(["play", folder.path, "--server", server.address.description])
        return (result.status, result.output)
    }

    /// What is wrong with a story; nil if it passes.
    private func complaint(_ lines: String) throws -> String? {
        let result = try play([("story", lines)])
        return result.status == 0 && result.output.hasPrefix("ok ") ? nil : result.output
    }

    /// Two edits of one register at the same time, which reach the server in the order of `first` and `second`.
    private func race(_ first: String, _ second: String, winner: Int) -> String {
        """
        {"by":"C","create":"s1","properties":{"x":0}}
        {"hold":["A","B"],"direction":"up"}
        {"by":"A","set":"s1","properties":{"x":1}}
        {"by":"B","set":"s1","properties":{"x":2}}
        {"expect":"server","shapes":{"s1":{"properties":{"x":0}}}}
        {"release":"\(first)"}
        {"release":"\(second)"}
        {"expect":"all","shapes":{"s1":{"properties":{"x":\(winner)}}},"equal":true}
        """
    }

    @Test("the order in which messages are released is the order of the server, either way")
    func order() throws {
        let right = try play([("AB", race("A", "B", winner: 2)), ("BA", race("B", "A", winner: 1))])
        #expect(right.status == 0, "\(right.output)")
        let wrong = try play([("AB", race("A", "B", winner: 1)), ("BA", race("B", "A", winner: 2))])
        #expect(wrong.status == 1)
        #expect(wrong.output.contains("AB.jsonl:9: server: s1.properties.x: expected 1, found 2"))
        #expect(wrong.output.contains("BA.jsonl:9: server: s1.properties.x: expected 2, found 1"))
    }

    @Test("messages are released one by one in both directions, and what is held waits")
    func oneByOne() throws {
        #expect(
            try complaint(
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
                {"expect":"B","shapes":{"s1":{"properties":{"x":1}}},"pending":0}
                {"expect":"C","shapes":{"s1":{"properties":{"x":0}}}}
                {"by":"C","set":"s1","properties":{"z":1}}
                {"expect":"server","shapes":{"s1":{"properties":{"z":1}}}}
                {"expect":"C","pending":1}
                {"release":"C","direction":"down","count":1}
                {"expect":"C","shapes":{"s1":{"properties":{"x":2}}},"pending":1}
                {"release":"C","direction":"down","count":2}
                {"expect":"C","shapes":{"s1":{"properties":{"x":1,"y":null}}},"pending":0}
                {"release":["A","B","C"]}
                {"expect":"all","shapes":{"s1":{"properties":{"x":1,"y":1,"z":1}}},"equal":true}
                """) == nil)
    }

    @Test("releasing more than is held is said, with the line")
    func tooMany() throws {
        let result = try play([
            ("up", #"{"hold":"A"}"# + "\n" + #"{"release":"A","direction":"up","count":1}"#),
            ("twice", #"{"hold":"A"}"# + "\n" + #"{"duplicate":"A"}"#),
        ])
        #expect(result.status == 1)
        #expect(result.output.contains("up.jsonl:3: 1 messages must be released, but fewer are held"))
        #expect(result.output.contains("twice.jsonl:3: no message is held on its way up"))
    }

    @Test("a message that comes twice counts once")
    func duplicate() throws {
        #expect(
            try complaint(
                """
                {"by":"A","create":"s1","text":"a"}
                {"hold":"A","direction":"up"}
                {"by":"A","type":"b","in":"s1"}
                {"by":"A","type":"c","in":"s1"}
                {"duplicate":"A"}
                {"expect":["server","B"],"shapes":{"s1":{"text":"ab"}}}
                {"expect":"A","pending":1,"sent":3}
                {"duplicate":"A"}
                {"release":"A"}
                {"expect":"all","shapes":{"s1":{"text":"abc"}},"equal":true}
                {"expect":"A","sent":3}
                """) == nil)
    }

    @Test("what is held is lost with the connection and sent again over the next, held there too")
    func lostConnection() throws {
        #expect(
            try complaint(
                """
                {"by":"A","create":"s1","properties":{"x":0}}
                {"hold":"A"}
                {"by":"A","set":"s1","properties":{"x":1}}
                {"disconnect":"A"}
                {"by":"B","set":"s1","properties":{"y":1}}
                {"connect":"A"}
                {"expect":"A","shapes":{"s1":{"properties":{"y":null}}},"pending":1}
                {"expect":"server","shapes":{"s1":{"properties":{"x":0}}}}
                {"release":"A"}
                {"expect":"all","shapes":{"s1":{"properties":{"x":1,"y":1}}},"equal":true}
                {"expect":"A","sent":2}
                """) == nil)
    }

    @Test("views, histories by name, shown shapes and what clients are told are as in process")
    func bookkeeping() throws {
        #expect(
            try complaint(
                """
                {"by":"A","create":"s1","view":1,"history":"left"}
                {"by":"A","set":"s1","properties":{"x":1},"view":2}
                {"by":"B","set":"s1","properties":{"x":3},"view":1}
                {"by":"A","undo":true}
                {"expect":"A","changes":{"1":3,"2":3,"3":4},"historyEvents":4,"sent":3}
                {"expect":"A","history":"left","undoLabel":"Create s1"}
                {"by":"A","delete":"s1","history":"left"}
                {"by":"B","show":"s1"}
                {"expect":"all","order":["s1"]}
                {"by":"A","undo":"Create s1","history":"left"}
                {"expect":"all","order":[]}
                """) == nil)
    }

    @Test("who is killed comes back with the bytes it had saved, with its canvas or without")
    func processes() throws {
        let stories = ["true", "false"].map { canvas in
            (
                "canvas-\(canvas)",
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
                {"expect":"A","undoLabel":"Type in s1","undoCount":3,"sent":6}
                {"by":"A","undo":"Create s2","history":"doc"}
                {"by":"A","undo":"Type in s1"}
                {"by":"A","undo":"Set s1"}
                {"by":"A","undo":"Create s1"}
                {"expect":"all","order":[]}
                """
            )
        }
        let offline = """
            {"by":"A","create":"s1"}
            {"disconnect":"A"}
            {"by":"A","set":"s1","properties":{"x":1}}
            {"kill":"A"}
            {"return":"A"}
            {"expect":"A","pending":1,"shapes":{"s1":{"properties":{"x":1}}}}
            {"expect":"server","shapes":{"s1":{"properties":{"x":null}}}}
            {"connect":"A"}
            {"expect":"all","shapes":{"s1":{"properties":{"x":1}}},"equal":true}
            """
        let result = try play(stories + [("offline", offline)])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test("groups, limits, marks, replacements, reports and selections are as in process")
    func histories() throws {
        let result = try play([
            (
                "life",
                """
                {"by":"A","create":"s1","properties":{"x":0},"history":"none"}
                {"by":"A","begin":"Drag"}
                {"by":"A","set":"s1","properties":{"x":1}}
                {"by":"B","set":"s1","properties":{"y":1}}
                {"by":"A","cancel":true}
                {"expect":"all","shapes":{"s1":{"properties":{"x":0,"y":1}}}}
                {"expect":"A","undoCount":0,"redoCount":0}
                {"by":"A","levels":1}
                {"by":"A","create":"s2"}
                {"by":"A","create":"s3"}
                {"expect":"A","undoCount":1}
                {"by":"A","undo":true}
                {"by":"A","clearRedo":true}
                {"expect":"A","undoCount":0,"redoCount":0,"retainedBytesAtMost":10000}
                {"by":"A","closeHistory":true,"history":"doc"}
                {"by":"A","set":"s2","properties":{"x":1},"history":"doc"}
                {"expect":"A","history":"doc","undoCount":0}
                {"by":"A","mark":"m"}
                {"by":"B","set":"s1","properties":{"y":2}}
                {"by":"A","set":"s1","properties":{"x":3},"since":"m","effect":"stale"}
                {"by":"A","replace":{"s1":{"properties":{"x":9}},"s9":{"text":"new"}}}
                {"expect":"all","order":["s1","s9"],"shapes":{"s1":{"properties":{"x":9,"y":null}}}}
                {"by":"A","undo":"Replace all"}
                {"by":"A","replace":{"s9":{"text":"new"}},"history":"none"}
                {"expect":"all","order":["s9"],"equal":true}
                {"expect":"A","undoCount":0,"redoCount":0}
                """
            ),
            (
                "press",
                """
                {"by":"A","create":"s1","properties":{"x":0},"text":"abc","history":"none"}
                {"by":"A","set":"s1","properties":{"x":1},"selection":{"before":{"text":"s1","from":1,"to":3},"after":{"shapes":["s1"]}}}
                {"by":"B","type":"--","in":"s1","at":0}
                {"by":"B","set":"s1","properties":{"x":2}}
                {"expect":"A","preview":{"undo":{"label":"Set s1","selection":{"text":"s1","from":3,"to":5}},"redo":null}}
                {"by":"A","undo":"Set s1","remarks":[{"reason":"overwritten","shape":"s1","keys":["x"],"by":["B"]}],"selection":{"text":"s1","from":3,"to":5}}
                {"by":"A","redo":true,"selection":{"shapes":["s1"]}}
                {"by":"A","policy":{"overwritten":"yieldToRemote"}}
                {"by":"B","set":"s1","properties":{"x":7}}
                {"by":"A","undo":false}
                {"expect":"all","shapes":{"s1":{"properties":{"x":7},"text":"--abc"}},"equal":true}
                """
            ),
        ])
        #expect(result.status == 0, "\(result.output)")
    }
}
