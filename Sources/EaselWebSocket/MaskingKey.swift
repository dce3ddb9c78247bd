/// The four bytes a client combines its payload with, fresh and unpredictable for each frame (RFC 6455 section 5.3).
public struct MaskingKey: Equatable, Sendable {
    /// The bytes in the order they are applied, the first lowest.
    private var word: UInt32

    /// A key of 32 random bits.
    public init(_ random: UInt32) { word = random }

    /// The bytes as they stand in a frame header.
    var bytes: (UInt8, UInt8, UInt8, UInt8) {
        (
            UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8),
            UInt8(truncatingIfNeeded: word >> 16), UInt8(truncatingIfNeeded: word >> 24)
        )
    }

    /// The key with which a payload goes on after `count` bytes of it.
    func advanced(by count: Int) -> MaskingKey {
        let bits = UInt32(truncatingIfNeeded: count & 3) * 8
        return MaskingKey(bits == 0 ? word : word >> bits | word << (32 - bits))
    }

    /// Masks or unmasks `bytes` from `start` on, eight at a time.
    func apply(to bytes: inout [UInt8], from start: Int) {
        let wide = UInt64(word) << 32 | UInt64(word)
        bytes.withUnsafeMutableBytes { buffer in
            var offset = start
            let wideEnd = buffer.count - (buffer.count - start) % 8
            while offset < wideEnd {
                let value = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                buffer.storeBytes(of: (value ^ wide).littleEndian, toByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            var rest = wide
            while offset < buffer.count {
                buffer[offset] ^= UInt8(truncatingIfNeeded: rest)
                rest >>= 8
                offset += 1
            }
        }
    }
}

extension Span<UInt8> {
    /// A copy of the bytes from `start` to the end.
    func array(from start: Int) -> [UInt8] {
        var copy: [UInt8] = []
        copy.append(self, from: start, count: count - start)
        return copy
    }
}

extension [UInt8] {
    /// Appends `count` bytes of `bytes` from `start` on in one piece.
    mutating func append(_ bytes: Span<UInt8>, from start: Int, count: Int) {
        bytes.extracting(start..<(start + count)).withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
