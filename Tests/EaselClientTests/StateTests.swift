import EaselClientEngine
import EaselCore
import EaselProtocol
import Foundation
import Testing

@testable import EaselClient

@Suite("O1: what a client keeps in a folder")
struct StateTests {
    static let x: PropertyKey = PropertyKey("x")
    private static let y: PropertyKey = PropertyKey("y")

    static func create(_ store: CanvasStore) throws -> ShapeID {
        var made: ShapeID?
        try store.edit("Create") { made = $0.create(kind: "note", text: "") }
        return try #require(made)
    }

    static func labels(_ store: CanvasStore) -> [String] { store.undoLabels() + ["/"] + store.redoLabels() }

    @Test("a client that never was connected finds its edits, its view and its undo again")
    func neverConnected() throws {
        let desk = try StateDesk()
        let store = try desk.store()
        let id = try Self.create(store)
        try store.edit("Move") { $0.set(id, Self.x, .integer(1)) }
        try store.edit("Move on") { $0.set(id, Self.x, .integer(2)) }
        try store.undo()
        store.keep()
        let again = try desk.store(site: 200, in: try desk.afterKill())
        #expect(again.status.pendingCount == 4)
        #expect(again.canvas.digest == store.canvas.digest)
        #expect(Self.labels(again) == Self.labels(store))
        try again.undo()
        #expect(again.canvas[id]?[Self.x] == nil)
        // What is made next has an identity that was not used before.
        #expect(try Self.create(again) != id)
        #expect(again.canvas.shapeCount == 2)
        #expect(desk.sentences == [])
    }

    @Test("what was committed is shown again without a server, at the same revision, others' commits included")
    func committedCanvas() throws {
        let desk = try StateDesk()
        var server = OrderingServer()
        let store = try desk.store()
        try server.connect(store)
        let id = try Self.create(store)
        try server.serve(store)
        for number in 1...20 {
            let change = PropertyChange(Self.x, .integer(Int64(number)))
            try server.editElsewhere(.set(id, [change]), seenBy: store)
        }
        store.keep()
        try desk.settle(store)
        try store.edit("Type") { $0.insertText("abc", at: 0, in: id) }
        try server.editElsewhere(.set(id, [PropertyChange(Self.y, .integer(3))]), seenBy: store)
        store.keep()
        let again = try desk.store(site: 200, in: try desk.afterKill())
        #expect(again.status.revision == 22 && again.status.digest == server.canvas.digest)
        #expect(again.canvas.digest == store.canvas.digest)
        #expect(again.undoLabels() == ["Type", "Create"])
        try server.connect(again)
        #expect(again.status.pendingCount == 0)
        #expect(again.canvas.digest == server.canvas.digest)
        #expect(server.canvas[id]?.text.string == "abc")
    }

    @Test("RECON-01: nothing is handed over for sending that is not in the file, under the number it is sent with")
    func writtenBeforeSent() throws {
        let desk = try StateDesk()
        var server = OrderingServer()
        let store = try desk.store()
        try server.connect(store)
        let id = try Self.create(store)
        try server.serve(store)
        try desk.settle(store)
        for round in 0..<30 {
            try store.edit("Type") { $0.insertText("\(round % 10)", at: 0, in: id) }
            if round % 3 == 0 { try store.undo() }
            let messages = store.takeMessages()
            let left = try desk.afterKill()
            let found = try desk.state(in: left).takeEngine()
            // A client that comes back sends exactly the same again.
            var again = found
            again.connected()
            _ = again.takeMessages()
            try again.receive([
                .welcome(
                    Welcome(
                        site: try #require(store.status.site), secret: 9, epoch: 1, revision: server.canvas.revision,
                        lastSequence: server.canvas.lastSequence(of: SiteID(7)!), role: .editor, catchup: .commits))
            ])
            let repeated = again.takeMessages().filter { $0.isSubmission }
            #expect(repeated.starts(with: messages.filter { $0.isSubmission }))
            #expect(messages.contains { $0.isSubmission })
            for case .submit(let submission) in messages {
                let answer = server.commit(submission, of: SiteID(7)!)
                try server.hand([answer], to: store)
            }
            try server.serve(store)
        }
    }

    @Test("killed with edits in flight, of which the server got a part: each is there once, and undo is what it was")
    func inFlight() throws {
        for kept in 0...4 {
            let desk = try StateDesk()
            var server = OrderingServer()
            let store = try desk.store()
            try server.connect(store)
            let id = try Self.create(store)
            try server.serve(store)
            try desk.settle(store)
            for letter in ["a", "b", "c", "d"] {
                let end = try #require(store.canvas[id]).text.count
                try store.edit("Type \(letter)") { $0.insertText(letter, at: end, in: id) }
            }
            let messages = store.takeMessages()
            let folder = try desk.afterKill()
            for case .submit(let submission) in messages.filter({ $0.isSubmission }).prefix(kept) {
                _ = server.commit(submission, of: SiteID(7)!)
            }
            try server.editElsewhere(.set(id, [PropertyChange(Self.x, .integer(5))]))
            let again = try desk.store(site: 200, in: folder)
            try server.connect(again)
            #expect(server.canvas[id]?.text.string == "abcd", "\(kept)")
            #expect(again.canvas.digest == server.canvas.digest)
            #expect(again.status.pendingCount == 0)
            for expected in ["abc", "ab", "a", ""] {
                try again.undo()
                try server.serve(again)
                #expect(server.canvas[id]?.text.string == expected)
            }
        }
    }

    @Test("undo of an edit that was pending at the kill restores the value before it in server order")
    func undoAfterReturn() throws {
        let desk = try StateDesk()
        var server = OrderingServer()
        let store = try desk.store()
        try server.connect(store)
        let id = try Self.create(store)
        try server.serve(store)
        try desk.settle(store)
        store.change { $0.disconnected() }
        try store.edit("Move") { $0.set(id, Self.x, .integer(1)) }
        store.keep()
        let folder = try desk.afterKill()
        try server.editElsewhere(.set(id, [PropertyChange(Self.x, .integer(7))]))
        let again = try desk.store(site: 200, in: folder)
        #expect(again.canvas[id]?[Self.x] == .integer(1))
        try server.connect(again)
        #expect(server.canvas[id]?[Self.x] == .integer(1))
        #expect(again.undoLabels() == ["Move", "Create"])
        try again.undo()
        try server.serve(again)
        #expect(server.canvas[id]?[Self.x] == .integer(7))
    }

    @Test("RECON-07: two editors of one canvas have states and sites of their own")
    func twoAtOnce() throws {
        let desk = try StateDesk()
        let first = try desk.state(site: 100)
        let second = try desk.state(site: 200)
        #expect(first.folder != second.folder)
        let stores = [CanvasStore(keptIn: first), CanvasStore(keptIn: second)]
        #expect(Set(try stores.map { try Self.create($0).rawValue }).count == 2)
    }

    @Test("what waits from several editors is taken by those that come next, and said while it is not")
    func severalWaiting() throws {
        let desk = try StateDesk()
        var stores = try [desk.store(site: 100), desk.store(site: 200), desk.store(site: 300)]
        for store in stores.dropFirst() {
            _ = try Self.create(store)
            store.keep()
        }
        stores = []
        #expect(desk.sentences == [])
        let first = try desk.store(site: 400)
        #expect(first.status.pendingCount == 1)
        #expect(
            desk.sentences == ["1 edit of another editor wait to be sent; one more editor of this canvas sends them"])
        let second = try desk.store(site: 500)
        #expect(second.status.pendingCount == 1)
        let third = try desk.store(site: 600)
        #expect(third.status.pendingCount == 0)
        #expect(desk.sentences.count == 1)
    }

    @Test("canvases and servers have states of their own, whatever their names are")
    func apart() throws {
        let desk = try StateDesk()
        let names = ["plan", "Plan", ".", "..", "~", "a.b"]
        let stores = try names.map { try desk.store($0) }
        _ = try Self.create(stores[0])
        stores[0].keep()
        for name in names.dropFirst() { #expect(try desk.store(name).status.pendingCount == 0) }
        let folders = Set(stores.compactMap { $0.kept?.folder })
        #expect(folders.count == names.count)
        #expect(folders.allSatisfy { $0.hasPrefix("\(desk.path)/127.0.0.1:1/") && !$0.contains("/../") })
        let elsewhere = try desk.state(server: ServerAddress(host: "a/../b", port: 1))
        #expect(elsewhere.folder.hasPrefix("\(desk.path)/a%2F..%2Fb:1/"))
    }

    @Test("a state in the folder of another canvas or server is set aside")
    func misplaced() throws {
        let desk = try StateDesk()
        _ = try Self.create(try desk.store())
        let other = ServerAddress(host: "127.0.0.1", port: 2)
        _ = try desk.state("other")
        _ = try desk.state("plan", server: other)
        for (folder, reason) in [
            (desk.file("client", of: "other"), "the canvas plan"),
            ("\(desk.path)/127.0.0.1:2/plan/1/client", "the server 127.0.0.1:1"),
        ] {
            try FileManager.default.removeItem(atPath: folder)
            try FileManager.default.copyItem(atPath: desk.file("client"), toPath: folder)
            _ = reason.contains("canvas") ? try desk.state("other") : try desk.state("plan", server: other)
            #expect(desk.sentences.last?.contains("belongs to \(reason); it is kept as ") == true)
            #expect(FileManager.default.fileExists(atPath: folder + ".damaged-1"))
        }
    }

    @Test("the server's log was replaced: what waits is kept and sent into the new one")
    func newEpoch() throws {
        let desk = try StateDesk()
        var server = OrderingServer()
        let store = try desk.store()
        try server.connect(store)
        let id = try Self.create(store)
        try server.serve(store)
        try desk.settle(store)
        try store.edit("Create") { $0.create(kind: "late") }
        _ = store.takeMessages()
        let folder = try desk.afterKill()
        var restored = OrderingServer()
        restored.epoch = 2
        let again = try desk.store(site: 200, in: folder)
        #expect(again.canvas[id] != nil)
        try restored.connect(again)
        #expect(restored.canvas.shapeCount == 1 && again.status.pendingCount == 0)
        #expect(again.canvas.digest == restored.canvas.digest)
        again.keep()
        #expect(FileManager.default.fileExists(atPath: desk.file("client", in: folder)))
    }
}
