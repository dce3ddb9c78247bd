import Glibc

/// Random numbers from the kernel, for seeds and identifiers of this process.
public enum SystemRandom {
    /// Returns `count` random numbers. Waits only in the first moments after the machine starts, until the kernel has gathered
    /// enough randomness. O(`count`).
    public static func values(_ count: Int) -> [UInt64] {
        var values = [UInt64](repeating: 0, count: count)
        values.withUnsafeMutableBytes { buffer in
            let largestRequest = 256
            var filled = 0
            while filled < buffer.count {
                let size = min(largestRequest, buffer.count - filled)
                let result = getentropy(buffer.baseAddress! + filled, size)
                precondition(result == 0, "getentropy cannot fail with these arguments")
                filled += size
            }
        }
        return values
    }

    /// Returns one random number.
    public static func value() -> UInt64 {
        values(1)[0]
    }
}
