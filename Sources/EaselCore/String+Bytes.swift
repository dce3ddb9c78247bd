/// Strings as their UTF-8 bytes, never by Unicode equivalence: two that look alike are two names.
extension String {
    /// Whether the bytes are the same.
    func hasSameBytes(as other: String) -> Bool {
        let same = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.elementsEqual($0) }
        }
        // Only strings bridged from elsewhere have no storage of their own.
        return (same ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether the bytes come first in lexicographic order.
    func bytesPrecede(_ other: String) -> Bool {
        let precede = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.lexicographicallyPrecedes($0) }
        }
        return (precede ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Whether all bytes are as asked for.
    func bytesSatisfy(_ permits: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(permits) } ?? utf8.allSatisfy(permits)
    }

    /// Feeds the bytes, and where they end.
    func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
