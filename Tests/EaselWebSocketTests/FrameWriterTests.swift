import EaselWebSocket
import Testing

struct FrameWriterTests {
    private static let key = MaskingKey(0x3D21_FA37)

    @Test(
        "headers of each length form are the bytes of RFC 6455 and as long as promised",
        arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
    func headers(_ count: Int) {
        let payload = [UInt8](repeating: 0xA5, count: count)
        for isMasked in [false, true] {
            let frame = FrameWriter.message(.binary, payload, key: isMasked ? Self.key : nil)
            #expect(frame == rawFrame(2, payload, isMasked: isMasked))
            #expect(frame.count == FrameWriter.headerCount(payloadCount: count, isMasked: isMasked) + count)
        }
    }

    @Test("the examples of RFC 6455 section 5.7 come out as printed there")
    func examples() {
        #expect(FrameWriter.message(.text, utf8("Hello")) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(
            FrameWriter.message(.text, utf8("Hello"), key: Self.key)
                == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
        var bytes: [UInt8] = []
        FrameWriter.append(.text, payload: utf8("Hel"), isFinal: false, to: &bytes)
        FrameWriter.append(.continuation, payload: utf8("lo"), to: &bytes)
        FrameWriter.append(.ping, payload: utf8("Hello"), to: &bytes)
        FrameWriter.append(.pong, payload: utf8("Hello"), key: Self.key, to: &bytes)
        #expect(
            bytes == [
                0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F, 0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x8A,
                0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
            ])
    }

    @Test("a header and payloads appended one after the other are one frame")
    func assembled() {
        let parts = [utf8("one"), utf8("two"), utf8("three")]
        var frame: [UInt8] = []
        FrameWriter.appendHeader(.binary, payloadCount: 11, to: &frame)
        for part in parts { frame += part }
        #expect(events(of: frame, role: .client) == [.message(.binary, utf8("onetwothree"))])
    }

    @Test("masking is undone at every length and offset, whatever stands before it", arguments: 0..<40)
    func masking(_ count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        let payload = random.bytes(count)
        let key = MaskingKey(UInt32(truncatingIfNeeded: random.next()))
        var frames: [UInt8] = []
        for _ in 0..<9 { FrameWriter.append(.binary, payload: payload, key: key, to: &frames) }
        #expect(events(of: frames) == [MessageEvent](repeating: .message(.binary, payload), count: 9))
    }

    @Test("a close carries its code and a reason cut at a character")
    func close() {
        var bytes: [UInt8] = []
        FrameWriter.appendClose(.goingAway, reason: "bye", to: &bytes)
        #expect(bytes == [0x88, 5, 0x03, 0xE9] + utf8("bye"))
        for (filler, isCut) in [(119, false), (120, true), (123, true), (400, true)] {
            var long: [UInt8] = []
            FrameWriter.appendClose(.normal, reason: String(repeating: "x", count: filler) + "🙂", to: &long)
            let kept = String(repeating: "x", count: min(filler, 123)) + (isCut ? "" : "🙂")
            #expect(events(of: long, role: .client) == [.close(.normal, reason: kept)])
        }
        var empty: [UInt8] = []
        FrameWriter.appendClose(nil, reason: "not sent", to: &empty)
        #expect(empty == [0x88, 0])
    }
}
