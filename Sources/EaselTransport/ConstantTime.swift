import COpenSSL

/// Comparison of secrets.
public enum ConstantTime {
    /// Whether both sequences hold the same bytes, in a time that depends on their length only. Different lengths are told apart
    /// at once. O(bytes).
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
