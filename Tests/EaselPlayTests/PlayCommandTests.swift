import Foundation
import Testing

@testable import EaselPlay

@Suite("easel play")
struct PlayCommandTests {
    /// Runs `body` with a folder of files, which is removed afterwards.
    private func withFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("play-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
        try body(folder.path)
    }

    private static let passing = #"{"scenario":"P","title":"passes","clients":["A"]}"# + "\n" + #"{"wait":1}"#
    private static let failing =
        #"{"scenario":"F","title":"fails","clients":["A"]}"# + "\n" + #"{"by":"A","undo":true}"#

    @Test("a folder stands for its scenario files, by name; a file for itself")
    func files() throws {
        try withFolder(["b.jsonl": "", "a.jsonl": "", "notes.md": ""]) { folder in
            #expect(PlayCommand.files(at: folder) == ["\(folder)/a.jsonl", "\(folder)/b.jsonl"])
            #expect(PlayCommand.files(at: folder + "/") == ["\(folder)/a.jsonl", "\(folder)/b.jsonl"])
            #expect(PlayCommand.files(at: "\(folder)/notes.md") == ["\(folder)/notes.md"])
            #expect(PlayCommand.files(at: "\(folder)/missing").isEmpty)
        }
    }

    @Test("a report has the scenario's name and title, and what is wrong with line, expected and found")
    func reports() throws {
        try withFolder(["p.jsonl": Self.passing, "f.jsonl": Self.failing, "e.jsonl": "{}"]) { folder in
            let passed = PlayCommand.report("\(folder)/p.jsonl", on: nil)
            #expect(passed.verdict == .passed)
            #expect(passed.text == "ok      P  passes")
            let failed = PlayCommand.report("\(folder)/f.jsonl", on: nil)
            #expect(failed.verdict == .failed)
            #expect(
                failed.text
                    == "failed  F  fails\n        f.jsonl:2: A: undo: expected that it does something, "
                    + "found that it does nothing")
            let unread = PlayCommand.report("\(folder)/e.jsonl", on: nil)
            #expect(unread.verdict == .failed)
            #expect(unread.text.contains("e.jsonl:1: the first line must be the header"))
        }
    }
}
