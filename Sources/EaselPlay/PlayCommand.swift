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
            ServerTarget.authorityFlag,
            CommandSyntax.Flag(switch: "random", help: "play random histories over the simulated network instead"),
            CommandSyntax.Flag("seed", value: "N", help: "seed of the first random history (any)"),
            CommandSyntax.Flag("steps", value: "M", help: "steps of a random history (200)"),
            CommandSyntax.Flag("runs", value: "K", help: "number of random histories (1)"),
            CommandSyntax.Flag("clients", value: "C", help: "clients of a random history (2 to 8, as the seed says)"),
            CommandSyntax.Flag("save", value: "DIR", help: "folder for random histories that break a law (here)"),
            CommandSyntax.Flag(switch: "transcript", help: "print what happens in a random history"),
            CommandSyntax.Flag(switch: "progress", help: "tell on a terminal how far random histories have come"),
        ])

    /// How scenario files in a folder end.
    static let fileSuffix = ".jsonl"

    /// Flags that say how random histories are.
    private static let randomFlags = ["seed", "steps", "runs", "clients", "save", "transcript", "progress"]

    /// Flags that say where real clients play.
    private static let serverFlags = [ServerTarget.addressFlag.name, ServerTarget.authorityFlag.name]

    /// Plays what the arguments say. Returns the exit code: 0 if nothing failed, 1 if something did or the output could not
    /// be written.
    ///
    /// - Throws: `ArgumentError` for arguments that do not fit.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let paths = arguments.texts("file")
        let isRandom = try arguments.isOn("random")
        if isRandom {
            if let path = paths.first { throw .unexpectedArgument(path) }
            if let flag = serverFlags.first(where: arguments.isTyped) { throw .flagAgainst(flag, other: "random") }
            return try runRandom(arguments)
        }
        if let flag = randomFlags.first(where: arguments.isTyped) { throw .flagWithout(flag, other: "random") }
        if paths.isEmpty { throw .missingArgument("file") }
        let server = try ServerTarget(arguments)
        if server == nil, let flag = serverFlags.first(where: arguments.isTyped) {
            throw .flagWithout(flag, other: ServerTarget.addressFlag.name)
        }
        var files: [String] = []
        for path in paths {
            let found = Self.files(at: path)
            if found.isEmpty {
                throw .badValue(name: "<file>", value: path, expected: "a scenario file or a folder that has some")
            }
            files += found
        }
        if let server, let problem = LiveStage.reach(server) { return fail(problem) }
        do throws(Output.Failure) {
            return try play(files, on: server)
        } catch {
            return fail(error.description)
        }
    }

    /// Says a sentence on standard error and returns the exit code.
    private static func fail(_ sentence: String) -> Int32 {
        Log.writeToStandardError("easel: \(sentence)")
        return 1
    }

    private static func runRandom(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let anySeed = Int(SystemRandom.value() >> 1)
        let seed = try arguments.integer("seed", in: 0...Int.max, default: anySeed)
        let steps = try arguments.integer("steps", in: 1...1_000_000, default: 200)
        let runs = try arguments.integer("runs", in: 1...1_000_000_000, default: 1)
        var clients: Int?
        if arguments.text("clients") != nil {
            clients = try arguments.integer("clients", in: 1...ScenarioParser.clients, default: 1)
        }
        let command = RandomPlayCommand(
            seed: UInt64(seed), steps: steps, runs: runs, clients: clients,
            printsTranscript: try arguments.isOn("transcript"), showsProgress: try arguments.isOn("progress"),
            folder: arguments.text("save") ?? "")
        do throws(Output.Failure) {
            return try command.run()
        } catch {
            return fail(error.description)
        }
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

    /// How a file went.
    enum Verdict {
        case passed
        case failed
        /// It was not played.
        case skipped
    }

    /// Plays files and prints a line for each, with the reason where it did not pass, and how many went how.
    private static func play(_ files: [String], on server: ServerTarget?) throws(Output.Failure) -> Int32 {
        var verdicts: [Verdict] = []
        for file in files {
            let (verdict, text) = report(file, on: server)
            verdicts.append(verdict)
            try Output.standard.line(text)
        }
        func count(_ verdict: Verdict) -> Int { verdicts.count { $0 == verdict } }
        try Output.standard.line("\(count(.passed)) passed, \(count(.failed)) failed, \(count(.skipped)) skipped")
        if server != nil, verdicts.contains(where: { $0 != .skipped }) {
            Log.writeToStandardError(
                "easel: the canvases that were played on stay on the server; their names begin with "
                    + "\(LiveStage.canvasPrefix), and there is no command to remove them yet")
        }
        return count(.failed) == 0 ? 0 : 1
    }

    /// Plays one file and says how it went.
    static func report(_ path: String, on server: ServerTarget?) -> (verdict: Verdict, text: String) {
        let scenario: Scenario
        do throws(ScenarioError) {
            scenario = try ScenarioParser.read(path: path)
        } catch {
            return (.failed, "failed  \(path)\n" + indented(error.description))
        }
        let name = "\(scenario.id)  \(scenario.title)"
        do throws(ScenarioFailure) {
            if let server {
                if let obstacle = scenario.obstacle {
                    return (.skipped, "skipped \(name)\n" + indented("\(obstacle); it plays without --server"))
                }
                try ScenarioRunner.play(scenario, on: server)
            } else {
                try ScenarioRunner.play(scenario)
            }
            return (.passed, "ok      \(name)")
        } catch {
            return (.failed, "failed  \(name)\n" + indented(error.description))
        }
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n")
    }
}
