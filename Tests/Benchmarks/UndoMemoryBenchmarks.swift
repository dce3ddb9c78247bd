import EaselClientEngine
import EaselCore

/// Memory that a history takes, as it says and as the allocator says.
enum UndoMemoryBenchmarks {
    static func run(_ reporter: inout Reporter) {
        steps("a moved shape", 20_000, goal: .atMost(200), &reporter) { desk, number in
            desk.move(1, to: number)
        }
        steps("a moved shape, a thousand in turn", 20_000, goal: .atMost(200), &reporter) { desk, number in
            let id = desk.shapes[number % 1_000]
            desk.edit("Move Rectangle") { $0.set(id, Desk.x, .integer(Int64(number) + 7)) }
        }
        steps("ten typed letters", 5_000, &reporter) { desk, _ in
            let id = desk.shapes[0]
            desk.edit("Type") { $0.insertText("0123456789", at: 0, in: id) }
        }
        steps("a step of 1,000 moved shapes", 20, &reporter) { desk, number in desk.move(1_000, to: number + 7) }
    }

    /// Makes steps, and looks what goes when they are forgotten: so nothing else is counted.
    private static func steps(
        _ name: String, _ count: Int, goal: Goal? = nil, _ reporter: inout Reporter,
        _ make: (inout Desk, Int) -> Void
    ) {
        var desk = Desk(shapes: 1_000)
        desk.keepEverything()
        for number in 0..<count {
            make(&desk, number)
            if number % 100 == 99 { desk.settle() }
        }
        desk.settle()
        let retained = desk.client.retainedBytes()
        let before = Measurement.allocatedBytes
        desk.forgetHistory()
        let freed = before - Measurement.allocatedBytes
        reporter.number("memory of \(name)", Double(freed) / Double(count), "bytes", goal: goal)
        let error = abs(Double(retained) / Double(freed) - 1) * 100
        reporter.number("what the history says of that, off by", error, "%", goal: .atMost(10))
    }
}
