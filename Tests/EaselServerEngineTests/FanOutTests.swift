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

    @Test("MSG-23 what becomes durable together goes out as one message, and a commit alone as ever")
    func runs() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.answersAtOnce = false
        let site = room.readers[a]!.welcome!.site
        room.submit(1, from: a)
        room.submitTogether((2...40).map { Submission(sequence: $0, transaction: .sample(site, $0)) }, from: a)
        room.submit(41, from: a)
        while !room.appends.isEmpty { room.finishAppend() }
        let runs = room.readers[b]!.messages.compactMap { if case .commits(let run) = $0 { run } else { nil } }
        #expect(runs.map(\.commits.count) == [1, 39, 1])
        #expect(room.readers[a]!.answers == (UInt64(1)...41).map { .committed($0) })
    }

    @Test("a run ends before it would pass a frame, or a quarter of the window")
    func runLimits() {
        var limits = RoomLimits()
        limits.windowCommits = 40
        var room = TestRoom.opened(limits: limits)
        let (a, b) = (room.join(), room.join())
        room.answersAtOnce = false
        let site = room.readers[a]!.welcome!.site
        var submissions = (1...36).map { Submission(sequence: $0, transaction: .sample(site, $0)) }
        for sequence in UInt64(37)...39 {
            submissions.append(Submission(sequence: sequence, transaction: .typed(150_000, by: site, sequence)))
        }
        room.submitTogether(submissions, from: a)
        while !room.appends.isEmpty { room.finishAppend() }
        let runs = room.readers[b]!.messages.compactMap { if case .commits(let run) = $0 { run } else { nil } }
        #expect(runs.map(\.commits.count) == [10, 10, 10, 7, 1, 1])
    }

    @Test("RS-06 who comes back in the middle of a run gets the whole of it")
    func middleOfARun() {
        var room = TestRoom.opened(commits: Commit.samples(30))
        let resume = Hello.Resume(site: SiteID(3)!, secret: 0, epoch: 7, revision: 12)
        var canvas = Canvas()
        for commit in Commit.samples(12) { _ = canvas.apply(commit) }
        let a = room.join(resume: resume, having: canvas)
        #expect(room.readers[a]?.commits.map(\.revision) == Array(13...30))
        let runs = room.readers[a]!.messages.compactMap { if case .commits(let run) = $0 { run } else { nil } }
        #expect(runs.map(\.first) == [1] && room.readers[a]?.canvas?.digest == room.engine.canvas.digest)
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
            room.submit(UInt64(index + 1), .typed(size, by: site, UInt64(index)), from: a)
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
