import COpenSSL

/// Hashes by OpenSSL.
public enum Digests {
    /// The SHA-1 digest of `bytes`, 20 bytes. The WebSocket handshake prescribes it (RFC 6455, 4.2.2); it is fit for nothing that
    /// an attacker gains from. O(bytes).
    public static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        var count: UInt32 = 0
        let result = EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha1(), nil)
        precondition(result == 1 && count == 20, "OpenSSL was built without SHA-1")
        return digest
    }
}
