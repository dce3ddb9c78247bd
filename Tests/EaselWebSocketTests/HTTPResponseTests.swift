import EaselWebSocket
import Testing

struct HTTPResponseTests {
    @Test("a response carries its fields, its length and the close of the connection")
    func encoding() {
        let response = HTTPResponse(.ok, fields: [HeaderField("Cache-Control", "no-store")], body: utf8("{}"))
        let head = "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 2\r\nConnection: close\r\n\r\n"
        #expect(String(decoding: response.encoded(), as: UTF8.self) == head + "{}")
        #expect(String(decoding: response.encoded(omittingBody: true), as: UTF8.self) == head)
    }

    @Test("S9: no field value can add a line", arguments: ["a\r\nX: b", "a\nX: b", "a\0\rb", "a\u{1F600}\u{10A}b"])
    func injection(_ value: String) {
        let encoded = HTTPResponse(.ok, fields: [HeaderField("X-Echo", value)]).encoded()
        let lines = String(decoding: encoded, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.count == 6)
        #expect(encoded.allSatisfy { $0 == 0x0D || $0 == 0x0A || (0x20...0x7E).contains($0) })
    }

    @Test("a value beyond ASCII goes out as the bytes it came in as")
    func latin1() {
        let encoded = HTTPResponse(.ok, fields: [HeaderField("X", "\u{E9}")]).encoded()
        #expect(encoded.contains(0xE9))
    }

    @Test("every refusal has a status of an error, a reason of its own and a complete response")
    func refusals() {
        let heads: [HeadFailure] = [
            .illegalByte, .bareLineEnd, .malformedStartLine, .notOriginForm, .unsupportedVersion, .foldedField,
            .malformedField, .badHost, .badContentLength, .transferCoding, .startLineTooLong, .headTooLarge,
            .tooManyFields,
        ]
        let upgrades: [ServerHandshake.Refusal] = [
            .method, .httpVersion, .body, .connection, .webSocketVersion, .key, .origin, .subprotocols,
        ]
        let all = heads.map(ServerHandshake.Refusal.head) + upgrades
        #expect(Set(all.map(\.reason)).count == all.count)
        for refusal in all {
            #expect((400...505).contains(refusal.status.code))
            #expect(refusal.response.status == refusal.status)
        }
    }
}
