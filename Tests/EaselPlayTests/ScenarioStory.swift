@testable import EaselPlay

/// Plays stories of the clients A, B and C, given as lines without the header.
enum Story {
    /// How a story fails; nil if it passes.
    static func failure(_ lines: String) throws -> ScenarioFailure? {
        let header = #"{"scenario":"x","title":"x","clients":["A","B","C"]}"#
        let scenario = try ScenarioParser.parse(header + "\n" + lines, file: "x.jsonl")
        do throws(ScenarioFailure) {
            try ScenarioRunner.play(scenario)
            return nil
        } catch {
            return error
        }
    }

    /// How a story fails, as a person reads it; nil if it passes.
    static func complaint(_ lines: String) throws -> String? { try failure(lines)?.description }
}
