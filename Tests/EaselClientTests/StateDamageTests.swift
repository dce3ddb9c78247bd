import EaselClientEngine
import EaselCore
import EaselProtocol
import Foundation
import Testing

@testable import EaselClient

@Suite("Files of a kept state that are damaged, foreign or not to be written")
struct StateDamageTests {
    /// A desk with a state of several records and a canvas of several.
    private func desk() throws -> StateDesk {
        let desk = try StateDesk()
        var server = OrderingServer()
        let store = try desk.store()
        try server.connect(store)
        let id = try StateTests.create(store)
        try server.serve(store)
        try desk.settle(store)
        try server.editElsewhere(.set(id, [PropertyChange(StateTests.x, .integer(4))]), seenBy: store)
        try store.edit("Type") { $0.insertText("ab", at: 0, in: id) }
        store.keep()
        return desk
    }

    private func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// What is found in a file without opening the folder: the number of waiting edits, or nil for what is not usable.
    private func find(_ path: String) -> (waiting: Int, isDamaged: Bool)? {
        guard case .state(let saved) = StateFile.find(path, server: ServerAddress(host: "127.0.0.1", port: 1)),
            let engine = try? ClientEngine.restore(from: saved.bytes)
        else { return nil }
        return (engine.pendingCount, saved.isDamaged)
    }

    /// Opens the folder with a state and a canvas, and works in it.
    private func open(_ desk: StateDesk, state: [UInt8], canvas: [UInt8]) throws -> Status {
        try write(state, desk.file("client"))
        try write(canvas, desk.file("canvas"))
        let store = try desk.store(site: 300)
        let status = store.status
        _ = try StateTests.create(store)
        store.keep()
        store.canvas.checkInvariants()
        return status
    }

    @Test("a state cut at any length is an earlier state or none, and never traps")
    func truncated() throws {
        let desk = try desk()
        let (state, path) = (try read(desk.file("client")), desk.file("cut"))
        var found: [Int?] = []
        for count in 0...state.count {
            try write(Array(state.prefix(count)), path)
            let waiting = find(path)?.waiting
            if found.isEmpty || found[found.count - 1] != waiting { found.append(waiting) }
        }
        // Nothing; the state a client starts with; its creation under way; that stored; its typing.
        #expect(found == [nil, 0, 1, 0, 1])
    }

    @Test("a client whose state was cut goes on from an earlier one, or starts anew; what was there is kept aside")
    func openedTruncated() throws {
        let desk = try desk()
        let (state, canvas) = (try read(desk.file("client")), try read(desk.file("canvas")))
        for count in stride(from: 0, through: state.count, by: 41) {
            _ = try open(desk, state: Array(state.prefix(count)), canvas: canvas)
            for name in try desk.names() where name.hasPrefix("client.damaged") {
                #expect(try read(desk.file(name)).count == count)
                try FileManager.default.removeItem(atPath: desk.file(name))
            }
        }
        let said = desk.sentences
        #expect(said.contains { $0.contains("is damaged; it is kept as ") })
        #expect(said.contains { $0.hasPrefix("the end of ") && $0.hasSuffix("goes on from before it") })
        let whole = try open(desk, state: state, canvas: canvas)
        #expect(whole.pendingCount == 1 && whole.revision == 2)
        #expect(desk.sentences == said)
    }

    @Test("a flipped bit anywhere in a state or a canvas is noticed and never traps")
    func flipped() throws {
        let desk = try desk()
        let (state, canvas) = (try read(desk.file("client")), try read(desk.file("canvas")))
        let path = desk.file("flipped")
        for offset in state.indices {
            var damaged = state
            damaged[offset] ^= 1 << UInt8(offset % 8)
            try write(damaged, path)
            let result = find(path)
            #expect(result?.isDamaged ?? true, "\(offset)")
            guard offset % 31 == 0 else { continue }
            _ = try open(desk, state: damaged, canvas: canvas)
        }
        guard case .state(let saved) = StateFile.find(desk.file("client"), server: .local) else { return }
        Issue.record("a state of another server was found: \(saved)")
    }

    @Test("a canvas that is damaged anywhere is not used: it comes from the server, and what was edited is there")
    func damagedCanvas() throws {
        let desk = try desk()
        let (state, canvas) = (try read(desk.file("client")), try read(desk.file("canvas")))
        for offset in stride(from: 0, to: canvas.count, by: 13) {
            var damaged = canvas
            damaged[offset] ^= 1 << UInt8(offset % 8)
            let status = try open(desk, state: state, canvas: damaged)
            #expect(status.pendingCount == 1 && status.revision == 0, "\(offset)")
            #expect(try open(desk, state: state, canvas: Array(canvas.prefix(offset))).revision == 0)
        }
        #expect(try open(desk, state: state, canvas: canvas).revision == 2)
        #expect(desk.sentences == [])
    }

    @Test("a client whose newest edits were lost with the power names nothing twice, and knows its own commits again")
    func olderState() throws {
        let desk = try StateDesk()
        var server = OrderingServer()
        let store = try desk.store()
        try server.connect(store)
        let id = try StateTests.create(store)
        try server.serve(store)
        try desk.settle(store)
        store.change { $0.disconnected() }
        try store.edit("Type") { $0.insertText("a", at: 0, in: id) }
        store.keep()
        let folder = try desk.afterKill()
        // What the disk has is older than what the server got.
        try server.connect(store)
        let late = try StateTests.create(store)
        try server.serve(store)
        let file = desk.file("client", in: folder)
        try write(try read(file) + [1], file)
        let again = try desk.store(site: 200, in: folder)
        let other = try StateTests.create(again)
        #expect(other != late && other != id)
        try server.connect(again)
        #expect(server.canvas[id]?.text.string == "a")
        #expect(server.canvas.shapeCount == 3 && again.status.pendingCount == 0)
        #expect(again.canvas.digest == server.canvas.digest)
        // The edit was committed once: creation, typing, creation, creation.
        #expect(server.canvas.revision == 4)
        #expect(again.undoLabels() == ["Create", "Type", "Create"])
        try again.undo()
        try again.undo()
        try server.serve(again)
        #expect(server.canvas[id]?.text.string == "")
    }

    @Test("a state of a later version, and what is no state, are set aside and said")
    func foreign() throws {
        let desk = try StateDesk()
        _ = try desk.store()
        let contents: [(String, [UInt8])] = [
            ("was written by a later version", Array("easelst3".utf8)), ("is damaged", Array("something else".utf8)),
            ("is damaged", []),
        ]
        for (index, (reason, bytes)) in contents.enumerated() {
            try write(bytes, desk.file("client"))
            #expect(try desk.store().status.pendingCount == 0)
            let name = "client.damaged-\(index + 1)"
            #expect(
                desk.sentences.last
                    == "\(desk.file("client")) \(reason); it is kept as \(desk.file(name)), and this editor starts without it"
            )
            #expect(try read(desk.file(name)) == bytes)
        }
        try FileManager.default.removeItem(atPath: desk.file("client"))
        try FileManager.default.createDirectory(atPath: desk.file("client"), withIntermediateDirectories: false)
        #expect(try desk.store().status.pendingCount == 0)
    }

    @Test("a folder that cannot be written is refused with a sentence, and what is in it stays")
    func unwritable() throws {
        let desk = try StateDesk()
        let store = try desk.store()
        _ = try StateTests.create(store)
        store.keep()
        let folder = try desk.afterKill()
        let before = try read(desk.file("client", in: folder))
        try FileManager.default.createSymbolicLink(
            atPath: desk.file("client.new", in: folder), withDestinationPath: "/dev/full")
        let path = desk.file("client", in: folder)
        do {
            _ = try desk.state(in: folder)
            Issue.record("it was opened")
        } catch let error as KeptStateError {
            #expect(error.description == "\(path) cannot be written: No space left on device")
        }
        #expect(try read(path) == before)
        #expect(throws: KeptStateError.self) { try desk.state(in: "/dev/null/state") }
        #expect(desk.sentences == [])
    }

    @Test(
        "when the state cannot be written while editing it is said once; what is sent unwritten is never gone on from")
    func unwritableWhileEditing() throws {
        let desk = try StateDesk()
        var server = OrderingServer()
        let store = try desk.store()
        try server.connect(store)
        let id = try StateTests.create(store)
        store.setLevelsOfUndo(1)
        // The state is written anew after some megabytes.
        func edit(_ number: Int) throws {
            let value = String(repeating: "\(number % 10) long ", count: 7_000)
            try store.edit("Set") { $0.set(id, StateTests.x, .string(value)) }
            store.keep()
        }
        var before = 0
        while try read(desk.file("client")).count < 4 * 1024 * 1024 - 150_000 {
            try edit(before)
            try server.serve(store)
            before += 1
        }
        try FileManager.default.createDirectory(
            atPath: desk.file("client.new"), withIntermediateDirectories: false)
        var count = 0
        while store.kept?.isWritten == true, count < 200 {
            try edit(before + count)
            count += 1
        }
        #expect(count < 200)
        try #require(desk.sentences.count == 1)
        #expect(desk.sentences[0].hasSuffix("Is a directory; edits are not kept on this computer until it can"))
        // Nothing was sent, so what was kept is good.
        StateKeeper.settle(try #require(store.kept).keeper)
        let folder = try desk.afterKill()
        try FileManager.default.removeItem(atPath: desk.file("client.new", in: folder))
        let waiting = try desk.store(site: 200, in: folder).status.pendingCount
        #expect(waiting == store.status.pendingCount - 1)
        try server.serve(store)
        #expect(store.status.pendingCount == 0 && server.canvas.revision == UInt64(before + count) + 1)
        // Now it is not.
        let names = try desk.names()
        #expect(names.contains("client.outdated-1") && !names.contains("client"))
        #expect(desk.sentences.count == 1)
    }
}
