import EaselClient
import EaselClientEngine
import EaselCore
import Foundation
import Testing

@Suite("SIGHUP to a server", .serialized)
struct ReloadTests {
    @Test("a new certificate is shown by every event loop from then on, and who is connected notices nothing")
    func reload() throws {
        let folder = try TemporaryFolder()
        let old = try TestCertificate("old", for: "IP:127.0.0.1", in: folder)
        let server = try HeardServer(in: folder, flags: ["--loops", "4"], certificate: old)
        #expect(server.output.contains("\nCertificate: CN=old, valid until 20"))
        // She trusts the old one only, so she could not come back.
        let ana = try Person("Ana", canvas: "plan", server: server.address, authorityFile: old.file)
        #expect(eventually { ana.store.status.link == .live })

        let new = try TestCertificate("new", for: "IP:127.0.0.1", in: folder)
        server.hangUp()
        try #require(server.says("\nCertificate reloaded: CN=new, valid until 20"))
        for _ in 0..<16 { #expect(try shown(by: server).contains("subject=CN=new")) }
        let rui = try Person("Rui", canvas: "plan", server: server.address, authorityFile: new.file)
        try ana.store.edit("Create") { $0.create(kind: "note") }
        #expect(eventually { rui.store.status.revision == 1 && ana.store.status.pendingCount == 0 })
        #expect(ana.failure == nil && server.errors.isEmpty)
        #expect(server.terminate() == 0)
    }

    @Test("a pair that cannot be used changes nothing, and the reason is said with the file")
    func badPair() throws {
        let folder = try TemporaryFolder()
        let files = try TestCertificate("old", for: "IP:127.0.0.1", in: folder)
        let server = try HeardServer(in: folder, certificate: files)
        let ana = try Person("Ana", canvas: "plan", server: server.address, authorityFile: files.file)
        #expect(eventually { ana.store.status.link == .live })
        let oldKey = try Data(contentsOf: URL(fileURLWithPath: files.key))
        func expect(_ file: String, _ reason: String) throws {
            server.hangUp()
            let line = "easel: the certificate is not changed: \(file) cannot be used for TLS: \(reason)\n"
            try #require(eventually(within: 10) { server.errors.hasSuffix(line) }, "\(server.errors)")
            #expect(try shown(by: server).contains("subject=CN=old"))
        }
        _ = try TestCertificate("new", for: "IP:127.0.0.1", in: folder)
        try oldKey.write(to: URL(fileURLWithPath: files.key))
        try expect(files.key, "key values mismatch")
        try Data("not a certificate".utf8).write(to: URL(fileURLWithPath: files.file))
        try expect(files.file, "no start line")
        try FileManager.default.removeItem(atPath: files.file)
        try expect(files.file, "No such file or directory")
        try ana.store.edit("Create") { $0.create(kind: "note") }
        #expect(eventually { ana.store.status.pendingCount == 0 })
        #expect(ana.failure == nil && !server.output.contains("reloaded"))
        _ = try TestCertificate("good", for: "IP:127.0.0.1", in: folder)
        server.hangUp()
        try #require(server.says("\nCertificate reloaded: CN=good"))
    }

    @Test("without TLS there is nothing to reload, and the server goes on")
    func withoutTLS() throws {
        let folder = try TemporaryFolder()
        let server = try HeardServer(in: folder)
        server.hangUp()
        try #require(server.says("\nThere is nothing to reload: the server speaks no TLS.\n"))
        let ana = try Person("Ana", canvas: "plan", server: server.address)
        #expect(eventually { ana.store.status.link == .live })
        #expect(server.terminate() == 0)
    }

    @Test("a certificate that is no longer or not yet valid is served with a warning, at the start and at a reload")
    func times() throws {
        let folder = try TemporaryFolder()
        let files = try TestCertificate(for: "IP:127.0.0.1", in: folder, years: (2020, 2021))
        let server = try HeardServer(in: folder, certificate: files)
        let expired = "WARNING: \(files.file) has expired, on 2021-01-01T00:00:00.000Z: clients refuse it.\n"
        #expect(server.errors == expired)
        let ana = try Person("Ana", canvas: "plan", server: server.address, authorityFile: files.file)
        #expect(eventually { ana.failure != nil })
        #expect(ana.failure == "there is no secure connection with \(server.address): certificate has expired")
        _ = try TestCertificate("later", for: "IP:127.0.0.1", in: folder, years: (2090, 2091))
        server.hangUp()
        try #require(server.says("\nCertificate reloaded: CN=later"))
        let early =
            "WARNING: \(files.file) is not valid before 2090-01-01T00:00:00.000Z: clients refuse it until then.\n"
        #expect(server.errors == expired + early)
        #expect(try shown(by: server).contains("subject=CN=later"))
    }

    @Test("a server ends with the terminal it was started in, unless nohup started it", arguments: [false, true])
    func lostTerminal(isKept: Bool) throws {
        let folder = try TemporaryFolder()
        let (said, number) = ("\(folder.path)/output", "\(folder.path)/process")
        let program = "\(isKept ? "nohup " : "")\(Program.url.path)"
        let serve = "\(program) serve --listen 127.0.0.1:0 --data \(folder.path)/data"
        let terminal = Process()
        terminal.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        terminal.arguments = [
            "script", "--quiet", "--command", "echo $$ > \(number); exec \(serve) > \(said) 2>&1", "/dev/null",
        ]
        terminal.standardInput = Pipe()
        terminal.standardOutput = FileHandle.nullDevice
        try terminal.run()
        func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        let isStarted = eventually(within: 10) { text(said).contains("Stop with Control-C.") }
        let server = try #require(pid_t(text(number).filter(\.isNumber)))
        defer { kill(server, SIGKILL) }
        // Not waited for: that would last until the server has ended, too.
        kill(terminal.processIdentifier, SIGKILL)
        #expect(isStarted, "\(text(said))")
        if isKept {
            kill(server, SIGHUP)
            #expect(
                eventually(within: 10) {
                    text(said).hasSuffix("\nThere is nothing to reload: the server speaks no TLS.\n")
                })
            kill(server, SIGTERM)
        }
        #expect(
            eventually(within: 10) { text(said).hasSuffix("\nStopped. Everything acknowledged is stored.\n") },
            "\(text(said))")
    }

    /// What `openssl s_client` says of the certificate that a server shows, without spaces: their use depends on its version.
    private func shown(by server: HeardServer) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl", "s_client", "-connect", "127.0.0.1:\(server.address.port)"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self).filter { $0 != " " }
    }
}

/// A running `easel serve`, all of whose words are kept.
final class HeardServer {
    private let process = Process()
    private let folder: TemporaryFolder
    let address: ServerAddress

    /// Starts one and waits until it has said everything it says at the start.
    init(in folder: TemporaryFolder, flags: [String] = [], certificate: TestCertificate? = nil) throws {
        self.folder = folder
        process.executableURL = Program.url
        process.arguments = ["serve", "--listen", "127.0.0.1:0", "--data", "\(folder.path)/data"] + flags
        if let certificate {
            process.arguments? += ["--tls-cert", certificate.file, "--tls-key", certificate.key]
        }
        func file(_ name: String) throws -> FileHandle {
            let url = URL(fileURLWithPath: "\(folder.path)/\(name)")
            try Data().write(to: url)
            return try FileHandle(forWritingTo: url)
        }
        (process.standardOutput, process.standardError) = (try file("output"), try file("errors"))
        try process.run()
        var text = ""
        try #require(
            eventually {
                text = Self.text("output", folder)
                return text.contains("Stop with Control-C.")
            }, "\(text)")
        let port = try #require(text.firstMatch(of: /wss?:\/\/127\.0\.0\.1:(\d+)\n/).flatMap { Int($0.1) })
        address = ServerAddress(host: "127.0.0.1", port: port, isSecure: certificate != nil)
    }

    private static func text(_ name: String, _ folder: TemporaryFolder) -> String {
        (try? String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)) ?? ""
    }

    /// What it has said on standard output and on standard error.
    var output: String { Self.text("output", folder) }
    var errors: String { Self.text("errors", folder) }

    /// Whether it comes to say something on standard output.
    func says(_ words: String) -> Bool { eventually(within: 10) { output.contains(words) } }

    func hangUp() { kill(process.processIdentifier, SIGHUP) }

    /// Asks the process to end and returns its exit code.
    func terminate() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
