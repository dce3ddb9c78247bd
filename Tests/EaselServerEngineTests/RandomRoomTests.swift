import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

/// Random histories of a room: clients submit, send twice, break off, come back with and without the old connection closed,
/// read nothing for a while; the log fails, sometimes after it has written, cannot always be read, and is trimmed. Where there
/// are several outlets, what goes between them and the room takes its time. Then a quiet phase, and everything has to be as
/// promised.
@Suite("Random histories")
struct RandomRoomTests {
    @Test(
        "acknowledged is durable, each transaction is committed at most once, and all replicas are equal",
        arguments: 0..<100)
    func history(seed: UInt64) {
        var world = World(seed: seed, outlets: 1)
        for _ in 0..<250 { world.step() }
        world.calmDown()
        world.check()
    }

    @Test("the same holds with several outlets, whose mail takes its time", arguments: 0..<200)
    func outlets(seed: UInt64) {
        var world = World(seed: seed, outlets: Int(2 + seed % 3))
        for _ in 0..<500 { world.step() }
        world.calmDown()
        world.check()
    }
}

private struct World {
    private struct Client {
        var session: SessionID
        var next: SequenceNumber = 1
        /// Sent and not answered, by rising number.
        var pending: [Submission] = []
        /// Answers looked at.
        var seen = 0
        var isConnected = true
    }

    private var random: SplitMix64
    private var room: TestRoom
    private var clients: [Client] = []
    private let seed: UInt64
    /// Sessions that have to find out that they are over, unless they leave before.
    private var ended: Set<SessionID> = []

    init(seed: UInt64, outlets: Int) {
        self.seed = seed
        random = SplitMix64(state: seed)
        var limits = RoomLimits()
        limits.windowCommits = Int(2 + random.next(below: 20))
        limits.trailCommits = Int(20 + random.next(below: 200))
        limits.pageBytes = 400
        limits.snapshotReuseBytes = random.next(below: 2_000)
        limits.snapshotStoreBytes = 2_000
        room = TestRoom.opened(limits: limits, outlets: outlets)
        room.answersAtOnce = false
        room.delaysMail = outlets > 1
        for _ in 0..<4 { clients.append(Client(session: room.join())) }
        room.deliverMail()
        while !room.encodings.isEmpty { room.finishEncoding() }
        room.deliverMail()
    }

    mutating func step() {
        room.now += random.next(below: 40)
        let index = Int(random.next(below: UInt64(clients.count)))
        for outlet in room.outlets.indices where random.next(below: 3) > 0 {
            switch random.next(below: 5) {
            case 0, 1: room.deliverNews(to: outlet)
            case 2, 3: room.deliverLetter(from: outlet)
            default: room.deliverLetters(from: outlet)
            }
        }
        switch random.next(below: 25) {
        case 0..<8: submit(index, isMalformed: random.next(below: 12) == 0)
        case 8: resend(index)
        case 9: reconnect(index, leavingFirst: random.next(below: 2) == 0)
        case 10: room.readers[clients[index].session]?.isStalled = true
        case 11: room.resumeReading(clients[index].session)
        case 12 where clients[index].isConnected:
            room.send(
                .presence(Presence(name: "x", pointer: .init(x: Double(room.now), y: 0))), from: clients[index].session)
        case 13..<19: if !room.appends.isEmpty { room.finishAppendInOrder() }
        case 19: failAppends()
        case 20, 21: if !room.reads.isEmpty { room.answerRead(fails: random.next(below: 4) == 0) }
        case 22: if !room.encodings.isEmpty { room.finishEncoding() }
        case 23:
            if !room.isTrimming { room.trim(to: random.next(below: room.engine.canvas.revision + 1)) }
        default: room.wait(random.next(below: 600))
        }
        for index in clients.indices { digest(index) }
        #expect(room.engine.canvas.revision <= UInt64(room.log.count), "only what is durable is applied; seed \(seed)")
        checkTrim()
    }

    // MARK: Clients

    private mutating func submit(_ index: Int, isMalformed: Bool) {
        guard clients[index].isConnected, clients[index].pending.count < 20,
            let site = room.readers[clients[index].session]?.welcome?.site
        else { return }
        let sequence = clients[index].next
        let submission = Submission(
            sequence: sequence, transaction: isMalformed ? .malformed : .sample(site, sequence))
        clients[index].next += 1
        clients[index].pending.append(submission)
        room.send(.submit(submission), from: clients[index].session)
    }

    /// Sends everything unanswered once more, as after a doubtful moment of the network.
    private mutating func resend(_ index: Int) {
        guard clients[index].isConnected else { return }
        for submission in clients[index].pending.prefix(1) {
            room.send(.submit(submission), from: clients[index].session)
        }
    }

    private mutating func reconnect(_ index: Int, leavingFirst: Bool) {
        let old = clients[index].session
        guard room.readers[old]?.welcome != nil else { return }
        if leavingFirst { room.leave(old) }
        clients[index].session = room.rejoin(as: old)
        clients[index].seen = 0
        clients[index].isConnected = false
        if !leavingFirst { room.leave(old) }
    }

    /// Reads what came for a client and answers as a client does.
    private mutating func digest(_ index: Int) {
        let session = clients[index].session
        guard let reader = room.readers[session], let welcome = reader.welcome else { return }
        if room.closed[session] != nil {
            reconnect(index, leavingFirst: false)
            return
        }
        if !clients[index].isConnected {
            clients[index].isConnected = true
            for submission in clients[index].pending where submission.sequence > welcome.lastSequence {
                room.send(.submit(submission), from: session)
            }
        }
        // What is in the canvas it was given, or was said to be committed, is answered.
        let committed = max(welcome.lastSequence, reader.canvas?.lastSequence(of: welcome.site) ?? 0)
        settle(index) { $0 <= committed }
        let answers = reader.answers
        for answer in answers[min(clients[index].seen, answers.count)...] {
            clients[index].seen += 1
            switch answer {
            case .committed(let sequence), .acknowledged(let sequence): settle(index) { $0 == sequence }
            case .refused(let sequence, _):
                clients[index].pending.removeAll { $0.sequence == sequence }
                room.send(.confirm(sequence), from: session)
                for submission in clients[index].pending where submission.sequence > sequence {
                    room.send(.submit(submission), from: session)
                }
            }
        }
    }

    private mutating func settle(_ index: Int, _ isAnswered: (SequenceNumber) -> Bool) {
        for submission in clients[index].pending where isAnswered(submission.sequence) {
            let id = TransactionID(
                site: room.readers[clients[index].session]!.welcome!.site, sequence: submission.sequence)
            #expect(room.log.contains { $0.id == id }, "acknowledged is durable; client \(index), seed \(seed)")
        }
        clients[index].pending.removeAll { isAnswered($0.sequence) }
    }

    // MARK: Storage

    /// One append fails, and with it all behind it, as they do not follow the log any more, unless it was written after all.
    private mutating func failAppends() {
        guard let first = room.appends.first else { return }
        let kept = random.next(below: 2) == 0 ? 0 : first.count
        room.failAppend(kept: kept)
        if kept == 0 {
            while !room.appends.isEmpty { room.failAppend() }
        }
    }

    /// A session that needs what the log has lost is one that the room has ended; word of that is on its way.
    private mutating func checkTrim() {
        for client in clients where room.closed[client.session] == nil {
            guard let reader = room.readers[client.session], reader.welcome != nil, let canvas = reader.canvas else {
                continue
            }
            if canvas.revision < room.base { ended.insert(client.session) }
        }
    }

    // MARK: The end

    mutating func calmDown() {
        for _ in 0..<40 {
            for client in clients { room.resumeReading(client.session) }
            room.deliverMail()
            while !room.appends.isEmpty { room.finishAppendInOrder() }
            while !room.reads.isEmpty { room.answerRead() }
            while !room.encodings.isEmpty { room.finishEncoding() }
            room.wait(2_000)
            room.deliverMail()
            for index in clients.indices { digest(index) }
        }
    }

    func check() {
        #expect(room.log.map(\.revision) == (0..<room.log.count).map { UInt64($0 + 1) }, "seed \(seed)")
        #expect(Set(room.log.map(\.id)).count == room.log.count, "each number is committed once; seed \(seed)")
        #expect(room.engine.canvas.revision == UInt64(room.log.count) && room.engine.inFlightCount == 0, "seed \(seed)")
        #expect(room.engine.canvas.recomputedDigest() == room.engine.canvas.digest, "seed \(seed)")
        for client in clients {
            #expect(!ended.contains(client.session), "seed \(seed)")
            #expect(client.pending.isEmpty, "everything was answered; seed \(seed)")
            #expect(room.readers[client.session]?.canvas?.digest == room.engine.canvas.digest, "seed \(seed)")
            let others = clients.map(\.session).filter { $0 != client.session }
            #expect(
                Set(room.readers[client.session]!.presence.keys) == Set(others.map { room.readers[$0]!.welcome!.site }),
                "everybody is seen, and nobody else; seed \(seed)")
        }
        #expect(!room.isTrimming && room.engine.sessionCount == clients.count, "seed \(seed)")
        #expect(room.log.count > 5, "something was committed; seed \(seed)")
    }
}

extension TestRoom {
    /// Finishes the oldest append if it follows the log; a log refuses any other.
    fileprivate mutating func finishAppendInOrder() {
        if appends[0].first?.revision == UInt64(log.count) + 1 { finishAppend() } else { failAppend() }
    }
}

/// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
private struct SplitMix64 {
    var state: UInt64

    mutating func next(below bound: UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return (word ^ word >> 31) % max(bound, 1)
    }
}
