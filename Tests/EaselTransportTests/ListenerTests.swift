import EaselSupport
import EaselTransport
import Testing

@Suite(.serialized)
struct ListenerTests {
    private func loop() throws -> EventLoop {
        try EventLoop(name: "listener", log: Log(write: { _ in }))
    }

    @Test("a port that is taken is a clear error")
    func portInUse() throws {
        let loop = try loop()
        defer { loop.stop() }
        let first = try loop.listen(host: "127.0.0.1", port: 0) { _ in nil }
        #expect(first.port > 0)
        #expect(throws: TransportError.addressInUse(host: "127.0.0.1", port: first.port)) {
            try loop.listen(host: "127.0.0.1", port: first.port) { _ in nil }
        }
        let sentence = TransportError.addressInUse(host: "127.0.0.1", port: 80).description
        #expect(sentence == "port 80 on 127.0.0.1 is already in use by another program")
    }

    @Test("a host that is no address of this machine, or no host at all, is a clear error")
    func badHost() throws {
        let loop = try loop()
        defer { loop.stop() }
        #expect(throws: TransportError.addressUnavailable(host: "192.0.2.1")) {
            try loop.listen(host: "192.0.2.1", port: 0) { _ in nil }
        }
        #expect { try loop.listen(host: "no such host", port: 0) { _ in nil } } throws: { error in
            if case .unresolvable(host: "no such host", detail: _) = error as? TransportError { return true }
            return false
        }
    }

    @Test("a listener that was closed accepts nobody, and its connections live on")
    func closing() throws {
        let fixture = try LoopFixture()
        let recorder = echoing()
        let listener = try fixture.listener([recorder])
        let peer = PlainSocket(port: listener.port)
        #expect(eventually { recorder.now.opened == 1 })
        fixture.onLoop {
            listener.close()
            listener.close()
        }
        let late = Recorder()
        fixture.connect(port: listener.port, late)
        #expect(eventually { !late.now.reasons.isEmpty })
        #expect(late.now.opened == 0)
        peer.send([5])
        #expect(peer.receive(1) == [5])
    }

    @Test("a connection that is refused is closed at once, and the next is served")
    func refusing() throws {
        let fixture = try LoopFixture()
        let port = try fixture.listen()
        #expect(PlainSocket(port: port).isAtEnd())
        #expect(PlainSocket(port: port).isAtEnd())
    }

    @Test("two loops share a port when both ask for it")
    func sharing() throws {
        let (left, right) = (try loop(), try loop())
        defer {
            left.stop()
            right.stop()
        }
        let first = try left.listen(host: "127.0.0.1", port: 0, sharing: .opens) { _ in echoing() }
        _ = try right.listen(host: "127.0.0.1", port: first.port, sharing: .joins) { _ in echoing() }
        try left.start()
        try right.start()
        for _ in 0..<20 {
            let peer = PlainSocket(port: first.port)
            peer.send([1])
            #expect(peer.receive(1) == [1])
        }
    }

    @Test("a port that loops share cannot be had by another program, neither alone nor to share it")
    func sharedPortInUse() throws {
        let (loop, other) = (try loop(), try loop())
        defer {
            loop.stop()
            other.stop()
        }
        let first = try loop.listen(host: "127.0.0.1", port: 0, sharing: .opens) { _ in nil }
        try loop.listen(host: "127.0.0.1", port: first.port, sharing: .joins) { _ in nil }
        for sharing in [PortSharing.none, .opens] {
            #expect(throws: TransportError.addressInUse(host: "127.0.0.1", port: first.port)) {
                try other.listen(host: "127.0.0.1", port: first.port, sharing: sharing) { _ in nil }
            }
        }
        let alone = try other.listen(host: "127.0.0.1", port: 0) { _ in nil }
        #expect(throws: TransportError.addressInUse(host: "127.0.0.1", port: alone.port)) {
            try loop.listen(host: "127.0.0.1", port: alone.port, sharing: .joins) { _ in nil }
        }
    }

    @Test("dialing a port where nobody listens ends as unreachable, a name that does not exist as unresolvable")
    func unreachable() throws {
        let fixture = try LoopFixture()
        let listener = try fixture.listener([])
        fixture.onLoop { listener.close() }
        let (nobody, noName) = (Recorder(), Recorder())
        fixture.connect(port: listener.port, nobody)
        let loop = fixture.loop
        loop.post { _ = loop.connect(host: "no such host", port: 1, handler: noName) }
        #expect(eventually { nobody.now.reasons.count == 1 && noName.now.reasons.count == 1 })
        #expect(nobody.now.reasons == [.unreachable(detail: "Unable to connect")])
        #expect(noName.now.reasons == [.unresolvable(detail: "Name or service not known")])
        #expect(nobody.now.opened == 0 && noName.now.opened == 0)
    }

    @Test("a connection closed while it is dialing ends as closed here")
    func closedWhileDialing() throws {
        let fixture = try LoopFixture()
        let port = try fixture.listen(Recorder(), Recorder())
        let (atOnce, later) = (Recorder(), Recorder())
        let loop = fixture.loop
        fixture.onLoop {
            loop.connect(host: "127.0.0.1", port: port, handler: atOnce).close()
            let connection = loop.connect(host: "127.0.0.1", port: port, handler: later)
            loop.atNextTurn { connection.abort() }
        }
        #expect(eventually { atOnce.now.reasons == [.closedHere] && later.now.reasons == [.closedHere] })
        #expect(atOnce.now.opened == 0)
    }
}

extension EventLoop {
    fileprivate func atNextTurn(_ work: @escaping () -> Void) {
        schedule(after: 0, work)
    }
}
