import COpenSSL

/// Random bytes by OpenSSL, fit for keys, tokens and WebSocket masks.
public enum SecureRandom {
    /// Returns `count` random bytes. O(`count`).
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // Going on without randomness would be worse than ending.
            let result = count == 0 ? 1 : RAND_bytes(buffer.baseAddress, Int32(count))
            precondition(result == 1, "OpenSSL has no randomness")
            initialized = count
        }
    }
}
