import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

@Suite("Presence")
struct PresenceTests {
    private static func pointing(_ x: Double, name: String = "x") -> ClientMessage {
        .presence(Presence(name: name, pointer: .init(x: x, y: 0)))
    }

    @Test("who joins sees who is there and is seen by name")
    func joining() {
        var room = TestRoom.opened()
        let a = room.join(name: "Ada")
        room.wait(1_000)
        let b = room.join(name: "Bo")
        room.wait(1_000)
        #expect(room.readers[b]?.presence.values.map(\.name) == ["Ada"])
        #expect(room.readers[a]?.presence.values.map(\.name) == ["Bo"])
    }

    @Test("PR-03 AUTH-03 others see the name of the hello and the session's own site, whatever presence says")
    func rebuilt() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(name: "Ada"), room.join(name: "Bo"))
        room.wait(1_000)
        room.send(Self.pointing(4, name: "Admin"), from: b)
        room.wait(1_000)
        let update = room.readers[a]?.presenceUpdates.last
        #expect(update?.site == room.readers[b]?.welcome?.site)
        #expect(update?.presence == Presence(name: "Bo", pointer: .init(x: 4, y: 0)))
    }

    @Test("PR-03 one's own presence is not sent back")
    func notEchoed() {
        var room = TestRoom.opened()
        let a = room.join()
        room.wait(1_000)
        room.send(Self.pointing(1), from: a)
        room.wait(1_000)
        #expect(room.readers[a]?.presenceUpdates.isEmpty == true)
    }

    @Test("PR-01 PRES-01 PRES-02 who has gone is announced once, and it is the one who has gone")
    func leaving() {
        var room = TestRoom.opened()
        let (a, b, c) = (room.join(), room.join(), room.join())
        room.wait(1_000)
        room.leave(b)
        room.wait(1_000)
        room.leave(b)
        room.wait(1_000)
        for id in [a, c] {
            let gone = room.readers[id]?.presenceUpdates.filter { $0.presence == nil }.map(\.site)
            #expect(gone == [room.readers[b]!.welcome!.site])
        }
    }

    @Test("PRES-03 one of two sessions of a person leaves and the other stays")
    func twoSessionsOfOnePerson() {
        var room = TestRoom.opened()
        let (watcher, first, second) = (room.join(), room.join(name: "Bo"), room.join(name: "Bo"))
        room.wait(1_000)
        room.leave(first)
        room.wait(1_000)
        #expect(room.readers[watcher]?.presence[room.readers[second]!.welcome!.site]?.name == "Bo")
    }

    @Test("who never saw a session is not told that it has gone")
    func unseenLeaver() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.wait(1_000)
        room.leave(b)
        room.wait(1_000)
        let c = room.join()
        room.wait(1_000)
        #expect(room.readers[c]?.presenceUpdates.map(\.site) == [room.readers[a]!.welcome!.site])
    }

    @Test("who left and came back while a reader was stalled is there for it")
    func leftAndBack() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.wait(1_000)
        room.readers[a]?.isStalled = true
        room.leave(b)
        room.wait(1_000)
        let again = room.rejoin(as: b)
        room.wait(1_000)
        room.resumeReading(a)
        let site = room.readers[again]!.welcome!.site
        #expect(room.readers[a]?.presence[site] == Presence(name: "Ada"))
        room.leave(again)
        room.wait(1_000)
        #expect(room.readers[a]?.presence[site] == nil)
    }

    @Test("PRES-04 presence that does not change makes no messages")
    func unchanged() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.send(Self.pointing(1), from: b)
        room.wait(1_000)
        let before = room.readers[a]!.payloads.count
        for _ in 0..<10 {
            room.send(Self.pointing(1), from: b)
            room.wait(1_000)
        }
        #expect(room.readers[a]!.payloads.count == before)
    }

    @Test("PR-02 PRES-04 changes within a round come as one, in their last state")
    func coalesced() {
        var room = TestRoom.opened()
        let (a, b) = (room.join(), room.join())
        room.wait(1_000)
        room.send(Self.pointing(0), from: b)
        let before = room.readers[a]!.payloads.count
        for x in 1...20 { room.send(Self.pointing(Double(x)), from: b) }
        #expect(room.readers[a]!.payloads.count == before, "the round has begun just now")
        let wake = room.engine.wakeTime!
        room.wait(wake - room.now)
        #expect(room.readers[a]!.payloads.count == before + 1)
        #expect(room.readers[a]?.presenceUpdates.last?.presence?.pointer?.x == 20)
    }

    @Test("rounds come more seldom in a large room")
    func roundsOfLargeRooms() {
        var limits = RoomLimits()
        limits.presenceFramesPerSecond = 10
        var room = TestRoom.opened(limits: limits)
        let ids = (0..<10).map { _ in room.join() }
        room.wait(10_000)
        room.send(Self.pointing(1), from: ids[0])
        room.send(Self.pointing(2), from: ids[0])
        #expect(room.engine.wakeTime! - room.now >= 1_000)
    }

    @Test("sessions that see the same presence get the same bytes; commits come before presence")
    func sharedAndLast() {
        var room = TestRoom.opened()
        let ids = (0..<4).map { _ in room.join() }
        room.wait(1_000)
        for id in ids { room.readers[id]?.isStalled = true }
        room.now += 1_000
        room.send(Self.pointing(1), from: ids[0])
        room.submit(1, from: ids[1])
        for id in ids { room.resumeReading(id) }
        let last = ids[1...].map { room.readers[$0]!.payloads.last! }
        #expect(last.allSatisfy { $0 === last[0] && $0.isPresence })
        #expect(room.readers[ids[0]]?.payloads.last?.isPresence == false)
    }

    @Test("presence beyond its limits ends the session and reaches nobody")
    func beyondLimits() {
        var room = TestRoom.opened()
        let (a, b, c) = (room.join(), room.join(), room.join())
        room.wait(1_000)
        let before = room.readers[a]!.presenceUpdates.count
        let shape = ShapeID("s")!
        let ids = Array(repeating: shape, count: ProtocolLimits.selectedShapes + 1)
        room.send(.presence(Presence(name: "x", selection: ids)), from: b)
        room.send(Self.pointing(.infinity), from: c)
        room.wait(1_000)
        #expect(room.closed == [b: .malformed, c: .malformed])
        #expect(room.readers[a]?.presenceUpdates[before...].allSatisfy { $0.presence == nil } == true)
    }

    @Test("who joins a room with more presence than a frame holds sees everybody, and nobody who has gone")
    func moreThanAFrame() {
        var room = TestRoom.opened()
        let a = room.join(name: "Ada")
        let selection = (0..<ProtocolLimits.selectedShapes).map {
            ShapeID(String(repeating: "s", count: 28) + "\($0)")!
        }
        let guests = (0..<40).map { _ in room.join(name: "Guest") }
        for guest in guests { room.send(.presence(Presence(name: "x", selection: selection)), from: guest) }
        room.wait(1_000)
        let b = room.join(name: "Bo")
        room.wait(1_000)
        #expect(room.readers[b]?.presence.count == 41)
        #expect(room.readers[b]?.presence.values.count { $0.selection == selection } == 40)
        #expect(room.readers[b]!.payloads.allSatisfy { $0.bytes.count <= ProtocolLimits.frameBytes })
        for guest in guests { room.leave(guest) }
        room.wait(1_000)
        // Enough changes for tombstones to be forgotten, in one round.
        for x in 0..<200 { room.send(Self.pointing(Double(x)), from: a) }
        room.wait(1_000)
        let late = room.join(name: "Zoe")
        room.wait(1_000)
        #expect(Set(room.readers[late]!.presence.values.map(\.name)) == ["Ada", "Bo"])
        #expect(Set(room.readers[b]!.presence.values.map(\.name)) == ["Ada", "Zoe"])
    }

    @Test("memory of presence does not grow with the number of changes")
    func compaction() {
        var room = TestRoom.opened()
        let a = room.join()
        room.wait(1_000)
        for round in 0..<2_000 {
            let guest = room.join()
            room.send(Self.pointing(Double(round)), from: guest)
            room.wait(50)
            room.leave(guest)
            room.wait(50)
        }
        let late = room.join()
        room.wait(1_000)
        #expect(room.readers[late]?.presence.count == 1)
        #expect(room.readers[a]?.presence.count == 1)
        #expect(room.readers[a]?.presenceUpdates.count { $0.presence == nil } == 2_000)
    }
}
