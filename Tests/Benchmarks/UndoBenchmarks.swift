import EaselClientEngine

/// Time of undo and redo.
enum UndoBenchmarks {
    static func run(_ reporter: inout Reporter) {
        var desk = Desk(shapes: 100_000)
        desk.move(1, to: -1)
        desk.settle()
        oneStep(desk, &reporter)
        underHistory(desk, &reporter)
    }

    /// One moved shape among 100,000.
    private static func oneStep(_ desk: Desk, _ reporter: inout Reporter) {
        let undo = Measurement.microseconds(repeats: 2_001, { desk }) { $0.undo() }
        reporter.time("undo of one moved shape among 100,000", undo, goal: .atMost(50))
        var undone = desk
        undone.undo()
        undone.settle()
        let redo = Measurement.microseconds(repeats: 2_001, { undone }) { $0.redo() }
        reporter.time("redo of one moved shape among 100,000", redo, goal: .atMost(50))
        let state = Measurement.microseconds(repeats: 2_001, { desk }) { _ = $0.client.historyState() }
        reporter.time("reading canUndo and canRedo", state, goal: .atMost(50))
        let preview = Measurement.microseconds(repeats: 2_001, { desk }) { _ = $0.client.preview(.undo) }
        reporter.time("preview of an undo", preview, goal: .atMost(50))
    }

    /// The same behind 100 and behind 100,000 other steps.
    private static func underHistory(_ desk: Desk, _ reporter: inout Reporter) {
        for count in [100, 100_000] {
            var deep = desk
            deep.keepEverything()
            for number in 0..<count {
                deep.move(1, to: number)
                if number % 200 == 0 { deep.settle() }
            }
            deep.settle()
            // In place: a copy of so many steps would be measured too.
            let undo = Measurement.microseconds(repeats: 31, { 0 }) { _ in deep.undo() }
            reporter.time("undo behind \(count) other steps", undo, goal: .atMost(50))
            let settled = Measurement.microseconds(repeats: 1, { 0 }) { _ in deep.settle() }
            reporter.time("acknowledging 31 undos behind \(count) other steps, each", settled / 31)
        }
    }

    /// Steps of many shapes: the time of each shape must stay the same.
    static func manyShapes(_ reporter: inout Reporter) {
        let desk = Desk(shapes: 100_000)
        var each: [Double] = []
        for count in [1_000, 10_000, 60_000] {
            var moved = desk
            moved.move(count, to: 5)
            moved.settle()
            let undo = Measurement.microseconds(repeats: 5, { moved }) { $0.undo() }
            reporter.time("undo of a step of \(count) shapes", undo)
            each.append(undo / Double(count))
        }
        let growth = (each.max() ?? 0) / (each.min() ?? 1)
        reporter.number("time of one shape, largest to smallest of these steps", growth, "x", goal: .atMost(3))
    }
}
