import EaselClient
import EaselCore
import EaselProtocol
import EaselWebSocket
import Glibc

/// A client that asks for a canvas and then reads nothing.
final class StalledReader {
    private let descriptor: Int32

    /// Nil if it cannot connect.
    init?(_ server: ServerAddress, canvas: String) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(server.port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0, let canvas = CanvasID(canvas),
            let handshake = server.makeHandshake()
        else { return nil }
        send(handshake.request)
        // The answer to the handshake, and nothing behind it: the server speaks only when it is spoken to.
        var byte: UInt8 = 0
        var tail: [UInt8] = []
        while tail.suffix(4) != [13, 10, 13, 10], recv(descriptor, &byte, 1, 0) == 1 { tail.append(byte) }
        let hello = ClientMessage.hello(Hello(canvas: canvas, resume: nil, name: "stalled")).encode()
        send(FrameWriter.message(.binary, hello, key: MaskingKey(1)))
    }

    func close() { _ = Glibc.close(descriptor) }

    private func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
}
