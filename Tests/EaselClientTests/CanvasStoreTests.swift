import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import Foundation
import Synchronization
import Testing

@Suite("The store as applications use it")
struct CanvasStoreTests {
    static let x: PropertyKey = PropertyKey("x")

    static func store() throws -> CanvasStore {
        CanvasStore(canvas: try #require(CanvasID("plan")), name: "Ana", provisionalSite: try #require(SiteID(1)))
    }

    static func created(_ store: CanvasStore) throws -> ShapeID {
        var made: ShapeID?
        try store.edit("Create") { made = $0.create(kind: "note") }
        return try #require(made)
    }

    @Test("C6: editing, undo and redo inside an edit's closure are refused with an error; reading is allowed")
    func editInsideEdit() throws {
        let store = try Self.store()
        let id = try Self.created(store)
        try store.edit("Outer") { draft in
            #expect(store.canvas[id]?[Self.x] == nil)
            #expect(throws: EditError.insideEdit) { try store.edit("Inner") { $0.delete([id]) } }
            #expect(throws: EditError.insideEdit) { try store.undo() }
            #expect(throws: EditError.insideEdit) { try store.redo() }
            draft.set(id, Self.x, .integer(1))
        }
        #expect(store.canvas[id]?[Self.x] == .integer(1))
        #expect(store.undoLabels() == ["Outer", "Create"])
        try store.undo()
        #expect(store.canvas[id]?[Self.x] == nil)
    }

    @Test("A5: a canvas that was read is a snapshot: later edits do not change it")
    func snapshots() throws {
        let store = try Self.store()
        let id = try Self.created(store)
        let before = store.canvas
        try store.edit("Move") { $0.set(id, Self.x, .integer(1)) }
        #expect(before[id]?[Self.x] == nil)
        #expect(store.canvas.difference(from: before) == [.set(id, [PropertyChange(Self.x, .integer(1))])])
    }

    @Test("C10: observers run synchronously, in order, after the state has changed; an ended one hears nothing more")
    func observers() throws {
        let store = try Self.store()
        let id = try Self.created(store)
        let seen = Mutex<[String]>([])
        let observation = store.observe { event in
            guard case .changed(let change) = event else { return }
            let isCurrent = change.after.digest == store.canvas.digest
            seen.withLock { $0.append("\(change.shapes.count) \(isCurrent)") }
        }
        try store.edit("Move") { $0.set(id, Self.x, .integer(1)) }
        #expect(seen.withLock { $0 } == ["1 true"])
        try store.undo()
        #expect(seen.withLock { $0 } == ["1 true", "1 true"])
        observation.end()
        try store.redo()
        #expect(seen.withLock { $0.count } == 2)
    }

    @Test("an observer may edit: its event comes after the one it is told of")
    func observersMayEdit() throws {
        let store = try Self.store()
        let id = try Self.created(store)
        let origins = Mutex<[UInt32]>([])
        let observation = store.observe { event in
            guard case .changed(let change) = event, case .edit(let view) = change.origin else { return }
            origins.withLock { $0.append(view) }
            if view == 1 { _ = try? store.edit("Answer", from: 2) { $0.set(id, Self.x, .integer(2)) } }
        }
        try store.edit("Ask", from: 1) { $0.set(id, Self.x, .integer(1)) }
        #expect(origins.withLock { $0 } == [1, 2])
        #expect(store.canvas[id]?[Self.x] == .integer(2))
        observation.end()
    }

    @Test("A1: edits from many threads are all made, one after the other")
    func manyThreads() throws {
        let store = try Self.store()
        let id = try Self.created(store)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for number in 0..<100 {
                _ = try? store.edit("Type") { $0.insertText("\(number % 10)", at: 0, in: id) }
                if number % 10 == 0 { _ = try? store.undo() }
                _ = store.historyState()
            }
            _ = thread
        }
        store.canvas.checkInvariants()
        #expect(store.canvas[id]?.text.count == 800)
        #expect(store.status.pendingCount == 1 + 800 + 80)
    }

    @Test(
        "an address is read from a URL, and nothing else is taken for one",
        arguments: [
            ("ws://127.0.0.1:8787", "ws://127.0.0.1:8787"), ("localhost", "ws://localhost:8787"),
            ("ws://[::1]:9/", "ws://[::1]:9"), ("wss://host", "wss://host:443"), ("WSS://host:9", "wss://host:9"),
            ("http://host", nil), ("host:0", nil),
            ("host:99999", nil), ("", nil), ("ws://host/path", nil),
        ])
    func addresses(text: String, expected: String?) {
        #expect(ServerAddress(text)?.description == expected)
    }

    @Test("an observer that holds another observation can be ended: both are gone, nothing waits for itself")
    func observersThatHoldObservations() throws {
        let store = try Self.store()
        let id = try Self.created(store)
        let calls = Mutex(0)
        var outer: Observation?
        do {
            let inner = store.observe { _ in calls.withLock { $0 += 1 } }
            outer = store.observe { _ in withExtendedLifetime(inner) {} }
        }
        outer?.end()
        outer = nil
        try store.edit("Move") { $0.set(id, Self.x, .integer(1)) }
        #expect(calls.withLock { $0 } == 0)
    }

    @Test("an observer added by an observer hears later events only, and one that was ended hears none")
    func observersComeAndGo() throws {
        let store = try Self.store()
        let id = try Self.created(store)
        let late = Mutex<(observation: Observation?, count: Int)>((nil, 0))
        let observation = store.observe { event in
            guard case .changed = event, late.withLock({ $0.observation == nil }) else { return }
            let added = store.observe { event in
                if case .changed = event { late.withLock { $0.count += 1 } }
            }
            late.withLock { $0.observation = added }
        }
        try store.edit("Move") { $0.set(id, Self.x, .integer(1)) }
        #expect(late.withLock { $0.count } == 0)
        try store.edit("Move") { $0.set(id, Self.x, .integer(2)) }
        #expect(late.withLock { $0.count } == 1)
        observation.end()
    }

    @Test("observers are told after an edit's closure, not in it")
    func observersWaitForTheEdit() throws {
        let store = try Self.store()
        let id = try Self.created(store)
        let order = Mutex<[String]>([])
        let observation = store.observe { _ in order.withLock { $0.append("told") } }
        try store.edit("Move") { draft in
            store.show(Presence(name: "Ana", pointer: Presence.Point(x: 1, y: 1)))
            draft.set(id, Self.x, .integer(1))
            order.withLock { $0.append("edited") }
        }
        #expect(order.withLock { $0.first } == "edited")
        #expect(order.withLock { $0.count } > 1)
        observation.end()
    }
}
