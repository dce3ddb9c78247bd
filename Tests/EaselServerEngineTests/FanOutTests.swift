import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

@Suite("Fan-out by cursor")
struct FanOutTests {
    @Test("sessions at one place get the very same bytes")
    func shared() {
        var room = TestRoom.opened()
        let ids = (0..<5).map { _ in room.join() }
        room.submit(1, from: ids[0])
        let last = ids.map { id in room.readers[id]!.payloads.last! }
        #expect(last.allSatisfy { $0 === last[0] })
        #expect(room.readers[ids[4]]?.commits.count == 1)
    }

    @Test("BACK-04 a session that reads nothing gets everything later in few frames, and the others notice nothing")
    func stalledReader() {
        var room = TestRoom.opened()
        let (a, slow) = (room.join(), room.join())
        room.readers[slow]?.isStalled = true
        let before = room.readers[slow]!.payloads.count
        for sequence in UInt64(1)...100 { room.submit(sequence, from: a) }
        #expect(room.readers[a]?.commits.count == 100)
        room.resumeReading(slow)
        #expect(room.readers[slow]?.commits.count == 100)
        #expect(room.readers[slow]!.payloads.count - before == 1)
    }

    @Test("a frame ends before it would pass its limit; a larger commit travels alone")
    func frameLimit() {
        var room = TestRoom.opened()
        let (a, slow) = (room.join(), room.join())
        room.readers[slow]?.isStalled = true
        let before = room.readers[slow]!.payloads.count
        let site = room.readers[a]!.welcome!.site
        let sizes = [100_000, 100_000, 100_000, 400_000, 10]
        for (index, size) in sizes.enumerated() {
            let shape = ShapeID(site: site, counter: UInt64(index))
            let insertions = stride(from: 0, to: size, by: 50_000).map { start in
                Operation.insertText(
                    shape,
                    TextInsertion(
                        first: CharacterID(site: site, counter: UInt64(start + 1)),
                        characters: String(repeating: "x", count: min(50_000, size - start)), left: nil, right: nil))
            }
            room.submit(UInt64(index + 1), Transaction(operations: insertions, label: ""), from: a)
        }
        room.resumeReading(slow)
        let counts = room.readers[slow]!.payloads[before...].map { payload in
            (try? ServerMessage.decodeAll(payload.bytes).count) ?? 0
        }
        #expect(counts == [2, 1, 1, 1])
        let lengths = room.readers[slow]!.payloads[before...].map(\.bytes.count)
        #expect(lengths[0] <= ProtocolLimits.frameBytes && lengths[2] > ProtocolLimits.frameBytes)
    }

    @Test("a session that fell out of the window goes on from the log and then from the window")
    func outOfTheWindow() {
        var limits = RoomLimits()
        limits.windowCommits = 4
        var room = TestRoom.opened(limits: limits)
        let (a, slow) = (room.join(), room.join())
        room.readers[slow]?.isStalled = true
        for sequence in UInt64(1)...50 { room.submit(sequence, from: a) }
        room.resumeReading(slow)
        #expect(room.readers[slow]?.commits.count == 50 && room.closed.isEmpty)
    }

    @Test("a session beyond everything it could catch up with is told to come again, and then gets a snapshot")
    func beyondTheTrail() {
        var limits = RoomLimits()
        limits.windowCommits = 4
        limits.trailCommits = 10
        var room = TestRoom.opened(limits: limits)
        let (a, slow) = (room.join(), room.join())
        room.readers[slow]?.isStalled = true
        for sequence in UInt64(1)...50 { room.submit(sequence, from: a) }
        room.resumeReading(slow)
        #expect(room.closed == [slow: .tooSlow])
        let again = room.rejoin(as: slow)
        #expect(room.readers[again]?.canvas?.revision == 50)
    }

    @Test("a log that cannot be read ends the sessions that need it, and only those")
    func unreadablePage() {
        var limits = RoomLimits()
        limits.windowCommits = 4
        var room = TestRoom.opened(limits: limits)
        let (a, slow) = (room.join(), room.join())
        room.readers[slow]?.isStalled = true
        for sequence in UInt64(1)...50 { room.submit(sequence, from: a) }
        room.answersAtOnce = false
        room.resumeReading(slow)
        room.answerRead(fails: true)
        #expect(room.closed == [slow: .canvasUnavailable])
    }
}
