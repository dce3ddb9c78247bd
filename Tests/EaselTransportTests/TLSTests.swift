import EaselSupport
import Testing

@testable import EaselTransport

@Suite("TLS", .serialized)
struct TLSTests {
    @Test(
        "two loops talk over TLS, by address and by name, and each is told who closed",
        arguments: ["127.0.0.1", "localhost"])
    func talk(host: String) throws {
        let certificates = try Certificates.local()
        let (server, client) = (try LoopFixture(), try LoopFixture())
        let accepted = echoing()
        let bytes = pattern(1_000_000)
        let dialed = sending([bytes])
        let port = try server.listen(accepted, identity: certificates.identity("local"))
        client.connect(host: host, port: port, trust: try certificates.trust("local"), dialed)
        #expect(eventually { dialed.now.received.count == bytes.count })
        expectBytes(dialed.now.received, bytes)
        #expect(accepted.now.opened == 1 && dialed.now.opened == 1)
        client.onLoop { dialed.now.connection?.close() }
        #expect(eventually { accepted.now.reasons.count == 1 && dialed.now.reasons.count == 1 })
        #expect(accepted.now.reasons == [.closedByPeer])
        #expect(dialed.now.reasons == [.closedHere])
    }

    @Test("a client refuses a certificate that it does not trust, and one for another host")
    func distrust() throws {
        let certificates = try Certificates.local()
        try certificates.make("other", for: "DNS:other.example,IP:10.0.0.1")
        let (server, client) = (try LoopFixture(), try LoopFixture())
        for (shown, trusted, reason) in [
            ("local", "other", "self-signed certificate"), ("other", "other", "IP address mismatch"),
        ] {
            let (accepted, dialed) = (Recorder(), Recorder())
            let port = try server.listen(accepted, identity: certificates.identity(shown))
            client.connect(port: port, trust: try certificates.trust(trusted), dialed)
            #expect(eventually { dialed.now.reasons.count == 1 && accepted.now.reasons.count == 1 })
            #expect(dialed.now.reasons == [.insecure(detail: reason)])
            #expect(dialed.now.opened == 0 && accepted.now.opened == 0)
        }
        let (accepted, dialed) = (Recorder(), Recorder())
        let port = try server.listen(accepted, identity: certificates.identity("other"))
        client.connect(host: "localhost", port: port, trust: try certificates.trust("other"), dialed)
        #expect(eventually { dialed.now.reasons == [.insecure(detail: "hostname mismatch")] })
    }

    @Test("who does not speak TLS is told nothing and gets nowhere, on either side")
    func plainPeers() throws {
        let certificates = try Certificates.local()
        let (server, client) = (try LoopFixture(), try LoopFixture())
        let accepted = echoing()
        let peer = PlainSocket(port: try server.listen(accepted, identity: certificates.identity("local")))
        peer.send(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        #expect(eventually { !accepted.now.reasons.isEmpty })
        guard case .insecure = accepted.now.reasons.first else {
            Issue.record("ended with \(accepted.now.reasons)")
            return
        }
        #expect(accepted.now.opened == 0 && accepted.now.received.isEmpty)

        let dialed = Recorder()
        let plain = Recorder(
            opened: { $0.requestWritable() }, writable: { $0.write(Array("hello, who is there?".utf8)) })
        client.connect(port: try server.listen(plain), trust: try certificates.trust("local"), dialed)
        #expect(eventually { !dialed.now.reasons.isEmpty })
        guard case .insecure = dialed.now.reasons.first else {
            Issue.record("ended with \(dialed.now.reasons)")
            return
        }
    }

    @Test("C9 a thousand handshakes that are begun and left hold nobody up")
    func leftHandshakes() throws {
        let certificates = try Certificates.local()
        let (server, client) = (try LoopFixture(), try LoopFixture())
        let left = (0..<1_000).map { _ in Recorder() }
        let good = echoing()
        let port = try server.listener(left + [good], identity: certificates.identity("local")).port
        // The first bytes of a handshake, and no more.
        let peers = left.map { _ in
            let peer = PlainSocket(port: port)
            peer.send([22, 3, 1, 2, 0, 1, 0, 1])
            return peer
        }
        let dialed = sending([pattern(1_000)])
        client.connect(port: port, trust: try certificates.trust("local"), dialed)
        #expect(eventually { dialed.now.received == pattern(1_000) })
        #expect(left.allSatisfy { $0.now.opened == 0 && $0.now.reasons.isEmpty })
        for peer in peers { peer.close() }
        #expect(eventually { left.allSatisfy { $0.now.reasons.count == 1 } })
    }

    @Test("a handshake has its time, however the bytes of it come; whoever made it in time stays")
    func slowHandshakes() throws {
        let certificates = try Certificates.local()
        let (server, client) = (try LoopFixture(), try LoopFixture())
        let (silent, half, dripping) = (Recorder(), Recorder(), Recorder())
        let (standing, dialed) = (echoing(), sending([pattern(1_000)]))
        let port = try server.listener([standing, silent, half, dripping], identity: certificates.identity("local"))
            .port
        for loop in [server.loop, client.loop] { _ = loop.call { loop.handshakeMilliseconds = 1_000 } }
        client.connect(port: port, trust: try certificates.trust("local"), dialed)
        #expect(eventually { dialed.now.received == pattern(1_000) })

        let peers = (0..<3).map { _ in PlainSocket(port: port) }
        let beginning: [UInt8] = [22, 3, 1, 32, 0, 1, 0, 31, 252]
        for peer in peers.dropFirst() { peer.send(beginning) }
        // A byte a millisecond, of the 8 KiB that were announced.
        try #require(
            eventually {
                peers[2].send([0])
                return dripping.now.reasons == [.timedOut]
            })
        #expect(eventually { silent.now.reasons.count == 1 && half.now.reasons.count == 1 })
        for recorder in [silent, half] { #expect(recorder.now.reasons == [.timedOut]) }
        #expect(peers[0].isAtEnd() && peers[1].isAtEnd())

        // The other side has its time, too.
        let (mute, waiting) = (Recorder(), Recorder())
        client.connect(port: try server.listen(mute), trust: try certificates.trust("local"), waiting)
        #expect(eventually { waiting.now.reasons == [.timedOut] })
        #expect(standing.now.reasons.isEmpty && dialed.now.reasons.isEmpty, "their time is over, too, and they go on")
    }

    @Test("BACK-02 ten megabytes to a reader that pauses arrive whole and once when it goes on")
    func pausedReader() throws {
        let certificates = try Certificates.local()
        let (server, client) = (try LoopFixture(), try LoopFixture())
        let bytes = pattern(10_000_000)
        let accepted = sending([bytes, pattern(1_000, seed: 2)])
        let dialed = Recorder(received: { connection, _ in connection.pauseReading() })
        let port = try server.listen(accepted, identity: certificates.identity("local"))
        client.connect(port: port, trust: try certificates.trust("local"), dialed)
        #expect(eventually { accepted.now.connection.map { c in server.onLoop { c.stalledSince != nil } } ?? false })
        let connection = try #require(accepted.now.connection)
        #expect(server.onLoop { connection.unsentBytes } > 0)
        #expect(accepted.now.writable == 1, "no further write is asked for while one is unfinished")
        #expect(eventually { !dialed.now.received.isEmpty })
        #expect(client.onLoop { dialed.now.received.count } <= 16 * 1024, "one record is handed on, and then nothing")
        #expect(
            eventually {
                client.onLoop { dialed.now.connection?.resumeReading() }
                return dialed.now.received.count == 10_001_000
            })
        expectBytes(dialed.now.received, bytes + pattern(1_000, seed: 2))
    }

    @Test("what was written before the close arrives, then the end")
    func closing() throws {
        let certificates = try Certificates.local()
        let (server, client) = (try LoopFixture(), try LoopFixture())
        let bytes = pattern(3_000_000)
        let accepted = Recorder(
            opened: { $0.requestWritable() },
            writable: {
                $0.write(bytes)
                $0.close()
            })
        let dialed = Recorder()
        let port = try server.listen(accepted, identity: certificates.identity("local"))
        client.connect(port: port, trust: try certificates.trust("local"), dialed)
        #expect(eventually { dialed.now.reasons.count == 1 && accepted.now.reasons.count == 1 })
        expectBytes(dialed.now.received, bytes)
        #expect(dialed.now.reasons == [.closedByPeer] && accepted.now.reasons == [.closedHere])
    }

    @Test("a peer that dies is reported as lost")
    func deadPeer() throws {
        let certificates = try Certificates.local()
        let (server, client) = (try LoopFixture(), try LoopFixture())
        let accepted = sending([pattern(10_000_000)])
        let dialed = Recorder(received: { connection, _ in connection.abort() })
        let port = try server.listen(accepted, identity: certificates.identity("local"))
        client.connect(port: port, trust: try certificates.trust("local"), dialed)
        #expect(eventually { !accepted.now.reasons.isEmpty })
        guard case .lost = accepted.now.reasons.first else {
            Issue.record("ended with \(accepted.now.reasons)")
            return
        }
    }

    // That older ones are not is seen from outside (EndToEndTests), where the system's settings can be lax.
    @Test("C9 TLS 1.2 and 1.3 are spoken", arguments: ["-tls1_2", "-tls1_3"])
    func versions(version: String) throws {
        let certificates = try Certificates.local()
        let server = try LoopFixture()
        let port = try server.listen(echoing(), identity: certificates.identity("local"))
        let text = try client(port, [version, "-CAfile", certificates.certificate("local")])
        #expect(!text.contains("Cipher is (NONE)"), "\(text)")
    }

    @Test("ALPN: http/1.1 is chosen; a client that offers only something else is refused")
    func protocols() throws {
        let certificates = try Certificates.local()
        let server = try LoopFixture()
        let (first, second) = (Recorder(), Recorder())
        let port = try server.listen(first, second, identity: certificates.identity("local"))
        let chosen = try client(port, ["-alpn", "h2,http/1.1"])
        #expect(chosen.contains("ALPN protocol: http/1.1"))
        let refused = try client(port, ["-alpn", "h2"])
        #expect(refused.contains("no application protocol"))
        #expect(eventually { !second.now.reasons.isEmpty })
        #expect(first.now.opened == 1 && second.now.opened == 0)
    }

    @Test("a client offers http/1.1 and nothing else, and names the host where that is a name")
    func offer() throws {
        let certificates = try Certificates.local()
        let (server, client) = (try LoopFixture(), try LoopFixture())
        for (host, isNamed) in [("localhost", true), ("127.0.0.1", false)] {
            let (greeted, dialed) = (Recorder(), Recorder())
            client.connect(host: host, port: try server.listen(greeted), trust: try certificates.trust("local"), dialed)
            // The extension with its number and lengths (RFC 7301, 3.1); it comes in the first flight, after the host's name.
            let protocols = [0, 16, 0, 11, 0, 9, 8] + Array("http/1.1".utf8)
            try #require(eventually { greeted.now.received.contains(protocols) })
            #expect(greeted.now.received.contains(Array(host.utf8)) == isNamed)
        }
    }

    @Test("C9 a client cannot shake hands again")
    func renegotiation() throws {
        let certificates = try Certificates.local()
        let server = try LoopFixture()
        let port = try server.listen(echoing(), identity: certificates.identity("local"))
        // A line with nothing but R asks for it.
        let text = try client(port, ["-tls1_2", "-no_ign_eof"], input: "R\n")
        #expect(text.contains("no renegotiation"), "\(text)")
    }

    @Test("a certificate that cannot be read, and a key of another, are errors that name the file")
    func badFiles() throws {
        let certificates = try Certificates.local()
        try certificates.make("other", for: "DNS:other.example")
        let missing = certificates.certificate("missing")
        #expect(throws: TransportError.certificate(file: missing, detail: "No such file or directory")) {
            try TLSIdentity(certificateFile: missing, keyFile: certificates.key("local"))
        }
        #expect(throws: TransportError.certificate(file: certificates.key("other"), detail: "key values mismatch")) {
            try TLSIdentity(certificateFile: certificates.certificate("local"), keyFile: certificates.key("other"))
        }
        #expect(throws: TransportError.self) { try TLSTrust(authorityFile: missing) }
        #expect(throws: TransportError.self) { try TLSTrust(authorityFile: certificates.key("local")) }
    }

    /// What `openssl s_client` says of a server.
    private func client(_ port: Int, _ arguments: [String], input: String = "") throws -> String {
        try Certificates.openssl(["s_client", "-connect", "127.0.0.1:\(port)"] + arguments, input: input).1
    }
}
