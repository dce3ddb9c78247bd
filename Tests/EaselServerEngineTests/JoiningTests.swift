import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

@Suite("Joining")
struct JoiningTests {
    @Test("RS-02 RS-03 a new client gets a site, its secret and a snapshot in parts")
    func newClient() {
        var room = TestRoom.opened(commits: Commit.samples(20))
        let a = room.join()
        let reader = room.readers[a]!
        #expect(reader.welcome?.secret == TestRoom.key.secret(canvas: TestRoom.canvas, site: reader.welcome!.site))
        #expect(reader.welcome?.epoch == 7 && reader.welcome?.revision == 20)
        #expect(reader.messages.count { if case .snapshotPart = $0 { true } else { false } } > 1)
        #expect(reader.canvas?.digest == room.engine.canvas.digest)
    }

    @Test("JOIN-04 commits made while a snapshot is encoded and sent follow it without gap")
    func busyJoin() {
        var room = TestRoom.opened(commits: Commit.samples(20))
        let a = room.join()
        room.answersAtOnce = false
        room.submit(1, .sample(SiteID(50)!, 1), from: a)
        room.finishAppend()
        // Nothing that is ready serves a snapshot bound of zero, so the joiner waits for one of its own.
        let b = room.join(name: "Bo")
        while !room.encodings.isEmpty { room.finishEncoding() }
        room.readers[b]?.isStalled = true
        for sequence in UInt64(2)...5 {
            room.submit(sequence, from: a)
            room.finishAppend()
        }
        room.resumeReading(b)
        #expect(room.readers[b]?.canvas?.revision == 25)
        #expect(room.readers[b]?.canvas?.digest == room.engine.canvas.digest)
    }

    @Test("joiners share one encoded snapshot, part by part")
    func sharedSnapshot() {
        var room = TestRoom.opened(commits: Commit.samples(20))
        room.answersAtOnce = false
        let (a, b) = (room.join(), room.join())
        #expect(room.encodings.count == 1)
        room.finishEncoding()
        let c = room.join()
        #expect(room.encodings.isEmpty, "a later joiner needs no other")
        let parts = [a, b, c].map { id in room.readers[id]!.payloads[1...].prefix { !$0.isPresence } }
        #expect(!parts[0].isEmpty)
        for other in parts[1...] { #expect(zip(parts[0], other).allSatisfy { $0 === $1 }) }
    }

    @Test("a snapshot that much was committed after serves no joiner")
    func staleSnapshot() {
        var limits = RoomLimits()
        limits.snapshotReuseBytes = 200
        var room = TestRoom.opened(limits: limits)
        let a = room.join()
        room.answersAtOnce = false
        for sequence in UInt64(1)...8 {
            room.submit(sequence, from: a)
            room.finishAppend()
        }
        let b = room.join()
        #expect(room.encodings.count == 1)
        room.finishEncoding()
        #expect(room.readers[b]?.canvas?.revision == 8 && room.readers[b]?.commits.isEmpty == true)
    }

    @Test("a snapshot nobody used for a while is dropped")
    func droppedSnapshot() {
        var room = TestRoom.opened()
        _ = room.join()
        room.answersAtOnce = false
        room.wait(RoomLimits().snapshotIdleMilliseconds)
        _ = room.join()
        #expect(room.encodings.count == 1)
    }

    @Test("RS-04 RECON-03 a client that was away gets what it missed, and its next edits count")
    func resume() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.submit(1, from: a)
        room.leave(a)
        room.submit(1, from: b)
        let again = room.rejoin(as: a)
        #expect(room.readers[again]?.welcome?.catchup == .commits)
        #expect(room.readers[again]?.welcome?.site == room.readers[a]?.welcome?.site)
        #expect(room.readers[again]?.welcome?.lastSequence == 1)
        #expect(room.readers[again]?.commits.map(\.revision) == [2])
        room.submit(2, from: again)
        #expect(room.readers[b]?.commits.map(\.revision) == [1, 2, 3])
    }

    @Test("a client behind the window is served from the log, page by page")
    func resumeFromLog() {
        var limits = RoomLimits()
        limits.windowCommits = 2
        limits.pageBytes = 150
        var room = TestRoom.opened(commits: Commit.samples(30), limits: limits)
        let a = room.join(resume: .init(site: SiteID(3)!, secret: 0, epoch: 7, revision: 0))
        #expect(room.readers[a]?.welcome?.catchup == .commits)
        #expect(room.readers[a]?.commits.count == 30)
        #expect(room.readers[a]?.canvas?.digest == room.engine.canvas.digest)
    }

    @Test("readers at one place in the log wait for one read")
    func sharedPage() {
        var limits = RoomLimits()
        limits.windowCommits = 2
        var room = TestRoom.opened(commits: Commit.samples(30), limits: limits)
        room.answersAtOnce = false
        let resume = Hello.Resume(site: SiteID(3)!, secret: 0, epoch: 7, revision: 0)
        let (a, b) = (room.join(resume: resume), room.join(resume: resume))
        #expect(room.reads.count == 1)
        room.answerRead()
        #expect(room.readers[a]?.commits.count == 30 && room.readers[b]?.commits.count == 30)
        #expect(room.readers[a]!.commitPayloads[0] === room.readers[b]!.commitPayloads[0])
    }

    @Test("RECON-09 a client further behind than digests are known gets a snapshot")
    func farBehind() {
        var limits = RoomLimits()
        limits.windowCommits = 2
        limits.trailCommits = 10
        var room = TestRoom.opened(commits: Commit.samples(30), limits: limits)
        let resume = Hello.Resume(site: SiteID(3)!, secret: 0, epoch: 7, revision: 19)
        let a = room.join(resume: resume)
        var canvas = Canvas()
        for commit in Commit.samples(20) { _ = canvas.apply(commit) }
        let b = room.join(resume: .init(site: SiteID(4)!, secret: 0, epoch: 7, revision: 20), having: canvas)
        #expect(room.readers[a]?.welcome?.catchup != .commits && room.readers[b]?.welcome?.catchup == .commits)
        #expect(room.readers[a]?.canvas?.digest == room.engine.canvas.digest)
    }

    @Test("RS-04 RECON-08 a client ahead of the server, or of another epoch, gets a snapshot")
    func aheadOrOtherEpoch() {
        var room = TestRoom.opened(commits: Commit.samples(5))
        let ahead = room.join(resume: .init(site: SiteID(3)!, secret: 0, epoch: 7, revision: 6))
        let other = room.join(resume: .init(site: SiteID(4)!, secret: 0, epoch: 8, revision: 5))
        for id in [ahead, other] {
            #expect(room.readers[id]?.welcome?.catchup != .commits)
            #expect(room.readers[id]?.canvas?.revision == 5)
        }
    }

    @Test("RS-03 RECON-07 a client that cannot prove its site gets a fresh one, and the site's holder stays")
    func wrongSecret() {
        var room = TestRoom.opened()
        let a = room.join()
        var resume = room.readers[a]!.resume!
        resume = .init(site: resume.site, secret: resume.secret &+ 1, epoch: resume.epoch, revision: resume.revision)
        let b = room.join(resume: resume)
        #expect(room.readers[b]?.welcome?.site != room.readers[a]?.welcome?.site)
        #expect(room.closed.isEmpty)
    }

    @Test("a fresh site is never one that has committed or is live")
    func freshSiteIsUnused() {
        var room = TestRoom.opened(commits: Commit.samples(1, site: 101))
        let a = room.join()
        #expect(room.readers[a]?.welcome?.site == SiteID(102))
        let b = room.join()
        #expect(room.readers[b]?.welcome?.site == SiteID(103))
    }

    @Test(
        "RS-09 RECON-02 of several connections of one client the last one stays, and what they resend is applied once")
    func halfDeadConnections() {
        var room = TestRoom.opened()
        let (a, watcher) = (room.join(), room.join())
        var connections = [a]
        for _ in 0..<3 {
            connections.append(room.rejoin(as: a))
            for sequence in UInt64(1)...5 { room.submit(sequence, from: connections.last!) }
        }
        for old in connections.dropLast() { #expect(room.closed[old] == .replaced) }
        #expect(room.closed[connections.last!] == nil)
        #expect(room.readers[watcher]?.commits.count == 5)
    }

    @Test(
        "RS-09 RECON-07 who comes back is welcomed when the outcome of what is under way of its site is known",
        arguments: [true, false])
    func underWay(isStored: Bool) {
        var room = TestRoom.opened()
        let (a, watcher) = (room.join(), room.join())
        room.answersAtOnce = false
        room.submit(1, from: a)
        let again = room.rejoin(as: a)
        #expect(room.closed[a] == .replaced)
        #expect(room.readers[again]?.welcome == nil && room.engine.sessionCount == 2)
        // Other sites are not concerned.
        #expect(room.readers[room.join()]?.welcome != nil)
        room.answersAtOnce = true
        if isStored { room.finishAppend() } else { room.failAppend() }
        #expect(room.readers[again]?.welcome?.lastSequence == (isStored ? 1 : 0))
        room.submit(isStored ? 2 : 1, from: again)
        #expect(room.readers[watcher]?.commits.count == (isStored ? 2 : 1))
    }

    @Test("who waits for that and leaves is gone, and so is its presence")
    func leavingWhileUnderWay() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.answersAtOnce = false
        room.submit(1, from: a)
        let again = room.rejoin(as: a)
        room.leave(again)
        room.wait(1_000)
        room.answersAtOnce = true
        room.finishAppend()
        #expect(room.engine.sessionCount == 1)
        #expect(room.readers[b]?.presence[room.readers[a]!.welcome!.site] == nil)
        #expect(room.readers[again]?.welcome == nil)
    }

    @Test("RECON-04 the late end of a replaced connection changes nothing for the new one")
    func lateClose() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        let again = room.rejoin(as: a)
        room.wait(20_000)
        room.leave(a)
        room.send(.presence(Presence(name: "x", pointer: .init(x: 1, y: 1))), from: a)
        room.submit(1, from: again)
        room.wait(1_000)
        #expect(room.readers[b]?.presence[room.readers[a]!.welcome!.site] == Presence(name: "Ada"))
        #expect(room.readers[again]?.answers == [.committed(1)])
    }

    @Test("AUTH-01 a client that sends before its welcome is closed, and nothing of it is kept")
    func tooEarly() {
        var room = TestRoom()
        let a = room.join()
        room.send(.submit(Submission(sequence: 1, transaction: .sample(SiteID(5)!, 1))), from: a)
        room.load()
        #expect(room.closed[a] == .malformed)
        #expect(room.engine.canvas.revision == 0 && room.engine.sessionCount == 0)
        room.answersAtOnce = false
        let b = room.join()
        room.send(.confirm(1), from: b)
        #expect(room.closed[b] == .malformed)
    }

    @Test("ER-03 ER-05 a version this server does not speak, or a name it does not take, is refused")
    func badHello() {
        var room = TestRoom.opened()
        let newer = room.join(version: 2)
        let nameless = room.join(name: "")
        let escape = room.join(name: "\u{1B}[2J")
        #expect(room.closed == [newer: .unsupportedVersion, nameless: .malformed, escape: .malformed])
    }

    @Test("one session too many is turned away")
    func fullRoom() {
        var limits = RoomLimits()
        limits.sessions = 2
        var room = TestRoom.opened(limits: limits)
        let a = room.join()
        _ = room.join()
        let c = room.join()
        #expect(room.closed == [c: .tooMany])
        room.leave(a)
        let d = room.join()
        #expect(room.closed[d] == nil)
    }
}

extension SharedPayload {
    var isPresence: Bool {
        if case .presence = try? ServerMessage.decodeAll(bytes).first { true } else { false }
    }
}
