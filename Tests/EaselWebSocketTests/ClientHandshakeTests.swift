import EaselWebSocket
import Testing

struct ClientHandshakeTests {
    /// The 16 bytes `the sample nonce` of RFC 6455 section 1.3.
    private static let nonce: (UInt64, UInt64) = (0x7468_6520_7361_6D70, 0x6C65_206E_6F6E_6365)
    private static let accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    private static let goodLines = [
        "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", accept,
    ]

    private func handshake(_ subprotocols: [String] = []) throws -> ClientHandshake {
        try #require(
            ClientHandshake(
                authority: "canvas.example:8443", target: "/c/demo?x=1", nonce: Self.nonce, subprotocols: subprotocols))
    }

    private func outcome(
        _ lines: [String], offering subprotocols: [String] = [], tail: [UInt8] = []
    ) throws -> ClientHandshake.Outcome {
        var client = try handshake(subprotocols)
        return client.receive(utf8(lines.map { $0 + "\r\n" }.joined() + "\r\n") + tail, sha1: sha1)
    }

    @Test("the request is complete and names what is offered")
    func request() throws {
        let client = try #require(
            ClientHandshake(
                authority: "canvas.example:8443", target: "/c/demo?x=1", nonce: Self.nonce,
                subprotocols: ["easel.v1.cbor", "b"], fields: [HeaderField("Authorization", "Bearer t")]))
        #expect(
            String(decoding: client.request, as: UTF8.self)
                == "GET /c/demo?x=1 HTTP/1.1\r\nHost: canvas.example:8443\r\nUpgrade: websocket\r\n"
                + "Connection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Protocol: easel.v1.cbor, b\r\nAuthorization: Bearer t\r\n\r\n")
    }

    @Test("malformed addresses and subprotocols make no handshake")
    func malformed() {
        for authority in ["", "a b", "a\r\nX: y", "a/b"] {
            #expect(ClientHandshake(authority: authority, target: "/", nonce: Self.nonce) == nil)
        }
        for target in ["", "x", "/ HTTP/1.1\r\n", "/\u{E9}", "http://a/"] {
            #expect(ClientHandshake(authority: "a", target: target, nonce: Self.nonce) == nil)
        }
        for subprotocol in ["", "a b", "a\r\n", "a,b"] {
            let client = ClientHandshake(authority: "a", target: "/", nonce: Self.nonce, subprotocols: [subprotocol])
            #expect(client == nil)
        }
    }

    @Test("a good answer opens the WebSocket and leaves the bytes behind it")
    func good() throws {
        guard
            case .open(let subprotocol, let head, let leftover) = try outcome(
                Self.goodLines + ["Sec-WebSocket-Protocol: easel.v1.cbor"], offering: ["easel.v1.cbor"],
                tail: [0x81, 0])
        else {
            Issue.record("not open")
            return
        }
        #expect(subprotocol == "easel.v1.cbor" && head.status == 101 && leftover == [0x81, 0])
    }

    @Test("a server that selects no subprotocol is reported as that")
    func noSubprotocol() throws {
        guard case .open(nil, _, _) = try outcome(Self.goodLines, offering: ["easel.v1.cbor"]) else {
            Issue.record("not open")
            return
        }
    }

    @Test("an accept value that doesn't answer the key fails")
    func wrongAccept() throws {
        let start = Array(Self.goodLines.dropLast())
        #expect(try outcome(start) == .failure(.wrongAccept))
        #expect(try outcome(start + ["Sec-WebSocket-Accept: AAAALMBiTxaQ9kYGzzhZRbK+xOo="]) == .failure(.wrongAccept))
        #expect(try outcome(start + [Self.accept, Self.accept]) == .failure(.wrongAccept))
    }

    @Test("an answer without Upgrade or Connection fails", arguments: [1, 2])
    func notUpgraded(_ dropped: Int) throws {
        var lines = Self.goodLines
        lines.remove(at: dropped)
        #expect(try outcome(lines) == .failure(.notUpgraded))
    }

    @Test("an extension nobody asked for fails")
    func unexpectedExtension() throws {
        let lines = Self.goodLines + ["Sec-WebSocket-Extensions: permessage-deflate"]
        #expect(try outcome(lines) == .failure(.unexpectedExtension))
    }

    @Test("a subprotocol that was not offered fails, and so do two")
    func unexpectedSubprotocol() throws {
        let other = Self.goodLines + ["Sec-WebSocket-Protocol: other"]
        #expect(try outcome(other) == .failure(.unexpectedSubprotocol))
        #expect(try outcome(other, offering: ["a"]) == .failure(.unexpectedSubprotocol))
        let two = Self.goodLines + ["Sec-WebSocket-Protocol: a", "Sec-WebSocket-Protocol: b"]
        #expect(try outcome(two, offering: ["a", "b"]) == .failure(.unexpectedSubprotocol))
    }

    @Test("another status is reported with its fields", arguments: [200, 301, 401, 426, 503])
    func refused(_ status: Int) throws {
        guard case .refused(let head) = try outcome(["HTTP/1.1 \(status) No", "Retry-After: 5"], tail: utf8("body"))
        else {
            Issue.record("not refused")
            return
        }
        #expect(head.status == status && head.fields.first("retry-after") == "5")
    }

    @Test("interim responses are skipped, but not without end")
    func interim() throws {
        let interim = utf8("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
        let good = utf8(Self.goodLines.map { $0 + "\r\n" }.joined() + "\r\n")
        for (count, isOpen) in [(1, true), (4, true), (5, false)] {
            var client = try handshake()
            let bytes = [[UInt8]](repeating: interim, count: count).flatMap { $0 } + good
            let outcome = client.receive(bytes, sha1: sha1)
            if isOpen {
                guard case .open = outcome else {
                    Issue.record("not open after \(count)")
                    continue
                }
            } else {
                #expect(outcome == .failure(.tooManyInterimResponses))
            }
        }
    }

    @Test(
        "what is no HTTP/1.1 response fails",
        arguments: [
            "HTTP/1.0 101 X", "HTTP/2.0 101 X", "HTTP/1.1 99 X", "HTTP/1.1 1010 X", "HTTP/1.1", "HTTP/1.1 600 X",
            "SSH-2.0",
        ])
    func malformedStatusLine(_ line: String) throws {
        #expect(try outcome([line] + Self.goodLines.dropFirst()) == .failure(.head(.malformedStartLine)))
    }

    @Test("the bounds of a head hold for answers too")
    func bounds() throws {
        let many = Self.goodLines + (0..<100).map { "X\($0): y" }
        #expect(try outcome(many) == .failure(.head(.tooManyFields)))
        #expect(try outcome(Self.goodLines + ["X: a\0"]) == .failure(.head(.illegalByte)))
    }

    @Test("an answer split at any byte gives the same outcome, and nothing follows it")
    func splits() throws {
        let bytes = utf8("HTTP/1.1 100 Continue\r\n\r\n" + Self.goodLines.map { $0 + "\r\n" }.joined() + "\r\n")
        let whole = try outcome(Self.goodLines)
        for cut in 0..<bytes.count {
            var client = try handshake()
            #expect(client.receive(Array(bytes[..<cut]), sha1: sha1) == .needMore)
            #expect(client.receive(Array(bytes[cut...]), sha1: sha1) == whole)
            #expect(client.receive([1], sha1: sha1) == .ended)
        }
    }

    @Test("our client and our server understand each other for any nonce")
    func bothEnds() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<50 {
            let made = ClientHandshake(
                authority: "[::1]:80", target: "/c/x", nonce: (random.next(), random.next()), subprotocols: ["a", "b"])
            var client = try #require(made)
            let request = try requireUpgrade(serverOutcome(client.request))
            let answer = request.accept(subprotocol: "b", sha1: sha1)
            guard case .open("b", _, []) = client.receive(answer, sha1: sha1) else {
                Issue.record("not open")
                return
            }
        }
    }
}
