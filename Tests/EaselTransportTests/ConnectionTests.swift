import EaselSupport
import Testing

@testable import EaselTransport

@Suite(.serialized)
struct ConnectionTests {
    @Test("what a peer sends comes back from an echo")
    func echo() throws {
        let fixture = try LoopFixture()
        let recorder = echoing()
        let peer = PlainSocket(port: try fixture.listen(recorder))
        let bytes = pattern(100_000)
        peer.send(bytes)
        expectBytes(peer.receive(bytes.count), bytes)
        #expect(recorder.now.opened == 1)
        #expect(recorder.now.connection?.peer.host == "127.0.0.1")
    }

    @Test("what a turn has for a connection is written once, at the end of that turn")
    func writesAtEndOfTurn() throws {
        let fixture = try LoopFixture()
        let order = Locked([String]())
        let recorder = Recorder(
            received: { connection, bytes in
                order.withLock { $0.append("received") }
                connection.requestWritable()
                connection.loop.post { connection.requestWritable() }
                connection.loop.atEndOfTurn { order.withLock { $0.append("end") } }
            },
            writable: { connection in
                order.withLock { $0.append("writable") }
                connection.write([1])
            })
        let peer = PlainSocket(port: try fixture.listen(recorder))
        peer.send([0])
        #expect(peer.receive(1) == [1])
        #expect(eventually { order.withLock { $0.count } == 3 })
        #expect(order.withLock { $0 } == ["received", "writable", "end"])
    }

    @Test("a loop dials another, they talk, and each is told who closed")
    func dial() throws {
        let (server, client) = (try LoopFixture(), try LoopFixture())
        let accepted = echoing()
        let dialed = sending([pattern(50_000)])
        client.connect(port: try server.listen(accepted), dialed)
        #expect(eventually { dialed.now.received.count == 50_000 })
        expectBytes(dialed.now.received, pattern(50_000))
        client.onLoop { dialed.now.connection?.close() }
        #expect(eventually { accepted.now.reasons.count == 1 && dialed.now.reasons.count == 1 })
        #expect(accepted.now.reasons == [.closedByPeer])
        #expect(dialed.now.reasons == [.closedHere])
    }

    @Test("BACK-02 ten megabytes to a reader that stops reading arrive whole and once when it goes on")
    func stoppedReader() throws {
        let fixture = try LoopFixture()
        let messages = [pattern(10_000_000), pattern(1_000, seed: 2)]
        let recorder = sending(messages)
        let peer = PlainSocket(port: try fixture.listen(recorder), isNarrow: true)
        #expect(eventually { recorder.now.connection.map { c in fixture.onLoop { c.stalledSince != nil } } ?? false })
        let connection = recorder.now.connection!
        let (unsent, stalled) = fixture.onLoop { (connection.unsentBytes, connection.stalledSince!) }
        #expect(unsent > 0 && unsent < 10_000_000)
        #expect(stalled <= MonotonicClock.now)
        #expect(recorder.now.writable == 1, "no further write is asked for while one is unfinished")
        expectBytes(peer.receive(10_001_000), messages[0] + messages[1])
        #expect(eventually { fixture.onLoop { connection.unsentBytes == 0 && connection.stalledSince == nil } })
    }

    @Test("BACK-03 a peer that dies while its pipe is full is reported as lost")
    func deadReader() throws {
        let fixture = try LoopFixture()
        let recorder = sending([pattern(10_000_000)])
        let peer = PlainSocket(port: try fixture.listen(recorder), isNarrow: true)
        #expect(eventually { recorder.now.connection.map { c in fixture.onLoop { c.unsentBytes > 0 } } ?? false })
        peer.reset()
        #expect(eventually { !recorder.now.reasons.isEmpty })
        guard case .lost = recorder.now.reasons.first else {
            Issue.record("ended with \(recorder.now.reasons)")
            return
        }
    }

    @Test("two peers that both write much before they read do not wait for each other")
    func bothWriting() throws {
        let (server, client) = (try LoopFixture(), try LoopFixture())
        let (left, right) = (pattern(8_000_000, seed: 3), pattern(8_000_000, seed: 4))
        let accepted = sending([left])
        let dialed = sending([right])
        client.connect(port: try server.listen(accepted), dialed)
        #expect(eventually { accepted.now.received.count == right.count && dialed.now.received.count == left.count })
        expectBytes(accepted.now.received, right)
        expectBytes(dialed.now.received, left)
    }

    @Test("close sends what was written, then ends the stream")
    func closeFlushes() throws {
        let fixture = try LoopFixture()
        let bytes = pattern(4_000_000)
        let recorder = Recorder(
            opened: { $0.requestWritable() },
            writable: { connection in
                connection.write(bytes)
                connection.close()
                connection.requestWritable()
            })
        let peer = PlainSocket(port: try fixture.listen(recorder), isNarrow: true)
        expectBytes(peer.receive(bytes.count), bytes)
        #expect(peer.isAtEnd())
        #expect(recorder.now.reasons.isEmpty, "the peer has not closed yet")
        peer.close()
        #expect(eventually { recorder.now.reasons == [.closedHere] })
        #expect(recorder.now.writable == 1)
    }

    @Test("a peer that never closes its side is cut off after close")
    func lingeringIsBounded() throws {
        let fixture = try LoopFixture()
        let recorder = Recorder(opened: { $0.close() })
        let peer = PlainSocket(port: try fixture.listen(recorder))
        #expect(peer.isAtEnd())
        peer.send([1])
        #expect(eventually { recorder.now.reasons == [.closedHere] })
        #expect(recorder.now.received.isEmpty, "what comes after close is dropped")
    }

    @Test("a silent connection ends as timed out, one that lifted the limit does not")
    func timeout() throws {
        let fixture = try LoopFixture()
        let limited = Recorder(opened: { $0.setTimeout(milliseconds: 20) })
        let lifted = Recorder(opened: {
            $0.setTimeout(milliseconds: 20)
            $0.setTimeout(milliseconds: nil)
        })
        let port = try fixture.listen(lifted, limited)
        let peers = [PlainSocket(port: port), PlainSocket(port: port)]
        #expect(eventually { limited.now.reasons == [.timedOut] })
        #expect(peers[1].isAtEnd())
        #expect(lifted.now.reasons.isEmpty)
    }

    @Test("a peer that sends to a paused connection is held up until reading goes on")
    func pausing() throws {
        let fixture = try LoopFixture()
        let recorder = Recorder(opened: { $0.pauseReading() })
        let peer = PlainSocket(port: try fixture.listen(recorder))
        peer.send([1, 2, 3])
        let other = echoing()
        let probe = PlainSocket(port: try fixture.listen(other))
        probe.send([9])
        #expect(probe.receive(1) == [9])
        #expect(recorder.now.received.isEmpty)
        fixture.onLoop { recorder.now.connection?.resumeReading() }
        #expect(eventually { recorder.now.received == [1, 2, 3] })
    }

    @Test("RECON-04 late calls on a connection that is gone do nothing and reach nobody")
    func lateCalls() throws {
        let fixture = try LoopFixture()
        let (old, new) = (Recorder(), echoing())
        let port = try fixture.listen(old, new)
        let first = PlainSocket(port: port)
        #expect(eventually { old.now.opened == 1 })
        first.close()
        #expect(eventually { old.now.reasons == [.closedByPeer] })
        let second = PlainSocket(port: port)
        let connection = old.now.connection!
        fixture.onLoop {
            connection.requestWritable()
            connection.setTimeout(milliseconds: 1)
            connection.pauseReading()
            connection.resumeReading()
            connection.close()
            connection.abort()
        }
        second.send([7])
        #expect(second.receive(1) == [7])
        #expect(fixture.onLoop { !connection.isOpen && connection.unsentBytes == 0 && connection.stalledSince == nil })
        #expect(old.now.reasons.count == 1 && old.now.writable == 0)
        #expect(new.now.reasons.isEmpty)
    }

    @Test("aborting inside any callback ends the connection once and nothing follows")
    func abortInCallbacks() throws {
        let fixture = try LoopFixture()
        let inOpened = Recorder(opened: { $0.abort() })
        let inReceived = Recorder(received: { connection, _ in connection.abort() })
        let inWritable = Recorder(
            opened: { $0.requestWritable() },
            writable: { connection in
                connection.abort()
                connection.write([1])
            })
        let port = try fixture.listen(inOpened, inReceived, inWritable)
        for recorder in [inOpened, inReceived, inWritable] {
            let peer = PlainSocket(port: port)
            peer.send([1])
            #expect(eventually { recorder.now.reasons == [.closedHere] })
            #expect(recorder.now.opened == 1)
            #expect(recorder.now.writable == (recorder === inWritable ? 1 : 0))
        }
    }

    @Test("BACK-01 a write outside of writable ends the program instead of being queued somewhere")
    func writeOutsideWritable() async {
        await #expect(processExitsWith: .failure) {
            let fixture = try LoopFixture()
            let recorder = Recorder(opened: { $0.write([1]) })
            let peer = PlainSocket(port: try fixture.listen(recorder))
            _ = peer.receive(1)
        }
    }

    @Test("BACK-06 a connection used on another thread than its loop's ends the program")
    func wrongThread() async {
        await #expect(processExitsWith: .failure) {
            let fixture = try LoopFixture()
            let recorder = Recorder()
            let peer = PlainSocket(port: try fixture.listen(recorder))
            #expect(eventually { recorder.now.opened == 1 })
            recorder.now.connection?.requestWritable()
            peer.close()
        }
    }
}
