import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import Foundation
import Testing

@Suite("Editors that are killed and started again, real processes and a real server", .serialized)
struct StateKillTests {
    /// The text of the only shape of a canvas.
    private func text(_ store: CanvasStore?) -> String? {
        guard let canvas = store?.canvas, canvas.shapeCount == 1 else { return nil }
        var text: String?
        canvas.forEachShapeBySibling { text = $0.text.string }
        return text
    }

    private func isSettled(_ person: Person) -> Bool {
        person.store.status.link == .live && person.store.status.pendingCount == 0
    }

    /// An address at which no server answers, and one can be started.
    private func freePort(_ folder: TemporaryFolder) throws -> Int {
        let server = try ServerProcess(dataFolder: folder.path)
        defer { server.kill() }
        return server.port
    }

    /// Keys that draw a rectangle and begin its text.
    private let drawing = "r\r\r"

    @Test("O1: killed offline with edits waiting, started again with a server: everything is there once, and undo too")
    func offline() throws {
        let (data, state) = (try TemporaryFolder(), try TemporaryFolder())
        let address = ServerAddress(host: "127.0.0.1", port: try freePort(data))
        var editor = try EditorProcess(canvas: "plan", server: address, state: state.path)
        editor.type(drawing + "offline")
        #expect(eventually { text(keptState(in: state.path, canvas: "plan", server: address).store) == "offline" })
        editor.kill()
        let labels = keptState(in: state.path, canvas: "plan", server: address).store?.undoLabels()
        #expect(labels == ["Type", "Create Rectangle"])

        editor = try EditorProcess(canvas: "plan", server: address, state: state.path)
        let server = try ServerProcess(dataFolder: data.path, port: address.port)
        let rui = try Person("Rui", canvas: "plan", server: server.address)
        #expect(eventually { text(rui.store) == "offline" })
        #expect(eventually { rui.store.participants.contains { $0.presence.name == "ana" } })
        editor.type("u")
        #expect(eventually { text(rui.store) == "" })
        editor.type("\u{12}")
        #expect(eventually { text(rui.store) == "offline" })
        #expect(editor.leave().status == 0)
    }

    @Test(
        "RECON-01: killed again and again while typing: what was typed is there in order and once, but for what came last"
    )
    func whileTyping() throws {
        let (data, state) = (try TemporaryFolder(), try TemporaryFolder())
        var server = try ServerProcess(dataFolder: data.path)
        let rui = try Person("Rui", canvas: "plan", server: server.address)
        var editor = try EditorProcess(canvas: "plan", server: server.address, state: state.path)
        editor.type(drawing)
        #expect(eventually { text(rui.store) == "" })
        let letters = "abcdefghijklmnopqrstuvwxyz"
        var whole = ""
        for round in 0..<6 {
            for letter in letters { editor.type(String(letter)) }
            #expect(eventually { (text(rui.store)?.count ?? 0) > whole.count + round })
            if round % 2 == 1 {
                // What the server has stored is unknown to the client.
                server.kill()
                editor.kill()
                server = try ServerProcess(dataFolder: data.path, port: server.port)
            } else {
                editor.kill()
            }
            #expect(eventually { isSettled(rui) && rui.store.participants.isEmpty })
            editor = try EditorProcess(canvas: "plan", server: server.address, state: state.path)
            // A mark behind what was there, so that it is known when everything has arrived.
            editor.type("\t\r#")
            #expect(eventually { text(rui.store)?.hasSuffix("#") == true && isSettled(rui) }, "round \(round)")
            let found = text(rui.store) ?? ""
            #expect(found.hasPrefix(whole), "round \(round)")
            #expect(letters.hasPrefix(found.dropFirst(whole.count).dropLast()), "\(found)")
            whole = found
        }
        #expect(whole.contains("abc"))
        #expect(editor.leave().status == 0)
    }

    @Test("RECON-07: two editors at once, both killed offline: each has its own edits, and both come back")
    func twoEditors() throws {
        let (data, state) = (try TemporaryFolder(), try TemporaryFolder())
        let address = ServerAddress(host: "127.0.0.1", port: try freePort(data))
        var editors = try (0..<2).map { number in
            let editor = try EditorProcess(canvas: "plan", server: address, state: state.path, name: "ana \(number)")
            editor.type(drawing + "editor")
            return editor
        }
        #expect(
            eventually {
                let kept = keptState(in: state.path, canvas: "plan", server: address)
                return text(kept.store) == "editor" && kept.said.contains { $0.contains("of another editor wait") }
            })
        for editor in editors { editor.kill() }
        editors = []
        let server = try ServerProcess(dataFolder: data.path, port: address.port)
        let rui = try Person("Rui", canvas: "plan", server: server.address)
        for number in 0..<2 {
            editors.append(try EditorProcess(canvas: "plan", server: address, state: state.path, name: "ana \(number)"))
            #expect(eventually { rui.store.canvas.shapeCount == number + 1 && isSettled(rui) })
        }
        var texts: [String] = []
        rui.store.canvas.forEachShapeBySibling { texts.append($0.text.string) }
        #expect(eventually { rui.store.participants.count == 2 })
        #expect(texts.count == 2 && texts.contains("editor") && texts.allSatisfy { "editor".hasPrefix($0) })
    }

    @Test("leaving with edits that wait says that they are kept; without a folder it says that they are not")
    func leaving() throws {
        let (data, state) = (try TemporaryFolder(), try TemporaryFolder())
        let address = ServerAddress(host: "127.0.0.1", port: try freePort(data))
        let keeping = try EditorProcess(canvas: "plan", server: address, state: state.path)
        keeping.type(drawing)
        #expect(eventually { text(keptState(in: state.path, canvas: "plan", server: address).store) == "" })
        let kept = keeping.leave()
        #expect(kept.status == 0)
        #expect(kept.errors == "easel: 1 edit kept; opening plan again sends what the server lacks\n")
        let blocked = try EditorProcess(canvas: "plan", server: address, state: "/dev/null/easel")
        blocked.type(drawing)
        #expect(eventually { blocked.shows("Create Rectangle") })
        let left = blocked.leave()
        #expect(left.status == 1)
        #expect(left.errors.hasPrefix("easel: /dev/null/easel cannot be made: Not a directory; edits are not kept"))
        #expect(left.errors.hasSuffix("left with 1 edit that the server has not stored\n"))
    }
}
