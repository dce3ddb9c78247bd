import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

/// A room whose sessions are on two event loops. The first session comes to outlet 1, the second to outlet 0, and so on in turn.
@Suite("Several outlets")
struct OutletTests {
    /// Two sessions that have joined, `here` on outlet 0 and `there` on outlet 1, and mail that waits from now on.
    private func pair(_ limits: RoomLimits = RoomLimits()) -> (room: TestRoom, here: SessionID, there: SessionID) {
        var limits = limits
        limits.snapshotReuseBytes = 0
        var room = TestRoom.opened(limits: limits, outlets: 2)
        let (there, here) = (room.join(), room.join())
        room.wait(1_000)
        room.delaysMail = true
        return (room, here, there)
    }

    @Test("sessions of an outlet at one place get the very same bytes, and nothing before its mail comes")
    func shared() {
        var room = TestRoom.opened(outlets: 2)
        let ids = (0..<6).map { _ in room.join() }
        room.delaysMail = true
        room.submit(1, from: ids[0])
        room.deliverLetter(from: 1)
        #expect(ids.allSatisfy { room.readers[$0]!.commits.isEmpty })
        room.deliverNews(to: 0)
        #expect(ids.map { room.readers[$0]!.commits.count } == [0, 1, 0, 1, 0, 1])
        room.deliverMail()
        let last = [0, 2, 4].map { room.readers[ids[$0]]!.commitPayloads.last! }
        #expect(last.allSatisfy { $0 === last[0] })
    }

    @Test(
        "an answer waits for the session's own commits on whatever outlet it is, and for those only that were accepted before it"
    )
    func answersAfterCommits() {
        var (room, here, there) = pair()
        room.submit(1, from: there)
        room.submit(2, .malformed, from: there)
        room.answersAtOnce = false
        room.deliverMail()
        #expect(room.readers[there]?.answers == [], "the first is not durable yet")
        room.finishAppend()
        room.deliverMail()
        #expect(room.readers[there]?.answers == [.committed(1), .refused(2, .malformed)])
        // One that reads nothing for a while finds them in the same order.
        room.readers[there]?.isStalled = true
        room.send(.confirm(2), from: there)
        room.submit(3, from: there)
        room.submit(1, from: there)
        room.submit(1, from: here)
        room.deliverMail()
        while !room.appends.isEmpty { room.finishAppend() }
        room.deliverMail()
        room.resumeReading(there)
        #expect(room.readers[there]?.answers.suffix(2) == [.committed(3), .acknowledged(1)])
        #expect(room.readers[there]?.canvas?.digest == room.engine.canvas.digest)
    }

    @Test("a session that leaves before its welcome comes leaves nothing behind in its outlet")
    func goneBeforeTheWelcome() {
        var (room, here, _) = pair()
        room.submit(1, from: here)
        room.deliverMail()
        let hasty = room.join()
        room.deliverLetter(from: 1)
        room.leave(hasty)
        room.deliverMail()
        #expect(room.readers[hasty]?.messages.isEmpty == true && room.engine.sessionCount == 2)
        for sequence in UInt64(2)...5 { room.submit(sequence, from: here) }
        room.deliverMail()
        room.trim(to: 5)
        room.deliverMail()
        #expect(room.allowedTrim == 5, "nobody is behind")
    }

    @Test("an outlet whose last session left begins anew with the next, also where both come in one turn")
    func emptyAndBackInOneTurn() {
        var (room, here, there) = pair()
        room.leave(there)
        let again = room.rejoin(as: there)
        room.deliverLetters(from: 1)
        room.submit(1, from: here)
        room.deliverMail()
        #expect(room.readers[again]?.canvas?.digest == room.engine.canvas.digest && room.engine.canvas.revision == 1)
    }

    @Test("an outlet whose last session left begins anew with the next, whatever is still under way")
    func emptyAndBack() {
        var (room, here, there) = pair()
        room.leave(there)
        room.submit(1, from: here)
        room.deliverLetter(from: 0)
        // It joins before the room knows that the outlet was empty, and after news left for it.
        let again = room.rejoin(as: there)
        room.submit(2, from: here)
        room.deliverLetter(from: 0)
        room.deliverLetter(from: 1)
        room.submit(3, from: here)
        room.deliverLetter(from: 0)
        room.deliverMail()
        room.submit(4, from: here)
        room.wait(1_000)
        room.deliverMail()
        #expect(room.readers[again]?.canvas?.digest == room.engine.canvas.digest && room.engine.canvas.revision == 4)
        #expect(room.readers[again]?.presence.count == 1 && room.readers[here]?.presence.count == 1)
    }

    @Test("D10 a trim counts who comes while the outlets are asked how far their sessions are")
    func trimWithNewcomer() {
        var (room, here, there) = pair()
        for sequence in UInt64(1)...4 { room.submit(sequence, from: here) }
        room.deliverMail()
        let left = room.readers[there]!
        room.leave(there)
        for sequence in UInt64(5)...9 { room.submit(sequence, from: here) }
        let other = room.join()
        room.deliverMail()
        #expect(left.canvas?.revision == 4 && room.readers[other]?.canvas?.revision == 9)
        room.trim(to: 9)
        // The outlet answers; then somebody comes to it who has less than anybody there, and only then the last answer is in.
        room.deliverNews(to: 1)
        _ = room.join()
        let late = room.join(resume: left.resume, having: left.canvas)
        for _ in 0..<3 { room.deliverLetter(from: 1) }
        #expect(room.isTrimming)
        room.deliverMail()
        #expect(room.allowedTrim == 4)
        #expect(room.readers[late]?.canvas?.revision == 9 && room.closed.isEmpty)
    }

    @Test("D10 an answer that comes late is none to the next question")
    func lateAnswer() {
        var (room, here, there) = pair()
        for sequence in UInt64(1)...4 { room.submit(sequence, from: here) }
        let old = room.join()
        room.deliverMail()
        let left = room.readers[old]!
        room.leave(old)
        for sequence in UInt64(5)...9 { room.submit(sequence, from: here) }
        room.deliverMail()
        // While outlet 1 is asked, its only session comes back by the other.
        room.trim(to: 3)
        room.deliverNews(to: 0)
        _ = room.rejoin(as: there)
        room.deliverLetters(from: 0)
        #expect(room.allowedTrim == 3 && !room.isTrimming)
        // Then somebody comes to outlet 1 who has less, and only now it answers the first question.
        let late = room.join(resume: left.resume, having: left.canvas)
        room.readers[late]?.isStalled = true
        room.deliverLetters(from: 1)
        room.trim(to: 9)
        room.deliverNews(to: 1)
        room.deliverLetters(from: 1)
        while !room.news[0].isEmpty { room.deliverNews(to: 0) }
        room.deliverLetters(from: 0)
        #expect(room.isTrimming)
        room.deliverMail()
        #expect(left.canvas?.revision == 4 && room.allowedTrim == 4)
    }

    @Test("a trim does not wait for an outlet whose sessions have all gone")
    func trimWithoutOutlet() {
        var (room, here, there) = pair()
        for sequence in UInt64(1)...4 { room.submit(sequence, from: here) }
        room.deliverMail()
        room.trim(to: 4)
        room.leave(there)
        room.deliverNews(to: 0)
        room.deliverLetter(from: 0)
        #expect(room.isTrimming)
        room.deliverLetter(from: 1)
        #expect(room.allowedTrim == 4 && !room.isTrimming)
        room.deliverMail()
    }

    @Test("a client that comes back by another loop replaces its old session there")
    func replacedAcrossOutlets() {
        var (room, here, there) = pair()
        let sparing = room.join()
        room.deliverMail()
        let again = room.rejoin(as: there)
        room.deliverMail()
        #expect(room.closed == [there: .replaced])
        room.submit(1, from: again)
        room.submit(1, from: here)
        room.deliverMail()
        #expect(room.readers[again]?.canvas?.revision == 2 && room.readers[sparing]?.canvas?.revision == 2)
    }

    @Test("a session that leaves its answers unread is ended by its outlet's word")
    func unreadAnswers() {
        var limits = RoomLimits()
        limits.answers = 5
        var (room, here, there) = pair(limits)
        room.submit(1, from: there)
        room.deliverMail()
        room.readers[there]?.isStalled = true
        for _ in 0..<6 { room.submit(1, from: there) }
        room.deliverMail()
        #expect(room.closed == [there: .tooSlow] && room.engine.sessionCount == 1)
        room.submit(1, from: here)
        room.deliverMail()
        #expect(room.readers[here]?.canvas?.revision == 2)
    }

    @Test("the home of a canvas is always the same, and canvases are spread")
    func homes() {
        let key = SiteKey(1, 2)
        let names = (0..<3_000).map { CanvasID("canvas\($0)")! }
        let homes = names.map { key.home(of: $0, among: 3) }
        #expect(homes == names.map { SiteKey(1, 2).home(of: $0, among: 3) })
        for home in 0..<3 { #expect(homes.count { $0 == home } > 850) }
        #expect(names.allSatisfy { key.home(of: $0, among: 1) == 0 })
        #expect(homes.prefix(8) == [2, 0, 2, 1, 2, 1, 2, 0], "a fixed hash")
    }
}
