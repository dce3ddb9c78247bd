import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

@Suite("Requests about named versions")
struct VersionRequestTests {
    private func answers(_ room: TestRoom, _ id: SessionID) -> [VersionAnswer] {
        (room.readers[id]?.messages ?? []).compactMap { if case .versions(let answer) = $0 { answer } else { nil } }
    }

    private func add(_ name: String, _ revision: Revision?, tag: UInt64 = 1) -> ClientMessage {
        .versions(VersionRequest(tag: tag, change: .add(name: name, revision: revision)))
    }

    @Test(
        "VS-03 a request is carried out for who asks, with the name of the hello and the server's time, and answered by its number"
    )
    func carriedOut() throws {
        var room = TestRoom.opened(commits: Commit.samples(5))
        let ada = room.join()
        room.send(add("draft", 3, tag: 77), from: ada)
        let expected = NamedVersion(name: "draft", revision: 3, time: room.moment.wallMilliseconds, author: "Ada")
        #expect(room.versionJobs.map(\.edit) == [.add(expected)] && room.versionJobs.map(\.tag) == [77])
        #expect(answers(room, ada).isEmpty)
        room.input { engine, _, moment in engine.versionsChanged(.success([expected]), for: ada, tag: 77, at: moment) }
        #expect(answers(room, ada) == [VersionAnswer(tag: 77, .success([expected]))])
        room.send(.versions(VersionRequest(tag: 78, change: .remove(name: "draft"))), from: ada)
        room.input { engine, _, moment in
            engine.versionsChanged(.failure(.noSuchVersion), for: ada, tag: 78, at: moment)
        }
        #expect(answers(room, ada).last == VersionAnswer(tag: 78, .failure(.noSuchVersion)))
    }

    @Test("VS-03 without a revision it is the one that is committed when the request is taken up")
    func present() {
        var room = TestRoom.opened(commits: Commit.samples(5))
        let ada = room.join()
        room.submit(1, from: ada)
        room.send(add("now", nil), from: ada)
        guard case .add(let version) = room.versionJobs.last?.edit else {
            Issue.record("a name is given")
            return
        }
        #expect(version.revision == 6)
    }

    @Test("VS-04 revisions that do not exist, and names that are none, are refused")
    func refused() {
        var room = TestRoom.opened(commits: Commit.samples(5))
        let ada = room.join()
        room.send(add("later", 6, tag: 1), from: ada)
        room.send(add("a\u{1B}b", 3, tag: 2), from: ada)
        #expect(
            answers(room, ada) == [
                VersionAnswer(tag: 1, .failure(.notKept)), VersionAnswer(tag: 2, .failure(.badName)),
            ])
        #expect(room.versionJobs.isEmpty)
        var empty = TestRoom.opened()
        let ben = empty.join()
        empty.send(add("start", nil), from: ben)
        #expect(answers(empty, ben) == [VersionAnswer(tag: 1, .failure(.notKept))])
    }

    @Test("VS-05 a viewer may ask for the list and change nothing")
    func viewer() {
        var room = TestRoom.opened(commits: Commit.samples(5))
        let ada = room.join(role: .viewer)
        room.send(add("draft", 3, tag: 1), from: ada)
        room.send(.versions(VersionRequest(tag: 2, change: .remove(name: "draft"))), from: ada)
        room.send(.versions(VersionRequest(tag: 3, change: .none)), from: ada)
        #expect(
            answers(room, ada) == [
                VersionAnswer(tag: 1, .failure(.readOnly)), VersionAnswer(tag: 2, .failure(.readOnly)),
            ])
        #expect(room.versionJobs.count == 1 && room.versionJobs[0].edit == nil)
    }

    @Test("VS-04 a session has a bounded number of requests under way")
    func bound() {
        var room = TestRoom.opened(commits: Commit.samples(5))
        let ada = room.join()
        for tag in 1...20 { room.send(add("v\(tag)", 3, tag: UInt64(tag)), from: ada) }
        #expect(room.versionJobs.count == 16)
        #expect(answers(room, ada).map(\.outcome) == Array(repeating: .failure(.tooMany), count: 4))
        room.input { engine, _, moment in engine.versionsChanged(.success([]), for: ada, tag: 1, at: moment) }
        room.send(add("more", 3, tag: 21), from: ada)
        #expect(room.versionJobs.count == 17)
    }

    @Test("VS-03 an answer for a session that has gone is for nobody")
    func gone() {
        var room = TestRoom.opened(commits: Commit.samples(5))
        let ada = room.join()
        room.send(add("draft", 3), from: ada)
        room.leave(ada)
        room.input { engine, _, moment in engine.versionsChanged(.success([]), for: ada, tag: 1, at: moment) }
        #expect(room.engine.sessionCount == 0)
    }

    @Test("VS-01 a look is a first message and no later one; the lobby sends it past the rooms")
    func look() throws {
        var lobby = Lobby()
        let look = Look(canvas: TestRoom.canvas, name: "Ada", at: .version("draft"))
        #expect(lobby.received(.look(look), byteCount: 30, from: SessionID(1)) == .look(look))
        let old = Look(version: 2, canvas: TestRoom.canvas, name: "Ada", at: .revision(3))
        guard case .refuse(let error) = lobby.received(.look(old), byteCount: 30, from: SessionID(2)) else {
            Issue.record("a version that is not spoken is refused")
            return
        }
        #expect(error.code == .unsupportedVersion)
        var room = TestRoom.opened()
        let ada = room.join()
        room.send(.look(look), from: ada)
        #expect(room.closed[ada] == .malformed)
    }

    @Test("VS-06 the welcome says from which revision a return gets commits; from before it there is a snapshot")
    func horizon() throws {
        var limits = RoomLimits()
        limits.trailCommits = 20
        limits.windowCommits = 5
        var room = TestRoom.opened(commits: Commit.samples(60), limits: limits)
        let first = room.join()
        let welcome = try #require(room.readers[first]?.welcome)
        #expect(welcome.horizon == 40)
        for (revision, isWhole) in [(39, true), (40, false), (55, false), (60, false)] as [(Revision, Bool)] {
            var canvas = Canvas()
            for commit in Commit.samples(Int(revision)) { _ = canvas.apply(commit) }
            let resume = Hello.Resume(
                site: welcome.site, secret: welcome.secret, epoch: welcome.epoch, revision: revision)
            let back = room.join(resume: resume, having: canvas)
            #expect((room.readers[back]?.welcome?.catchup != .commits) == isWhole, "\(revision)")
            #expect(room.readers[back]?.canvas?.revision == 60)
        }
    }
}
