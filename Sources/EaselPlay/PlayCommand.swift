import EaselClient
public import EaselSupport
import Foundation

/// `easel play`: plays scenario files, or random histories.
public enum PlayCommand {
    /// What may be written after `easel play`.
    public static let syntax = CommandSyntax(
        name: "play", summary: "Plays scenarios of several clients that edit and undo, and checks what comes out.",
        positionals: [
            CommandSyntax.Positional(
                "file", help: "a scenario, or a folder of scenarios (*.jsonl)", isRequired: false, isRepeated: true)
        ],
        flags: [
            CommandSyntax.Flag(
                "server", value: "URL", help: "play with real clients of this server instead of in this process"),
            CommandSyntax.Flag(switch: "random", help: "play random histories over the simulated network instead"),
            CommandSyntax.Flag("seed", value: "N", help: "seed of the first random history (any)"),
            CommandSyntax.Flag("steps", value: "M", help: "steps of a random history (200)"),
            CommandSyntax.Flag("runs", value: "K", help: "number of random histories (1)"),
            CommandSyntax.Flag("clients", value: "C", help: "clients of a random history (3)"),
            CommandSyntax.Flag(switch: "transcript", help: "print what happens in a random history"),
        ])

    /// How scenario files in a folder end.
    static let fileSuffix = ".jsonl"

    /// Plays what the arguments say. Returns the exit code: 0 if all went as it must, 1 if not.
    ///
    /// - Throws: `ArgumentError` for arguments that do not fit.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let paths = arguments.texts("file")
        if try arguments.isOn("random") {
            if let path = paths.first { throw .unexpectedArgument(path) }
            return try runRandom(arguments)
        }
        if paths.isEmpty { throw .missingArgument("file") }
        var server: ServerAddress?
        if let text = arguments.text("server") {
            guard let address = ServerAddress(text) else {
                throw .badValue(name: "--server", value: text, expected: "an address like ws://127.0.0.1:8787")
            }
            server = address
        }
        var files: [String] = []
        for path in paths {
            let found = Self.files(at: path)
            if found.isEmpty {
                throw .badValue(name: "<file>", value: path, expected: "a scenario file or a folder that has some")
            }
            files += found
        }
        if let server, let problem = LiveStage.reach(server) {
            Log.writeToStandardError("easel: \(problem)")
            return 1
        }
        return play(files, on: server)
    }

    private static func runRandom(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let anySeed = Int(SystemRandom.value() >> 1)
        let seed = try arguments.integer("seed", in: 0...Int.max, default: anySeed)
        return RandomPlayCommand.run(
            seed: UInt64(seed), steps: try arguments.integer("steps", in: 1...1_000_000, default: 200),
            runs: try arguments.integer("runs", in: 1...1_000_000_000, default: 1),
            clients: try arguments.integer("clients", in: 1...100, default: 3),
            printsTranscript: try arguments.isOn("transcript"))
    }

    /// The scenario files that a path names: itself, or those in it where it is a folder, by name.
    static func files(at path: String) -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return [] }
        guard isFolder.boolValue else { return [path] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let folder = path.hasSuffix("/") ? path : path + "/"
        return names.filter { $0.hasSuffix(fileSuffix) }.sorted().map { folder + $0 }
    }

    /// Plays files and prints a line for each, and what is wrong with those that fail.
    private static func play(_ files: [String], on server: ServerAddress?) -> Int32 {
        var failed = 0
        for file in files {
            let result = report(file, on: server)
            if !result.hasPassed { failed += 1 }
            print(result.text)
        }
        print("\(files.count - failed) passed, \(failed) failed")
        fflush(nil)
        return failed == 0 ? 0 : 1
    }

    /// Plays one file and says how it went.
    static func report(_ path: String, on server: ServerAddress?) -> (hasPassed: Bool, text: String) {
        let scenario: Scenario
        do throws(ScenarioError) {
            scenario = try ScenarioParser.read(path: path)
        } catch {
            return (false, "failed  \(path)\n" + indented(error.description))
        }
        do throws(ScenarioFailure) {
            if let server {
                try ScenarioRunner.play(scenario, on: server)
            } else {
                try ScenarioRunner.play(scenario)
            }
            return (true, "ok      \(scenario.id)  \(scenario.title)")
        } catch {
            return (false, "failed  \(scenario.id)  \(scenario.title)\n" + indented(error.description))
        }
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n")
    }
}
