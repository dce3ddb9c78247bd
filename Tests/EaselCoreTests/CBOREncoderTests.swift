import EaselCore
import Testing

@Suite("CBOR encoder")
struct CBOREncoderTests {
    @Test(
        "RFC 8949 A: integers",
        arguments: [
            (0, "00"), (1, "01"), (10, "0a"), (23, "17"), (24, "1818"), (25, "1819"), (100, "1864"), (1000, "1903e8"),
            (255, "18ff"), (256, "190100"), (65_535, "19ffff"), (65_536, "1a00010000"), (1_000_000, "1a000f4240"),
            (4_294_967_295, "1affffffff"), (4_294_967_296, "1b0000000100000000"),
            (1_000_000_000_000, "1b000000e8d4a51000"), (Int64.max, "1b7fffffffffffffff"),
            (-1, "20"), (-10, "29"), (-24, "37"), (-25, "3818"), (-100, "3863"), (-1000, "3903e7"),
            (Int64.min, "3b7fffffffffffffff"),
        ] as [(Int64, String)])
    func integers(_ value: Int64, _ expected: String) {
        expect(expected) { $0.integer(value) }
    }

    @Test("RFC 8949 A: the largest unsigned integer")
    func unsigned() {
        expect("1bffffffffffffffff") { $0.unsigned(.max) }
    }

    @Test(
        "RFC 8949 A: floating point",
        arguments: [
            (0.0, "f90000"), (-0.0, "f98000"), (1.0, "f93c00"), (1.1, "fb3ff199999999999a"), (1.5, "f93e00"),
            (65504.0, "f97bff"), (100000.0, "fa47c35000"), (3.4028234663852886e+38, "fa7f7fffff"),
            (1.0e+300, "fb7e37e43c8800759c"), (5.960464477539063e-8, "f90001"), (0.00006103515625, "f90400"),
            (-4.0, "f9c400"), (-4.1, "fbc010666666666666"), (.infinity, "f97c00"), (-.infinity, "f9fc00"),
            (.nan, "f97e00"),
        ] as [(Double, String)])
    func doubles(_ value: Double, _ expected: String) {
        expect(expected) { $0.double(value) }
    }

    @Test(
        "RFC 8949 A: strings",
        arguments: [
            ("", "60"), ("a", "6161"), ("IETF", "6449455446"), ("\"\\", "62225c"), ("\u{00fc}", "62c3bc"),
            ("\u{6c34}", "63e6b0b4"), ("\u{10151}", "64f0908591"),
        ])
    func strings(_ value: String, _ expected: String) {
        expect(expected) { $0.text(value) }
    }

    @Test("RFC 8949 A: byte strings, simple values, arrays, maps, tags")
    func others() {
        expect("40") { $0.byteString([]) }
        expect("4401020304") { $0.byteString([1, 2, 3, 4]) }
        expect("f4") { $0.bool(false) }
        expect("f5") { $0.bool(true) }
        expect("f6") { $0.null() }
        expect("80") { $0.array(0) }
        expect("a0") { $0.map(0) }
        expect("8201820203") { $0.value(.list([.integer(1), .list([.integer(2), .integer(3)])])) }
        expect("98190102030405060708090a0b0c0d0e0f101112131415161718181819") {
            $0.value(.list((1...25).map { .integer($0) }))
        }
        expect("c11a514b67b0") {
            $0.head(.tag, 1)
            $0.unsigned(1_363_896_240)
        }
        let map = Properties([(propertyKey("a"), .string("A")), (propertyKey("b"), .string("B"))])
        expect("a26161614161626142") { $0.value(.map(map)) }
    }

    @Test("keys of maps come in canonical order, shorter ones first, then by bytes")
    func keys() {
        let pairs = ["b", "aa", "é", "Z", "ab", "z"].map { (propertyKey($0), Value.bool(true)) }
        expect("a6" + "615af5" + "6162f5" + "617af5" + "626161f5" + "626162f5" + "62c3a9f5") {
            $0.properties(Properties(pairs))
        }
    }

    @Test("every half precision number is written in two bytes, as itself")
    func everyHalf() {
        for pattern in 0...UInt16.max {
            let value = Double(Float16(bitPattern: pattern))
            guard !value.isNaN else { continue }
            var encoder = CBOREncoder()
            encoder.double(value)
            #expect(encoder.bytes == [0xF9, UInt8(pattern >> 8), UInt8(pattern & 0xFF)])
        }
    }

    @Test("the width of a double is the shortest that keeps it, judged by the machine's own conversions")
    func shortest() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<50_000 {
            let value = Self.randomDouble(&random)
            var encoder = CBOREncoder()
            encoder.double(value)
            #expect(encoder.bytes == Self.naive(value), "\(value.bitPattern)")
        }
    }

    @Test("neighbours of half and single precision limits are not rounded")
    func limits() {
        let centers = [
            65504, 65520, 6.103515625e-05, 5.960464477539063e-8, 2.980232238769531e-8, 3.4028234663852886e+38,
            1.401298464324817e-45, 1.1754943508222875e-38,
        ]
        for center in centers {
            for value in [center.nextDown, center, center.nextUp, -center, -center.nextUp] {
                var encoder = CBOREncoder()
                encoder.double(value)
                #expect(encoder.bytes == Self.naive(value), "\(value)")
            }
        }
    }

    private static func randomDouble(_ random: inout SplitMix64) -> Double {
        switch random.below(4) {
        case 0:
            let value = Double(bitPattern: random.next())
            return value.isNaN ? 0 : value
        case 1:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            return value.isNaN ? 0 : Double(value)
        case 2: return Double(random.below(200_000) - 100_000) / 64
        default:
            let exponent = Double(sign: .plus, exponent: random.below(60) - 30, significand: 1)
            return exponent * Double(random.below(1 << 12))
        }
    }

    private static func naive(_ value: Double) -> [UInt8] {
        if let half = Float16(exactly: value) { return [0xF9] + bytes(half.bitPattern) }
        if let single = Float(exactly: value) { return [0xFA] + bytes(single.bitPattern) }
        return [0xFB] + bytes(value.bitPattern)
    }

    private static func bytes<Pattern: FixedWidthInteger>(_ pattern: Pattern) -> [UInt8] {
        withUnsafeBytes(of: pattern.bigEndian) { Array($0) }
    }

    private func expect(
        _ expected: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: (inout CBOREncoder) -> Void
    ) {
        var encoder = CBOREncoder()
        body(&encoder)
        let hex = encoder.bytes.map { String(UInt32($0) + 0x100, radix: 16).dropFirst() }.joined()
        #expect(hex == expected, sourceLocation: sourceLocation)
    }
}
