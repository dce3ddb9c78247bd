import EaselCore
import Testing

@testable import EaselPlay

@Suite("Reading scenarios: histories, selections, the server and the disk")
struct ScenarioLanguageParserTests {
    private static let header = #"{"scenario":"x","title":"what it shows","clients":["A","B"]}"#
    private static let opening = [header, #"{"by":"A","create":"s1","text":"abc"}"#, #"{"by":"A","mark":"m"}"#]

    /// What is wrong with a file of the header, a line that makes `s1`, one that sets the mark `m`, and `line`.
    private func mistake(_ line: String) -> ScenarioError? {
        do throws(ScenarioError) {
            _ = try ScenarioParser.parse((Self.opening + [line]).joined(separator: "\n"), file: "x.jsonl")
            return nil
        } catch {
            return error
        }
    }

    private func step(_ line: String) throws -> ScenarioStep {
        let scenario = try ScenarioParser.parse((Self.opening + [line]).joined(separator: "\n"), file: "x.jsonl")
        return try #require(scenario.lines.last).step
    }

    @Test(
        "every verb and key of the language is taken",
        arguments: [
            #"{"by":"A","set":"s1","properties":{"x":1},"view":2,"history":"doc"}"#,
            #"{"by":"A","set":"s1","properties":{"x":1},"selection":{"before":null,"after":{"shapes":["s1"]}}}"#,
            #"{"by":"A","type":"x","in":"s1","selection":{"before":{"text":"s1","from":0,"to":0},"after":null}}"#,
            #"{"by":"A","set":"s1","properties":{"x":1},"since":"m","effect":"stale"}"#,
            #"{"by":"A","show":"s1","label":"Bring back"}"#, #"{"by":"A","show":["s1"]}"#,
            #"{"by":"A","cancel":true}"#, #"{"by":"A","cancel":true,"history":"doc"}"#,
            #"{"by":"A","clearUndo":true}"#, #"{"by":"A","clearRedo":true}"#, #"{"by":"A","closeHistory":true}"#,
            #"{"by":"A","clearHistory":true,"history":"doc"}"#,
            #"{"by":"A","levels":0}"#, #"{"by":"A","bytes":4096,"history":"doc"}"#,
            #"{"by":"A","policy":{"overwritten":"yieldToRemote","creation":"keepIfOthersEdited"}}"#,
            #"{"by":"A","policy":{}}"#,
            #"{"by":"A","begin":"Group","history":"doc"}"#, #"{"by":"A","end":true,"history":"doc"}"#,
            #"{"by":"A","undo":"Create s1","history":"doc","passed":["Set s1"],"selection":{"shapes":["s1"]}}"#,
            #"{"by":"A","redo":true,"remarks":[{"reason":"overwritten","shape":"s1","keys":["x"],"by":["B"]}]}"#,
            #"{"by":"A","undo":false,"remarks":[{"reason":"kept","shape":"s1"}]}"#,
            #"{"by":"A","mark":"other"}"#,
            #"{"by":"A","replace":{"s1":{"kind":"note","properties":{"x":1},"text":"a"},"s2":{}},"history":"none"}"#,
            #"{"by":"A","replace":{}}"#,
            #"{"duplicate":"A"}"#, #"{"kill":["A","B"]}"#, #"{"return":"A","canvas":false}"#,
            #"{"role":"viewer","of":"A"}"#, #"{"role":"editor","of":["A","B"]}"#,
            #"{"hold":"disk"}"#, #"{"release":"disk"}"#, #"{"release":"disk","count":2}"#, #"{"fail":"disk"}"#,
            #"{"fail":"disk","kept":true}"#, #"{"refuse":"A"}"#,
            #"{"expect":"A","preview":{"undo":{"label":"Create s1","passed":[],"remarks":[],"selection":null},"redo":null}}"#,
            #"{"expect":"A","sent":1,"changes":{"1":0,"2":3},"historyEvents":4,"role":"editor"}"#,
            #"{"expect":"A","retainedBytesAtMost":100,"history":"doc"}"#,
        ])
    func accepted(_ line: String) throws {
        #expect(mistake(line) == nil)
        // What is taken must matter: an unknown key beside it is seen.
        let spoiled = try #require(mistake(#"{"zzz":1,"# + line.dropFirst()))
        #expect(spoiled.sentence.contains("has no 'zzz'"))
    }

    @Test(
        "a mistake in a step is an error with its line and a sentence",
        arguments: [
            (#"{"by":"A","set":"s1","properties":{"x":1},"view":0}"#, "'view' must be a whole number, 1 to 4294967295"),
            (
                #"{"by":"A","set":"s1","properties":{"x":1},"history":"none","selection":{"before":null,"after":null}}"#,
                "'selection' needs a 'history' that keeps it"
            ),
            (
                #"{"by":"A","set":"s1","properties":{"x":1},"selection":{"before":null}}"#,
                "'selection' must have 'before' and 'after'"
            ),
            (
                #"{"by":"A","set":"s1","properties":{"x":1},"selection":["s1"]}"#,
                "'selection' must be an object with 'before' and 'after', not a list"
            ),
            (
                #"{"by":"A","set":"s1","properties":{"x":1},"selection":{"before":{"shape":"s1"},"after":null}}"#,
                "'before' must have 'shapes' or 'text'"
            ),
            (
                #"{"by":"A","set":"s1","properties":{"x":1},"selection":{"before":"s1","after":null}}"#,
                "'before' must be an object or null, not a string"
            ),
            (
                #"{"by":"A","set":"s1","properties":{"x":1},"selection":{"before":{"text":"s1","from":1},"after":null}}"#,
                "'to' is missing"
            ),
            (
                #"{"by":"A","set":"s1","properties":{"x":1},"selection":{"before":{"shapes":["s9"]},"after":null}}"#,
                "no line above creates the shape 's9'"
            ),
            (#"{"by":"A","front":"s1","since":"n"}"#, "no line above sets the mark 'n' for A"),
            (#"{"by":"B","front":"s1","since":"m"}"#, "no line above sets the mark 'm' for B"),
            (#"{"by":"A","mark":""}"#, "a mark's name must not be empty"),
            (#"{"by":"A","mark":"n","history":"doc"}"#, "'mark' has no 'history'; it has by, mark"),
            (#"{"by":"A","show":"s9"}"#, "no line above creates the shape 's9'"),
            (#"{"by":"A","cancel":"Group"}"#, "'cancel' must be true, not a string"),
            (#"{"by":"A","undo":true,"history":"none"}"#, "'history' must name one here"),
            (#"{"by":"A","levels":-1}"#, "'levels' must be a whole number, 0 to 2147483647"),
            (#"{"by":"A","bytes":true}"#, "'bytes' must be a whole number, 0 to 2147483647"),
            (#"{"by":"A","policy":true}"#, "'policy' must be an object, not true or false"),
            (#"{"by":"A","policy":{"overwritten":"mine"}}"#, "'overwritten' must be restoreMine or yieldToRemote"),
            (#"{"by":"A","policy":{"creation":"mine"}}"#, "'creation' must be hide or keepIfOthersEdited"),
            (#"{"by":"A","policy":{"deletion":"x"}}"#, "'policy' has no 'deletion'; it has creation, overwritten"),
            (
                #"{"by":"A","undo":false,"passed":["x"]}"#,
                "a press that does nothing has no 'passed' and no 'selection'"
            ),
            (#"{"by":"A","undo":true,"remarks":{}}"#, "'remarks' must be a list, not an object"),
            (#"{"by":"A","undo":true,"remarks":["kept"]}"#, "a remark must be an object, not a string"),
            (#"{"by":"A","undo":true,"remarks":[{"reason":"kept"}]}"#, "'shape' is missing"),
            (
                #"{"by":"A","undo":true,"remarks":[{"reason":"luck","shape":"s1"}]}"#,
                "there is no reason 'luck'; there are overwritten, yielded, removed, charactersRemoved, edited, kept, "
                    + "obstructed, limited, purged"
            ),
            (
                #"{"by":"A","undo":true,"remarks":[{"reason":"kept","shape":"s1","by":["Z"]}]}"#,
                "there is no client 'Z'; there are A, B"
            ),
            (
                #"{"by":"A","undo":true,"remarks":[{"reason":"kept","shape":"s1","who":"B"}]}"#,
                "a remark has no 'who'; it has by, keys, reason, shape"
            ),
            (#"{"by":"A","replace":["s1"]}"#, "'replace' must be an object, not a list"),
            (#"{"by":"A","replace":{"s1":"note"}}"#, "what 's1' is to be must be an object, not a string"),
            (#"{"by":"A","replace":{"s1":{"colour":1}}}"#, "what 's1' is to be has no 'colour'; it has kind, "),
            (#"{"duplicate":["A"]}"#, "'duplicate' must be a string, not a list"),
            (#"{"kill":[]}"#, "'kill' must name a client"), (#"{"connect":[]}"#, "'connect' must name a client"),
            (#"{"return":"A","canvas":"no"}"#, "'canvas' must be true or false, not a string"),
            (#"{"role":"owner","of":"A"}"#, "'role' must be viewer or editor"),
            (#"{"role":"viewer"}"#, "'of' is missing"),
            (#"{"hold":"disk","direction":"up"}"#, "'hold' has no 'direction'; it has hold"),
            (#"{"hold":["A","disk"]}"#, "there is no client 'disk'; there are A, B"),
            (#"{"release":"disk","count":0}"#, "'count' must be a whole number, 1 to 2147483647"),
            (#"{"fail":"A"}"#, "only the disk can fail"),
            (#"{"fail":"disk","kept":1}"#, "'kept' must be true or false, not a number"),
            (#"{"refuse":"server"}"#, "there is no client 'server'; there are A, B"),
            (#"{"expect":"A","preview":{"undo":"Create s1"}}"#, "'undo' must be an object or null, not a string"),
            (#"{"expect":"A","preview":{"press":null}}"#, "'preview' has no 'press'; it has redo, undo"),
            (#"{"expect":"A","changes":{"zero":1}}"#, "'zero' is no view; views are 1 and up"),
            (#"{"expect":"A","changes":{"1":"x"}}"#, "the changes of view 1 must be a whole number, 0 or more"),
            (#"{"expect":"A","history":"doc"}"#, "nothing is expected of the history 'doc'"),
            (#"{"expect":"server","sent":0}"#, "the server has no history and nothing pending; name a client"),
            (#"{"expect":"A","role":"owner"}"#, "'role' must be viewer or editor"),
        ])
    func mistakes(_ line: String, _ sentence: String) throws {
        let error = try #require(mistake(line))
        #expect(error.file == "x.jsonl")
        #expect(error.line == 4)
        // A sentence that ends in a space goes on with a list that other tests need not repeat.
        #expect(sentence.hasSuffix(" ") ? error.sentence.hasPrefix(sentence) : error.sentence == sentence)
    }

    @Test("an edit is recorded in the history that it names, in none, or in the main one")
    func histories() throws {
        for (key, expected) in [("", "main"), (#","history":"doc""#, "doc"), (#","history":"none""#, nil)] {
            guard case .edit(client: 0, _, let terms) = try step(#"{"by":"A","front":"s1""# + key + "}") else {
                Issue.record("not an edit")
                return
            }
            #expect(terms.history == expected)
        }
    }

    @Test("what stands behind 'expect' is its role, and behind no 'expect' a verb")
    func roles() throws {
        guard case .expect(let expectation) = try step(#"{"expect":"A","role":"viewer"}"#) else {
            Issue.record("not an expectation")
            return
        }
        #expect(expectation.client.role.map { "\($0)" } == "viewer")
        guard case .role(let role, clients: [0, 1]) = try step(#"{"role":"editor","of":["A","B"]}"#) else {
            Issue.record("not a change of role")
            return
        }
        #expect("\(role)" == "editor")
    }
}
