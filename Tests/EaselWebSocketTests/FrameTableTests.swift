import EaselWebSocket
import Testing

/// What a server does with each frame that public test suites leave out, and with the classic violations.
struct FrameTableTests {
    private let abc = utf8("abc")

    @Test("P2: a masked text is delivered")
    func maskedText() { #expect(serverActions(for: rawFrame(1, abc)) == [.deliver(.text, abc)]) }

    @Test("P2: an unmasked text closes 1002")
    func unmaskedText() {
        #expect(ReadFailure.unmasked.closeCode == .protocolError)
        #expect(serverActions(for: rawFrame(1, abc, isMasked: false)) == breakingOff(.unmasked))
    }

    @Test("P2: an unmasked ping closes 1002")
    func unmaskedPing() { #expect(serverActions(for: rawFrame(9, abc, isMasked: false)) == breakingOff(.unmasked)) }

    @Test("P2: a short payload in a longer length than it needs closes 1002")
    func nonMinimalLength() {
        #expect(ReadFailure.nonMinimalLength.closeCode == .protocolError)
        for form in [LengthForm.two, .eight] {
            #expect(serverActions(for: rawFrame(1, abc, form: form)) == breakingOff(.nonMinimalLength))
        }
        #expect(serverActions(for: rawFrame(2, [], form: .two, claiming: 125)) == breakingOff(.nonMinimalLength))
        #expect(serverActions(for: rawFrame(2, [], form: .eight, claiming: 65_535)) == breakingOff(.nonMinimalLength))
    }

    @Test("P2: a length with its highest bit set closes 1002")
    func negativeLength() {
        #expect(serverActions(for: rawFrame(2, [], form: .eight, claiming: 1 << 63)) == breakingOff(.negativeLength))
    }

    @Test("P2: a length over the limit closes 1009 at the header, before mask and payload")
    func hugeLength() {
        #expect(ReadFailure.messageTooBig.closeCode == .messageTooBig)
        let header = Array(rawFrame(2, [], form: .eight, claiming: 1 << 62).prefix(10))
        #expect(serverActions(for: header) == breakingOff(.messageTooBig))
        #expect(serverActions(for: Array(header.dropLast())).isEmpty)
    }

    @Test("P2: each reserved bit closes 1002 at the first byte", arguments: [UInt8(0x40), 0x20, 0x10, 0x70])
    func reservedBits(_ bits: UInt8) {
        #expect(serverActions(for: rawFrame(1, abc, reserved: bits)) == breakingOff(.reservedBits))
        #expect(serverActions(for: [0x81 | bits]) == breakingOff(.reservedBits))
    }

    @Test("P2: each reserved opcode closes 1002", arguments: [UInt8(3), 4, 5, 6, 7, 0xB, 0xC, 0xD, 0xE, 0xF])
    func reservedOpcode(_ opcode: UInt8) {
        #expect(serverActions(for: rawFrame(opcode, abc)) == breakingOff(.reservedOpcode))
    }

    @Test("P2: a continuation without a start closes 1002, also after a complete message")
    func continuationWithoutStart() {
        #expect(serverActions(for: rawFrame(0, abc)) == breakingOff(.unexpectedContinuation))
        let after = serverActions(for: rawFrame(1, abc) + rawFrame(0, abc, isFinal: false))
        #expect(after == [.deliver(.text, abc)] + breakingOff(.unexpectedContinuation))
    }

    @Test("P2: a new message inside a fragmented one closes 1002", arguments: [UInt8(1), 2])
    func interleaved(_ opcode: UInt8) {
        let bytes = rawFrame(1, utf8("a"), isFinal: false) + rawFrame(opcode, utf8("b"))
        #expect(serverActions(for: bytes) == breakingOff(.interleavedMessage))
    }

    @Test("P2: a thousand empty continuations are one message")
    func emptyContinuations() {
        let bytes =
            rawFrame(1, [], isFinal: false) + (0..<1_000).flatMap { _ in rawFrame(0, [], isFinal: false) }
            + rawFrame(0, utf8("z"))
        #expect(serverActions(for: bytes) == [.deliver(.text, utf8("z"))])
    }

    @Test("P7: the limit of fragments holds, so endless empty continuations close 1008")
    func fragmentLimit() {
        #expect(ReadFailure.tooManyFragments.closeCode == .policyViolation)
        let limits = MessageLimits(fragments: 8)
        for (count, isTaken) in [(7, true), (8, true), (9, false)] {
            let middle = (0..<(count - 2)).flatMap { _ in rawFrame(0, [], isFinal: false) }
            let message = rawFrame(2, [1], isFinal: false) + middle + rawFrame(0, [2])
            let expected = isTaken ? [.deliver(.binary, [1, 2])] : breakingOff(.tooManyFragments)
            #expect(serverActions(for: message, limits: limits) == expected)
            let twice = serverActions(for: message + message, limits: limits)
            #expect(twice == (isTaken ? expected + expected : expected))
        }
        let endless =
            rawFrame(2, [], isFinal: false) + (0..<100_000).flatMap { _ in [0x00, 0x80, 0, 0, 0, 0] as [UInt8] }
        #expect(serverActions(for: endless) == breakingOff(.tooManyFragments))
    }

    @Test("P2: a thousand pings at once get a thousand pongs in their order")
    func pingBurst() {
        let payloads = (0..<1_000).map { utf8("\($0)") }
        let pings = payloads.flatMap { rawFrame(9, $0) }
        #expect(serverActions(for: pings) == [.send(payloads.flatMap { rawFrame(10, $0, isMasked: false) })])
    }

    @Test(
        "P2: every close code that must not travel closes 1002",
        arguments: [UInt16(0), 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535])
    func invalidCloseCode(_ code: UInt16) {
        #expect(CloseCode(rawValue: code) == nil)
        #expect(serverActions(for: rawFrame(8, closePayload(code))) == breakingOff(.invalidClose))
    }

    @Test(
        "P2: every valid close code is answered with itself",
        arguments: [
            UInt16(1000), 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
        ])
    func validCloseCode(_ code: UInt16) {
        let actions = serverActions(for: rawFrame(8, closePayload(code, utf8("bye"))))
        #expect(
            actions == [
                .send(rawFrame(8, closePayload(code), isMasked: false)),
                .ended(.closedByPeer(CloseCode(rawValue: code), reason: "bye")), .closeTransport(.afterSending),
            ])
    }

    @Test("P2: nothing that follows a close is looked at")
    func closeThenData() {
        let close = rawFrame(8, closePayload(1000))
        #expect(serverActions(for: close + rawFrame(1, utf8("late"))) == serverActions(for: close))
        #expect(serverActions(for: close + [0xFF, 0xFF]) == serverActions(for: close))
    }

    @Test("an empty close is answered with an empty close")
    func emptyClose() {
        #expect(
            serverActions(for: rawFrame(8)) == [
                .send([0x88, 0]), .ended(.closedByPeer(nil, reason: "")), .closeTransport(.afterSending),
            ])
    }

    @Test("a close payload of one byte closes 1002")
    func closeOfOneByte() { #expect(serverActions(for: rawFrame(8, [3])) == breakingOff(.invalidClose)) }

    @Test("a close reason is UTF-8 of at most 123 bytes")
    func closeReason() {
        let longest = [UInt8](repeating: UInt8(ascii: "r"), count: 123)
        #expect(
            events(of: rawFrame(8, closePayload(1000, longest)))
                == [.close(.normal, reason: String(repeating: "r", count: 123))])
        #expect(
            serverActions(for: rawFrame(8, closePayload(1000, longest + [0x72]))) == breakingOff(.controlTooLong))
        for reason: [UInt8] in [[0xFF], [0xCE, 0xBA, 0xED, 0xA0, 0x80], [0xE2, 0x82]] {
            #expect(serverActions(for: rawFrame(8, closePayload(1000, reason))) == breakingOff(.invalidUTF8))
        }
    }

    @Test("a control frame over 125 bytes closes 1002 at its second byte", arguments: [UInt8(8), 9, 10])
    func longControl(_ opcode: UInt8) {
        #expect(serverActions(for: [0x80 | opcode, 0x80 | 126]) == breakingOff(.controlTooLong))
        #expect(serverActions(for: [0x80 | opcode, 0x80 | 127]) == breakingOff(.controlTooLong))
    }

    @Test("a fragmented control frame closes 1002", arguments: [UInt8(8), 9, 10])
    func fragmentedControl(_ opcode: UInt8) {
        #expect(serverActions(for: rawFrame(opcode, abc, isFinal: false)) == breakingOff(.fragmentedControl))
    }

    @Test("P7: the limit of a message holds at the byte, in one frame and in fragments")
    func messageLimit() {
        let limits = MessageLimits(messageBytes: 1_000)
        for count in [999, 1_000] {
            let payload = [UInt8](repeating: 7, count: count)
            let expected: [WebSocketConnection.Action] = [.deliver(.binary, payload)]
            #expect(serverActions(for: rawFrame(2, payload), limits: limits) == expected)
            let fragments =
                rawFrame(2, Array(payload.prefix(600)), isFinal: false) + rawFrame(0, Array(payload.dropFirst(600)))
            #expect(serverActions(for: fragments, limits: limits) == expected)
        }
        #expect(serverActions(for: rawFrame(2, [], claiming: 1_001), limits: limits) == breakingOff(.messageTooBig))
        let fragments = rawFrame(2, [UInt8](repeating: 7, count: 600), isFinal: false) + rawFrame(0, [], claiming: 401)
        #expect(serverActions(for: fragments, limits: limits) == breakingOff(.messageTooBig))
    }

    @Test("a control frame passes within a full fragmented message")
    func controlWithinFullMessage() {
        let limits = MessageLimits(messageBytes: 3, fragments: 2)
        let bytes = rawFrame(1, abc, isFinal: false) + rawFrame(9, utf8("p")) + rawFrame(10, utf8("q")) + rawFrame(0)
        #expect(
            serverActions(for: bytes, limits: limits) == [
                .send(rawFrame(10, utf8("p"), isMasked: false)), .pong(utf8("q")), .deliver(.text, abc),
            ])
    }

    @Test("S8: a header or payload that stops short holds nothing but what came")
    func stoppedShort() {
        let frame = rawFrame(2, [UInt8](repeating: 1, count: 70_000))
        for count in [0, 1, 2, 5, 9, 10, 13, 14, 15, 69_999] {
            #expect(serverActions(for: Array(frame.prefix(count))).isEmpty)
        }
    }

    @Test("P2: a masked frame to a client closes 1002")
    func maskedToClient() {
        #expect(events(of: rawFrame(1, abc), role: .client) == [.failure(.masked)])
        #expect(events(of: rawFrame(1, abc, isMasked: false), role: .client) == [.message(.text, abc)])
    }

    @Test("every failure has a reason of its own that fits a close frame")
    func reasons() {
        let all: [ReadFailure] = [
            .reservedBits, .reservedOpcode, .fragmentedControl, .controlTooLong, .unmasked, .masked, .nonMinimalLength,
            .negativeLength, .unexpectedContinuation, .interleavedMessage, .invalidUTF8, .invalidClose, .messageTooBig,
            .tooManyFragments,
        ]
        #expect(Set(all.map(\.reason)).count == all.count)
        #expect(all.allSatisfy { $0.reason.utf8.count <= 123 })
    }
}
