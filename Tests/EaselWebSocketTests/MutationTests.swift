import EaselWebSocket
import Testing

/// Mutated and randomly split input, all from one seed: no input traps, and no split changes what comes out.
struct MutationTests {
    /// Frames that reach every state of the reader, good ones so that mutations get far.
    private static func session(_ random: inout SplitMix64) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            switch random.next() % 9 {
            case 0: bytes += rawFrame(1, utf8("κόσμε 🙂 plain text behind it"))
            case 1: bytes += rawFrame(2, random.bytes(Int(random.next() % 300)))
            case 2:
                let text = utf8("fragmented κόσμε 🙂")
                let cut = Int(random.next() % UInt64(text.count))
                bytes += rawFrame(1, Array(text[..<cut]), isFinal: false)
                if random.next() % 2 == 0 { bytes += rawFrame(9, random.bytes(3)) }
                bytes += rawFrame(0, Array(text[cut...]))
            case 3: bytes += rawFrame(9, random.bytes(Int(random.next() % 126)))
            case 4: bytes += rawFrame(10, random.bytes(4))
            case 5: bytes += rawFrame(8, closePayload(UInt16(990 + random.next() % 40), utf8("réason")))
            case 6: bytes += rawFrame(2, random.bytes(Int(random.next() % 20)), isFinal: random.next() % 4 != 0)
            case 7: bytes += rawFrame(UInt8(random.next() % 16), random.bytes(5), isMasked: random.next() % 8 != 0)
            default: bytes += rawFrame(2, random.bytes(10), form: .two, claiming: 100 + random.next() % 200)
            }
        }
        return bytes
    }

    private static func mutate(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var changed = bytes
        for _ in 0..<Int(random.next() % 4) where !changed.isEmpty {
            let place = Int(random.next() % UInt64(changed.count))
            switch random.next() % 5 {
            case 0: changed[place] ^= 1 << UInt8(random.next() % 8)
            case 1: changed[place] = UInt8(truncatingIfNeeded: random.next())
            case 2: changed.remove(at: place)
            case 3: changed.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
            default: changed.removeLast(place)
            }
        }
        return changed
    }

    private static func pieces(_ bytes: [UInt8], _ random: inout SplitMix64) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = min(rest.count, 1 + Int(random.next() % 20))
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    private static func events(of pieces: [[UInt8]], _ role: Role, _ limits: MessageLimits) -> [MessageEvent] {
        var reader = MessageReader(role: role, limits: limits)
        var found: [MessageEvent] = []
        for piece in pieces { reader.receive(piece, into: &found) }
        return found
    }

    @Test("P4: mutated frames never trap, and random splits give the same events", arguments: UInt64(1)...16)
    func mutatedFrames(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limits = MessageLimits(messageBytes: 200, fragments: 4)
        for round in 0..<250 {
            let bytes = Self.mutate(Self.session(&random), &random)
            let role: Role = random.next() % 8 == 0 ? .client : .server
            let whole = Self.events(of: [bytes], role, limits)
            #expect(whole == Self.events(of: Self.pieces(bytes, &random), role, limits), "seed \(seed) round \(round)")
            expectSoundness(whole, limits, "seed \(seed) round \(round)")
        }
    }

    /// What holds of all events whatever the input: bounds, valid text, nothing after the end.
    private func expectSoundness(_ events: [MessageEvent], _ limits: MessageLimits, _ comment: Comment) {
        for (index, event) in events.enumerated() {
            switch event {
            case .message(let kind, let bytes):
                #expect(bytes.count <= limits.messageBytes, comment)
                #expect(kind == .binary || String(validating: bytes, as: UTF8.self) != nil, comment)
            case .ping(let bytes), .pong(let bytes): #expect(bytes.count <= 125, comment)
            case .close, .failure: #expect(index == events.count - 1, comment)
            }
        }
    }

    @Test(
        "P4: a session split in two at every byte, and into single bytes, gives the same events",
        arguments: UInt64(1)...8)
    func everySplit(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let bytes = Self.mutate(Self.session(&random), &random)
        let whole = Self.events(of: [bytes], .server, .standard)
        for cut in 0...bytes.count {
            let halves = [Array(bytes[..<cut]), Array(bytes[cut...])]
            #expect(Self.events(of: halves, .server, .standard) == whole, "seed \(seed) cut \(cut)")
        }
        #expect(Self.events(of: bytes.map { [$0] }, .server, .standard) == whole, "seed \(seed)")
    }

    @Test("P4: whatever comes, a connection ends at most once and closes its transport last", arguments: UInt64(1)...8)
    func connections(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for round in 0..<250 {
            var connection =
                random.next() % 2 == 0
                ? WebSocketConnection.server(
                    limits: MessageLimits(messageBytes: 200, fragments: 4, unsentPongBytes: 64))
                : .client { MaskingKey(1) }
            var actions: [WebSocketConnection.Action] = []
            for piece in Self.pieces(Self.mutate(Self.session(&random), &random), &random) {
                switch random.next() % 12 {
                case 0: connection.close(.normal)
                case 1: connection.deadlinePassed()
                case 2: connection.outputDrained()
                case 3: connection.send(.text, utf8("x"))
                default: connection.receive(piece)
                }
                while random.next() % 8 != 0, let action = connection.nextAction() { actions.append(action) }
            }
            connection.transportClosed()
            actions += connection.allActions()
            let comment: Comment = "seed \(seed) round \(round)"
            #expect(connection.phase == .closed, comment)
            #expect(actions.filter { if case .ended = $0 { true } else { false } }.count == 1, comment)
            #expect(actions.filter { $0 == .startCloseDeadline }.count <= 1, comment)
            let ends = actions.indices.filter { if case .closeTransport = actions[$0] { true } else { false } }
            #expect(ends.isEmpty || ends == [actions.count - 1], comment)
        }
    }

    @Test("P4: mutated heads never trap, and random splits give the same outcome", arguments: UInt64(1)...8)
    func mutatedHeads(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let request = HandshakeRequest().adding(
            "Sec-WebSocket-Protocol: a, b", "Origin: https://a.example", "Content-Length: 0"
        ).bytes
        let answer = try requireUpgrade(serverOutcome(request)).accept(subprotocol: "a", sha1: sha1)
        for round in 0..<250 {
            let mutated = Self.mutate(request, &random)
            var split = ServerHandshake()
            let pieces = Self.pieces(mutated, &random)
            let last = pieces.map { split.receive($0) }.first { $0 != .needMore } ?? .needMore
            #expect(isSame(serverOutcome(mutated), last), "seed \(seed) round \(round)")

            let made = ClientHandshake(
                authority: "a", target: "/", nonce: (0x7468_6520_7361_6D70, 0x6C65_206E_6F6E_6365), subprotocols: ["a"])
            var whole = try #require(made)
            var parts = whole
            let mutatedAnswer = Self.mutate(answer, &random)
            let expected = whole.receive(mutatedAnswer, sha1: sha1)
            let found = Self.pieces(mutatedAnswer, &random).map { parts.receive($0, sha1: sha1) }.first {
                $0 != .needMore
            }
            #expect(isSame(expected, found ?? .needMore), "seed \(seed) round \(round)")
        }
    }

    /// Equal but for how much came behind the head.
    private func isSame(_ left: ServerHandshake.Outcome, _ right: ServerHandshake.Outcome) -> Bool {
        switch (left, right) {
        case (.upgrade(let one, _), .upgrade(let other, _)): one == other
        case (.request(let one, _), .request(let other, _)): one == other
        default: left == right
        }
    }

    private func isSame(_ left: ClientHandshake.Outcome, _ right: ClientHandshake.Outcome) -> Bool {
        switch (left, right) {
        case (.open(let one, let oneHead, _), .open(let other, let otherHead, _)): one == other && oneHead == otherHead
        default: left == right
        }
    }
}
