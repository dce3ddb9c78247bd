import EaselWebSocket
import Testing

/// The strictness of the request parser: shapes that two parsers could read differently are refused.
struct RequestHeadTests {
    private let good = HandshakeRequest()

    @Test("S9: a line feed without a carriage return is 400")
    func lineFeedOnly() {
        expectRefusal(serverOutcome(utf8("GET / HTTP/1.1\nHost: x\n\n")), .head(.bareLineEnd), 400)
        expectRefusal(serverOutcome(utf8("GET / HTTP/1.1\r\nHost: x\n\r\n")), .head(.bareLineEnd), 400)
    }

    @Test("S9: a carriage return without a line feed is 400")
    func carriageReturnOnly() {
        expectRefusal(serverOutcome(utf8("GET / HTTP/1.1\rHost: x\r\r")), .head(.bareLineEnd), 400)
        expectRefusal(serverOutcome(utf8("GET / HTTP/1.1\r\nHost: x\r\r\n\r\n")), .head(.bareLineEnd), 400)
    }

    @Test(
        "S9: only targets in origin form are taken",
        arguments: [
            "http://a.example/", "*", "a.example:80", "", "healthz", "/a#b", "/a\\b", "/%", "/%1", "/%zz", "/a|b",
            "/\"",
            "?a",
        ])
    func target(_ target: String) {
        expectRefusal(good.starting("GET \(target) HTTP/1.1").outcome(), .head(.notOriginForm), 400)
    }

    @Test("S9: every byte RFC 3986 allows in a path or query is taken")
    func targetBytes() throws {
        let target = "/aZ09-._~!$&'()*+,;=:@%2f%C3/x?aZ09-._~!$&'()*+,;=:@%2F/?"
        let head = try requirePlain(good.without("Upgrade").starting("GET \(target) HTTP/1.1").outcome())
        #expect(head.path == "/aZ09-._~!$&'()*+,;=:@%2f%C3/x")
        #expect(head.query == "aZ09-._~!$&'()*+,;=:@%2F/?")
    }

    @Test(
        "S9: a malformed request line is 400",
        arguments: [
            "GET  / HTTP/1.1", " GET / HTTP/1.1", "GET / HTTP/1.1 ", "GET /", "GET", "", "G(T / HTTP/1.1",
            "GET / http/1.1", "GET / HTTP/11", "GET / HTTP/1.1.1", "GET / HTTP/x.1", "GET /a b HTTP/1.1",
        ])
    func requestLine(_ line: String) {
        expectRefusal(good.starting(line).outcome(), .head(.malformedStartLine), 400)
    }

    @Test("S9: a tab, DEL or byte beyond ASCII in the request line is 400", arguments: ["\t", "\u{7F}", "\u{E9}"])
    func requestLineBytes(_ text: String) {
        expectRefusal(good.starting("GET /\(text) HTTP/1.1").outcome(), .head(.illegalByte), 400)
    }

    @Test("S9: other versions of HTTP are 505", arguments: ["HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTTP/3.0"])
    func version(_ version: String) {
        expectRefusal(good.starting("GET / \(version)").outcome(), .head(.unsupportedVersion), 505)
    }

    @Test(
        "S9: a malformed header field is 400",
        arguments: ["NoColon", ": empty name", "Space : before colon", "Sp ace: x", "X\u{E9}: x", "(x): y"])
    func field(_ line: String) { expectRefusal(good.adding(line).outcome(), .head(.malformedField), 400) }

    @Test("S9: every control character but tab is 400 in a field value")
    func controls() {
        for byte in Array(UInt8(0)...0x1F) + [0x7F] where byte != 0x09 && byte != 0x0A && byte != 0x0D {
            expectRefusal(
                good.adding("X-A: a\(Unicode.Scalar(byte))b").outcome(), .head(.illegalByte), 400)
        }
    }

    @Test("space and tab around a value are dropped, and values beyond ASCII keep their bytes")
    func values() throws {
        let head = try requirePlain(good.without("Upgrade").adding("X-A: \t a\tb \t", "x-a:\u{E9}", "X-B:").outcome())
        #expect(head.fields.values("X-A") == ["a\tb", "\u{C3}\u{A9}"])
        #expect(head.fields.first("X-B")?.isEmpty == true)
        #expect(head.fields.first("X-C") == nil)
    }

    @Test("names of fields that differ by more than the case of letters are different names")
    func similarNames() throws {
        let head = try requirePlain(good.without("Upgrade").adding("X-^: caret").outcome())
        #expect(head.fields.first("x-^") == "caret" && head.fields.first("X-~") == nil)
    }

    @Test("S9: a Host that names no host is 400", arguments: ["", "a b", "a/b", "user@a", "a?b", "a\"b"])
    func badHost(_ host: String) { expectRefusal(good.with("Host", host).outcome(), .head(.badHost), 400) }

    @Test(
        "names, addresses and ports are taken as a Host",
        arguments: ["a.example", "[::1]:8443", "127.0.0.1", "x-y_z:1"])
    func goodHost(_ host: String) throws {
        #expect(try requireUpgrade(good.with("Host", host).outcome()).head.host == host)
    }

    @Test("S9: request smuggling shapes of the body's length are refused")
    func smuggling() {
        let plain = good.without("Upgrade").starting("POST / HTTP/1.1")
        expectRefusal(plain.adding("Transfer-Encoding: chunked").outcome(), .head(.transferCoding), 501)
        expectRefusal(
            plain.adding("Content-Length: 3", "Transfer-Encoding: chunked").outcome(), .head(.badContentLength), 400)
        expectRefusal(
            plain.adding("Content-Length: 3", "Content-Length: 4").outcome(), .head(.badContentLength), 400)
        for length in ["-1", "+3", "0x3", "3, 3", "", "3 3", "99999999999999999999"] {
            expectRefusal(plain.adding("Content-Length: \(length)").outcome(), .head(.badContentLength), 400)
        }
    }

    @Test("a plain POST goes to the caller with its length and what came of its body")
    func plainPost() {
        var request = good.without("Upgrade").starting("POST /api HTTP/1.1").adding(
            "Content-Length: 999999999999999999")
        request.tail = utf8("abc")
        guard case .request(let head, let leftover) = request.outcome() else {
            Issue.record("no request")
            return
        }
        #expect(head.method == "POST" && head.contentLength == 999_999_999_999_999_999 && leftover == utf8("abc"))
    }

    @Test("S9: an upgrade that announces a body is 400, one of length 0 is taken")
    func upgradeWithBody() throws {
        expectRefusal(good.adding("Content-Length: 1").outcome(), .body, 400)
        _ = try requireUpgrade(good.adding("Content-Length: 0").outcome())
    }

    @Test("a plain HTTP/1.0 request without Host goes to the caller")
    func plainHTTP10() throws {
        let head = try requirePlain(serverOutcome(utf8("GET /healthz HTTP/1.0\r\n\r\n")))
        #expect(head.version == .http10 && head.host == nil)
        expectRefusal(serverOutcome(utf8("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n")), .head(.badHost), 400)
    }

    @Test("S9: an empty line before the request is 400")
    func leadingEmptyLine() { expectRefusal(serverOutcome(utf8("\r\n") + good.bytes), .head(.malformedStartLine), 400) }

    @Test("P7: the header block's limit holds at the byte")
    func blockLimit() throws {
        let base = good.adding("X-Pad: ").bytes.count
        for (over, isTaken) in [(-1, true), (0, true), (1, false)] {
            let outcome = good.adding("X-Pad: " + String(repeating: "x", count: 16_384 - base + over)).outcome()
            if isTaken { _ = try requireUpgrade(outcome) } else { expectRefusal(outcome, .head(.headTooLarge), 431) }
        }
    }

    @Test("P7: the limit of the number of fields holds")
    func fieldLimit() throws {
        for (count, isTaken) in [(99, true), (100, true), (101, false)] {
            var request = good
            while request.lines.count < count { request.lines.append("X: y") }
            let outcome = request.outcome()
            if isTaken { _ = try requireUpgrade(outcome) } else { expectRefusal(outcome, .head(.tooManyFields), 431) }
        }
    }

    @Test("P7: the limit of the request line holds at the byte, before the line has ended")
    func startLineLimit() throws {
        for (count, isTaken) in [(8_191, true), (8_192, true), (8_193, false)] {
            let path = "/" + String(repeating: "a", count: count - "GET / HTTP/1.1".utf8.count)
            let outcome = good.starting("GET \(path) HTTP/1.1").outcome()
            if isTaken {
                _ = try requireUpgrade(outcome)
            } else {
                expectRefusal(outcome, .head(.startLineTooLong), 414)
            }
        }
        let endless = [UInt8](repeating: UInt8(ascii: "a"), count: 8_193)
        expectRefusal(serverOutcome(endless), .head(.startLineTooLong), 414)
    }

    @Test("P7: an endless field is refused at the limit of the block")
    func endlessField() {
        let endless = utf8("GET / HTTP/1.1\r\nA: ") + [UInt8](repeating: 0x62, count: 100_000)
        expectRefusal(serverOutcome(endless), .head(.headTooLarge), 431)
    }

    @Test("P7: the limit of offered subprotocols holds")
    func subprotocolLimit() throws {
        for (count, isTaken) in [(15, true), (16, true), (17, false)] {
            let names = (0..<count).map { "p\($0)" }.joined(separator: ",")
            let outcome = good.adding("Sec-WebSocket-Protocol: \(names)").outcome()
            if isTaken {
                #expect(try requireUpgrade(outcome).subprotocols.count == count)
            } else {
                expectRefusal(outcome, .subprotocols, 400)
            }
        }
    }

    @Test(
        "S9: repeated subprotocols and ones that are no tokens are 400", arguments: ["a, a", "a b", "a/b", "a, \"b\""])
    func badSubprotocols(_ value: String) {
        expectRefusal(good.adding("Sec-WebSocket-Protocol: \(value)").outcome(), .subprotocols, 400)
    }

    @Test("a subprotocol list of 100 KB of commas is refused by size, a short one is an empty list")
    func commas() throws {
        let many = good.adding("Sec-WebSocket-Protocol: " + String(repeating: ",", count: 100_000))
        expectRefusal(many.outcome(), .head(.headTooLarge), 431)
        let some = good.adding("Sec-WebSocket-Protocol: " + String(repeating: ", ", count: 7_000))
        #expect(try requireUpgrade(some.outcome()).subprotocols.isEmpty)
    }

    @Test("a handshake split at any byte gives the same outcome as in one piece")
    func splits() {
        var request = good.adding("Sec-WebSocket-Protocol: easel.v1.cbor")
        request.tail = [1, 2, 3]
        let bytes = request.bytes
        let headCount = bytes.count - 3
        for cut in 0...bytes.count {
            var handshake = ServerHandshake()
            let first = handshake.receive(Array(bytes[..<cut]))
            guard cut < headCount else {
                guard case .upgrade(_, let leftover) = first else {
                    Issue.record("no upgrade at \(cut)")
                    return
                }
                #expect(leftover == Array(bytes[headCount..<cut]))
                #expect(handshake.receive([1]) == .ended)
                continue
            }
            #expect(first == .needMore)
            #expect(handshake.receive(Array(bytes[cut...])) == request.outcome())
        }
    }

    @Test("after a refusal further bytes are ignored")
    func afterRefusal() {
        var handshake = ServerHandshake()
        expectRefusal(handshake.receive([0]), .head(.illegalByte), 400)
        #expect(handshake.receive(good.bytes) == .ended)
    }
}
