import EaselWebSocket
import Synchronization
import Testing

struct WebSocketConnectionTests {
    private typealias Action = WebSocketConnection.Action

    /// Collects what one input of `connection` gives.
    private func actions(
        _ connection: inout WebSocketConnection, _ input: (inout WebSocketConnection) -> Void
    ) -> [Action] {
        input(&connection)
        return connection.allActions()
    }

    /// A client whose keys are all the one of `rawFrame`.
    private func client() -> WebSocketConnection { .client { MaskingKey(0x3D21_FA37) } }

    private func close(_ code: UInt16, masked: Bool) -> [UInt8] { rawFrame(8, closePayload(code), isMasked: masked) }

    @Test("a server that closes waits for the peer's close, then ends TCP itself")
    func serverCloses() {
        var server = WebSocketConnection.server()
        #expect(server.phase == .open)
        let asked = actions(&server) { $0.close(.goingAway) }
        #expect(asked == [.send(close(1001, masked: false)), .startCloseDeadline])
        #expect(server.phase == .closing)
        let answered = actions(&server) {
            $0.receive(rawFrame(1, utf8("late")) + rawFrame(9) + close(1001, masked: true))
        }
        #expect(answered == [.ended(.closedByUs(.goingAway)), .closeTransport(.afterSending)])
        #expect(server.phase == .closed)
        #expect(actions(&server) { $0.deadlinePassed() }.isEmpty)
        #expect(actions(&server) { $0.transportClosed() }.isEmpty)
    }

    @Test("a client that closes waits for the server to end TCP")
    func clientCloses() {
        var client = client()
        let asked = actions(&client) { $0.close(.normal, reason: "done") }
        #expect(asked == [.send(rawFrame(8, closePayload(1000, utf8("done")))), .startCloseDeadline])
        let answered = actions(&client) { $0.receive(close(1000, masked: false)) }
        #expect(answered == [.ended(.closedByUs(.normal))])
        #expect(client.phase == .closing)
        #expect(actions(&client) { $0.transportClosed() }.isEmpty)
        #expect(client.phase == .closed)
    }

    @Test("a client that is closed answers, waits for the server, and gives up at the deadline")
    func clientIsClosed() {
        var client = client()
        let answered = actions(&client) { $0.receive(close(1012, masked: false)) }
        #expect(
            answered == [
                .send(close(1012, masked: true)), .ended(.closedByPeer(.serviceRestart, reason: "")),
                .startCloseDeadline,
            ])
        #expect(actions(&client) { $0.deadlinePassed() } == [.closeTransport(.immediately)])
        #expect(client.phase == .closed)
    }

    @Test("a client that finds a violation says so and waits for the server to end TCP")
    func clientFails() {
        var client = client()
        let failed = actions(&client) { $0.receive(rawFrame(3, [], isMasked: false)) }
        #expect(
            failed == [
                .send(rawFrame(8, closePayload(1002, utf8("reserved opcode")))), .ended(.failed(.reservedOpcode)),
                .startCloseDeadline,
            ])
        #expect(actions(&client) { $0.receive([1, 2, 3]) }.isEmpty)
        #expect(actions(&client) { $0.transportClosed() }.isEmpty)
    }

    @Test("a peer that never answers a close is dropped at the deadline", arguments: [Role.server, .client])
    func deadline(_ role: Role) {
        var connection = role == .server ? WebSocketConnection.server() : client()
        _ = actions(&connection) { $0.close(.normal) }
        #expect(
            actions(&connection) { $0.deadlinePassed() } == [.ended(.lost), .closeTransport(.immediately)])
        #expect(actions(&connection) { $0.deadlinePassed() }.isEmpty)
        #expect(actions(&connection) { $0.transportClosed() }.isEmpty)
    }

    @Test("a deadline without a close does nothing")
    func deadlineWhileOpen() {
        var server = WebSocketConnection.server()
        #expect(actions(&server) { $0.deadlinePassed() }.isEmpty)
        #expect(server.phase == .open)
    }

    @Test("a transport that ends while open or closing loses the connection once")
    func transportLost() {
        var open = WebSocketConnection.server()
        #expect(actions(&open) { $0.transportClosed() } == [.ended(.lost)])
        #expect(actions(&open) { $0.transportClosed() }.isEmpty)
        var closing = WebSocketConnection.server()
        _ = actions(&closing) { $0.close(.normal) }
        #expect(actions(&closing) { $0.transportClosed() } == [.ended(.lost)])
        #expect(actions(&closing) { $0.receive(rawFrame(9)) }.isEmpty)
    }

    @Test("a violation while closing ends the connection without a second close frame")
    func violationWhileClosing() {
        var server = WebSocketConnection.server()
        _ = actions(&server) { $0.close(.normal) }
        let failed = actions(&server) { $0.receive(rawFrame(3)) }
        #expect(failed == [.ended(.failed(.reservedOpcode)), .closeTransport(.afterSending)])
    }

    @Test("nothing is sent once closing has begun")
    func nothingAfterClose() {
        var server = WebSocketConnection.server()
        _ = actions(&server) { $0.close(.normal) }
        #expect(actions(&server) { $0.send(.binary, [1]) }.isEmpty)
        #expect(actions(&server) { $0.ping() }.isEmpty)
        #expect(actions(&server) { $0.close(.goingAway) }.isEmpty)
        #expect(actions(&server) { $0.receive(rawFrame(9)) }.isEmpty)
        #expect(actions(&server) { $0.outputDrained() }.isEmpty)
    }

    @Test("messages and pings are framed for the side that sends them")
    func sending() {
        var server = WebSocketConnection.server()
        #expect(actions(&server) { $0.send(.text, utf8("a")) } == [.send([0x81, 1, 0x61])])
        #expect(actions(&server) { $0.ping([7]) } == [.send([0x89, 1, 7])])
        var client = client()
        #expect(actions(&client) { $0.send(.binary, [9]) } == [.send(rawFrame(2, [9]))])
        #expect(actions(&client) { $0.ping() } == [.send(rawFrame(9))])
        #expect(
            actions(&client) { $0.receive(rawFrame(9, [5], isMasked: false)) } == [.send(rawFrame(10, [5]))])
        #expect(actions(&client) { $0.receive(rawFrame(10, [5], isMasked: false)) } == [.pong([5])])
    }

    @Test("a client takes a fresh key for every frame")
    func freshKeys() {
        let keys = KeySequence()
        var client = WebSocketConnection.client { keys.next() }
        for _ in 0..<3 { client.send(.binary, [0, 0, 0, 0]) }
        client.receive(rawFrame(9, [], isMasked: false) + rawFrame(9, [], isMasked: false))
        let sent = client.allActions()
        let frames: [[UInt8]] = sent.map { action in
            if case .send(let bytes) = action { bytes } else { [] }
        }
        #expect(frames.prefix(3).map { $0[2] } == [1, 2, 3])
        #expect(frames[3] == [0x8A, 0x80, 4, 0, 0, 0, 0x8A, 0x80, 5, 0, 0, 0])
    }

    @Test("pongs, deliveries and the end come in the order of what they answer")
    func order() {
        let bytes = rawFrame(9, [1]) + rawFrame(9, [2]) + rawFrame(2, [3]) + rawFrame(9, [4]) + rawFrame(3)
        let expected: [Action] = [.send([0x8A, 1, 1, 0x8A, 1, 2]), .deliver(.binary, [3]), .send([0x8A, 1, 4])]
        #expect(serverActions(for: bytes) == expected + breakingOff(.reservedOpcode))
    }

    @Test("an answer to a message goes out before the answer to a close that came with it")
    func answerBeforeClose() {
        var server = WebSocketConnection.server()
        server.receive(rawFrame(2, [1]) + close(1000, masked: true))
        #expect(server.nextAction() == .deliver(.binary, [1]))
        server.send(.binary, [2])
        #expect(server.nextAction() == .send([0x82, 1, 2]))
        #expect(server.nextAction() == .send(close(1000, masked: false)))
    }

    @Test("a program that closes on a message is given none that came with it")
    func closeOnMessage() {
        var server = WebSocketConnection.server()
        server.receive(rawFrame(2, [1]) + rawFrame(2, [2]) + rawFrame(9) + close(1000, masked: true))
        #expect(server.nextAction() == .deliver(.binary, [1]))
        server.close(.policyViolation)
        #expect(
            server.allActions() == [
                .send(close(1008, masked: false)), .startCloseDeadline, .ended(.closedByUs(.normal)),
                .closeTransport(.afterSending),
            ])
    }

    @Test("pings of a peer that doesn't read cost bounded memory, and the newest is answered when it does")
    func pongBacklog() {
        var server = WebSocketConnection.server(limits: MessageLimits(unsentPongBytes: 9))
        let burst = (1...10).flatMap { rawFrame(9, [UInt8($0)]) }
        let answered: [Action] = [.send([0x8A, 1, 1, 0x8A, 1, 2, 0x8A, 1, 3])]
        #expect(actions(&server) { $0.receive(burst) } == answered)
        #expect(actions(&server) { $0.receive(rawFrame(9, [11])) }.isEmpty)
        #expect(actions(&server) { $0.outputDrained() } == [.send([0x8A, 1, 11])])
        #expect(actions(&server) { $0.outputDrained() }.isEmpty)
        #expect(actions(&server) { $0.receive(burst) } == answered)
    }

    @Test("two ends talk, close and agree how it ended")
    func bothEnds() {
        var server = WebSocketConnection.server()
        var client = client()
        var toServer = actions(&client) { $0.send(.text, utf8("hello")) }
        #expect(deliver(toServer, to: &server) == [.deliver(.text, utf8("hello"))])
        let toClient = actions(&server) { $0.close(.serviceRestart, reason: "restart") }
        toServer = deliver(toClient, to: &client)
        #expect(toServer.contains(.ended(.closedByPeer(.serviceRestart, reason: "restart"))))
        #expect(
            deliver(toServer, to: &server) == [.ended(.closedByUs(.serviceRestart)), .closeTransport(.afterSending)])
        #expect(actions(&client) { $0.transportClosed() }.isEmpty)
        #expect(server.phase == .closed && client.phase == .closed)
    }

    private func deliver(_ sent: [Action], to other: inout WebSocketConnection) -> [Action] {
        for case .send(let bytes) in sent { other.receive(bytes) }
        return other.allActions()
    }
}

/// Keys 1, 2, 3 and so on.
private final class KeySequence: Sendable {
    private let last = Atomic<UInt32>(0)

    func next() -> MaskingKey { MaskingKey(last.add(1, ordering: .relaxed).newValue) }
}
