import Foundation
import Testing

@Suite("The article \"Undo with others\"")
struct UndoArticleTests {
    /// Text between fences, with the word behind the opening one.
    private struct Block {
        let language: String
        let text: String
    }

    private static let root: URL = {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        return url
    }()

    private static let catalog = "Sources/EaselClient/EaselClient.docc"

    private static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func blocks(of page: String, _ language: String) throws -> [String] {
        var blocks: [Block] = []
        for (index, part) in try read("\(catalog)/\(page).md").components(separatedBy: "```").enumerated()
        where index % 2 == 1 && part.contains("\n") {
            let lines = part.components(separatedBy: "\n")
            blocks.append(Block(language: lines[0], text: lines.dropFirst().joined(separator: "\n")))
        }
        return blocks.filter { $0.language == language }.map { $0.text.trimmingCharacters(in: .newlines) }
    }

    @Test("what it shows as output is what its program prints, all of it")
    func output() throws {
        let process = Process()
        process.executableURL = Program.url.deletingLastPathComponent().appendingPathComponent("undo-with-others")
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let printed = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let sections = printed.trimmingCharacters(in: .newlines).components(separatedBy: "\n\n")
        #expect(sections.count > 1)
        #expect(try Self.blocks(of: "UndoWithOthers", "output").sorted() == sections.sorted())
    }

    @Test("its Swift stands in the program, but for indentation", arguments: ["UndoWithOthers", "EaselClient"])
    func quotations(page: String) throws {
        let program = "Sources/undo-with-others"
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.root.appendingPathComponent(program).path)
        let files = try names.map { Self.flush(try Self.read("\(program)/\($0)")) }
        let blocks = try Self.blocks(of: page, "swift")
        #expect(!blocks.isEmpty)
        for block in blocks { #expect(files.contains { $0.contains(Self.flush(block)) }, "\(block)") }
    }

    /// Every line without the space around it, each between line ends.
    private static func flush(_ text: String) -> String {
        let lines = text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        return "\n" + lines.joined(separator: "\n") + "\n"
    }

    @Test("the scenarios it names exist")
    func scenarios() throws {
        let names = try Self.read("\(Self.catalog)/UndoWithOthers.md").components(separatedBy: "`")
            .filter { $0.hasSuffix(".jsonl") }
        #expect(names.count > 50)
        for name in names {
            let url = Self.root.appendingPathComponent("protocol/vectors/scenarios/\(name)")
            #expect(FileManager.default.fileExists(atPath: url.path), "\(name)")
        }
    }
}
