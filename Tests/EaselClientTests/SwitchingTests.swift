import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import Synchronization
import Testing

@Suite("Going from one canvas to another")
struct SwitchingTests {
    private static let x: PropertyKey = PropertyKey("x")

    private static func store(_ name: String) throws -> CanvasStore {
        CanvasStore(canvas: try #require(CanvasID(name)), name: "Ana", provisionalSite: try #require(SiteID(1)))
    }

    /// Two canvases with a shape each; made alike, so the shapes have the same id.
    private static func stores() throws -> (old: CanvasStore, new: CanvasStore, id: ShapeID) {
        let (old, new) = (try store("old"), try store("new"))
        let id = try CanvasStoreTests.created(old)
        #expect(try CanvasStoreTests.created(new) == id)
        return (old, new, id)
    }

    @Test(
        "C7: a result that was begun on the old canvas and comes late is stale on the new one and changes nothing there"
    )
    func heldResult() throws {
        let (old, new, id) = try Self.stores()
        let version = old.viewVersion
        let (canvas, labels) = (new.canvas, new.undoLabels())
        #expect(throws: EditError.stale) {
            try new.edit("Import", unchangedSince: version) { $0.set(id, Self.x, .integer(9)) }
        }
        #expect(new.canvas.difference(from: canvas).isEmpty && new.undoLabels() == labels)
        #expect(old.viewVersion == version)
    }

    @Test("C7: handlers of the old canvas hear nothing of the new one, and nothing at all once they are ended")
    func oldHandlers() throws {
        let (old, new, id) = try Self.stores()
        let heard = Mutex(0)
        let observation = old.observe { _ in heard.withLock { $0 += 1 } }
        try new.edit("Move") { $0.set(id, Self.x, .integer(1)) }
        #expect(heard.withLock { $0 } == 0)
        observation.end()
        try old.edit("Move") { $0.set(id, Self.x, .integer(2)) }
        #expect(heard.withLock { $0 } == 0)
        #expect(new.canvas[id]?[Self.x] == .integer(1))
    }

    @Test("C7: a group and typing that were ended before leaving are whole steps of the old canvas, and of it alone")
    func endedFirst() throws {
        let (old, new, id) = try Self.stores()
        old.beginGroup("Arrange")
        try old.edit("Move") { $0.set(id, Self.x, .integer(1)) }
        old.endGroup()
        try old.edit("Type", coalescing: .typing) { $0.insertText("a", at: 0, in: id) }
        old.endTyping()
        try new.edit("Type", coalescing: .typing) { $0.insertText("b", at: 0, in: id) }
        #expect(new.undoLabels() == ["Type", "Create"])
        try old.edit("Type", coalescing: .typing) { $0.insertText("c", at: 1, in: id) }
        #expect(old.undoLabels() == ["Type", "Type", "Arrange", "Create"])
        try old.undo()
        try old.undo()
        try old.undo()
        #expect(old.canvas[id]?[Self.x] == nil && old.canvas[id]?.text.string == "")
        #expect(new.canvas[id]?.text.string == "b")
        #expect(new.undoLabels() == ["Type", "Create"])
        #expect(!new.historyState().canRedo)
    }
}
