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
}
