import EaselCore
import EaselProtocol

/// What the allocator hands out for a shape, a character of text, and a commit that a room keeps for readers.
///
/// The reference of what is on the canvas is its part of the snapshot.
enum MemoryBenchmarks {
    private static let shapes = 100_000
    private static let characters = 100_000
    /// Commits that are ordered in one turn, and so sent as one message.
    private static let turn = 128

    static func run(_ reporter: inout Reporter) {
        canvas("a shape, a rectangle with a place", count: shapes, &reporter) { Drawing(shapes: shapes) }
        canvas("a character of text, pasted", count: characters, &reporter) {
            text { $0.create(kind: "text", text: String(repeating: "0123456789", count: characters / 10)) }
        }
        canvas("a character of text, typed one by one", count: characters, &reporter) {
            text { draft in
                let id = draft.create(kind: "text")
                for index in 0..<characters { draft.insertText("x", at: index, in: id) }
            }
        }
        canvas("a character of text, each typed at another place", count: characters, &reporter) {
            text { draft in
                let id = draft.create(kind: "text")
                for index in 0..<characters { draft.insertText("x", at: index * 7_919 % (index + 1), in: id) }
            }
        }
        commits(&reporter)
    }

    private static func text(_ body: (inout TransactionDraft) -> Void) -> Drawing {
        var drawing = Drawing(shapes: 0)
        let operations = drawing.draft(body)
        drawing.apply(drawing.commit(operations, "Type"))
        return drawing
    }

    /// Makes a canvas, and looks what goes when it is forgotten: so nothing else is counted.
    private static func canvas(
        _ name: String, count: Int, _ reporter: inout Reporter, _ make: () -> Drawing
    ) {
        var drawing: Canvas? = make().canvas
        let snapshot = drawing.map { Snapshot.encode($0).count } ?? 0
        let before = Measurement.allocatedBytes
        drawing = nil
        let freed = before - Measurement.allocatedBytes
        let reference = Reference(name: "its part of the snapshot", value: Double(snapshot) / Double(count))
        reporter.compare("memory of \(name)", Double(freed) / Double(count), "bytes", to: reference)
    }

    private static func commits(_ reporter: inout Reporter) {
        let drawing = Drawing(shapes: 1_000)
        let window = RoomUnderTest.windowCommits
        var room = RoomUnderTest(sessions: 1, on: drawing)
        // Every shape is touched once, so that the canvas is the room's own.
        var sequence: UInt64 = 1
        var sent = 0
        func take(_ count: Int) {
            for start in stride(from: 0, to: count, by: turn) {
                let moves = drawing.moves(turn, round: start / turn).map {
                    Transaction(operations: [$0], label: "Move Rectangle")
                }
                room.take(moves, writers: 1, from: sequence)
                sequence += UInt64(turn)
                sent += room.deliver()
            }
        }
        let touching = 8 * turn
        take(touching)
        var before = Measurement.allocatedBytes
        take(window - touching)
        let kept = Double(Measurement.allocatedBytes - before) / Double(window - touching)
        reporter.compare(
            "memory of a commit in the window of a room", kept, "bytes",
            to: Reference(name: "its part of what is sent", value: Double(sent) / Double(window)))
        // Old commits go in heaps, so it is looked at over many windows.
        take(2 * window)
        before = Measurement.allocatedBytes
        take(4 * window)
        let behind = Double(Measurement.allocatedBytes - before) / Double(4 * window)
        reporter.number("memory of a commit that has left it", behind, "bytes", goal: .atMost(32))
    }
}
