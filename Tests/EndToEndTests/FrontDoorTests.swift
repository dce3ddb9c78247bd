import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselWebSocket
import Testing

@Suite("What the server answers to those who are no proper clients", .serialized)
struct FrontDoorTests {
    let folder: TemporaryFolder
    let server: ServerProcess

    init() throws {
        folder = try TemporaryFolder()
        server = try ServerProcess(dataFolder: folder.path)
    }

    func status(_ request: String) -> String {
        let client = RawClient(port: server.port)
        client.send(request)
        let text = String(decoding: client.receive(), as: UTF8.self)
        return text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    }

    /// The error in the messages, and whether the server then closed the connection.
    func error(_ events: [MessageEvent]) -> (code: ProtocolErrorCode?, isClosed: Bool) {
        var code: ProtocolErrorCode?
        var isClosed = false
        for event in events {
            switch event {
            case .message(.binary, let payload):
                for case .error(let error) in (try? ServerMessage.decodeAll(payload)) ?? [] { code = error.code }
            case .close: isClosed = true
            default: break
            }
        }
        return (code, isClosed)
    }

    @Test("TR-01: an upgrade is taken at /v1 and nowhere else")
    func path() {
        #expect(status(RawClient.upgrade()) == "101")
        #expect(status(RawClient.upgrade(path: "/v2")) == "404")
    }

    @Test("TR-02: without the subprotocol there is no connection")
    func subprotocol() {
        #expect(status(RawClient.upgrade(subprotocol: nil)) != "101")
        #expect(status(RawClient.upgrade(subprotocol: "chat")) != "101")
    }

    @Test("plain requests are answered: health, a word on what this is, not found")
    func plainRequests() {
        #expect(status("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") == "200")
        #expect(status("GET / HTTP/1.1\r\nHost: x\r\n\r\n") == "200")
        #expect(status("GET /secret HTTP/1.1\r\nHost: x\r\n\r\n") == "404")
        #expect(status("nonsense\r\n\r\n") == "400")
    }

    @Test("TR-03: a text message ends the connection with close code 1003")
    func textMessage() {
        let client = RawClient.webSocket(port: server.port)
        client.send(.text, Array("hello".utf8))
        let isRefused = client.receiveMessages().contains {
            if case .close(let code, _) = $0 { return code == .unsupportedData }
            return false
        }
        #expect(isRefused)
    }

    @Test("ER-01, MALF-01: what cannot be decoded ends that connection and disturbs nobody else")
    func noise() throws {
        let ana = try Person("Ana", canvas: "plan", server: server.address)
        #expect(eventually { ana.store.status.link == .live })
        for payload: [UInt8] in [[0xFF, 0x00], [], [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]] {
            let client = RawClient.webSocket(port: server.port)
            client.send(.binary, payload)
            let (code, isClosed) = error(client.receiveMessages())
            #expect(code == .malformed)
            #expect(isClosed)
        }
        let unmasked = RawClient.webSocket(port: server.port)
        unmasked.send([0x82, 0x01, 0x00])
        #expect(!unmasked.receiveMessages().isEmpty)
        try ana.store.edit("Create") { $0.create(kind: "note") }
        #expect(eventually { ana.store.status.pendingCount == 0 && ana.store.status.revision == 1 })
    }

    @Test("a first message that is too large is refused at its header")
    func oversized() {
        let client = RawClient.webSocket(port: server.port)
        client.send([0x82, 0xFF, 0, 0, 0, 0, 0x40, 0, 0, 0, 1, 2, 3, 4])
        let isRefused = client.receiveMessages().contains {
            if case .close(let code, _) = $0 { return code == .messageTooBig }
            return false
        }
        #expect(isRefused)
    }
}
