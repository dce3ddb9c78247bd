import Testing

@testable import EaselCore

@Suite("Shape map")
struct ShapeMapTests {
    @Test("random changes behave as on a dictionary, and copies never change", arguments: 0..<4 as Range<UInt64>)
    func random(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var map = ShapeMap()
        var model: [ShapeID: Int] = [:]
        var ids: [ShapeID] = []
        var snapshots: [(ShapeMap, [ShapeID: Int])] = []
        for step in 0..<6_000 {
            if ids.count > 2, random.once(in: 5) {
                let id = ids.remove(at: random.below(ids.count))
                map.remove(id)
                model[id] = nil
                #expect(map[id] == nil)
            } else if ids.isEmpty || random.below(3) > 0 {
                let id = ShapeID(site: site(seed + 1), counter: UInt64(step))
                #expect(map[id] == nil)
                map.insert(Self.shape(id, step))
                ids.append(id)
                model[id] = step
            } else {
                let id = random.pick(ids)
                let old: Int? = map.update(id) { shape in
                    let old = Self.number(shape)
                    shape.properties[Self.key] = .integer(Int64(step))
                    return old
                }
                #expect(old == model[id])
                model[id] = step
            }
            if step % 700 == 0 { snapshots.append((map, model)) }
        }
        Self.compare(map, model)
        for (map, model) in snapshots { Self.compare(map, model) }
    }

    @Test("the order of iteration depends on the ids only, not on the order of insertion")
    func iteration() {
        let ids = (0..<3_000).map { ShapeID(site: site(3), counter: UInt64($0)) }
        var random = SplitMix64(seed: 9)
        var one = ShapeMap()
        for id in ids { one.insert(Self.shape(id, 0)) }
        var other = ShapeMap()
        for id in ids.shuffled(using: &random) { other.insert(Self.shape(id, 0)) }
        #expect(Self.ids(one) == Self.ids(other))
    }

    @Test("what is removed leaves no trace: iteration and comparison are as if it had never been there")
    func removal() {
        let ids = (0..<3_000).map { ShapeID(site: site(3), counter: UInt64($0)) } + Self.collidingIDs(4)
        var random = SplitMix64(seed: 10)
        var map = ShapeMap()
        for id in ids { map.insert(Self.shape(id, 0)) }
        let kept = ids.shuffled(using: &random).prefix(900)
        for id in ids where !kept.contains(id) { map.remove(id) }
        var other = ShapeMap()
        for id in kept { other.insert(Self.shape(id, 0)) }
        #expect(map.count == 900)
        #expect(Self.ids(map) == Self.ids(other))
        for id in kept { map.remove(id) }
        #expect(map.count == 0 && Self.ids(map).isEmpty)
    }

    @Test("ids whose whole hash agrees are all found, changed and kept apart")
    func collisions() {
        let ids = Self.collidingIDs(5)
        #expect(Set(ids).count == 5)
        #expect(Set(ids.map { XXH64.hash($0.rawValue) }).count == 1)
        var map = ShapeMap()
        for counter in 0..<200 { map.insert(Self.shape(ShapeID(site: site(4), counter: UInt64(counter)), counter)) }
        let before = map
        for (index, id) in ids.enumerated() {
            #expect(map[id] == nil)
            map.insert(Self.shape(id, index))
        }
        let copy = map
        for (index, id) in ids.enumerated() {
            map.update(id) { $0.properties[Self.key] = .integer(Int64(index + 100)) }
        }
        for (index, id) in ids.enumerated() {
            #expect(map[id].flatMap(Self.number) == index + 100)
            #expect(copy[id].flatMap(Self.number) == index)
            #expect(before[id] == nil)
        }
        #expect(map.count == 205)
        #expect(Self.ids(map).count == 205)
        #expect(Self.differences(map, copy).sorted() == ids.sorted())
        #expect(Self.differences(copy, before).sorted() == ids.sorted())
    }

    @Test("the differences of two maps are exactly the changes, both ways, and shared parts are skipped")
    func differences() {
        var random = SplitMix64(seed: 12)
        var map = ShapeMap()
        let ids = (0..<20_000).map { ShapeID(site: site(5), counter: UInt64($0)) }
        for id in ids { map.insert(Self.shape(id, 0)) }
        #expect(Self.differences(map, map).isEmpty)
        let old = map
        var changed: Set<ShapeID> = []
        for step in 0..<20 {
            let id = random.pick(ids)
            map.update(id) { $0.properties[Self.key] = .integer(Int64(step + 1)) }
            changed.insert(id)
        }
        for step in 0..<20 {
            let id = ShapeID(site: site(6), counter: UInt64(step))
            map.insert(Self.shape(id, step))
            changed.insert(id)
        }
        for (new, old) in [(map, old), (old, map)] {
            let found = Self.differences(new, old)
            #expect(found.sorted() == changed.sorted())
        }
    }

    // MARK: Parts

    private static let key = propertyKey("n")

    private static func shape(_ id: ShapeID, _ number: Int) -> Shape {
        Shape(
            id: id, kind: "r", parent: nil, order: order("V"), properties: Properties([(key, .integer(Int64(number)))]),
            text: Text(), causes: [])
    }

    private static func number(_ shape: Shape) -> Int? { shape[key]?.asDouble.map { Int($0) } }

    private static func ids(_ map: ShapeMap) -> [ShapeID] {
        var ids: [ShapeID] = []
        map.forEach { ids.append($0.id) }
        return ids
    }

    private static func differences(_ new: ShapeMap, _ old: ShapeMap) -> [ShapeID] {
        var ids: [ShapeID] = []
        new.forEachDifference(from: old, { $0.properties == $1.properties }) { ids.append($0) }
        return ids
    }

    private static func compare(_ map: ShapeMap, _ model: [ShapeID: Int]) {
        #expect(map.count == model.count)
        var found: [ShapeID: Int] = [:]
        map.forEach { found[$0.id] = number($0) }
        #expect(found == model)
        for (id, value) in model { #expect(map[id].flatMap(number) == value) }
    }

    /// Different ids of 16 bytes with one and the same hash: for any first word there is one second word that leads
    /// XXH64 to the same state, and in one case of some three thousand its bytes are printable.
    private static func collidingIDs(_ count: Int) -> [ShapeID] {
        let base = "collide-0000000-"
        let words = stride(from: 0, to: 16, by: 8).map { word(Array(base.utf8)[$0..<$0 + 8]) }
        let target = afterFirst(words[0]) ^ round(words[1])
        var ids = [shapeID(base)]
        var random = SplitMix64(seed: 77)
        while ids.count < count {
            let first = (0..<8).map { _ in UInt8(0x21 + random.below(94)) }
            let second = inverseRound(target ^ afterFirst(word(first[...])))
            let bytes = first + (0..<8).map { UInt8(truncatingIfNeeded: second >> UInt64($0 * 8)) }
            if let id = ShapeID(String(decoding: bytes, as: UTF8.self)), id.rawValue.utf8.elementsEqual(bytes) {
                ids.append(id)
            }
        }
        return ids
    }

    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }

    private static func round(_ word: UInt64) -> UInt64 { rotated(word &* prime2, 31) &* prime1 }

    private static func inverseRound(_ value: UInt64) -> UInt64 {
        rotated(value &* inverse(prime1), 33) &* inverse(prime2)
    }

    /// The number whose product with an odd number is 1 modulo 2^64, by Newton's iteration.
    private static func inverse(_ odd: UInt64) -> UInt64 {
        (0..<6).reduce(odd) { result, _ in result &* (2 &- odd &* result) }
    }

    private static func afterFirst(_ word: UInt64) -> UInt64 {
        let start: UInt64 = 0x27D4_EB2F_1656_67C5 &+ 16
        return rotated(start ^ round(word), 27) &* prime1 &+ 0x85EB_CA77_C2B2_AE63
    }
}
