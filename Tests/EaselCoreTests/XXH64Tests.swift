import Testing

@testable import EaselCore

@Suite("XXH64")
struct XXH64Tests {
    @Test(
        "gives the published hashes of strings, seed 0",
        arguments: [
            ("", 0xEF46_DB37_51D8_E999),
            ("a", 0xD24E_C4F1_A98C_6E5B),
            ("abc", 0x44BC_2CF5_AD77_0999),
            ("message digest", 0x066E_D728_FCEE_B3BE),
            ("abcdefghijklmnopqrstuvwxyz", 0xCFE1_F278_FA89_835C),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                0xE04A_477F_19EE_145D
            ),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
            ("Grüße, 世界 🌍", 0x84DB_1D97_7DB4_E538),
        ] as [(String, UInt64)])
    func strings(_ string: String, _ expected: UInt64) {
        #expect(XXH64.hash(string) == expected)
        #expect(XXH64.hash(Array(string.utf8)) == expected)
    }

    @Test(
        "gives the hashes of the reference implementation at lengths around its steps",
        arguments: [
            (1, 0x1F25_C8D0_BC1F_4BB6, 0x79CF_94F5_ACE3_7FE1),
            (3, 0x31D2_363F_52E5_64C9, 0x96D2_A5E5_83DD_D738),
            (4, 0x9BB6_4B7D_66EE_9FDA, 0x4A86_2FBB_4B73_776E),
            (7, 0x9A7B_1499_59CE_60D8, 0xDDC5_CF71_D37A_6368),
            (8, 0xDAB9_9D95_C6F9_0092, 0xC6E7_5E2C_BD8E_07EE),
            (12, 0xD52E_4078_33AF_5133, 0x79B0_B158_FAB0_E5D6),
            (31, 0xA2AA_5F33_CC4A_6119, 0x3818_22F3_3376_D6B6),
            (32, 0x23C3_C17E_F790_FD97, 0x9ABD_3154_70AC_276A),
            (33, 0x50A7_CFC7_BA58_8784, 0x72CD_D326_2F46_7933),
            (63, 0x5E3E_54B4_31C7_493C, 0x634D_A7D2_6597_9E61),
            (64, 0x0EB6_4B3E_F6EE_B01F, 0xBCB3_847D_7052_5180),
            (222, 0x8488_AA61_FC67_F7EB, 0xA0E1_06FB_D1FD_FC38),
        ] as [(Int, UInt64, UInt64)])
    func lengths(_ count: Int, _ unseeded: UInt64, _ seeded: UInt64) {
        #expect(XXH64.hash(Self.pattern(count)) == unseeded)
        #expect(XXH64.hash(Self.pattern(count), seed: 0x9E37_79B1) == seeded)
    }

    @Test("agrees with the reference implementation on 300 lengths and four seeds")
    func fold() {
        var fold: UInt64 = 0
        for count in 0..<300 {
            for seed in [0, 1, 0x9E37_79B1, UInt64.max] {
                fold = fold &* 31 &+ XXH64.hash(Self.pattern(count), seed: seed)
            }
        }
        #expect(fold == 0x90EB_E6E1_C7D8_5E6F)
    }

    @Test("reads words at any alignment")
    func alignment() {
        let bytes = Self.pattern(120)
        for shift in 1..<8 {
            let padded = [UInt8](repeating: 0, count: shift) + bytes
            let hash = padded.withUnsafeBytes { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[shift...]), seed: 0) }
            #expect(hash == XXH64.hash(bytes))
        }
    }

    private static func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) } }
}
