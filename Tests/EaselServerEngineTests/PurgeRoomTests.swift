import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

@Suite("A room that purges")
struct PurgeRoomTests {
    private func transaction(_ operations: Operation...) -> Transaction {
        Transaction(operations: operations, label: "")
    }

    private func create(_ id: ShapeID, _ site: SiteID) throws -> Operation {
        let order = try #require(OrderKey.between(nil, nil, site: site))
        return .create(Creation(id: id, kind: "note", parent: nil, order: order, properties: Properties()))
    }

    @Test(
        "OP-14: what was named since the canvas was looked at is left out, committed or under way; the rest goes as one commit"
    )
    func namedSince() throws {
        var room = TestRoom.opened()
        let session = room.join()
        let site = try #require(SiteID(5))
        let ids = (1...3).map { ShapeID(site: site, counter: $0) }
        for (index, id) in ids.enumerated() {
            room.submit(UInt64(index + 1), try transaction(create(id, site)), from: session)
        }
        room.submit(4, transaction(.hide(.deleted, .shapes(ids))), from: session)
        #expect(room.engine.canvas.revision == 4)
        // Shown and deleted again, so that only who looks at what was named can tell.
        let again = ids.map { transaction(.show(.deleted, .shapes([$0])), .hide(.deleted, .shapes([$0]))) }
        room.submit(5, again[0], from: session)
        room.answersAtOnce = false
        room.submit(6, again[1], from: session)
        #expect(room.engine.canvas.revision == 5 && room.engine.inFlightCount == 1)

        var count = 0
        room.input { engine, _, moment in count = engine.purge([.shapes(ids)], foundAt: 4, at: moment) }
        while !room.appends.isEmpty { room.finishAppend() }
        #expect(count == 1 && room.engine.canvas.revision == 7)
        #expect(room.engine.canvas.lastSequence(of: .server) == 1)
        #expect(ids.map { room.engine.canvas[$0] != nil } == [true, true, false])
    }

    @Test("OP-14: a client that asks for a purge is refused")
    func clients() throws {
        var room = TestRoom.opened()
        let session = room.join()
        room.submit(
            1, transaction(.purge(.shapes([ShapeID(site: try #require(SiteID(5)), counter: 1)]))), from: session)
        #expect(room.engine.canvas.revision == 0 && room.engine.inFlightCount == 0)
    }
}
