import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

@Suite("Life of a room")
struct RoomLifeTests {
    @Test("JOIN-05 who comes while the canvas is read waits, and gets one answer")
    func waitsForLoading() {
        var room = TestRoom()
        let a = room.join()
        #expect(room.readers[a]?.messages.isEmpty == true && room.engine.sessionCount == 1)
        room.log = Commit.samples(3).map(LogRecord.init)
        room.load()
        #expect(room.readers[a]?.canvas?.revision == 3)
    }

    @Test("a canvas that cannot be read is refused to everybody, with the reason")
    func loadFails() {
        var room = TestRoom()
        let a = room.join()
        room.input { engine, actions, _ in engine.loadFailed("The log is damaged.", into: &actions) }
        #expect(room.closed == [a: .canvasUnavailable] && room.isUnloaded)
        let b = room.join()
        #expect(room.closed[b] == .canvasUnavailable)
    }

    @Test("MEM-01 a room is unloaded some time after the last session left, and not before")
    func unloads() {
        var room = TestRoom.opened()
        let a = room.join()
        room.wait(100_000)
        #expect(!room.isUnloaded)
        room.leave(a)
        #expect(room.engine.wakeTime == room.now + RoomLimits().idleMilliseconds)
        room.wait(RoomLimits().idleMilliseconds - 1)
        #expect(!room.isUnloaded)
        room.wait(1)
        #expect(room.isUnloaded && room.engine.wakeTime == nil)
    }

    @Test("who comes back in time finds the room as it was")
    func staysForReturners() {
        var room = TestRoom.opened()
        let a = room.join()
        room.leave(a)
        room.wait(20_000)
        let again = room.rejoin(as: a)
        room.wait(100_000)
        #expect(!room.isUnloaded && room.closed.isEmpty)
        #expect(room.readers[again]?.welcome?.catchup == .commits)
    }

    @Test("MEM-02 a client that has gone while the canvas is read leaves nothing behind")
    func goneWhileLoading() {
        var room = TestRoom()
        let a = room.join()
        room.leave(a)
        room.load()
        #expect(room.engine.sessionCount == 0 && room.encodings.isEmpty)
        room.wait(RoomLimits().idleMilliseconds)
        #expect(room.isUnloaded)
    }

    @Test("a room is not unloaded while an append is under way")
    func appendKeepsRoom() {
        var room = TestRoom.opened()
        let a = room.join()
        room.answersAtOnce = false
        room.submit(1, from: a)
        room.leave(a)
        room.wait(100_000)
        #expect(!room.isUnloaded)
        room.finishAppend()
        room.wait(0)
        #expect(room.isUnloaded && room.log.count == 1)
    }

    @Test("DEPL-03 when the server stops everybody is told, and nobody gets in")
    func shutDown() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.answersAtOnce = false
        room.submit(1, from: a)
        room.input { engine, _, _ in engine.shutDown() }
        let late = room.join()
        #expect(room.closed == [a: .shuttingDown, b: .shuttingDown, late: .shuttingDown])
        room.finishAppend()
        #expect(room.log.count == 1)
    }

    @Test("a record of the log that does not fit is reported, not applied")
    func damagedRecord() throws {
        let commits = Commit.samples(2)
        var history = CanvasHistory(epoch: 1)
        #expect(throws: CanvasHistory.Damage.order) { try history.append(LogRecord(commits[1])) }
        try history.append(LogRecord(commits[0]))
        let reused = LogRecord(
            revision: 2, id: commits[0].id, time: 0, label: "", payload: commits[0].transaction.encode())
        #expect(throws: CanvasHistory.Damage.order) { try history.append(reused) }
        let unreadable = LogRecord(revision: 2, id: commits[1].id, time: 0, label: "", payload: [0xFF])
        #expect(throws: CanvasHistory.Damage.self) { try history.append(unreadable) }
        #expect(history.canvas.revision == 1)
    }
}

@Suite("Lobby")
struct LobbyTests {
    private let hello = Hello(canvas: TestRoom.canvas, resume: nil, name: "Ada")

    @Test("a hello leads to its room")
    func joins() {
        var lobby = Lobby()
        #expect(lobby.opened(SessionID(1), at: 0) == nil)
        #expect(lobby.received(.hello(hello), byteCount: 20, from: SessionID(1)) == .join(TestRoom.canvas, hello))
        #expect(lobby.count == 0 && lobby.wakeTime == nil)
    }

    @Test("another first message, one that is too large, or another version is refused")
    func refuses() {
        var lobby = Lobby()
        let newer = Hello(version: 9, canvas: TestRoom.canvas, resume: nil, name: "Ada")
        let cases: [(ClientMessage, Int, ProtocolErrorCode)] = [
            (.confirm(1), 3, .malformed), (.hello(hello), ProtocolLimits.firstMessageBytes + 1, .malformed),
            (.hello(newer), 20, .unsupportedVersion),
        ]
        for (message, byteCount, code) in cases {
            _ = lobby.opened(SessionID(1), at: 0)
            let verdict = lobby.received(message, byteCount: byteCount, from: SessionID(1))
            guard case .refuse(let error) = verdict else {
                Issue.record("refused: \(message)")
                continue
            }
            #expect(error.code == code)
        }
    }

    @Test("ER-04 who does not say hello in time is taken out, in order")
    func expires() {
        var lobby = Lobby()
        _ = lobby.opened(SessionID(1), at: 0)
        _ = lobby.opened(SessionID(2), at: 5)
        _ = lobby.opened(SessionID(3), at: 6)
        lobby.left(SessionID(2))
        #expect(lobby.wakeTime == LobbyLimits.helloMilliseconds)
        #expect(lobby.expire(at: LobbyLimits.helloMilliseconds + 5) == [SessionID(1)])
        #expect(lobby.expire(at: LobbyLimits.helloMilliseconds + 6) == [SessionID(3)])
    }

    @Test("a full lobby takes nobody in")
    func full() {
        var lobby = Lobby()
        for number in 0..<UInt64(LobbyLimits.sessions) { _ = lobby.opened(SessionID(number), at: 0) }
        #expect(lobby.opened(SessionID(1_000_000), at: 0)?.code == .tooMany)
    }
}
