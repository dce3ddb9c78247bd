import EaselCore
import Testing

@testable import EaselStorage

struct ChecksumTests {
    /// Made with the reference implementation, through python-xxhash.
    static let vectors: [(bytes: [UInt8], seed: UInt64, digest: UInt64)] = [
        ([], 0, 0xEF46_DB37_51D8_E999),
        (Array("a".utf8), 0, 0xD24E_C4F1_A98C_6E5B),
        (Array("abc".utf8), 0, 0x44BC_2CF5_AD77_0999),
        (Array("easel".utf8), 1, 0x7EC5_1719_6B48_3CDB),
        (Array("abcdefgh".utf8), 0, 0x3AD3_5177_5B46_34B7),
        (Array("0123456789abc".utf8), 7, 0xB12A_292E_A8DC_4969),
        (Array(0..<32), 0, 0xCBF5_9C51_16FF_32B4),
        (Array(0..<101), 0x9E37_79B9_7F4A_7C15, 0x843D_211D_892E_A64A),
        ((0..<1024).map { UInt8(truncatingIfNeeded: $0) }, .max, 0x610C_4DCE_21EE_28E3),
    ]

    @Test("XXH64 gives the digests of the reference implementation", arguments: 0..<vectors.count)
    func vector(_ index: Int) {
        let vector = Self.vectors[index]
        #expect(vector.bytes.withUnsafeBytes { XXHash64.digest($0, seed: vector.seed) } == vector.digest)
    }

    @Test("an entry's checksum depends on its canvas and on each field")
    func everyField() throws {
        let base = try entry(5)
        func changed(
            revision: Revision = 5, site: SiteID? = nil, sequence: SequenceNumber? = nil, time: UInt64? = nil,
            label: String? = nil, payload: [UInt8]? = nil
        ) -> LogEntry {
            LogEntry(
                revision: revision, site: site ?? base.site, sequence: sequence ?? base.sequence,
                time: time ?? base.time,
                label: label ?? base.label, payload: payload ?? base.payload)
        }
        let variants = [
            base, changed(revision: 6), changed(site: SiteID(8)), changed(sequence: 1), changed(time: 1),
            changed(label: "Move 5"), changed(payload: base.payload.dropLast()),
            changed(label: "", payload: Array(base.label.utf8) + base.payload),
        ]
        let checksum = RecordChecksum(try canvas("a"))
        let all = variants.map(checksum.entry) + [RecordChecksum(try canvas("b")).entry(base)]
        #expect(Set(all).count == all.count)
    }
}
