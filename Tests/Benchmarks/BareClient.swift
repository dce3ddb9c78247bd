import EaselClient
import EaselCore
import EaselProtocol
import EaselWebSocket
import Glibc

/// A client that asks for a canvas and keeps nothing: it can take the snapshot off its socket, or leave it there, and then go on.
///
/// It blocks its thread until it has the snapshot, or gives up.
final class BareClient {
    let descriptor: Int32
    /// The answer to its hello; nil before the snapshot was read.
    private(set) var welcome: Welcome?
    /// What the socket has not taken yet.
    private var outgoing: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 256 * 1024)

    /// Connects and says hello; the server has answered nothing yet that was read.
    init(_ server: ServerAddress, canvas: String) throws(NotMeasured) {
        guard let descriptor = LoopbackSocket.connect(port: server.port) else {
            throw NotMeasured("a client cannot connect: errno \(errno)")
        }
        self.descriptor = descriptor
        guard let canvas = CanvasID(canvas), let handshake = server.makeHandshake(),
            LoopbackSocket.send(descriptor, handshake.request), readHead()
        else { throw NotMeasured("the server does not answer a handshake") }
        let hello = ClientMessage.hello(Hello(canvas: canvas, resume: nil, name: "bench")).encode()
        _ = LoopbackSocket.send(descriptor, FrameWriter.message(.binary, hello, key: MaskingKey(1)))
    }

    deinit { close(descriptor) }

    /// Reads the answer to the handshake, and nothing behind it: the server speaks only when it is spoken to.
    private func readHead() -> Bool {
        var count = 0
        while count < 4 || Array(buffer[(count - 4)..<count]) != [13, 10, 13, 10] {
            let received = recv(descriptor, &buffer[count], buffer.count - count, 0)
            guard received > 0 else { return false }
            count += received
        }
        return true
    }

    /// Reads until the last byte of the snapshot is here, without decoding it, and returns how many bytes came.
    @discardableResult func readSnapshot() throws(NotMeasured) -> Int {
        var frames = FrameCounter()
        var total = 0
        while true {
            let received = recv(descriptor, &buffer, buffer.count, 0)
            guard received > 0 else { throw NotMeasured("the snapshot does not come") }
            total += received
            frames.pass(buffer[..<received])
            guard let first = frames.first, let messages = try? ServerMessage.decodeAll(first) else { continue }
            for case .welcome(let welcome) in messages {
                self.welcome = welcome
                guard case .snapshot(let byteCount) = welcome.catchup else {
                    throw NotMeasured("who is new gets no snapshot")
                }
                // Parts are somewhat more than what is in them, so the last has come when its frame has ended.
                if frames.payloadBytes - first.count >= Int(byteCount), frames.isBetweenFrames { return total }
            }
        }
    }

    /// Sends encoded messages in one frame, as far as the socket takes them now; the rest goes with the next call.
    func send(_ messages: [UInt8]) {
        if !messages.isEmpty { outgoing += FrameWriter.message(.binary, messages, key: MaskingKey(1)) }
        guard !outgoing.isEmpty else { return }
        let count = Glibc.send(descriptor, outgoing, outgoing.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        if count > 0 { outgoing.removeFirst(count) }
    }

    /// What has come, without waiting; empty if nothing has, nil if the server has closed the connection.
    func receive() -> ArraySlice<UInt8>? {
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count != 0, count > 0 || errno == EAGAIN else { return nil }
        return buffer[..<max(0, count)]
    }
}

/// Counts what is in the frames of a server, which are not masked, and keeps the first payload.
private struct FrameCounter {
    private(set) var first: [UInt8]?
    private(set) var payloadBytes = 0
    private var collected: [UInt8] = []
    private var header: [UInt8] = []
    private var left = 0

    var isBetweenFrames: Bool { left == 0 && header.isEmpty }

    mutating func pass(_ bytes: ArraySlice<UInt8>) {
        var bytes = bytes
        while !bytes.isEmpty {
            if left == 0 {
                header.append(bytes.removeFirst())
                readHeader()
                continue
            }
            let part = bytes.prefix(left)
            bytes = bytes.dropFirst(part.count)
            if first == nil { collected += part }
            left -= part.count
            payloadBytes += part.count
            if left == 0, first == nil { first = collected }
        }
    }

    /// RFC 6455, section 5.2.
    private mutating func readHeader() {
        guard header.count >= 2 else { return }
        let lengthBytes = header[1] == 127 ? 8 : header[1] == 126 ? 2 : 0
        guard header.count == 2 + lengthBytes else { return }
        left = lengthBytes == 0 ? Int(header[1]) : header[2...].reduce(0) { $0 << 8 | Int($1) }
        header = []
    }
}
