import EaselCore
import Testing

@testable import EaselProtocol

@Suite("Snapshots")
struct SnapshotTests {
    private func error(_ bytes: [UInt8]) -> SnapshotError? {
        do throws(SnapshotError) { _ = try Snapshot.decode(bytes) } catch { return error }
        return nil
    }

    /// Items of a snapshot after the digest, written by hand; the digest is the one these items have.
    private func handmade(revision: UInt64 = 1, _ write: (inout CBOREncoder) -> Void) -> Result<Canvas, SnapshotError> {
        var items = CBOREncoder()
        write(&items)
        func bytes(_ digest: UInt64) -> [UInt8] {
            var encoder = CBOREncoder()
            encoder.array(5)
            encoder.unsigned(1)
            encoder.unsigned(revision)
            encoder.unsigned(digest)
            encoder.encoded(items.bytes)
            return encoder.bytes
        }
        do throws(SnapshotError) {
            let digest = try Snapshot.rebuild(bytes(0)).builder.digest
            return .success(try Snapshot.decode(bytes(digest)))
        } catch {
            return .failure(error)
        }
    }

    private func damage(_ write: (inout CBOREncoder) -> Void) -> SnapshotError? {
        guard case .failure(let error) = handmade(write) else { return nil }
        return error
    }

    /// One run: `origin` nil is written as null, `true` as the character in front.
    private struct HandmadeRun {
        var site: UInt64 = 7
        var counter: UInt64
        var origin: Origin = .none
        var causes: UInt64 = 0
        var characters = "ab"
        /// Stands for the characters, as for purged ones.
        var count: UInt64?

        enum Origin {
            case none
            case front
            case id(UInt64, UInt64)
        }
    }

    private func damage(runs: [HandmadeRun]) -> SnapshotError? {
        damage {
            $0.map(0)
            $0.array(1)
            $0.array(7)
            $0.shapeHead("A")
            $0.array(runs.count)
            for run in runs {
                $0.array(5)
                $0.unsigned(run.site)
                $0.unsigned(run.counter)
                switch run.origin {
                case .none: $0.null()
                case .front: $0.bool(true)
                case .id(let site, let counter):
                    $0.array(2)
                    $0.unsigned(site)
                    $0.unsigned(counter)
                }
                $0.unsigned(run.causes)
                if let count = run.count { $0.unsigned(count) } else { $0.text(run.characters) }
            }
        }
    }

    private func damage(shapes: [(id: String, parent: String?, order: String)]) -> SnapshotError? {
        damage {
            $0.map(0)
            $0.array(shapes.count)
            for shape in shapes {
                $0.array(6)
                $0.shapeHead(shape.id, parent: shape.parent, order: shape.order)
            }
        }
    }

    @Test("SN-01 a canvas comes back whole, with sites, hidden causes, texts, left origins and digest")
    func roundTrip() throws {
        let samples = [
            Canvas(), SnapshotSample.small, SnapshotSample.texts, SnapshotSample.longText, SnapshotSample.purged,
        ]
        for original in samples {
            let back = try Snapshot.decode(Snapshot.encode(original))
            back.checkInvariants()
            #expect(back.digest == original.digest && back.revision == original.revision)
            #expect(back.recomputedDigest() == original.digest)
            #expect(back.shapeCount == original.shapeCount && back.visibleShapeCount == original.visibleShapeCount)
            #expect(back.lastSequence(of: site(9)) == original.lastSequence(of: site(9)))
            original.forEachShape { shape in
                #expect(back[shape.id]?.text.string == shape.text.string)
                #expect(back[shape.id]?.properties == shape.properties)
            }
        }
    }

    @Test(
        "SN-02 equal canvases give equal bytes, whatever way they came about", arguments: 1...40 as ClosedRange<UInt64>)
    func canonical(seed: UInt64) throws {
        let original = SnapshotSample.random(seed: seed, operations: 200)
        let encoded = Snapshot.encode(original)
        let back = try Snapshot.decode(encoded)
        back.checkInvariants()
        #expect(back.digest == original.digest)
        #expect(Snapshot.encode(back) == encoded)
    }

    @Test("SN-02 runs cut and joined in memory are written as one")
    func maximalRuns() throws {
        var cut = canvas(after: [
            [create("A", text: TextInsertion(first: character(7, 1), characters: "abcdef", left: nil, right: nil))],
            [.hide(.deleted, .characters(shape("A"), [CharacterRange(first: character(7, 3), count: 2)]))],
            [.show(.deleted, .characters(shape("A"), [CharacterRange(first: character(7, 4), count: 1)]))],
            [.show(.deleted, .characters(shape("A"), [CharacterRange(first: character(7, 3), count: 1)]))],
        ])
        let whole = canvas(after: [
            [create("A", text: TextInsertion(first: character(7, 1), characters: "abc", left: nil, right: nil))],
            [insert(character(7, 4), "def", left: character(7, 3))], [.show(.deleted, .shapes([shape("A")]))],
            [.show(.deleted, .shapes([shape("A")]))],
        ])
        #expect(cut.digest == whole.digest)
        #expect(Snapshot.encode(cut) == Snapshot.encode(whole))
        cut = try Snapshot.decode(Snapshot.encode(cut))
        #expect(cut[shape("A")]?.text.storedRuns().count == 1)
    }

    @Test(
        "SN-01 a canvas that came from a snapshot goes on like the one it was made of",
        arguments: 1...10 as ClosedRange<UInt64>)
    func goesOn(seed: UInt64) throws {
        var original = SnapshotSample.longText
        var back = try Snapshot.decode(Snapshot.encode(original))
        var random = SplitMix64(seed: seed)
        for step in 1...200 {
            guard let text = original[shape("B")]?.text else { return }
            let operation: Operation
            if Bool.random(using: &random) {
                let place = text.neighbours(at: Int.random(in: 0...text.visibleCount, using: &random))
                operation = insert("B", character(5, UInt64(step * 10)), "new", left: place.left, right: place.right)
            } else {
                let start = Int.random(in: 0..<text.visibleCount, using: &random)
                operation = .hide(
                    .deleted, .characters(shape("B"), text.characters(at: start..<min(start + 7, text.visibleCount))))
            }
            _ = original.apply([operation])
            _ = back.apply([operation])
            #expect(back.digest == original.digest)
        }
        back.checkInvariants()
    }

    @Test("SN-01 of purged characters there is the number, and a few bytes can stand for very many")
    func purgedRuns() throws {
        #expect(damage(runs: [HandmadeRun(counter: 1, causes: 4, count: 1 << 30)]) == nil)
        #expect(damage(runs: [HandmadeRun(counter: 1, causes: 4, count: 0)]) == .encoding(.outOfRange))
        #expect(damage(runs: [HandmadeRun(counter: 1, causes: 4, count: (1 << 30) + 1)]) == .encoding(.outOfRange))
        #expect(damage(runs: [HandmadeRun(counter: 1, causes: 4)]) == .encoding(.unexpectedItem))
        #expect(damage(runs: [HandmadeRun(counter: 1, causes: 0, count: 2)]) == .encoding(.unexpectedItem))
        let two = [
            HandmadeRun(counter: 1, causes: 4, count: 1 << 30), HandmadeRun(site: 8, counter: 1, causes: 4, count: 1),
        ]
        #expect(damage(runs: two) == .damaged(.tooManyCharacters))
        let cut = [
            HandmadeRun(counter: 1, causes: 4, count: 2), HandmadeRun(counter: 3, origin: .front, causes: 4, count: 2),
        ]
        #expect(damage(runs: cut) == .damaged(.runNotMaximal))
        let far = HandmadeRun(counter: Limits.counter, causes: 4, count: 2)
        #expect(damage(runs: [far]) == .damaged(.characterNumber))
    }

    @Test("SN-01 what is purged takes next to nothing in a snapshot")
    func purgedSize() throws {
        var canvas = canvas(after: [[create("A")]])
        for block in 0..<2 {
            let first = character(7, UInt64(1 + block * 50_000))
            let left = block == 0 ? nil : character(7, 50_000)
            _ = canvas.apply([insert(first, String(repeating: "x", count: 50_000), left: left)])
        }
        for number in 0..<1_000 { _ = canvas.apply([create("S\(number)", order: "W", [("x", .integer(1_000))])]) }
        let all = Targets.characters(shape("A"), [CharacterRange(first: character(7, 1), count: 100_000)])
        let shapes = Targets.shapes((0..<1_000).map { shape("S\($0)") })
        _ = canvas.apply([.hide(.deleted, all), .hide(.deleted, shapes)])
        #expect(Snapshot.encode(canvas).count > 120_000)
        _ = canvas.apply([.purge(all), .purge(shapes)])
        #expect(Snapshot.encode(canvas).count < 100)
        #expect(try Snapshot.decode(Snapshot.encode(canvas)).digest == canvas.digest)
    }

    @Test("SN-03 a canvas without the digest its snapshot names is damaged")
    func digestMismatch() {
        var bytes = Snapshot.encode(SnapshotSample.small)
        bytes[4] ^= 1
        #expect(error(bytes) == .damaged(.digest))
    }

    @Test("SN-03 a snapshot of another format is refused by its number")
    func otherFormat() {
        #expect(error(bytes("8302a0a0")) == .format(2))
        #expect(error(bytes("81 1818")) == .format(24))
        #expect(error(bytes("80")) == .encoding(.missingField))
        #expect(error(bytes("8401000080")) == .encoding(.missingField))
        #expect(error(Snapshot.encode(Canvas()) + [0]) == .encoding(.trailingBytes))
    }

    @Test("SN-04 parents must exist and form no cycle")
    func parents() {
        #expect(damage(shapes: [("A", nil, "V"), ("B", "A", "V"), ("C", "B", "V")]) == nil)
        #expect(damage(shapes: [("A", nil, "V"), ("B", "X", "V")]) == .damaged(.unknownParent))
        #expect(damage(shapes: [("A", "A", "V")]) == .damaged(.cycle))
        #expect(damage(shapes: [("B", "A", "V"), ("A", "B", "V")]) == .damaged(.cycle))
        #expect(
            damage(shapes: [("R", nil, "V"), ("C", "A", "V"), ("A", "B", "V"), ("B", "C", "V")]) == .damaged(.cycle))
    }

    @Test("SN-04 a cycle that many shapes hang on is found")
    func longCycle() {
        let names = (100..<400).map { "N\($0)" }
        var shapes = names.indices.map { (id: names[$0], parent: String?.some(names[max($0 - 1, 0)]), order: "V") }
        shapes.sort { ($0.parent ?? "", $0.id) < ($1.parent ?? "", $1.id) }
        #expect(damage(shapes: shapes) == .damaged(.cycle))
    }

    @Test("SN-04 a chain of 5,000 shapes is read without recursion")
    func deepChain() {
        let names = (10_000..<15_000).map { "N\($0)" }
        let shapes = names.indices.map {
            (id: names[$0], parent: $0 == 0 ? nil : String?.some(names[$0 - 1]), order: "V")
        }
        #expect(damage(shapes: shapes) == nil)
    }

    @Test("SN-04 shapes rise by parent, order key and id, and none comes twice")
    func shapeOrder() {
        #expect(damage(shapes: [("B", nil, "V"), ("A", nil, "W")]) == nil)
        #expect(damage(shapes: [("A", nil, "W"), ("B", nil, "V")]) == .damaged(.shapeOrder))
        #expect(damage(shapes: [("B", nil, "V"), ("A", nil, "V")]) == .damaged(.shapeOrder))
        #expect(damage(shapes: [("A", nil, "V"), ("A", nil, "V")]) == .damaged(.shapeOrder))
        #expect(damage(shapes: [("A", nil, "V"), ("A", nil, "W")]) == .damaged(.repeatedShape))
        #expect(damage(shapes: [("B", "A", "V"), ("A", nil, "V")]) == .damaged(.shapeOrder))
    }

    @Test("SN-04 sites rise, and their numbers are 1 to 2^53 - 1")
    func sites() {
        func damage(_ sites: [(UInt64, UInt64)]) -> SnapshotError? {
            self.damage {
                $0.map(sites.count)
                for (site, number) in sites {
                    $0.unsigned(site)
                    $0.unsigned(number)
                }
                $0.array(0)
            }
        }
        #expect(damage([(1, 1), (2, 9_007_199_254_740_991)]) == nil)
        #expect(damage([(2, 1), (1, 1)]) == .damaged(.site) && damage([(1, 1), (1, 1)]) == .damaged(.site))
        #expect(damage([(0, 1)]) == .encoding(.outOfRange) && damage([(1, 0)]) == .encoding(.outOfRange))
        #expect(damage([(1, 9_007_199_254_740_992)]) == .encoding(.outOfRange))
    }

    @Test("SN-05 characters have one number each, and left origins stand in front")
    func texts() {
        #expect(damage(runs: [.init(counter: 1), .init(counter: 3, origin: .front, causes: 1)]) == nil)
        #expect(damage(runs: [.init(counter: 1), .init(counter: 1)]) == .damaged(.repeatedCharacter))
        #expect(damage(runs: [.init(counter: 2), .init(counter: 1)]) == .damaged(.repeatedCharacter))
        #expect(damage(runs: [.init(counter: 1), .init(counter: 3)]) == nil)
        #expect(damage(runs: [.init(counter: 1), .init(counter: 3, origin: .front)]) == .damaged(.runNotMaximal))
        #expect(damage(runs: [.init(counter: 1), .init(counter: 9, origin: .id(7, 1))]) == nil)
        #expect(damage(runs: [.init(counter: 1), .init(counter: 9, origin: .id(7, 2))]) == .encoding(.notCanonical))
        #expect(damage(runs: [.init(counter: 1, origin: .id(7, 9)), .init(counter: 9)]) == .damaged(.unknownOrigin))
        #expect(damage(runs: [.init(counter: 1, origin: .id(7, 1))]) == .damaged(.unknownOrigin))
        #expect(damage(runs: [.init(counter: 1, origin: .front)]) == .encoding(.unexpectedItem))
        #expect(damage(runs: [.init(counter: 1, causes: 5)]) == .encoding(.outOfRange))
        #expect(damage(runs: [.init(counter: 1, characters: "")]) == .encoding(.outOfRange))
        #expect(damage(runs: []) == .encoding(.missingField))
        #expect(damage(runs: [.init(counter: 9_007_199_254_740_991)]) == .damaged(.characterNumber))
        #expect(damage(runs: [.init(counter: 9_007_199_254_740_990)]) == nil)
        #expect(damage(runs: [.init(counter: 0)]) == .encoding(.outOfRange))
    }

    @Test("SN-05 a text has at most 1,000,000 characters")
    func longText() {
        #expect(damage(runs: [.init(counter: 1, characters: String(repeating: "x", count: 1_000_000))]) == nil)
        let tooLong = [
            HandmadeRun(counter: 1, characters: String(repeating: "x", count: 999_999)),
            HandmadeRun(site: 8, counter: 1),
        ]
        #expect(damage(runs: tooLong) == .damaged(.tooManyCharacters))
    }

    @Test("SN-06 every beginning of a snapshot is refused")
    func truncation() {
        for canvas in [SnapshotSample.small, SnapshotSample.texts] {
            let encoded = Snapshot.encode(canvas)
            for length in 0..<encoded.count {
                #expect(error(Array(encoded[..<length])) == .encoding(.truncated))
            }
        }
    }

    @Test("SN-06 a mutated snapshot that is given the digest it has is refused or can be used")
    func hostile() {
        var random = SplitMix64(seed: 6)
        let encoded = [SnapshotSample.small, SnapshotSample.texts].map { Snapshot.encode($0) }
        var used = 0
        for round in 0..<20_000 {
            var bytes = encoded[round % 2]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 12..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let rebuilt = try? Snapshot.rebuild(bytes),
                let canvas = try? rebuilt.builder.finish(digest: rebuilt.builder.digest)
            else { continue }
            canvas.checkInvariants()
            #expect((try? Snapshot.decode(Snapshot.encode(canvas)))?.digest == canvas.digest)
            used += 1
        }
        #expect(used > 100)
    }
}

extension CBOREncoder {
    fileprivate mutating func shapeHead(_ id: String, parent: String? = nil, order: String = "V") {
        text(id)
        text("rectangle")
        if let parent { text(parent) } else { null() }
        text(order)
        unsigned(0)
        map(0)
    }
}
