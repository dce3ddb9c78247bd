import Foundation
import Testing

@Suite("What people type, and what they are told", .serialized)
struct CommandLineTests {
    @Test(
        "a wrong call exits with 2 and a sentence",
        arguments: [["frobnicate"], ["serve", "--lisen", "x"], ["serve", "--listen", "nowhere"], ["edit"], ["play"]])
    func wrongCalls(arguments: [String]) throws {
        let result = try Program.run(arguments)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("easel"))
        #expect(result.errors.split(separator: "\n").count <= 3)
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
        #expect(result.errors.contains("127.0.0.1:9"))
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
