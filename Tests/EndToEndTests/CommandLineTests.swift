import EaselClient
import EaselCore
import EaselSupport
import Foundation
import Testing

@Suite("What people type, and what they are told", .serialized)
struct CommandLineTests {
    @Test(
        "a wrong call exits with 2 and a sentence",
        arguments: [
            ["frobnicate"], ["serve", "--lisen", "x"], ["serve", "--listen", "nowhere"], ["edit"], ["edit", "-n"],
            ["edit", "a b"], ["show", "-x"], ["show", "plan", "--server", "http://x"], ["play"],
            ["play", "x.jsonl", "--seed", "1"], ["play", "x.jsonl", "--steps", "1"],
            ["play", "x.jsonl", "--runs", "1"],
            ["play", "x.jsonl", "--clients", "1"], ["play", "x.jsonl", "--transcript"],
            ["play", "--random", "--server", "ws://127.0.0.1:9"], ["play", "--random", "--ca-file", "x.pem"],
            ["play", "x.jsonl", "--ca-file", "x.pem"],
        ])
    func wrongCalls(arguments: [String]) throws {
        let result = try Program.run(arguments)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("easel"))
        #expect(result.errors.split(separator: "\n").count <= 3)
    }

    /// Runs the program with variables, its output going to a file.
    private func run(
        _ arguments: [String], environment: [String: String] = [:], output path: String
    ) throws -> (status: Int32, errors: String) {
        let process = Process()
        process.executableURL = Program.url
        process.arguments = arguments
        process.environment = environment
        let output = try #require(FileHandle(forWritingAtPath: path))
        process.standardOutput = output
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        if !eventually({ !process.isRunning }) { process.terminate() }
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    @Test(
        "a bad value from a variable is blamed on the variable",
        arguments: [
            ("EASEL_SERVER", ["show", "plan"]), ("EASEL_SERVER", ["play", "x.jsonl"]), ("EASEL_LISTEN", ["serve"]),
        ])
    func variables(name: String, arguments: [String]) throws {
        let result = try run(arguments, environment: [name: "http://x"], output: "/dev/null")
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("easel: \(name) must be "))
    }

    @Test("variables that are meant for other calls do not disturb")
    func strayVariables() throws {
        let variables = ["EASEL_SERVER": "ws://127.0.0.1:9", "EASEL_STEPS": "10", "EASEL_SEED": "1"]
        #expect(try run(["play", "--random"], environment: variables, output: "/dev/null").status == 0)
        let scenario = try scenarios([Self.plain])
        let variable = ["EASEL_SEED": "1"]
        #expect(try run(["play", scenario.path], environment: variable, output: "/dev/null").status == 0)
    }

    @Test("output that cannot be written is a sentence and exit code 1")
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        let other = try TemporaryFolder()
        let scenario = try scenarios([Self.plain])
        let calls = [
            ["--version"], ["--help"], ["show", "plan", "--json", "--server", server.address.description],
            ["play", scenario.path], ["play", "--random", "--steps", "10"],
            ["serve", "--listen", "127.0.0.1:0", "--data", other.path],
        ]
        for call in calls {
            let result = try run(call, output: "/dev/full")
            #expect(result.status == 1, "\(call)")
            #expect(result.errors == "easel: the output cannot be written: No space left on device\n", "\(call)")
        }
    }

    @Test("a warning that others can reach the server goes to standard error")
    func warning() throws {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = Program.url
        process.arguments = ["serve", "--listen", "0.0.0.0:0", "--data", folder.path]
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        var text = ""
        while !text.contains("Stop with Control-C.") {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty)
            text += String(decoding: data, as: UTF8.self)
        }
        process.terminate()
        process.waitUntilExit()
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(!text.contains("WARNING"))
        #expect(complaint.hasPrefix("WARNING: 0.0.0.0 can be reached by other machines"))
        #expect(process.terminationStatus == 0)
    }

    @Test("show prints the canvas alone; what else there is to say of it goes to standard error")
    func show() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        let call = ["show", "plan", "--ascii", "--server", server.address.description]
        let empty = try Program.run(call)
        #expect(empty.status == 0)
        #expect(empty.output == "")
        #expect(empty.errors == "easel: the canvas plan has no visible shapes\n")
        let ana = try Person("Ana", canvas: "plan", server: server.address)
        let size = Properties([(PropertyKey("width"), .integer(4)), (PropertyKey("height"), .integer(3))])
        try ana.store.edit("Create") { $0.create(kind: "rectangle", properties: size) }
        #expect(eventually { ana.store.status.pendingCount == 0 && ana.store.status.revision == 1 })
        let whole = try Program.run(call)
        #expect(whole.output.hasPrefix("+--+\n|"))
        #expect(whole.errors == "")
        let part = try Program.run(call + ["--width", "2"])
        #expect(part.status == 0)
        #expect(part.output.hasPrefix("+-\n|"))
        #expect(part.errors.hasPrefix("easel: the picture is cut to 2 of 4 columns"))
    }

    // MARK: Scenarios

    private static let plain = #"{"scenario":"P","title":"plain","clients":["A"]}"# + "\n" + #"{"by":"A","create":"s"}"#
    private static let restarting =
        #"{"scenario":"R","title":"restarts","clients":["A"]}"# + "\n" + #"{"restart":"server"}"#
    private static let timed = #"{"scenario":"T","title":"timed","clients":["A"],"needs":"simulation"}"#
    private static let wrong = #"{"scenario":"W","title":"wrong","clients":["A"]}"# + "\n" + #"{"by":"A","undo":true}"#

    /// A folder of scenarios.
    private func scenarios(_ texts: [String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (index, text) in texts.enumerated() {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(index).jsonl"))
        }
        return folder
    }

    @Test("against a server, scenarios that need the simulation are skipped and not failed")
    func skipping() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        let address = ["--server", server.address.description]
        let good = try scenarios([Self.plain, Self.restarting, Self.timed])
        let live = try Program.run(["play", good.path] + address)
        #expect(live.status == 0)
        #expect(
            live.output == """
                ok      P  plain
                skipped R  restarts
                        1.jsonl:2: a real server cannot be restarted from here; it plays without --server
                skipped T  timed
                        2.jsonl: its header says that it needs the simulation; it plays without --server
                1 passed, 0 failed, 2 skipped

                """)
        #expect(live.errors.contains("their names begin with play-"))
        let simulated = try Program.run(["play", good.path])
        #expect(simulated.status == 0)
        #expect(simulated.output.hasSuffix("\n3 passed, 0 failed, 0 skipped\n"))
        #expect(simulated.errors == "")
        let bad = try scenarios([Self.wrong, Self.restarting])
        let failed = try Program.run(["play", bad.path] + address)
        #expect(failed.status == 1)
        #expect(failed.output.hasSuffix("\n0 passed, 1 failed, 1 skipped\n"))
        let skipped = try scenarios([Self.restarting])
        let none = try Program.run(["play", skipped.path] + address)
        #expect(none.status == 0)
        #expect(none.errors == "")
    }

    @Test("play says at once that a server cannot be reached, and exits with 1")
    func unreachablePlay() throws {
        let scenario = try scenarios([Self.plain])
        let start = MonotonicClock.now
        let result = try Program.run(["play", scenario.path, "--server", "ws://127.0.0.1:9"])
        #expect(MonotonicClock.now.milliseconds(since: start) < 5_000)
        #expect(result.status == 1)
        #expect(result.output == "")
        #expect(result.errors == "easel: no Easel server answers at ws://127.0.0.1:9; 'easel serve' starts a server\n")
    }

    @Test("--version and --help succeed")
    func help() throws {
        #expect(try Program.run(["--version"]).output.hasPrefix("easel "))
        let help = try Program.run(["--help"])
        #expect(help.status == 0)
        for command in ["serve", "edit", "show", "play"] { #expect(help.output.contains(command)) }
    }

    @Test("a port in use is one sentence and exit code 1")
    func portInUse() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        let other = try TemporaryFolder()
        let result = try Program.run(["serve", "--listen", "127.0.0.1:\(server.port)", "--data", other.path])
        #expect(result.status == 1)
        #expect(result.errors.contains("\(server.port)"))
    }

    @Test("a data folder that another server uses, or that holds something else, is refused and left as it is")
    func foreignFolders() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(dataFolder: folder.path)
        #expect(try Program.run(["serve", "--listen", "127.0.0.1:0", "--data", folder.path]).status == 1)
        #expect(server.terminate() == 0)
        let other = try TemporaryFolder()
        let file = other.path + "/easel.db"
        try Data("not a database, but long enough to look like a file of some program".utf8).write(
            to: URL(fileURLWithPath: file))
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(try Program.run(["serve", "--listen", "127.0.0.1:0", "--data", other.path]).status == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    }

    @Test("show says that a server cannot be reached, and exits with 1")
    func unreachable() throws {
        let result = try Program.run(["show", "plan", "--server", "ws://127.0.0.1:9"])
        #expect(result.status == 1)
        #expect(result.errors == "easel: no Easel server answers at ws://127.0.0.1:9; 'easel serve' starts a server\n")
    }

    @Test("a host that has no address is said to have none, and starting a server is not advised")
    func unresolvable() throws {
        let scenario = try scenarios([Self.plain])
        for call in [["show", "plan"], ["play", scenario.path]] {
            let result = try Program.run(call + ["--server", "ws://no such host:9"])
            #expect(result.status == 1)
            #expect(result.errors == "easel: the host no such host cannot be resolved: Name or service not known\n")
        }
    }

    @Test("random histories give the same transcript in two processes: nothing depends on the order of a dictionary")
    func transcripts() throws {
        let arguments = ["play", "--random", "--seed", "1", "--runs", "40", "--steps", "200", "--transcript"]
        let first = try Program.run(arguments)
        let second = try Program.run(arguments)
        #expect(first.status == 0)
        #expect(first.output == second.output)
        #expect(first.output.split(separator: "\n").count > 40 * 200)
    }
}
