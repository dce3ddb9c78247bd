import EaselClientEngine
import EaselCore
import EaselProtocol
import Foundation
import Testing

@testable import EaselClient

@Suite("How a state is written: what changed, and nothing a power cut can make worse")
struct StateWritingTests {
    /// A small generator, so that a failing case comes again.
    private struct Random {
        var state: UInt64

        mutating func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
    }

    @Test("a delta leads from any bytes to any others")
    func deltas() {
        var random = Random(state: 7)
        for round in 0..<400 {
            let old = (0..<random.below(2_000)).map { _ in UInt8(random.below(round % 3 == 0 ? 3 : 256)) }
            var new = old
            for _ in 0..<random.below(6) {
                let start = random.below(new.count + 1)
                let end = min(new.count, start + random.below(80))
                new.replaceSubrange(start..<end, with: (0..<random.below(80)).map { _ in UInt8(random.below(256)) })
            }
            let delta = StateDelta.make(from: old, to: new)
            #expect(StateDelta.apply(delta, to: old) == new, "\(round)")
        }
    }

    @Test("a delta of few changes is short, and one that is damaged or does not fit never traps")
    func damagedDeltas() {
        var random = Random(state: 9)
        let old = (0..<20_000).map { _ in UInt8(random.below(256)) }
        var new = old
        new.insert(contentsOf: [1, 2, 3], at: 15_000)
        new.removeSubrange(7_000..<7_200)
        new[100] ^= 1
        let delta = StateDelta.make(from: old, to: new)
        #expect(delta.count < 60)
        for index in delta.indices {
            for bit in 0..<8 {
                var damaged = delta
                damaged[index] ^= 1 << UInt8(bit)
                _ = StateDelta.apply(damaged, to: old)
            }
            #expect(StateDelta.apply(Array(delta.prefix(index)), to: old) == nil)
        }
        #expect(StateDelta.apply(delta, to: Array(old.prefix(100))) == nil)
    }

    @Test("a keystroke writes what it changes, whatever stands in the history")
    func bytesPerKeystroke() throws {
        var written: [Int: Int] = [:]
        for steps in [100, 10_000] {
            let desk = try StateDesk()
            var server = OrderingServer()
            let store = try desk.store()
            store.setLevelsOfUndo(steps)
            try server.connect(store)
            let id = try StateTests.create(store)
            for start in stride(from: 0, to: steps, by: 100) {
                try store.change { engine throws(EditError) in
                    for number in start..<start + 100 {
                        _ = try engine.edit("Move") { $0.set(id, StateTests.x, .integer(Int64(number))) }
                    }
                }
                try server.serve(store)
            }
            try server.serve(store)
            store.keep()
            #expect(store.undoLabels().count == steps)
            let before = try #require(store.kept).keeper.withLock { $0.bytesWritten }
            let keystrokes = 10
            for _ in 0..<keystrokes {
                // One write before it is sent, one when it is stored.
                try store.edit("Type", coalescing: .typing) { $0.insertText("a", at: 0, in: id) }
                try server.serve(store)
                store.keep()
            }
            written[steps] = (try #require(store.kept).keeper.withLock { $0.bytesWritten } - before) / keystrokes
            let again = try desk.store(site: 200, in: try desk.afterKill())
            #expect(again.undoLabels() == store.undoLabels() && again.canvas.digest == store.canvas.digest)
        }
        let (few, many) = (try #require(written[100]), try #require(written[10_000]))
        #expect(many < 4_096 && many < 2 * few, "\(few) bytes with 100 steps, \(many) with 10,000")
    }

    @Test("many writes stay a short file, and what is read back is the last of them")
    func manyWrites() throws {
        let desk = try StateDesk()
        var server = OrderingServer()
        let store = try desk.store()
        try server.connect(store)
        let id = try StateTests.create(store)
        for number in 0..<(2 * StateFile.mostSteps + 10) {
            try store.edit("Move") { $0.set(id, StateTests.x, .integer(Int64(number % 7))) }
            if number % 3 == 0 { try store.undo() }
            if number % 20 == 10 { try server.serve(store) }
            if number % 50 == 0 { store.change { $0.clearHistory(.main) } }
            store.keep()
        }
        let again = try desk.store(site: 200, in: try desk.afterKill())
        #expect(again.canvas.digest == store.canvas.digest && again.undoLabels() == store.undoLabels())
        #expect(again.status.pendingCount == store.status.pendingCount)
    }

    @Test(
        "PERS-02 a power cut anywhere in the file leaves the newest state that was whole, with the tail lost or zeroed")
    func powerCut() throws {
        let desk = try StateDesk()
        var server = OrderingServer()
        let store = try desk.store()
        try server.connect(store)
        let id = try StateTests.create(store)
        let path = desk.file("client")
        var noted: [Int: [UInt8]] = [:]
        func note() throws {
            store.keep()
            noted[try Data(contentsOf: URL(fileURLWithPath: path)).count] = store.save(includingCanvas: false)
        }
        try note()
        for letter in ["a", "b", "c"] {
            try store.edit("Type") { $0.insertText(letter, at: 0, in: id) }
            try note()
            try server.serve(store)
            try note()
        }
        try store.undo()
        try note()
        let whole = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let cut = desk.file("cut")
        func found(_ bytes: [UInt8]) throws -> (state: [UInt8]?, isDamaged: Bool) {
            try Data(bytes).write(to: URL(fileURLWithPath: cut))
            guard case .state(let saved) = StateFile.find(cut, server: ServerAddress(host: "127.0.0.1", port: 1)) else {
                return (nil, true)
            }
            return (saved.bytes, saved.isDamaged)
        }
        var states: [(end: Int, state: [UInt8]?)] = [(0, nil)]
        for record in try RecordFile.read(path, name: StateFile.name).records {
            states.append((record.end, try found(Array(whole.prefix(record.end))).state))
        }
        #expect(states.count > 8 && states.last?.end == whole.count && noted.count == 8)
        for (end, state) in noted { #expect(states.contains { $0.end == end && $0.state == state }, "\(end)") }
        for count in 0..<whole.count {
            let lost = try found(Array(whole.prefix(count)))
            let expected = states.last { $0.end <= count }
            #expect(lost.state == expected?.state, "\(count)")
            #expect(lost.isDamaged == (expected?.state == nil || expected?.end != count), "\(count)")
            // A zero that was there all along is not lost.
            let kept = count + whole[count...].prefix { $0 == 0 }.count
            let zeroed = try found(whole.prefix(count) + [UInt8](repeating: 0, count: whole.count - count))
            #expect(zeroed.state == states.last { $0.end <= kept }?.state, "\(count)")
            if let state = zeroed.state { _ = try ClientEngine.restore(from: state) }
        }
    }
}
