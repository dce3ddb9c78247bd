import EaselProtocol
import EaselWebSocket
import Foundation

/// A plain TCP connection to a server, to say what no proper client says.
final class RawClient {
    private let descriptor: Int32

    init(port: Int) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        precondition(result == 0, "the server accepts connections")
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) { _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Reads once; empty at the end of the connection or after 20 seconds of silence.
    func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// The text of an upgrade request.
    static func upgrade(path: String = WebSocketEndpoint.path, subprotocol: String? = WebSocketEndpoint.subprotocol)
        -> String
    {
        let offer = subprotocol.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? ""
        return "GET \(path) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\(offer)\r\n"
    }

    /// Upgrades to a WebSocket.
    static func webSocket(port: Int) -> RawClient {
        let client = RawClient(port: port)
        client.send(upgrade())
        var head: [UInt8] = []
        while !String(decoding: head, as: UTF8.self).contains("\r\n\r\n") { head += client.receive() }
        return client
    }

    func send(_ kind: MessageKind, _ payload: [UInt8]) {
        send(FrameWriter.message(kind, payload, key: MaskingKey(0x0102_0304)))
    }

    /// The messages that the server sends until it closes.
    func receiveMessages() -> [MessageEvent] {
        var reader = MessageReader(role: .client, limits: MessageLimits(messageBytes: 1 << 24))
        var events: [MessageEvent] = []
        while true {
            let bytes = receive()
            reader.receive(bytes.span, into: &events)
            if case .close = events.last { return events }
            if bytes.isEmpty { return events }
        }
    }
}
