import EaselCore
import EaselProtocol
import Testing

@Suite("CBOR decoder")
struct CBORDecoderTests {
    private func value(_ hex: String) -> Result<Value, DecodingError> {
        outcome { () throws(DecodingError) in
            var decoder = CBORDecoder(bytes(hex))
            let value = try decoder.value()
            guard decoder.isAtEnd else { throw .trailingBytes }
            return value
        }
    }

    private func skipped(_ hex: String) -> DecodingError? {
        var decoder = CBORDecoder(bytes(hex))
        do throws(DecodingError) { try decoder.skip() } catch { return error }
        return decoder.isAtEnd ? nil : .trailingBytes
    }

    private func written(_ value: Value) -> String {
        var encoder = CBOREncoder()
        encoder.value(value)
        return hex(encoder.bytes)
    }

    @Test(
        "CB-01 an argument that a shorter head could hold is refused, at each width",
        arguments: [
            "1800", "1817", "190000", "1900ff", "1a00000000", "1a0000ffff", "1b0000000000000000", "1b00000000ffffffff",
            "3817", "390000", "3a0000ffff", "3b00000000ffffffff", "780161", "79000161", "9800", "b800",
        ])
    func longHead(_ hex: String) {
        #expect(value(hex) == .failure(.notShortest))
        #expect(skipped(hex) == .notShortest)
    }

    @Test(
        "CB-01 arguments at the edge of each width are read",
        arguments: [
            ("17", 23), ("1818", 24), ("18ff", 255), ("190100", 256), ("19ffff", 65_535), ("1a00010000", 65_536),
            ("1affffffff", 4_294_967_295), ("1b0000000100000000", 4_294_967_296), ("1b7fffffffffffffff", Int64.max),
            ("20", -1), ("37", -24), ("3818", -25), ("3b7fffffffffffffff", Int64.min),
        ] as [(String, Int64)])
    func edges(_ hex: String, _ number: Int64) {
        #expect(value(hex) == .success(.integer(number)))
        #expect(written(.integer(number)) == hex)
        #expect(skipped(hex) == nil)
    }

    @Test(
        "CB-08 integers beyond 64 bits with sign are no values",
        arguments: ["1b8000000000000000", "3b8000000000000000"])
    func hugeIntegers(_ hex: String) {
        #expect(value(hex) == .failure(.outOfRange))
        #expect(skipped(hex) == nil)
    }

    @Test(
        "CB-02 indefinite lengths and reserved heads are refused",
        arguments: ["1c", "1d", "1e", "1f", "3f", "7f6161ff", "9f01ff", "bf616101ff"])
    func indefinite(_ hex: String) {
        #expect(skipped(hex) == .indefiniteOrReserved)
        #expect(value(hex) == .failure(.indefiniteOrReserved))
    }

    @Test(
        "CB-03 text that is not UTF-8 is refused: stray and missing bytes, long forms, surrogates, beyond U+10FFFF",
        arguments: [
            "6180", "61ff", "61c3", "62c080", "62c1bf", "63e08080", "63eda080", "63edbfbf", "66eda0bdedb882",
            "64f0808080",
            "64f4908080", "64f8888080", "62e282", "63f09f99",
        ])
    func invalidText(_ hex: String) {
        #expect(value(hex) == .failure(.invalidUTF8))
        #expect(skipped(hex) == .invalidUTF8)
    }

    @Test(
        "CB-03 text is kept byte for byte",
        arguments: ["", "a", "é", "e\u{301}", "🙂", "\u{0}", "\u{FEFF}x", "\u{FFFD}", "\u{10FFFF}"])
    func validText(_ string: String) {
        var encoder = CBOREncoder()
        encoder.text(string)
        #expect(value(hex(encoder.bytes)) == .success(.string(string)))
    }

    @Test(
        "CB-04 map keys that repeat or fall are refused",
        arguments: ["a2616101616102", "a2616201616102", "a262616101616202"])
    func keyOrder(_ hex: String) {
        #expect(value(hex) == .failure(.keyOrder))
        #expect(skipped(hex) == .keyOrder)
    }

    @Test("CB-04 map keys rise by length, then by bytes")
    func risingKeys() {
        let expected = Value.map(
            Properties([(key("b"), .integer(1)), (key("aa"), .integer(2)), (key("ab"), .integer(3))]))
        #expect(value("a3 616201 62616102 62616203") == .success(expected))
    }

    @Test(
        "CB-05 floats that a shorter float could hold are refused",
        arguments: [
            "fa3fc00000", "fb3ff8000000000000", "fa00000000", "fb0000000000000000", "fa33800000", "fb3e70000000000000",
        ])
    func longFloat(_ hex: String) {
        #expect(value(hex) == .failure(.notShortest))
        #expect(skipped(hex) == .notShortest)
    }

    @Test(
        "CB-05 NaN and infinities are refused in every width",
        arguments: [
            "f97c00", "f9fc00", "f97e00", "f97c01", "fa7f800000", "faff800000", "fa7fc00000", "fb7ff0000000000000",
            "fbfff0000000000000", "fb7ff8000000000000", "fb7ff0000000000001",
        ])
    func notFinite(_ hex: String) {
        #expect(value(hex) == .failure(.notFinite))
        #expect(skipped(hex) == .notFinite)
    }

    @Test(
        "CB-05 floats are read at the edges of each width",
        arguments: [
            ("f93e00", 1.5), ("f90001", 0x1p-24), ("f90400", 0x1p-14), ("f903ff", 0x3FFp-24), ("f98001", -0x1p-24),
            ("fa33000000", 0x1p-25), ("fa33c00000", 0x1.8p-24), ("fa3dcccccd", Double(Float(0.1))),
            ("fa00000001", Double(Float.leastNonzeroMagnitude)), ("fa7f7fffff", Double(Float.greatestFiniteMagnitude)),
            ("fb3fb999999999999a", 0.1), ("fb0000000000000001", Double.leastNonzeroMagnitude),
            ("fb7fefffffffffffff", Double.greatestFiniteMagnitude),
            ("fa5a000001", Double(Float(bitPattern: 0x5A00_0001))),
        ])
    func floats(_ hex: String, _ number: Double) {
        #expect(value(hex) == .success(.double(number)))
        #expect(written(.double(number)) == hex)
    }

    @Test("CB-05 every half, and its neighbours among the floats, is read exactly if its width is the shortest")
    func allHalves() throws {
        for pattern in UInt16.min...UInt16.max where pattern & 0x7C00 != 0x7C00 {
            var decoder = CBORDecoder([0xF9, UInt8(pattern >> 8), UInt8(pattern & 0xFF)])
            let number = try decoder.double()
            var encoder = CBOREncoder()
            encoder.double(number)
            #expect(encoder.bytes == [0xF9, UInt8(pattern >> 8), UInt8(pattern & 0xFF)])
            for single in [Float(number), Float(number).nextUp, Float(number).nextDown] {
                var encoder = CBOREncoder()
                encoder.double(Double(single))
                var longer = [UInt8](arrayLiteral: 0xFA)
                for shift in [24, 16, 8, 0] {
                    longer.append(UInt8(truncatingIfNeeded: single.bitPattern >> UInt32(shift)))
                }
                var decoder = CBORDecoder(longer)
                let read = outcome { () throws(DecodingError) in try decoder.double() }
                #expect(read == (encoder.bytes == longer ? .success(Double(single)) : .failure(.notShortest)))
            }
        }
    }

    @Test(
        "CB-06 tags, undefined and other simple values are refused",
        arguments: ["c001", "d9d9f700", "f7", "e0", "f0", "f800", "f8ff", "f818", "fc", "ff"])
    func unsupported(_ hex: String) {
        #expect(value(hex) == .failure(.unexpectedItem))
        #expect(skipped(hex) == .unsupportedItem)
    }

    @Test("CB-08 byte strings and null are no values", arguments: ["4101", "f6"])
    func noValue(_ hex: String) {
        #expect(value(hex) == .failure(.unexpectedItem))
        #expect(skipped(hex) == nil)
    }

    @Test("CB-07 unknown items are followed 16 levels deep and no deeper")
    func nesting() {
        #expect(skipped(String(repeating: "81", count: 15) + "00") == nil)
        #expect(skipped(String(repeating: "81", count: 16) + "00") == .tooDeep)
        #expect(skipped(String(repeating: "a100", count: 15) + "00") == nil)
        #expect(skipped(String(repeating: "a100", count: 16) + "00") == .tooDeep)
        #expect(skipped(String(repeating: "81", count: 1_000_000)) == .tooDeep)
    }

    @Test(
        "CB-08 a float that equals an integer within ±2^53 is refused, and so is negative zero",
        arguments: [
            "f90000", "f98000", "f93c00", "f9c000", "fa4b000000", "fa5a000000", "fada000000", "fb419d6f3454000000",
        ])
    func integralFloat(_ hex: String) {
        #expect(value(hex) == .failure(.notCanonical))
        #expect(skipped(hex) == nil)
    }

    @Test("CB-09 values nest four levels deep and no deeper")
    func valueDepth() {
        #expect(value("81818100") == .success(.list([.list([.list([.integer(0)])])])))
        #expect(value("81818180") == .success(.list([.list([.list([.list([])])])])))
        #expect(value("8181818100") == .failure(.tooDeep))
        let three = Value.map(Properties([(key("a"), .map(Properties([(key("a"), .map(Properties()))])))]))
        #expect(value("a16161a16161a0") == .success(three))
        #expect(value("a16161a16161a16161a0") != .failure(.tooDeep))
        #expect(value("a16161a16161a16161a1616100") == .failure(.tooDeep))
    }

    @Test(
        "CB-10 a count that promises more items than bytes are left is refused at once",
        arguments: [
            "9b0fffffffffffffff", "9bffffffffffffffff", "bb0fffffffffffffff", "5b7fffffffffffffff",
            "7bffffffffffffffff",
            "9a7fffffff00", "ba7fffffff00", "8200", "a26161", "a16161", "62ff", "64f09f99",
        ])
    func hugeCounts(_ hex: String) {
        #expect(skipped(hex) == .truncated)
    }

    @Test("CB-10 every beginning of an item is refused")
    func truncation() {
        var encoder = CBOREncoder()
        encoder.properties(Sample.properties)
        for length in 0..<encoder.bytes.count {
            #expect((try? value(hex(Array(encoder.bytes[..<length]))).get()) == nil)
            #expect(skipped(hex(Array(encoder.bytes[..<length]))) == .truncated)
        }
        #expect(value(hex(encoder.bytes)) == .success(.map(Sample.properties)))
        #expect(skipped(hex(encoder.bytes)) == nil)
    }
}
