import Foundation
import Testing

@Suite("easel load against a real server", .serialized)
struct LoadTests {
    private func number(_ name: String, in json: String) -> Double? {
        guard let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] else {
            return nil
        }
        return (object[name] as? NSNumber)?.doubleValue
    }

    @Test("every client ends with the same digest, undo does what is predicted, and everything meant is ordered")
    func run() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        let saved = "\(folder.path)/result.json"
        let (status, output, errors) = try Program.run([
            "load", "\(server.address)", "--canvases", "3", "--editors", "4", "--viewers", "3", "--rate", "20",
            "--seconds",
            "2", "--warm-up", "0", "--undo", "30", "--shapes", "50", "--json", "--save", saved,
        ])
        #expect(status == 0, "\(errors)")
        #expect(number("clients", in: output) == 21 && number("canvases", in: output) == 3)
        #expect(number("unequalCanvases", in: output) == 0 && number("echoes", in: output) == 0)
        #expect(number("undos", in: output) ?? 0 > 20 && number("wrongUndos", in: output) == 0)
        let deliveries = number("deliveriesPerSecond", in: output) ?? 0
        let ordered = number("orderedPerSecond", in: output) ?? 0
        #expect(ordered > 0 && deliveries > 5 * ordered, "each commit goes to six others")
        let comparison = try Program.run(["load", "--compare", saved, "--with", saved])
        #expect(comparison.status == 0 && comparison.output.contains("x 1.00"))
    }

    @Test("without a server it says so; a limit that is not met is an exit code")
    func failures() throws {
        let nobody = try Program.run(["load", "ws://127.0.0.1:1", "--seconds", "1"])
        #expect(nobody.status == 1 && nobody.output.contains("unreachable"))
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        let slow = try Program.run([
            "load", "\(server.address)", "--editors", "1", "--viewers", "1", "--rate", "2000", "--seconds", "1",
            "--limit", "1",
        ])
        #expect(slow.status == 1 && slow.errors.contains("above the limit of 1 ms"))
        let wrong = try Program.run(["load", "http://127.0.0.1:1"])
        #expect(wrong.status == 2 && wrong.errors.contains("an address like ws://"))
        let file = try Program.run(["load", "--compare", "\(folder.path)/none", "--with", "x"])
        #expect(file.status == 2 && file.errors.contains("a file that --save wrote"))
    }
}
