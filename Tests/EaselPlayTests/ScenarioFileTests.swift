import Testing

@testable import EaselPlay

@Suite("Scenario files")
struct ScenarioFileTests {
    @Test("every scenario of the specification passes in process", arguments: ScenarioFolder.names)
    func passes(_ name: String) {
        #expect(ScenarioFolder.play(name) == nil)
    }

    @Test("a file is named after its scenario", arguments: ScenarioFolder.names)
    func isNamedAfterScenario(_ name: String) throws {
        let scenario = try ScenarioParser.read(path: "\(ScenarioFolder.path)/\(name).jsonl")
        let words = scenario.id.split { $0 == " " || $0 == "," }
        let plain = words.count == 3 ? [words[0], words[1] + words[2]] : words
        #expect(plain.joined(separator: "-") == name)
    }

    @Test("a scenario takes the same course each time")
    func isDeterministic() throws {
        let scenario = try ScenarioParser.parse(
            """
            {"scenario":"x","title":"x","clients":["A","B"]}
            {"hold":["A","B"]}
            {"by":"A","create":"s1"}
            {"by":"B","create":"s2"}
            {"release":"B"}
            {"release":"A"}
            {"expect":"all","order":["s2"]}
            """, file: "x.jsonl")
        func outcome() -> ScenarioFailure? {
            do throws(ScenarioFailure) {
                try ScenarioRunner.play(scenario)
                return nil
            } catch {
                return error
            }
        }
        let first = outcome()
        #expect(first != nil)
        #expect(first == outcome())
    }

    // The contracts that are scenarios; their files say how.

    @Test("A9: move, delete, undo, undo, redo, redo: values, ids and order after each step")
    func a9() { #expect(ScenarioFolder.play("A9") == nil) }

    @Test("B3: editing without a history works and claims no undo")
    func b3() { #expect(ScenarioFolder.play("B3") == nil) }

    @Test("C1: a press, a whole drag and a typing burst are one action each")
    func c1() { #expect(ScenarioFolder.play("C1") == nil) }

    @Test("C2: what was there when a client came is not in its history")
    func c2() { #expect(ScenarioFolder.play("C2") == nil) }

    @Test("C3: a new edit after an undo discards redo")
    func c3() { #expect(ScenarioFolder.play("C3") == nil) }

    @Test("C4: two groups need two undos")
    func c4() { #expect(ScenarioFolder.play("C4") == nil) }

    @Test("C5: setting the same value adds no step")
    func c5() { #expect(ScenarioFolder.play("C5") == nil) }

    @Test("C9: what is shown, what is stored and the history agree after every step")
    func c9() { #expect(ScenarioFolder.play("C9") == nil) }
}
