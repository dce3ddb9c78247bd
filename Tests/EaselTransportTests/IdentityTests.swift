import EaselSupport
import EaselTransport
import Foundation
import Testing

@Suite("TLS: the certificate that a server shows", .serialized)
struct IdentityTests {
    @Test("a listener that is given another certificate shows it to whoever comes then; who was there stays")
    func replacement() throws {
        let certificates = try Certificates.local()
        try certificates.make("next", for: "IP:127.0.0.1")
        let (server, client) = (try LoopFixture(), try LoopFixture())
        let (before, begun) = (echoing(), echoing())
        let listener = try server.listener(
            [before, begun, echoing(), echoing()], identity: certificates.identity("local"))
        let words = Queue([pattern(1_000)])
        let standing = Recorder(
            opened: { $0.requestWritable() }, writable: { connection in words.next().map { connection.write($0) } })
        client.connect(port: listener.port, trust: try certificates.trust("local"), standing)
        #expect(eventually { standing.now.received.count == 1_000 })

        let next = try certificates.identity("next")
        server.onLoop { listener.show(next) }
        let (new, old) = (sending([pattern(1_000)]), Recorder())
        client.connect(port: listener.port, trust: try certificates.trust("next"), new)
        #expect(eventually { new.now.received.count == 1_000 })
        client.connect(port: listener.port, trust: try certificates.trust("local"), old)
        #expect(eventually { old.now.reasons == [.insecure(detail: "self-signed certificate")] })

        words.append(pattern(1_000, seed: 2))
        client.onLoop { standing.now.connection?.requestWritable() }
        #expect(eventually { standing.now.received.count == 2_000 })
        #expect(standing.now.reasons.isEmpty && before.now.reasons.isEmpty)
    }

    @Test("an identity says whose certificate it is and from when until when it is valid")
    func facts() throws {
        let certificates = try Certificates.local()
        let facts = try certificates.identity("local").certificate
        #expect(facts.subject == "CN=local")
        let day: Int64 = 86_400_000
        let now = WallTime.now.millisecondsSince1970
        #expect(abs(facts.validFrom.millisecondsSince1970 - now) < day / 24)
        #expect(facts.validUntil.millisecondsSince1970 - facts.validFrom.millisecondsSince1970 == 2 * day)
        #expect(facts.validity(at: facts.validFrom) == .valid)
        #expect(facts.validity(at: facts.validUntil) == .valid)
        #expect(facts.validity(at: WallTime(millisecondsSince1970: now - day)) == .notYet)
        #expect(facts.validity(at: WallTime(millisecondsSince1970: now + 3 * day)) == .expired)
    }

    @Test("a certificate without a subject is called by the names it is for")
    func nameless() throws {
        let certificates = try Certificates()
        try certificates.make("nameless", for: "DNS:easel.example,IP:10.0.0.1", subject: "/")
        #expect(
            try certificates.identity("nameless").certificate.subject == "DNS:easel.example, IP Address:10.0.0.1")
    }

    @Test("the file may hold the issuers, and no certificate that has issued none before it")
    func chains() throws {
        let certificates = try Certificates()
        for name in ["root", "other"] { try certificates.make(name, for: "DNS:\(name)") }
        try certificates.make("leaf", for: "IP:127.0.0.1", issuer: "root")
        let key = certificates.key("leaf")
        let good = try certificates.chain("good", of: ["leaf", "root"])
        #expect(try TLSIdentity(certificateFile: good, keyFile: key).certificate.subject == "CN=leaf")
        let stray = try certificates.chain("stray", of: ["leaf", "root", "other"])
        let detail = "certificate 3 in it (CN=other) has issued none of those before it"
        #expect(throws: TransportError.certificate(file: stray, detail: detail)) {
            try TLSIdentity(certificateFile: stray, keyFile: key)
        }
        // Of the same name, but with another key.
        try certificates.make("namesake", for: "DNS:root", subject: "/CN=root")
        let forged = try certificates.chain("forged", of: ["leaf", "namesake"])
        #expect(throws: TransportError.self) { try TLSIdentity(certificateFile: forged, keyFile: key) }
        let reversed = try certificates.chain("reversed", of: ["root", "leaf"])
        let disorder = "certificate 2 in it (CN=leaf) has issued none of those before it"
        #expect(throws: TransportError.certificate(file: reversed, detail: disorder)) {
            try TLSIdentity(certificateFile: reversed, keyFile: key)
        }
    }

    @Test("a file that ends in the middle of a certificate is refused")
    func tornFile() throws {
        let certificates = try Certificates()
        try certificates.make("root", for: "DNS:root")
        try certificates.make("leaf", for: "IP:127.0.0.1", issuer: "root")
        let whole = try String(contentsOfFile: try certificates.chain("chain", of: ["leaf", "root"]), encoding: .utf8)
        let torn = certificates.certificate("torn")
        try String(whole.dropLast(100)).write(toFile: torn, atomically: true, encoding: .utf8)
        #expect(throws: TransportError.certificate(file: torn, detail: "bad end line")) {
            try TLSIdentity(certificateFile: torn, keyFile: certificates.key("leaf"))
        }
    }

    @Test("a key that is protected by a password is refused, and nobody is asked for one")
    func encryptedKey() throws {
        let certificates = try Certificates.local()
        let key = try certificates.encryptedKey("local")
        #expect(throws: TransportError.certificate(file: key, detail: "it is protected by a password")) {
            try TLSIdentity(certificateFile: certificates.certificate("local"), keyFile: key)
        }
    }
}
