import EaselCore

/// Checksums of stored records: XXH64 over each field in turn, each hash the seed of the next.
///
/// The canvas's name is the first field, so a record that strays to another canvas is found out too.
struct RecordChecksum {
    private let name: UInt64

    /// Prepares checksums for the records of `canvas`.
    init(_ canvas: CanvasID) {
        name = Self.chain(0, Array(canvas.rawValue.utf8))
    }

    func canvas(key: Int64, epoch: UInt64, head: Revision, base: Revision, byteCount: Int64) -> Int64 {
        let place = Self.chain(name, words: (UInt64(bitPattern: key), epoch, head, base))
        return Int64(bitPattern: Self.chain(place, words: (UInt64(bitPattern: byteCount), 0, 0, 0)))
    }

    /// The checksum of a canvas in format 1.
    func firstCanvas(key: Int64, epoch: UInt64, head: Revision) -> Int64 {
        Int64(bitPattern: Self.chain(name, words: (UInt64(bitPattern: key), epoch, head, 0)))
    }

    func entry(_ entry: LogEntry) -> Int64 {
        let numbers = Self.chain(name, words: (entry.revision, entry.site.rawValue, entry.sequence, entry.time))
        var label = entry.label
        let text = label.withUTF8 { XXHash64.digest(UnsafeRawBufferPointer($0), seed: numbers) }
        return Int64(bitPattern: Self.chain(text, entry.payload))
    }

    func snapshot(_ snapshot: StoredSnapshot) -> Int64 {
        Int64(bitPattern: Self.chain(Self.chain(name, words: (snapshot.revision, 0, 0, 0)), snapshot.payload))
    }

    func version(_ version: NamedVersion) -> Int64 {
        let numbers = Self.chain(name, words: (version.revision, version.time, 1, 0))
        let label = Self.chain(numbers, Array(version.name.utf8))
        return Int64(bitPattern: Self.chain(label, Array(version.author.utf8)))
    }

    private static func chain(_ seed: UInt64, words: (UInt64, UInt64, UInt64, UInt64)) -> UInt64 {
        let (a, b, c, d) = words
        return withUnsafeBytes(of: (a.littleEndian, b.littleEndian, c.littleEndian, d.littleEndian)) {
            XXHash64.digest($0, seed: seed)
        }
    }

    private static func chain(_ seed: UInt64, _ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { XXHash64.digest($0, seed: seed) }
    }
}
