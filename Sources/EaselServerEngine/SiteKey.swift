public import EaselCore

/// The server's secret key, from which it derives what proves that a client was given a site.
///
/// Nothing about sites has to be stored: whoever has the key can compute each secret again. It has to stay the same for as long
/// as clients shall be known when they come back, restarts of the server included.
public struct SiteKey: Sendable {
    private let first: UInt64
    private let second: UInt64

    /// A key of 128 random bits.
    public init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// What proves that a client was given `site` on `canvas`.
    public func secret(canvas: CanvasID, site: SiteID) -> UInt64 {
        var bytes = Array(canvas.rawValue.utf8)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: site.rawValue >> shift))
        }
        return SipHash.hash(bytes, key: (first, second))
    }

    /// On which of `count` event loops the room of a canvas runs: always the same, and nobody without the key can choose names that
    /// all fall on one.
    public func home(of canvas: CanvasID, among count: Int) -> Int {
        // No secret is of these bytes: no name begins with a zero.
        let hash = SipHash.hash([0] + Array(canvas.rawValue.utf8), key: (first, second))
        return Int(hash % UInt64(count))
    }
}
