import EaselWebSocket
import Testing

/// UTF-8 of text messages, against the standard library as the oracle.
struct TextTests {
    private func isAccepted(_ bytes: [UInt8]) -> Bool {
        let found = events(of: rawFrame(1, bytes))
        if found == [.message(.text, bytes)] { return true }
        #expect(found == [.failure(.invalidUTF8)])
        return false
    }

    private func expectAgreement(_ bytes: [UInt8]) {
        #expect(isAccepted(bytes) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
    }

    @Test("every text of one or two bytes is judged as the standard library does")
    func short() {
        for first in UInt8.min...UInt8.max {
            expectAgreement([first])
            for second in UInt8.min...UInt8.max where first >= 0xC0 || second % 16 == 0 || second >= 0xC0 {
                expectAgreement([first, second])
            }
        }
    }

    @Test("every border of three- and four-byte characters is judged as the standard library does")
    func long() {
        let borders: [UInt8] = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xF4, 0xFF]
        for lead in UInt8(0xDF)...0xF6 {
            for second in borders {
                for third in borders {
                    expectAgreement([lead, second, third])
                    for fourth in borders { expectAgreement([lead, second, third, fourth]) }
                }
            }
        }
    }

    @Test("a bad byte is found wherever it stands in a run of ASCII", arguments: 0..<20)
    func badByte(_ place: Int) {
        var bytes = [UInt8](repeating: 0x61, count: 20)
        bytes[place] = 0xFF
        expectAgreement(bytes)
        bytes[place] = 0x80
        expectAgreement(bytes)
        bytes[place] = 0xC3
        expectAgreement(bytes)
    }

    @Test("a character may be split over fragments at any byte")
    func splitCharacter() {
        let text = utf8("κόσμε 🙂 ﷽ end of it")
        for cut in 0...text.count {
            let bytes =
                rawFrame(1, Array(text[..<cut]), isFinal: false) + rawFrame(9) + rawFrame(0, Array(text[cut...]))
            #expect(events(of: bytes) == [.ping([]), .message(.text, text)])
        }
    }

    @Test("text that ends within a character closes 1007")
    func endsWithinCharacter() {
        #expect(ReadFailure.invalidUTF8.closeCode == .invalidPayload)
        let bytes = rawFrame(1, utf8("a") + [0xE2, 0x82], isFinal: false)
        #expect(events(of: bytes).isEmpty)
        #expect(events(of: bytes + rawFrame(0)) == [.failure(.invalidUTF8)])
        #expect(events(of: bytes + rawFrame(0, [0xAC])) == [.message(.text, utf8("a€"))])
    }

    @Test("bad text fails at its bad byte, before the frame or message is complete")
    func failsFast() {
        let frame = rawFrame(1, utf8("good") + [0xF4, 0x90, 0x80, 0x80] + utf8("more"))
        let badByte = 6 + 4 + 1
        #expect(events(of: Array(frame.prefix(badByte))).isEmpty)
        #expect(events(of: Array(frame.prefix(badByte + 1))) == [.failure(.invalidUTF8)])
        let fragment = rawFrame(1, utf8("good"), isFinal: false) + rawFrame(0, [0xFF], isFinal: false)
        #expect(events(of: fragment) == [.failure(.invalidUTF8)])
    }

    @Test("binary messages may be any bytes")
    func binary() {
        #expect(events(of: rawFrame(2, [0xFF, 0xC0, 0x80])) == [.message(.binary, [0xFF, 0xC0, 0x80])])
    }

    @Test("the state of one text doesn't leak into the next")
    func nextText() {
        let bytes = rawFrame(1, utf8("é"), isFinal: false) + rawFrame(0, utf8("ü")) + rawFrame(1, utf8("plain"))
        #expect(events(of: bytes) == [.message(.text, utf8("éü")), .message(.text, utf8("plain"))])
    }
}
