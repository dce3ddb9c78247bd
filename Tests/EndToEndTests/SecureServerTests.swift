import EaselClient
import EaselCore
import Foundation
import Testing

@Suite("A server that speaks TLS", .serialized)
struct SecureServerTests {
    private static let x: PropertyKey = PropertyKey("x")

    @Test("two people edit over TLS, over a restart of the server too")
    func people() throws {
        let (folder, keys) = (try TemporaryFolder(), try TemporaryFolder())
        let files = try TestCertificate(for: "IP:127.0.0.1", in: keys)
        var server = try ServerProcess(dataFolder: folder.path, certificate: files)
        let (address, port) = (server.address, server.port)
        let ana = try Person("Ana", canvas: "plan", server: address, authorityFile: files.file)
        let rui = try Person("Rui", canvas: "plan", server: address, authorityFile: files.file)
        var made: ShapeID?
        try ana.store.edit("Create") {
            made = $0.create(kind: "rectangle", text: String(repeating: "long ", count: 20_000))
        }
        let box = try #require(made)
        #expect(eventually { rui.store.canvas[box]?.text.count == 100_000 })
        server.kill()
        try rui.store.edit("Move") { $0.set(box, Self.x, .integer(7)) }
        server = try ServerProcess(dataFolder: folder.path, port: port, certificate: files)
        #expect(
            eventually {
                ana.store.canvas[box]?[Self.x] == .integer(7) && rui.store.status.pendingCount == 0
                    && ana.store.status.digest == rui.store.status.digest
            })
        #expect(server.terminate() == 0)
    }

    @Test("a client that does not trust the server says why, and one without TLS gets no answer")
    func distrust() throws {
        let (folder, keys) = (try TemporaryFolder(), try TemporaryFolder())
        let files = try TestCertificate(for: "DNS:easel.example", in: keys)
        let server = try ServerProcess(dataFolder: folder.path, certificate: files)
        for (file, reason) in [(files.file, "IP address mismatch"), (nil, "self-signed certificate")] {
            let ana = try Person("Ana", canvas: "plan", server: server.address, authorityFile: file)
            #expect(eventually { ana.failure != nil })
            #expect(ana.failure == "there is no secure connection with \(server.address): \(reason)")
            try ana.store.edit("Create") { $0.create(kind: "note") }
            #expect(ana.store.status.pendingCount == 1, "nothing is lost")
        }
        let plain = ServerAddress(host: "127.0.0.1", port: server.port)
        let rui = try Person("Rui", canvas: "plan", server: plain)
        #expect(eventually { rui.failure != nil })
        #expect(rui.failure == "no Easel server answers at \(plain)")
    }

    @Test("the commands take the authority from a file, and say why they do not trust a server")
    func commands() throws {
        let (folder, keys) = (try TemporaryFolder(), try TemporaryFolder())
        let files = try TestCertificate(for: "IP:127.0.0.1", in: keys)
        let server = try ServerProcess(dataFolder: folder.path, certificate: files)
        let show = ["show", "plan", "--json", "--server", "\(server.address)"]
        let trusted = try Program.run(show + ["--ca-file", files.file])
        #expect(trusted.status == 0 && trusted.output.contains("digest"), "\(trusted.errors)")
        let distrusted = try Program.run(show)
        let reason = "easel: there is no secure connection with \(server.address): self-signed certificate\n"
        #expect(distrusted.status == 1 && distrusted.errors == reason)
        let missing = try Program.run(show + ["--ca-file", "\(folder.path)/none"])
        #expect(missing.status == 1 && missing.errors.contains("none cannot be used for TLS"))
    }

    @Test("scenarios and the load harness take the authority from a file, too")
    func players() throws {
        let (folder, keys) = (try TemporaryFolder(), try TemporaryFolder())
        let files = try TestCertificate(for: "IP:127.0.0.1", in: keys)
        let server = try ServerProcess(dataFolder: folder.path, certificate: files)
        let scenario = "\(folder.path)/scenario.jsonl"
        let steps = #"{"scenario":"P","title":"plain","clients":["A"]}"# + "\n" + #"{"by":"A","create":"s"}"#
        try Data(steps.utf8).write(to: URL(fileURLWithPath: scenario))
        let play = ["play", scenario, "--server", "\(server.address)"]
        let trusted = try Program.run(play + ["--ca-file", files.file])
        #expect(
            trusted.status == 0 && trusted.output.hasSuffix("\n1 passed, 0 failed, 0 skipped\n"), "\(trusted.errors)")
        let distrusted = try Program.run(play)
        let reason = "easel: there is no secure connection with \(server.address): self-signed certificate\n"
        #expect(distrusted.status == 1 && distrusted.errors == reason)
        let missing = try Program.run(play + ["--ca-file", "\(folder.path)/none"])
        #expect(missing.status == 1 && missing.errors.contains("none cannot be used for TLS"))

        let small = ["--seconds", "1", "--warm-up", "0", "--editors", "1", "--viewers", "1"]
        let load = ["load", "\(server.address)"] + small
        #expect(try Program.run(load + ["--ca-file", files.file]).status == 0)
        #expect(try Program.run(load).status == 1)
    }

    @Test("C9 TLS before 1.2 is not spoken, also where the system's settings would allow it")
    func versions() throws {
        let folder = try TemporaryFolder()
        let files = try TestCertificate(for: "IP:127.0.0.1", in: folder)
        let settings = "\(folder.path)/openssl.cnf"
        try Data(
            """
            openssl_conf = all
            [all]
            ssl_conf = ssl
            [ssl]
            system_default = lax
            [lax]
            MinProtocol = TLSv1
            CipherString = ALL:@SECLEVEL=0
            """.utf8
        ).write(to: URL(fileURLWithPath: settings))
        let variables = ["OPENSSL_CONF": settings]
        let server = try HeardServer(in: folder, certificate: files, variables: variables)
        for (version, isSpoken) in [("-tls1", false), ("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)] {
            let text = try shown(by: server, [version], variables: variables)
            #expect(text.contains("Cipheris(NONE)") != isSpoken, "\(version): \(text)")
        }
        // The client could speak it.
        let asked = try shown(by: server, ["-tls1", "-msg"], variables: variables)
        #expect(asked.contains("TLS1.0,Handshake") && asked.contains("protocol_version"), "\(asked)")
    }

    @Test("a certificate without its key, or that cannot be read, keeps the server from starting and says so")
    func badFiles() throws {
        let folder = try TemporaryFolder()
        let serve = ["serve", "--listen", "127.0.0.1:0", "--data", folder.path]
        let alone = try Program.run(serve + ["--tls-cert", "server.crt"])
        #expect(alone.status == 2 && alone.errors.contains("together with --tls-key"))
        let missing = try Program.run(serve + ["--tls-cert", "\(folder.path)/no.crt", "--tls-key", "no.key"])
        #expect(missing.status == 1)
        #expect(
            missing.errors == "easel: \(folder.path)/no.crt cannot be used for TLS: No such file or directory. "
                + "Check --tls-cert and --tls-key.\n")
    }
}
