/// SipHash-2-4: a keyed 64-bit hash that nobody without the key can forge or predict.
///
/// After Jean-Philippe Aumasson and Daniel J. Bernstein, "SipHash: a fast short-input PRF" (2012).
struct SipHash {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    private init(_ key: (UInt64, UInt64)) {
        v0 = key.0 ^ 0x736f_6d65_7073_6575
        v1 = key.1 ^ 0x646f_7261_6e64_6f6d
        v2 = key.0 ^ 0x6c79_6765_6e65_7261
        v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    /// The hash of `bytes` under `key`. Linear in their count.
    static func hash(_ bytes: [UInt8], key: (UInt64, UInt64)) -> UInt64 {
        var state = SipHash(key)
        var word: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            word |= UInt64(byte) << UInt64(8 * (index & 7))
            if index & 7 == 7 {
                state.absorb(word)
                word = 0
            }
        }
        state.absorb(word | UInt64(truncatingIfNeeded: bytes.count) << 56)
        state.v2 ^= 0xFF
        for _ in 0..<4 { state.round() }
        return state.v0 ^ state.v1 ^ state.v2 ^ state.v3
    }

    private mutating func absorb(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    private mutating func round() {
        v0 &+= v1
        v1 = rotated(v1, 13) ^ v0
        v0 = rotated(v0, 32)
        v2 &+= v3
        v3 = rotated(v3, 16) ^ v2
        v0 &+= v3
        v3 = rotated(v3, 21) ^ v0
        v2 &+= v1
        v1 = rotated(v1, 17) ^ v2
        v2 = rotated(v2, 32)
    }

    private func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
        word << count | word >> (64 - count)
    }
}
