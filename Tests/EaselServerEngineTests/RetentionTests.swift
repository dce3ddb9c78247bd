import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

@Suite("A log that is trimmed")
struct RetentionTests {
    /// Numbers that look random and are the same in every run (SplitMix64; Steele, Lea, Flood, 2014).
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    /// A room in which one session writes, with a window of 8 commits and a trail of 64.
    private struct Story {
        var room: TestRoom
        let writer: SessionID
        private var sequence: SequenceNumber = 0
        private let shape: ShapeID

        init() {
            var limits = RoomLimits()
            limits.windowCommits = 8
            limits.trailCommits = 64
            limits.snapshotReuseBytes = 200
            limits.pageBytes = 400
            room = .opened(limits: limits)
            writer = room.join()
            shape = ShapeID("A")!
        }

        var head: Revision { room.engine.canvas.revision }

        mutating func write(_ count: Int) {
            for _ in 0..<count {
                sequence += 1
                let operation: EaselCore.Operation =
                    sequence == 1
                    ? .create(
                        Creation(
                            id: shape, kind: "note", parent: nil, order: OrderKey("V")!, properties: Properties()))
                    : .set(shape, [PropertyChange(PropertyKey("x"), .integer(Int64(sequence)))])
                room.submit(sequence, Transaction(operations: [operation], label: "Move"), from: writer)
            }
        }

        /// Trims as far as the room lets it.
        mutating func trim(to target: Revision) -> Revision? {
            room.trim(to: target)
            return room.allowedTrim
        }

        /// A session's next one, from the state that it was left in.
        mutating func comeBack(_ old: SessionID) -> SessionID {
            let new = room.rejoin(as: old)
            room.readers[old] = nil
            return new
        }

        func isUpToDate(_ id: SessionID) -> Bool {
            room.readers[id]?.canvas?.revision == head && room.readers[id]?.canvas?.digest == room.engine.canvas.digest
        }
    }

    @Test("C1 a return is complete or says reload: 5,000 random absences around the edges of what is kept")
    func absences() throws {
        var random = Random(state: 1)
        var story = Story()
        story.write(100)
        var reader = story.room.join()
        var (continued, reloaded, edges) = (0, 0, 0)
        for round in 0..<5_000 {
            #expect(story.isUpToDate(reader), "round \(round)")
            let left = try #require(story.room.readers[reader]?.canvas?.revision)
            story.room.leave(reader)
            let gap = [
                Int.random(in: 0...3, using: &random), .random(in: 6...10, using: &random),
                .random(in: 56...72, using: &random),
            ]
            story.write(gap[[0, 0, 1, 1, 1, 2].randomElement(using: &random) ?? 0])
            let newest = min(story.head, left + 3)
            let target = Revision.random(in: (newest > 12 ? newest - 12 : 0)...newest, using: &random)
            if round % 3 != 0 { _ = story.trim(to: target) }
            reader = story.comeBack(reader)
            let welcome = try #require(story.room.readers[reader]?.welcome)
            let horizon = try #require(welcome.horizon)
            #expect(horizon >= story.room.base)
            // The promise, both ways.
            #expect((welcome.catchup == .commits) == (left >= horizon), "round \(round)")
            if welcome.catchup == .commits { continued += 1 } else { reloaded += 1 }
            if left + 1 == horizon || left == horizon { edges += 1 }
        }
        #expect(continued > 500 && reloaded > 500 && edges > 100, "\(continued) \(reloaded) \(edges)")
    }

    @Test(
        "D10 no trim takes what a connected session has not been sent, however slow it is",
        arguments: 1...5 as ClosedRange<UInt64>)
    func slowSessions(_ seed: UInt64) throws {
        var random = Random(state: seed)
        var story = Story()
        story.write(30)
        var readers = (0..<6).map { _ in story.room.join() }
        var (trims, held) = (0, 0)
        for round in 0..<400 {
            for (index, id) in readers.enumerated() {
                switch Int.random(in: 0..<8, using: &random) {
                case 0: story.room.readers[id]?.isStalled = true
                case 1, 2: story.room.resumeReading(id)
                case 3:
                    story.room.leave(id)
                    readers[index] = story.comeBack(id)
                default: break
                }
            }
            story.write(Int.random(in: 0...9, using: &random))
            let target = Revision.random(in: (story.head > 40 ? story.head - 40 : 0)...story.head, using: &random)
            let allowed = story.trim(to: target)
            if target > story.room.base { held += 1 }
            if let allowed {
                trims += 1
                for id in readers where story.room.closed[id] == nil {
                    guard let has = story.room.readers[id]?.canvas?.revision else { continue }
                    #expect(allowed <= has, "round \(round)")
                }
            }
            for (index, id) in readers.enumerated() where story.room.closed[id] != nil {
                // A session that was too slow for the room's own bounds is told so, and comes back.
                #expect(story.room.closed[id] == .tooSlow)
                readers[index] = story.comeBack(id)
            }
        }
        for id in readers { story.room.resumeReading(id) }
        for (index, id) in readers.enumerated() where story.room.closed[id] != nil {
            readers[index] = story.comeBack(id)
        }
        for id in readers { #expect(story.isUpToDate(id)) }
        #expect(trims > 20 && held > 20, "\(trims) \(held)")
    }

    @Test("a trim is not let past the snapshot that joiners are being given, nor into a room that has not loaded")
    func limits() {
        var story = Story()
        story.write(50)
        let joiner = story.room.join(having: nil)
        story.room.readers[joiner]?.isStalled = true
        story.write(5)
        #expect(story.trim(to: 55).map { $0 <= 50 } == true)
        #expect(story.trim(to: 40) == nil, "a trim never goes back")
        var unloaded = TestRoom()
        unloaded.allowedTrim = 1
        unloaded.trim(to: 5)
        #expect(unloaded.allowedTrim == nil)
    }

    @Test(
        "O4 after restart, trim and snapshot, operation 1 of every client sent again is acknowledged and applied to nothing"
    )
    func duplicates() throws {
        var room = TestRoom.opened()
        var clients: [(resume: Hello.Resume, canvas: Canvas?, transaction: Transaction)] = []
        for _ in 0..<60 {
            let id = room.join()
            let site = try #require(room.readers[id]?.welcome?.site)
            let transaction = Transaction.sample(site, 1)
            for sequence: SequenceNumber in 1...3 {
                room.submit(sequence, sequence == 1 ? transaction : nil, from: id)
            }
            clients.append((try #require(room.readers[id]?.resume), room.readers[id]?.canvas, transaction))
            room.leave(id)
        }
        let head = room.engine.canvas.revision
        #expect(head == 180)
        for snapshotAt in [180, 179, 100] {
            var restarted = TestRoom()
            restarted.log = room.log
            restarted.base = Revision(snapshotAt)
            restarted.load(snapshotAt: snapshotAt)
            for client in clients {
                let id = restarted.join(resume: client.resume, having: client.canvas)
                #expect(restarted.readers[id]?.welcome?.lastSequence == 3)
                restarted.submit(1, client.transaction, from: id)
                #expect(restarted.readers[id]?.answers.last == .acknowledged(1))
                restarted.submit(4, from: id)
                #expect(restarted.readers[id]?.answers.last == .committed(4))
                restarted.leave(id)
            }
            #expect(restarted.engine.canvas.revision == head + 60)
        }
    }
}
