import Testing

@testable import EaselCore

@Suite("Sorted map")
struct SortedMapTests {
    @Test("random changes behave as on a sorted array, and copies never change", arguments: 0..<6 as Range<UInt64>)
    func random(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let keySpace = [40, 300, 5_000][Int(seed % 3)]
        var map = SortedMap<Int, Int>()
        var model = NaiveMap()
        var snapshots: [(SortedMap<Int, Int>, NaiveMap)] = []
        for step in 0..<6_000 {
            let grows = (step / 1_500) % 2 == 0
            if random.below(10) < (grows ? 7 : 3) {
                let key = random.below(keySpace)
                map.set(key, step)
                model.set(key, step)
            } else if !model.pairs.isEmpty {
                let key = random.pick(model.pairs).key
                map.remove(key)
                model.remove(key)
            }
            if step % 500 == 0 { snapshots.append((map, model)) }
            if step % 20 == 0 { Self.compareLookups(map, model, random.below(keySpace + 2) - 1) }
            if step % 200 == 0 { Self.compare(map, model) }
        }
        Self.compare(map, model)
        for (map, model) in snapshots { Self.compare(map, model) }
    }

    @Test("rising and falling inserts, then removal of everything from either end or at random", arguments: 0..<6)
    func runs(_ pattern: Int) {
        var map = SortedMap<Int, Int>()
        var model = NaiveMap()
        let keys = pattern % 2 == 0 ? Array(0..<3_000) : Array((0..<3_000).reversed())
        for key in keys { map.set(key, -key) }
        for key in 0..<3_000 { model.set(key, -key) }
        Self.compare(map, model)
        let full = map
        var random = SplitMix64(seed: UInt64(pattern))
        let order = [Array(0..<3_000), (0..<3_000).reversed(), (0..<3_000).shuffled(using: &random)][pattern / 2]
        for (index, key) in order.enumerated() {
            map.remove(key)
            if index % 600 == 0 {
                #expect(map[key] == nil)
                for other in order.suffix(order.count - index - 1) { #expect(map[other] == -other) }
            }
        }
        #expect(map.count == 0)
        Self.compare(map, NaiveMap())
        map.set(1, 1)
        #expect(map[1] == 1)
        Self.compare(full, model)
    }

    @Test("removing most keys, left to right, keeps the tree small")
    func shrinks() {
        var map = SortedMap<Int, Int>()
        for key in 0..<64_000 { map.set(key, key) }
        for key in 0..<64_000 where key % 64 != 0 { map.remove(key) }
        #expect(map.count == 1_000)
        #expect(map.nodeCount < 150)
    }

    @Test("iteration stops where the body says so")
    func stops() {
        var map = SortedMap<Int, Int>()
        for key in 0..<1_000 { map.set(key, key) }
        var seen: [Int] = []
        map.forEach(from: 500) { key, _ in
            seen.append(key)
            return seen.count < 3
        }
        #expect(seen == [500, 501, 502])
        seen = []
        map.forEachDescending(before: 500) { key, _ in
            seen.append(key)
            return seen.count < 3
        }
        #expect(seen == [499, 498, 497])
    }

    private static func compareLookups(_ map: SortedMap<Int, Int>, _ model: NaiveMap, _ key: Int) {
        #expect(map[key] == model.pairs.first { $0.key == key }?.value)
        #expect(map.floor(key)?.key == model.pairs.last { $0.key <= key }?.key)
        #expect(map.floor(key)?.value == model.pairs.last { $0.key <= key }?.value)
        #expect(map.last(before: key)?.key == model.pairs.last { $0.key < key }?.key)
        #expect(map.first(after: key)?.key == model.pairs.first { $0.key > key }?.key)
        #expect(map.first(after: key)?.value == model.pairs.first { $0.key > key }?.value)
        var seen: [Int] = []
        map.forEach(from: key) { found, _ in
            seen.append(found)
            return seen.count < 200
        }
        #expect(seen == Array(model.pairs.map(\.key).filter { $0 >= key }.prefix(200)))
        seen = []
        map.forEachDescending(before: key) { found, _ in
            seen.append(found)
            return seen.count < 200
        }
        #expect(seen == Array(model.pairs.map(\.key).filter { $0 < key }.reversed().prefix(200)))
    }

    private static func compare(_ map: SortedMap<Int, Int>, _ model: NaiveMap) {
        var keys: [Int] = []
        var values: [Int] = []
        map.forEach {
            keys.append($0)
            values.append($1)
            return true
        }
        #expect(map.count == model.pairs.count)
        #expect(keys == model.pairs.map(\.key))
        #expect(values == model.pairs.map(\.value))
    }
}

/// Pairs in an array that is sorted after every change.
private struct NaiveMap {
    private(set) var pairs: [(key: Int, value: Int)] = []

    mutating func set(_ key: Int, _ value: Int) {
        pairs.removeAll { $0.key == key }
        pairs.insert((key, value), at: pairs.firstIndex { $0.key > key } ?? pairs.count)
    }

    mutating func remove(_ key: Int) { pairs.removeAll { $0.key == key } }
}

extension SortedMap {
    /// Number of nodes of the tree.
    fileprivate var nodeCount: Int { root.map { Self.nodeCount($0) } ?? 0 }

    private static func nodeCount(_ node: Node) -> Int { node.children.reduce(1) { $0 + nodeCount($1) } }
}
