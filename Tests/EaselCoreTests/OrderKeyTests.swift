import EaselCore
import Testing

@Suite("Order keys")
struct OrderKeyTests {
    @Test("a key between two keys lies strictly between them, for arbitrary keys")
    func arbitrary() {
        var random = SplitMix64(seed: 3)
        var made = 0
        for _ in 0..<15_000 {
            var pair = [Self.randomKey(&random), Self.randomKey(&random)].sorted()
            if random.once(in: 3) {
                pair[1] = order(String(pair[0].rawValue.prefix(100) + Self.randomKey(&random).rawValue.prefix(20)))
            }
            guard pair[0] < pair[1] else { continue }
            let writer = site(UInt64(1 + random.below(100)))
            guard let key = OrderKey.between(pair[0], pair[1], site: writer) else { continue }
            made += 1
            #expect(pair[0] < key && key < pair[1], "\(pair)")
        }
        #expect(made > 10_000)
    }

    @Test("an open side gives a key on the other side of the bound")
    func open() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<8_000 {
            let bound = Self.randomKey(&random)
            if let key = OrderKey.between(bound, nil, site: site(7)) { #expect(bound < key) }
            if let key = OrderKey.between(nil, bound, site: site(7)) { #expect(key < bound) }
        }
    }

    @Test(
        "edges: nothing fits in front of zeros or behind the longest key of z, something fits wherever there is room",
        arguments: [
            (nil, "0", false), (nil, "000000", false), (nil, "0000001", true), (nil, "00000000", false),
            (nil, "1", true),
            (String(repeating: "z", count: 128), nil, false), (String(repeating: "z", count: 125), nil, true),
            ("z", nil, true), ("zzzzzz", nil, true), ("zzzzzy", nil, true), ("a", "a0", false), ("a", "a01", true),
            ("a", "a1", true),
            ("a", "b", true), ("a", "a", false), ("b", "a", false), ("ab", "a", false), ("a0", "a", false),
            ("azzzzzzz", "b", true), ("az", "b0", true), ("Zz", "a0", true), ("aB", "ab", true),
        ] as [(String?, String?, Bool)])
    func edges(_ lower: String?, _ upper: String?, _ fits: Bool) throws {
        let key = OrderKey.between(lower.map(order), upper.map(order), site: site(9))
        #expect((key != nil) == fits)
        guard let key else { return }
        if let lower { #expect(order(lower) < key) }
        if let upper { #expect(key < order(upper)) }
    }

    @Test("ZORD-06: 100,000 appends and 100,000 prepends keep keys at eight digits")
    func appends() throws {
        var last = try #require(OrderKey.between(nil, nil, site: site(5)))
        var first = last
        for index in 0..<100_000 {
            let writer = site(UInt64(1 + index % 9))
            let behind = try #require(OrderKey.between(last, nil, site: writer))
            let front = try #require(OrderKey.between(nil, first, site: writer))
            #expect(last < behind && front < first)
            last = behind
            first = front
        }
        #expect(last.rawValue.utf8.count == 8)
        #expect(first.rawValue.utf8.count == 8)
    }

    @Test("ZORD-06: about 600 inserts fit at one place before there is no room", arguments: 0..<4)
    func onePlace(_ pattern: Int) throws {
        var lower = try #require(OrderKey.between(nil, nil, site: site(5)))
        var upper = try #require(OrderKey.between(lower, nil, site: site(6)))
        var random = SplitMix64(seed: UInt64(pattern))
        var count = 0
        while let key = OrderKey.between(lower, upper, site: site(UInt64(1 + count % 5))) {
            #expect(lower < key && key < upper)
            count += 1
            let keepsLower = [true, false, count % 2 == 0, random.once(in: 2)][pattern]
            if keepsLower { upper = key } else { lower = key }
            try #require(count < 5_000)
        }
        #expect(count >= 550, "\(count)")
    }

    @Test("keys made for one place by different sites differ, but for one pair of sites in thousands")
    func concurrent() throws {
        let lower = try #require(OrderKey.between(nil, nil, site: site(5)))
        let upper = try #require(OrderKey.between(lower, nil, site: site(6)))
        var random = SplitMix64(seed: 5)
        var equal = 0
        for _ in 0..<8_000 {
            let one = OrderKey.between(lower, upper, site: site(1 + random.next() >> 12))
            let other = OrderKey.between(lower, upper, site: site(1 + random.next() >> 12))
            if one == other { equal += 1 }
        }
        #expect(equal < 10, "\(equal)")
    }

    @Test("ZORD-01: of 500 shapes that each of two sites inserts into one gap offline no two have equal keys")
    func offline() throws {
        let lower = try #require(OrderKey.between(nil, nil, site: site(5)))
        let upper = try #require(OrderKey.between(lower, nil, site: site(6)))
        var keys: [OrderKey] = [lower, upper]
        for writer in [site(100), site(200)] {
            var last = lower
            for _ in 0..<500 {
                last = try #require(OrderKey.between(last, upper, site: writer))
                keys.append(last)
            }
        }
        keys.sort()
        #expect(Set(keys).count == keys.count)
        for (left, right) in zip(keys, keys.dropFirst()) where left < right {
            #expect(OrderKey.between(left, right, site: site(3)) != nil || left.rawValue.utf8.count > 120)
        }
    }

    @Test("ZORD-02: between equal keys there is nothing, and spread keys make room again")
    func spread() {
        let tied = order("V5")
        #expect(OrderKey.between(tied, tied, site: site(1)) == nil)
        let keys = OrderKey.spread(1_000, site: site(1))
        #expect(keys == keys.sorted())
        for (left, right) in zip(keys, keys.dropFirst()) {
            #expect(left < right)
            #expect(OrderKey.between(left, right, site: site(2)) != nil)
        }
        #expect(OrderKey.between(nil, keys[0], site: site(2)) != nil)
        #expect(OrderKey.spread(0, site: site(1)).isEmpty)
    }

    @Test("ZORD-03: keys sort by bytes: digits, capitals, small letters")
    func byteOrder() {
        let keys = ["0", "00", "01", "9", "A", "Zz", "a", "a0", "aB", "ab", "z"].map(order)
        #expect(keys.reversed().sorted() == keys)
        for (index, left) in keys.enumerated() {
            for (other, right) in keys.enumerated() {
                let isBefore = left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
                #expect((left < right) == isBefore)
                #expect((left < right) == (index < other))
            }
        }
    }

    @Test("only 1 to 128 base-62 digits are keys")
    func validity() {
        #expect(OrderKey("") == nil)
        #expect(OrderKey("a-") == nil)
        #expect(OrderKey("é") == nil)
        #expect(OrderKey(String(repeating: "a", count: 128)) != nil)
        #expect(OrderKey(String(repeating: "a", count: 129)) == nil)
    }

    private static func randomKey(_ random: inout SplitMix64) -> OrderKey {
        let alphabet = random.once(in: 2) ? "0z1y" : "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        let count = random.once(in: 20) ? 100 + random.below(29) : 1 + random.below(9)
        return order(String((0..<count).map { _ in random.pick(alphabet) }))
    }
}
