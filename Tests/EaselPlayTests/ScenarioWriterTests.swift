import EaselCore
import Testing

@testable import EaselPlay

@Suite("Random histories as scenarios")
struct ScenarioWriterTests {
    /// A history played to its end, with what everybody must have then written behind it.
    private static func written(_ seed: UInt64) throws -> (player: RandomPlayer, text: String) {
        let play = RandomPlay(seed: seed, steps: 120)
        try #require(play.breach == nil)
        // Laws that are tried out on copies leave no trace in the file.
        let player = RandomPlay.play(play.steps, clients: play.clients, isWriting: true)
        let canvas = player.simulation.serverCanvas
        var script = try #require(player.script)
        var ids: [ShapeID] = []
        canvas.forEachShape { ids.append($0.id) }
        for client in [nil] + (0..<play.clients).map(Optional.some) {
            script.expect(client, ids.sorted(), as: canvas, player.numbers)
        }
        return (player, script.text(id: "play-\(seed)", title: "a random history"))
    }

    @Test("what was played is played again from the file, and everybody ends with the same", arguments: 1...25)
    func roundTrip(seed: Int) throws {
        let (player, text) = try Self.written(UInt64(seed))
        #expect(player.breach == nil)
        let scenario = try ScenarioParser.parse(text, file: "play.jsonl")
        #expect(scenario.clients.count == player.people.count)
        #expect(throws: Never.self) { try ScenarioRunner.play(scenario) }
    }

    @Test("a file whose expectation is wrong fails when it is played")
    func wrongExpectation() throws {
        let (player, _) = try Self.written(2)
        var script = try #require(player.script)
        var ids: [ShapeID] = []
        player.simulation.serverCanvas.forEachShape { if $0.isVisible { ids.append($0.id) } }
        try #require(!ids.isEmpty)
        script.expect(nil, ids, as: Canvas(), player.numbers)
        let scenario = try ScenarioParser.parse(script.text(id: "X", title: "x"), file: "play.jsonl")
        #expect(throws: ScenarioFailure.self) { try ScenarioRunner.play(scenario) }
    }

    @Test("steps are written in the language of scenarios")
    func lines() {
        var script = ScenarioWriter(clients: 2)
        var manner = RandomPlayStep.Manner(history: nil, isTyping: true, view: 2)
        script.edit(0, 7, .type("a\"", into: 3, at: 1), manner, label: "7 Type", hasEffect: false)
        manner = RandomPlayStep.Manner(history: 1)
        script.edit(1, 8, .put(3, into: nil), manner, label: "8 Put", hasEffect: true)
        script.press(0, .undo, 0, nil)
        script.press(0, .redo, 1, "8 Put")
        script.failDisk(true)
        script.release(1, .down, 3)
        let lines = script.text(id: "I", title: "T", notes: ["why"]).split(separator: "\n").map(String.init)
        #expect(
            lines == [
                #"{"scenario":"I","title":"T","clients":["A","B"]}"#,
                "# why",
                #"{"hold":["A","B"]}"#,
                #"{"hold":"disk"}"#,
                #"{"by":"A","type":"a\"","in":"s3","at":1,"label":"7 Type","coalescing":"typing","history":"none","view":2,"effect":false}"#,
                #"{"by":"B","put":"s3","into":null,"label":"8 Put","history":"second"}"#,
                #"{"by":"A","undo":false}"#,
                #"{"by":"A","redo":"8 Put","history":"second"}"#,
                #"{"fail":"disk","kept":true}"#,
                #"{"release":"B","direction":"down","count":3}"#,
            ])
    }

    @Test("clients are called A to Z, then by number")
    func names() {
        #expect(ScenarioWriter.name(of: 0) == "A")
        #expect(ScenarioWriter.name(of: 25) == "Z")
        #expect(ScenarioWriter.name(of: 26) == "C27")
    }
}
