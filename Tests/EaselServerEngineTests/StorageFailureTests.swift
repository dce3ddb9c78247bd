import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

@Suite("Storage failure")
struct StorageFailureTests {
    private static func roomWithHeldLog() -> (TestRoom, SessionID, SessionID) {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.answersAtOnce = false
        return (room, a, b)
    }

    @Test("what could not be stored is refused, the first of each session, and later submissions succeed")
    func refused() {
        var (room, a, b) = Self.roomWithHeldLog()
        for sequence in UInt64(1)...2 { room.submit(sequence, from: a) }
        room.submit(1, from: b)
        for _ in 0..<3 { room.failAppend() }
        room.answerRead()
        #expect(room.readers[a]?.answers == [.refused(1, .storageUnavailable)])
        #expect(room.readers[b]?.answers == [.refused(1, .storageUnavailable)])
        #expect(room.engine.canvas.revision == 0)
        room.submit(3, from: a)
        #expect(room.appends.isEmpty, "the barrier holds")
        room.send(.confirm(1), from: a)
        room.submit(4, from: a)
        room.finishAppend()
        #expect(room.readers[a]?.answers.last == .committed(4))
        #expect(room.readers[b]?.commits.map(\.revision) == [1])
    }

    @Test("the same number may be sent again after a refusal was confirmed")
    func sameNumberAgain() {
        var (room, a, _) = Self.roomWithHeldLog()
        room.submit(1, from: a)
        room.failAppend()
        room.answerRead()
        room.send(.confirm(1), from: a)
        room.submit(1, from: a)
        room.finishAppend()
        #expect(room.readers[a]?.answers == [.refused(1, .storageUnavailable), .committed(1)])
    }

    @Test("what is in the log although its append failed is committed, not refused")
    func foundInTheLog() {
        var (room, a, b) = Self.roomWithHeldLog()
        room.submit(1, from: a)
        room.submit(2, from: a)
        room.failAppend(kept: 1)
        room.failAppend()
        room.answerRead()
        #expect(room.readers[a]?.answers == [.committed(1)], "there may be more")
        room.answerRead()
        #expect(room.readers[a]?.answers == [.committed(1), .refused(2, .storageUnavailable)])
        #expect(room.readers[b]?.commits.count == 1)
    }

    @Test("the log is asked only when the outcome of every append is known")
    func waitsForAllAppends() {
        var (room, a, _) = Self.roomWithHeldLog()
        room.submit(1, from: a)
        room.submit(2, from: a)
        room.failAppend(kept: 1)
        #expect(room.reads.isEmpty)
        room.finishAppend()
        #expect(room.reads.count == 1)
        room.answerRead()
        #expect(room.readers[a]?.answers == [.committed(1), .committed(2)])
    }

    @Test("while the log is unreadable it is asked again and again, and nobody is told anything untrue")
    func unreadableLog() {
        var (room, a, b) = Self.roomWithHeldLog()
        room.submit(1, from: a)
        room.failAppend(kept: 1)
        room.answerRead(fails: true)
        #expect(room.reads.isEmpty && room.readers[a]?.answers == [])
        room.submit(1, from: b)
        #expect(room.readers[b]?.answers == [.refused(1, .storageUnavailable)])
        room.submit(2, from: a)
        #expect(room.readers[a]?.answers == [], "the fate of what came before is open")
        #expect(room.engine.wakeTime != nil)
        room.wait(RoomLimits().recoveryMilliseconds)
        room.answerRead()
        #expect(room.readers[a]?.answers == [.committed(1), .refused(2, .storageUnavailable)])
    }

    @Test("a refusal that waited behind what failed is not sent: the failed one is the barrier")
    func replacedBarrier() {
        var (room, a, _) = Self.roomWithHeldLog()
        room.submit(1, from: a)
        room.submit(2, .malformed, from: a)
        room.failAppend()
        room.answerRead()
        room.send(.confirm(1), from: a)
        room.submit(3, from: a)
        room.finishAppend()
        #expect(room.readers[a]?.answers == [.refused(1, .storageUnavailable), .committed(3)])
    }

    @Test("a client that came back before the failure was known is welcomed then, sends again and succeeds")
    func reconnectedDuringFailure() {
        var (room, a, _) = Self.roomWithHeldLog()
        room.submit(1, from: a)
        let again = room.rejoin(as: a)
        room.failAppend()
        #expect(room.readers[again]?.welcome == nil)
        room.answerRead()
        #expect(room.readers[again]?.welcome?.lastSequence == 0 && room.readers[again]?.answers == [])
        room.submit(1, from: again)
        room.finishAppend()
        #expect(room.readers[again]?.answers == [.committed(1)])
    }

    @Test("a log that holds what this server did not write ends the room")
    func foreignRecord() {
        var (room, a, b) = Self.roomWithHeldLog()
        room.submit(1, from: a)
        room.failAppend()
        room.log = [LogRecord(Commit.samples(1)[0])]
        room.answerRead()
        #expect(room.closed == [a: .canvasUnavailable, b: .canvasUnavailable] && room.isUnloaded)
    }

    @Test("a snapshot that could not be stored is tried again later, not at once")
    func snapshotStoring() {
        var limits = RoomLimits()
        limits.snapshotStoreBytes = 300
        var room = TestRoom.opened(limits: limits)
        let a = room.join()
        for sequence in UInt64(1)...4 { room.submit(sequence, from: a) }
        #expect(room.stored.count == 1)
        let isSound = (try? Snapshot.decode(room.stored[0].bytes))?.revision == room.stored[0].revision
        #expect(isSound)
        room.input { engine, _, moment in engine.snapshotStored(false, at: moment) }
        room.submit(5, from: a)
        #expect(room.stored.count == 1)
        room.wait(limits.snapshotIdleMilliseconds)
        room.submit(6, from: a)
        #expect(room.stored.count == 2)
        room.input { engine, _, moment in engine.snapshotStored(true, at: moment) }
        room.submit(7, from: a)
        #expect(room.stored.count == 2, "little was committed since")
    }
}
