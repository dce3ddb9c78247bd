import EaselWebSocket
import Testing

/// What a server must make of each handshake that public test suites leave out.
struct HandshakeTableTests {
    private let good = HandshakeRequest()

    @Test("P2: a good handshake is upgraded with the accept value of RFC 6455 section 1.3")
    func goodHandshake() throws {
        let request = try requireUpgrade(good.outcome())
        let response = String(decoding: request.accept(subprotocol: nil, sha1: sha1), as: UTF8.self)
        #expect(
            response
                == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
    }

    @Test("S9: Upgrade to h2c is a plain request, which a server answers 404")
    func upgradeToH2C() throws {
        let head = try requirePlain(
            good.with("Upgrade", "h2c").adding("HTTP2-Settings: AAMAAABkAAQAAP__").outcome())
        #expect(head.path == "/c/demo")
        let response = String(decoding: HTTPResponse.text(.notFound, "nothing here").encoded(), as: UTF8.self)
        #expect(
            response
                == "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 13\r\n"
                + "Connection: close\r\n\r\nnothing here\n")
    }

    @Test("S9: an unknown Upgrade is a plain request")
    func unknownUpgrade() throws { _ = try requirePlain(good.with("Upgrade", "foo").outcome()) }

    @Test("P2: websocket in a list of upgrades is upgraded")
    func upgradeList() throws { _ = try requireUpgrade(good.with("Upgrade", "websocket, h2c").outcome()) }

    @Test("P2: names and tokens match in any case")
    func anyCase() throws {
        var shouting = good.without("Upgrade").without("Connection")
        shouting.lines += ["UPGRADE: WebSocket", "connection: UPGRADE"]
        _ = try requireUpgrade(shouting.outcome())
    }

    @Test("P2: a plain GET goes to the caller")
    func plainGet() throws {
        let head = try requirePlain(good.without("Upgrade").starting("GET /healthz?full=1&a=b?c HTTP/1.1").outcome())
        #expect(head.method == "GET" && head.path == "/healthz" && head.query == "full=1&a=b?c")
        #expect(head.host == "127.0.0.1:9001" && head.version == .http11 && head.contentLength == nil)
        #expect(head.fields.first("sec-websocket-VERSION") == "13")
    }

    @Test("P2: no Connection field is 400")
    func noConnection() { expectRefusal(good.without("Connection").outcome(), .connection, 400) }

    @Test("P2: Connection with keep-alive only is 400")
    func keepAliveOnly() { expectRefusal(good.with("Connection", "keep-alive").outcome(), .connection, 400) }

    @Test("P2: Connection with keep-alive and Upgrade is upgraded")
    func keepAliveAndUpgrade() throws {
        _ = try requireUpgrade(good.with("Connection", "keep-alive, Upgrade").outcome())
    }

    @Test("P2: no Host is 400")
    func noHost() { expectRefusal(good.without("Host").outcome(), .head(.badHost), 400) }

    @Test("P2: two Hosts are 400")
    func twoHosts() { expectRefusal(good.adding("Host: evil.example").outcome(), .head(.badHost), 400) }

    @Test("P2: no key is 400")
    func noKey() { expectRefusal(good.without("Sec-WebSocket-Key").outcome(), .key, 400) }

    @Test("P2: two keys are 400")
    func twoKeys() {
        expectRefusal(good.adding("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==").outcome(), .key, 400)
    }

    @Test(
        "P2: a key that is not the base64 of 16 bytes is 400",
        arguments: [
            "YWJj", String(repeating: "!", count: 24), "", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ===",
            "dGhlIHNhbXBsZSBub25jZTEx", "dGhlIHNhbXBsZSBub25jZ===",
        ])
    func badKey(_ key: String) { expectRefusal(good.with("Sec-WebSocket-Key", key).outcome(), .key, 400) }

    @Test("P2: no version is 426 and names version 13")
    func noVersion() {
        expectUpgradeRequired(good.without("Sec-WebSocket-Version"))
    }

    @Test("P2: another version than 13 is 426 and names version 13", arguments: ["12", "8", "013", "13, 8", ""])
    func otherVersion(_ version: String) {
        expectUpgradeRequired(good.with("Sec-WebSocket-Version", version))
    }

    private func expectUpgradeRequired(_ request: HandshakeRequest) {
        let outcome = request.outcome()
        expectRefusal(outcome, .webSocketVersion, 426)
        guard case .refuse(_, let response) = outcome else { return }
        let text = String(decoding: response, as: UTF8.self)
        #expect(text.contains("\r\nSec-WebSocket-Version: 13\r\n"))
        #expect(text.contains("\r\nUpgrade: websocket\r\nSec-"))
        #expect(text.contains("\r\nConnection: Upgrade, close\r\n"))
    }

    @Test("P2: an upgrade by POST is 400", arguments: ["POST", "get", "HEAD", "CONNECT"])
    func post(_ method: String) { expectRefusal(good.starting("\(method) / HTTP/1.1").outcome(), .method, 400) }

    @Test("P2: an upgrade in HTTP/1.0 is 400")
    func http10() { expectRefusal(good.starting("GET / HTTP/1.0").outcome(), .httpVersion, 400) }

    @Test("P2: an unknown subprotocol is exposed and not selected")
    func unknownSubprotocol() throws {
        let request = try requireUpgrade(good.adding("Sec-WebSocket-Protocol: nosuch").outcome())
        #expect(request.subprotocols == ["nosuch"])
        #expect(request.subprotocol(among: ["easel.v1.cbor"]) == nil)
    }

    @Test("P2: the client's first supported subprotocol is selected")
    func knownSubprotocol() throws {
        let request = try requireUpgrade(
            good.adding("Sec-WebSocket-Protocol: nosuch, easel.v1.cbor", "Sec-WebSocket-Protocol: other").outcome())
        #expect(request.subprotocols == ["nosuch", "easel.v1.cbor", "other"])
        #expect(request.subprotocol(among: ["other", "easel.v1.cbor"]) == "easel.v1.cbor")
        let response = String(decoding: request.accept(subprotocol: "easel.v1.cbor", sha1: sha1), as: UTF8.self)
        #expect(response.hasSuffix("\r\nSec-WebSocket-Protocol: easel.v1.cbor\r\n\r\n"))
    }

    @Test(
        "S1: Origin is given to the caller as it came", arguments: ["https://evil.example", "null", "http://[::1]:80"])
    func origin(_ origin: String) throws {
        #expect(try requireUpgrade(good.adding("Origin: \(origin)").outcome()).origin == origin)
        #expect(try requireUpgrade(good.outcome()).origin == nil)
    }

    @Test("S1: two Origins are 400")
    func twoOrigins() {
        expectRefusal(good.adding("Origin: https://a.example", "Origin: https://b.example").outcome(), .origin, 400)
    }

    @Test("S1: no byte beyond ASCII in an Origin makes it equal to an ASCII one")
    func originBeyondASCII() throws {
        let kelvin = try requireUpgrade(good.adding("Origin: https://\u{212A}.example").outcome())
        #expect(kelvin.origin?.isEmpty == false)
        #expect(kelvin.origin != "https://K.example")
    }

    @Test("P2: frame bytes behind the handshake are left for the connection")
    func pipelinedFrame() {
        var request = good
        request.tail = rawFrame(1, utf8("abc"))
        guard case .upgrade(_, let leftover) = request.outcome() else {
            Issue.record("no upgrade")
            return
        }
        #expect(leftover == request.tail)
        #expect(events(of: leftover) == [.message(.text, utf8("abc"))])
    }

    @Test("P2: a cookie of 3 KiB is upgraded, and one of 8,000 bytes", arguments: [3_000, 8_000])
    func longCookie(_ count: Int) throws {
        _ = try requireUpgrade(good.adding("Cookie: a=" + String(repeating: "x", count: count)).outcome())
    }

    @Test("P2: a path of 8,000 bytes is taken")
    func longPath() throws {
        let path = "/" + String(repeating: "a", count: 8_000)
        #expect(try requireUpgrade(good.starting("GET \(path) HTTP/1.1").outcome()).head.path == path)
    }

    @Test("P2: 400 small header fields are 431")
    func manyFields() {
        var request = good
        request.lines += (0..<400).map { "X-H\($0): \($0)" }
        expectRefusal(request.outcome(), .head(.tooManyFields), 431)
    }

    @Test("P2: NUL in a header value is 400")
    func nul() { expectRefusal(good.adding("X-A: a\0b").outcome(), .head(.illegalByte), 400) }

    @Test("P2: a folded header field is 400", arguments: [" b", "\tb"])
    func fold(_ continuation: String) {
        expectRefusal(good.adding("X-A: a", continuation).outcome(), .head(.foldedField), 400)
    }

    @Test("P2: dot segments in a path are left to the caller's exact comparison")
    func traversal() throws {
        #expect(
            try requireUpgrade(good.starting("GET /../../etc/passwd HTTP/1.1").outcome()).head.path
                == "/../../etc/passwd")
    }

    @Test("S9: the preface of HTTP/2 is refused")
    func http2Preface() {
        let preface = utf8("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") + [0, 0, 0, 4, 0, 0, 0, 0, 0]
        expectRefusal(serverOutcome(preface), .head(.unsupportedVersion), 505)
    }

    @Test("P2: random bytes and TLS on a plain port are refused at the first bad byte")
    func randomBytes() {
        var random = SplitMix64(seed: 512)
        expectRefusal(serverOutcome(random.bytes(512)), .head(.illegalByte), 400)
        expectRefusal(serverOutcome([0x16]), .head(.illegalByte), 400)
    }

    @Test("S8: a handshake that comes byte by byte, or not at all, stays incomplete and holds only what came")
    func slowHandshake() {
        var handshake = ServerHandshake()
        #expect(handshake.receive([]) == .needMore)
        for byte in utf8("GET / HTTP/1.1\r\nHost: x\r\nXXXXXXXX") { #expect(handshake.receive([byte]) == .needMore) }
        let response = String(decoding: HTTPResponse.text(.requestTimeout, "too slow").encoded(), as: UTF8.self)
        #expect(response.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    }
}
