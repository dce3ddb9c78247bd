import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselSupport
import Foundation
import Testing

/// RECON-07: the folder of a client was copied, and the copy is used too.
@Suite("Copied states with a real server", .serialized)
struct CopiedStateTests {
    /// Somebody whose client keeps its state in a folder.
    private final class KeepingPerson {
        let store: CanvasStore
        private let connection: CanvasConnection

        init(_ name: String, in folder: String, server: ServerAddress) throws {
            let site = SiteID(UInt64.random(in: 1...SiteID.maximum))!
            let state = try KeptState(
                in: folder, server: server, canvas: CanvasID("plan")!, name: name, provisionalSite: site, say: { _ in })
            store = CanvasStore(keptIn: state)
            connection = try CanvasConnection(
                store: store, server: server, log: Log(threshold: .error, write: { _ in }))
        }

        func connect() { connection.start() }

        func create(_ kind: String) throws {
            _ = try store.edit("Create \(kind)") { $0.create(kind: kind, text: kind) }
            store.keep()
        }

        deinit { connection.stop() }
    }

    private func kinds(_ store: CanvasStore) -> [String] {
        var kinds: [String] = []
        store.canvas.forEachShapeBySibling { kinds.append($0.kind) }
        return kinds.sorted()
    }

    @Test(
        "RS-09 RS-10 two clients from one folder, with work waiting in it: both work, and everything is there once",
        arguments: [false, true])
    func copied(atOnce: Bool) throws {
        let (data, folder) = (try TemporaryFolder(), try TemporaryFolder())
        let server = try ServerProcess(dataFolder: data.path)
        let rui = try Person("Rui", canvas: "plan", server: server.address)
        let copyPath = folder.path + "-copy"
        defer { try? FileManager.default.removeItem(atPath: copyPath) }
        let oldSite: SiteID?
        do {
            let first = try KeepingPerson("Ana", in: folder.path, server: server.address)
            try first.create("before")
            first.connect()
            #expect(eventually { first.store.status.pendingCount == 0 && first.store.status.link == .live })
            oldSite = first.store.status.site
        }
        // Work that waits, made after a start without a server.
        let original = try KeepingPerson("Ana", in: folder.path, server: server.address)
        for number in 1...20 { try original.create("shared\(number)") }
        try FileManager.default.copyItem(atPath: folder.path, toPath: copyPath)
        let copy = try KeepingPerson("Ana 2", in: copyPath, server: server.address)
        try original.create("original")
        try copy.create("copy")
        original.connect()
        if !atOnce {
            #expect(eventually { original.store.status.pendingCount == 0 })
            try original.create("later")
        }
        copy.connect()
        #expect(
            eventually {
                [original.store, copy.store].allSatisfy { $0.status.link == .live && $0.status.pendingCount == 0 }
                    && Set([original.store.status.site, copy.store.status.site, oldSite]).count == 3
            })
        // Both go on working, at once.
        for number in 1...20 {
            try original.create("o\(number)")
            try copy.create("c\(number)")
        }
        var expected = ["before", "original", "copy"] + (1...20).flatMap { ["shared\($0)", "o\($0)", "c\($0)"] }
        if !atOnce { expected.append("later") }
        expected.sort()
        #expect(eventually { kinds(rui.store) == expected }, "\(kinds(rui.store))")
        #expect(rui.store.status.revision == UInt64(expected.count))
        #expect(
            eventually {
                [original.store, copy.store].allSatisfy { kinds($0) == expected && $0.status.pendingCount == 0 }
            })
        // Nobody is thrown out any more.
        let sites = [original.store.status.site, copy.store.status.site]
        usleep(700_000)
        #expect(sites == [original.store.status.site, copy.store.status.site])
        #expect(original.store.status.link == .live && copy.store.status.link == .live)
    }
}
