/// Random numbers from a seed, the same everywhere: SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The sequence that belongs to a seed.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to but not including `bound`, which is above 0.
    public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// True in `percent` of a hundred cases.
    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
