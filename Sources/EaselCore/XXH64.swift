/// The 64-bit hash XXH64 by Yann Collet (xxHash specification 0.1.1), used for digests and for the shape map.
///
/// It is fast on short inputs, the same on every machine, and found in most languages, so that clients in
/// other languages can compute digests. It is not collision resistant against an adversary.
enum XXH64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { hash($0, seed: seed) }
    }

    /// The hash of the string's UTF-8 bytes.
    static func hash(_ string: String, seed: UInt64 = 0) -> UInt64 {
        var string = string
        return string.withUTF8 { hash(UnsafeRawBufferPointer($0), seed: seed) }
    }

    static func hash(_ input: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var offset = 0
        var state: UInt64
        if input.count >= 32 {
            state = consumeStripes(input, seed: seed, offset: &offset)
        } else {
            state = seed &+ prime5
        }
        state &+= UInt64(input.count)
        return finish(state, input, from: offset)
    }

    private static func consumeStripes(
        _ input: UnsafeRawBufferPointer, seed: UInt64, offset: inout Int
    ) -> UInt64 {
        var lane1 = seed &+ prime1 &+ prime2
        var lane2 = seed &+ prime2
        var lane3 = seed
        var lane4 = seed &- prime1
        while offset + 32 <= input.count {
            lane1 = round(lane1, word(input, offset))
            lane2 = round(lane2, word(input, offset + 8))
            lane3 = round(lane3, word(input, offset + 16))
            lane4 = round(lane4, word(input, offset + 24))
            offset += 32
        }
        var state = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
        state = merge(state, lane1)
        state = merge(state, lane2)
        state = merge(state, lane3)
        return merge(state, lane4)
    }

    private static func finish(_ start: UInt64, _ input: UnsafeRawBufferPointer, from start0: Int) -> UInt64 {
        var state = start
        var offset = start0
        while offset + 8 <= input.count {
            state ^= round(0, word(input, offset))
            state = rotate(state, 27) &* prime1 &+ prime4
            offset += 8
        }
        if offset + 4 <= input.count {
            let half = UInt64(UInt32(littleEndian: input.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            state ^= half &* prime1
            state = rotate(state, 23) &* prime2 &+ prime3
            offset += 4
        }
        while offset < input.count {
            state ^= UInt64(input[offset]) &* prime5
            state = rotate(state, 11) &* prime1
            offset += 1
        }
        state ^= state >> 33
        state = state &* prime2
        state ^= state >> 29
        state = state &* prime3
        return state ^ (state >> 32)
    }

    private static func word(_ input: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: input.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    private static func merge(_ state: UInt64, _ lane: UInt64) -> UInt64 {
        (state ^ round(0, lane)) &* prime1 &+ prime4
    }

    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        (value << count) | (value >> (64 - count))
    }
}
