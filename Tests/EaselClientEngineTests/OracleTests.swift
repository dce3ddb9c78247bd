import EaselClientEngine
import EaselCore
import EaselPlay
import EaselProtocol
import Foundation
import Testing

/// Random histories in which an engine and the oracle live through the same, and agree after each step.
@Suite("The engine against an oracle written from the specification, on random histories")
struct OracleTests {
    /// What happens in a history besides edits and presses.
    struct Weather: Sendable, CustomTestStringConvertible {
        let steps: Int
        let seeds: ClosedRange<UInt64>
        /// Of a hundred submissions, how many are refused.
        var refusals = 0
        /// Of a thousand steps, how many cut or join a line.
        var cuts = 0
        /// Of a hundred steps, in how many the server purges something.
        var purges = 0
        /// Of a hundred steps, how many deliver something.
        var deliveries = 50

        var testDescription: String {
            "\(refusals) % refused, \(cuts) ‰ cut, \(deliveries) % delivered, \(purges) % purged"
        }
    }

    static let weathers = [
        Weather(steps: 60, seeds: 1...40),
        Weather(steps: 60, seeds: 101...140, refusals: 12),
        Weather(steps: 60, seeds: 201...240, refusals: 8, cuts: 30),
        Weather(steps: 40, seeds: 301...330, refusals: 25, deliveries: 70),
        Weather(steps: 60, seeds: 401...440, purges: 10),
        Weather(steps: 60, seeds: 501...540, refusals: 8, cuts: 30, purges: 10),
    ]

    /// `EASEL_ORACLE_SEEDS` raises the number of histories of each kind, for a long run.
    static func seeds(_ weather: Weather) -> ClosedRange<UInt64> {
        let wanted = ProcessInfo.processInfo.environment["EASEL_ORACLE_SEEDS"].flatMap { UInt64($0) } ?? 0
        let first = weather.seeds.lowerBound
        // Kinds keep away from each other's seeds, however many there are.
        let far = first * 1_000_000
        return wanted <= UInt64(weather.seeds.count) ? weather.seeds : far...far + wanted - 1
    }

    @Test(
        "OP-01, OP-11, OP-12, OP-13, TX-03, UN-02, UN-03, UN-05, UN-07, UN-10, AK-08, RS-07: each step does what the oracle predicts",
        arguments: OracleEditor.Repertoire.allCases, weathers)
    func everyStepIsPredicted(repertoire: OracleEditor.Repertoire, weather: Weather) {
        var failures = 0
        for seed in Self.seeds(weather) {
            var history = OracleHistory(seed: seed, repertoire, weather)
            do {
                try history.run()
            } catch {
                Issue.record("seed \(seed), step \(history.steps): \(error.sentence)")
                failures += 1
                if failures == 3 { return }
            }
        }
    }
}

extension OracleTests {
    @Test("UN-07: what was refused is not done after all by a redo that waits behind it")
    func refusedPartOfAGroupIsNotRedone() throws {
        var world = OracleWorld(clients: 2)
        var shape: ShapeID?
        try world.edit(0, "Create") { shape = $0.create(kind: "note") }
        try world.settle()
        let id = try #require(shape)
        world.beginGroup(0, "Replace")
        try world.edit(0, "Delete") { $0.delete([id]) }
        try world.edit(0, "Create") { _ = $0.create(kind: "note") }
        world.endGroup(0)
        try world.press(.undo, 0)
        try world.press(.redo, 0)
        var isRefused = false
        world.network.refuses = { _, _ in
            defer { isRefused = true }
            return isRefused ? nil : .malformed
        }
        try world.settle()
        try world.checkConvergence()
        #expect(world.network.canvas.visibleShapes().count == 2)
    }
}

extension OracleTests {
    @Test("UN-04: moving a hidden shape out of whose place another press takes the last visible one is nothing to see")
    func movingAHiddenShapeIsNotSeen() throws {
        var world = OracleWorld(clients: 2)
        var shapes: [ShapeID] = []
        try world.edit(0, "Create") { draft in
            for _ in 0..<2 { shapes.append(draft.create(kind: "rectangle")) }
        }
        try world.settle()
        world.clearHistories()
        let (inner, holder) = (shapes[0], shapes[1])
        try world.edit(0, "Send to Back") { $0.sendToBack(holder) }
        try world.edit(0, "Put") { $0.put(inner, into: holder) }
        try world.edit(1, "Delete") { $0.delete([holder]) }
        try world.settle()
        #expect(world.network.canvas.visibleShapes().map { $0.id } == [inner])
        let isDone = try world.press(.undo, 0)
        #expect(!isDone)
    }
}

/// One random history.
private struct OracleHistory {
    var world = OracleWorld(clients: 3)
    var editor: OracleEditor
    let weather: OracleTests.Weather
    /// Number of steps that were made.
    private(set) var steps = 0

    init(seed: UInt64, _ repertoire: OracleEditor.Repertoire, _ weather: OracleTests.Weather) {
        editor = OracleEditor(random: SeededRandom(seed: seed), repertoire: repertoire)
        self.weather = weather
    }

    mutating func run() throws(OracleMismatch) {
        if editor.repertoire == .oneText {
            try world.edit(0, "Create") { _ = $0.create(kind: "note", text: "ab") }
            try world.settle()
            world.clearHistories()
        }
        let percent = weather.refusals
        var refusals = SeededRandom(seed: editor.random.next())
        world.network.refuses = { _, _ in refusals.chance(percent) ? .malformed : nil }
        for _ in 0..<weather.steps {
            steps += 1
            try step()
        }
        world.network.refuses = { _, _ in nil }
        try world.settle(first: editor.random.below(3))
        try world.checkConvergence()
        if editor.random.chance(30) { try pressAtRest() }
    }

    private mutating func step() throws(OracleMismatch) {
        let client = editor.random.below(3)
        if weather.purges > 0, editor.random.chance(weather.purges) {
            try editor.purge(in: &world)
        } else if editor.random.below(1_000) < weather.cuts {
            if world.network.lines[client].isConnected {
                try world.disconnect(client)
            } else {
                try world.connect(client)
            }
        } else if editor.random.chance(weather.deliveries) {
            if editor.random.chance(50) {
                try world.deliverUp(client)
            } else {
                try world.deliverDown(client, 1 + editor.random.below(3))
            }
        } else {
            try editor.act(client, in: &world)
        }
    }

    /// Everything undone and redone, so that what lies deep in the stacks is compared too.
    private mutating func pressAtRest() throws(OracleMismatch) {
        for client in world.clients.indices {
            steps += 1
            while try world.press(.undo, client) {}
            try world.settle()
            while try world.press(.redo, client) {}
        }
        try world.settle()
        try world.checkAll()
        try world.checkConvergence()
    }
}
