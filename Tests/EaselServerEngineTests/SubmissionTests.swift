import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

@Suite("Submitting")
struct SubmissionTests {
    @Test("AK-02 nothing is acknowledged or shown before it is durable")
    func durableFirst() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.answersAtOnce = false
        room.submit(1, from: a)
        #expect(room.appends.count == 1)
        #expect(room.readers[a]?.answers == [] && room.readers[b]?.commits.isEmpty == true)
        #expect(room.engine.canvas.revision == 0)
        room.finishAppend()
        #expect(room.readers[a]?.answers == [.committed(1)])
        #expect(room.readers[b]?.commits.map(\.revision) == [1])
    }

    @Test("several appends may be under way, and revisions follow each other")
    func severalAppends() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.answersAtOnce = false
        room.submit(1, from: a)
        room.submit(1, from: b)
        room.submit(2, from: a)
        #expect(room.appends.map { $0.map(\.revision) } == [[1], [2], [3]])
        for _ in 0..<3 { room.finishAppend() }
        #expect(room.readers[b]?.commits.map(\.revision) == [1, 2, 3])
        #expect(room.readers[a]?.canvas?.digest == room.engine.canvas.digest)
    }

    @Test("what is submitted in one turn leaves in one append")
    func oneAppendATurn() {
        var room = TestRoom.opened()
        let a = room.join()
        room.answersAtOnce = false
        let site = room.readers[a]!.welcome!.site
        room.input { engine, actions, moment in
            for sequence in UInt64(1)...3 {
                let submission = Submission(sequence: sequence, transaction: .sample(site, sequence))
                engine.received(.submit(submission), from: a, into: &actions, at: moment)
            }
        }
        #expect(room.appends.map { $0.map(\.revision) } == [[1, 2, 3]])
    }

    @Test("AK-04 E7 a transaction sent again by a new connection is acknowledged and applied once")
    func resendAfterCommit() {
        var room = TestRoom.opened()
        let a = room.join()
        room.submit(1, from: a)
        let again = room.rejoin(as: a)
        room.submit(1, from: again)
        #expect(room.readers[again]?.answers == [.acknowledged(1)])
        #expect(room.engine.canvas.revision == 1 && room.log.count == 1)
    }

    @Test("E7 a transaction sent again while the first copy is on its way to the log is applied once")
    func resendInFlight() {
        var room = TestRoom.opened()
        let a = room.join()
        room.answersAtOnce = false
        room.submit(1, from: a)
        room.submit(1, from: a)
        #expect(room.appends.count == 1)
        let again = room.rejoin(as: a)
        room.answersAtOnce = true
        room.finishAppend()
        #expect(room.readers[again]?.welcome?.lastSequence == 1)
        room.submit(1, from: again)
        #expect(room.readers[again]?.answers.last == .acknowledged(1))
        #expect(room.engine.canvas.revision == 1)
    }

    @Test("RECON-01 what was committed under a number stays, whatever comes under it later")
    func numberKeepsItsContent() {
        var room = TestRoom.opened()
        let a = room.join()
        room.submit(1, from: a)
        let again = room.rejoin(as: a)
        let site = room.readers[a]!.welcome!.site
        room.submit(1, .sample(site, 99), from: again)
        room.submit(2, from: again)
        #expect(room.readers[again]?.answers == [.acknowledged(1), .committed(2)])
        #expect(room.engine.canvas[ShapeID(site: site, counter: 99)] == nil)
    }

    @Test("an acknowledgement of a copy comes after the commit it acknowledges")
    func acknowledgementDoesNotOvertake() {
        var room = TestRoom.opened()
        let a = room.join()
        room.readers[a]?.isStalled = true
        room.submit(1, from: a)
        room.submit(1, from: a)
        room.resumeReading(a)
        #expect(room.readers[a]?.answers == [.committed(1), .acknowledged(1)])
    }

    @Test("MALF-03 a malformed transaction is refused before it gets a place, and nobody sees it")
    func malformedIsRefused() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.submit(1, .malformed, from: a)
        #expect(room.readers[a]?.answers == [.refused(1, .malformed)])
        #expect(room.readers[b]?.commits.isEmpty == true && room.log.isEmpty)
    }

    @Test(
        "OP-10 OP-14 a client's purge is refused; the server's own is committed under its own site, numbered like any")
    func purges() throws {
        var room = TestRoom.opened()
        let a = room.join()
        let id = ShapeID("gone")!
        let creation = Creation(
            id: id, kind: "note", parent: nil, order: OrderKey("V")!, properties: Properties())
        room.submit(
            1, Transaction(operations: [.create(creation), .hide(.deleted, .shapes([id]))], label: "Both"), from: a)
        room.submit(2, Transaction(operations: [.purge(.shapes([id]))], label: "Purge"), from: a)
        #expect(room.readers[a]?.answers == [.committed(1), .refused(2, .malformed)])
        #expect(room.engine.canvas[id] != nil)
        var accepted: [Bool] = []
        for targets in [[Targets.shapes([id])], [.shapes([id])], []] {
            room.input { engine, _, moment in accepted.append(engine.purge(targets, at: moment)) }
        }
        #expect(accepted == [true, true, false])
        #expect(room.engine.canvas[id] == nil)
        #expect(room.log.suffix(2).map(\.id) == [1, 2].map { TransactionID(site: .server, sequence: $0) })
        #expect(room.readers[a]?.commits.count == 3)
    }

    @Test("what follows a refused transaction is ignored until the client confirms")
    func barrier() {
        var room = TestRoom.opened()
        let a = room.join()
        room.submit(1, .malformed, from: a)
        room.submit(2, from: a)
        room.send(.confirm(2), from: a)
        room.submit(3, from: a)
        #expect(room.log.isEmpty, "another number ends no barrier")
        room.send(.confirm(1), from: a)
        room.submit(4, from: a)
        #expect(room.readers[a]?.answers == [.refused(1, .malformed), .committed(4)])
    }

    @Test("a refusal comes after the commits of what was submitted before it")
    func refusalDoesNotOvertake() {
        var room = TestRoom.opened()
        let a = room.join()
        room.answersAtOnce = false
        room.submit(1, from: a)
        room.submit(2, .malformed, from: a)
        #expect(room.readers[a]?.answers == [])
        room.finishAppend()
        #expect(room.readers[a]?.answers == [.committed(1), .refused(2, .malformed)])
    }

    @Test("AK-10 a viewer is refused, and goes on seeing")
    func viewer() {
        var room = TestRoom.opened()
        let (a, viewer) = (room.join(), room.join(role: .viewer))
        room.submit(1, from: viewer)
        room.submit(1, from: a)
        #expect(room.readers[viewer]?.answers == [.refused(1, .readOnly)])
        #expect(room.readers[viewer]?.commits.count == 1 && room.readers[viewer]?.welcome?.role == .viewer)
    }

    @Test(
        "AK-11 a change of role is told behind the commits of what was accepted before, and holds for what comes after")
    func roleChanges() {
        var room = TestRoom.opened()
        let a = room.join()
        room.answersAtOnce = false
        room.submit(1, from: a)
        room.input { engine, _, moment in engine.setRole(of: a, to: .viewer, at: moment) }
        room.submit(2, from: a)
        #expect(room.readers[a]?.answers == [])
        room.finishAppend()
        #expect(room.readers[a]?.answers == [.committed(1), .refused(2, .readOnly)])
        let told = room.readers[a]?.messages.compactMap { message -> String? in
            switch message {
            case .commits: "commit"
            case .role(let role): "\(role)"
            case .refusal: "refusal"
            default: nil
            }
        }
        #expect(told == ["commit", "viewer", "refusal"])
        room.input { engine, _, moment in engine.setRole(of: a, to: .editor, at: moment) }
        room.send(.confirm(2), from: a)
        room.submit(3, from: a)
        room.finishAppend()
        #expect(room.readers[a]?.answers.last == .committed(3))
    }

    @Test("SIZE-01 a transaction over the limit is refused and the session goes on")
    func tooLarge() {
        var limits = RoomLimits()
        limits.transactionBytes = 200
        var room = TestRoom.opened(limits: limits)
        let a = room.join()
        let site = room.readers[a]!.welcome!.site
        room.submit(1, .sample(site, 1, label: String(repeating: "x", count: 200)), from: a)
        room.send(.confirm(1), from: a)
        room.submit(2, from: a)
        #expect(room.readers[a]?.answers == [.refused(1, .tooLarge), .committed(2)])
    }

    @Test("AK-05 numbers that do not rise end the session")
    func fallingNumbers() {
        var room = TestRoom.opened()
        let a = room.join()
        room.answersAtOnce = false
        room.submit(5, .malformed, from: a)
        room.send(.confirm(5), from: a)
        room.submit(4, from: a)
        #expect(room.closed[a] == .malformed)
    }

    @Test("a number beyond 2^53 - 1 ends the session")
    func hugeNumber() {
        var room = TestRoom.opened()
        let a = room.join()
        room.submit(Limits.counter + 1, .malformed, from: a)
        #expect(room.closed[a] == .malformed)
    }

    @Test("AK-06 more transactions under way than a client may have end its session; the others go on")
    func tooManyInFlight() {
        var limits = RoomLimits()
        limits.inFlightTransactions = 2
        var room = TestRoom.opened(limits: limits)
        let (a, b) = (room.join(), room.join())
        room.answersAtOnce = false
        for sequence in UInt64(1)...3 { room.submit(sequence, from: a) }
        room.submit(1, from: b)
        #expect(room.closed == [a: .tooMany])
        while !room.appends.isEmpty { room.finishAppend() }
        #expect(room.readers[b]?.commits.count == 3)
    }

    @Test("more bytes under way than one session or the room may have are refused for now")
    func tooManyBytesInFlight() {
        for isRoom in [false, true] {
            var limits = RoomLimits()
            if isRoom { limits.roomInFlightBytes = 60 } else { limits.sessionInFlightBytes = 60 }
            var room = TestRoom.opened(limits: limits)
            let a = room.join()
            room.answersAtOnce = false
            room.submit(1, from: a)
            room.submit(2, from: a)
            #expect(room.appends.map(\.count) == [1])
            room.finishAppend()
            #expect(room.readers[a]?.answers == [.committed(1), .refused(2, .storageUnavailable)])
            room.send(.confirm(2), from: a)
            room.submit(3, from: a)
            room.finishAppend()
            #expect(room.readers[a]?.answers.last == .committed(3))
        }
    }

    @Test("a client that reads no answers is closed before they pile up")
    func unreadAnswers() {
        var limits = RoomLimits()
        limits.answers = 4
        var room = TestRoom.opened(limits: limits)
        let a = room.join()
        room.submit(1, from: a)
        room.readers[a]?.isStalled = true
        for _ in 0..<5 { room.submit(1, from: a) }
        #expect(room.closed[a] == .tooSlow)
    }

    @Test("ER-02 MALF-01 what cannot be read ends that session only")
    func malformedMessage() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.input { engine, _, moment in engine.receivedMalformed("no CBOR", from: a, at: moment) }
        room.submit(1, from: b)
        #expect(room.closed == [a: .malformed])
        #expect(room.readers[b]?.answers == [.committed(1)])
    }

    @Test("ER-02 a second hello ends the session")
    func secondHello() {
        var room = TestRoom.opened()
        let a = room.join()
        room.send(.hello(Hello(canvas: TestRoom.canvas, resume: nil, name: "Ada")), from: a)
        #expect(room.closed[a] == .malformed)
    }
}
