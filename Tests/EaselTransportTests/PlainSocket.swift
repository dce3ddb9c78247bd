import Glibc

/// A blocking TCP client without any cleverness, to see a loop from outside.
final class PlainSocket {
    private var descriptor: Int32

    /// Connects to a port of this machine. A narrow one has a small receive buffer, so that it is noticed soon when it does not
    /// read, and the small segments of a real network: those of the loopback are so big that the other side's kernel takes every
    /// piece whole.
    init(port: Int, isNarrow: Bool = false) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if isNarrow {
            var receiveBufferBytes: Int32 = 4096
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBufferBytes, socklen_t(MemoryLayout<Int32>.size))
            var segmentBytes: Int32 = 1400
            setsockopt(descriptor, SOL_TCP, TCP_MAXSEG, &segmentBytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(result == 0, "cannot connect to port \(port)")
    }

    deinit {
        close()
    }

    /// Sends all of `bytes`, or as many as go out in time; returns how many did.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// Reads until there are `count` bytes, or the end of the stream, or patience ends.
    func receive(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count < count {
            let read = recv(descriptor, &buffer, min(buffer.count, count - bytes.count), 0)
            guard read > 0 else { break }
            bytes += buffer[..<read]
        }
        return bytes
    }

    /// Whether the peer has closed its side and everything before that was read. Waits for the next byte or the end.
    func isAtEnd() -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 0
    }

    /// Closes without a farewell: the peer gets a reset.
    func reset() {
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        guard descriptor >= 0 else { return }
        _ = Glibc.close(descriptor)
        descriptor = -1
    }
}
