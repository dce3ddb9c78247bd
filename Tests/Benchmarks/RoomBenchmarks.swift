import EaselCore

/// The room engine without sockets: moves come in, the append is durable at once, and all sessions are asked for what they are to
/// be sent. Decoding is not in it, nor are the frames.
///
/// References: for each operation a dictionary update; for each delivery a copy of its bytes, which is what a queue for each session
/// would cost.
enum RoomBenchmarks {
    private static let shapes = 10_000
    private static let rounds = 31
    /// Turns measured together, so that the clock is looked at seldom.
    private static let turns = 20

    static func run(_ reporter: inout Reporter) {
        let drawing = Drawing(shapes: shapes)
        let update = BareWork.dictionaryUpdate(of: drawing)
        for sessions in [10, 50, 500] {
            for batch in [1, 100] { measure(sessions, batch, drawing, update, &reporter) }
        }
    }

    private static func measure(
        _ sessions: Int, _ batch: Int, _ drawing: Drawing, _ update: Reference, _ reporter: inout Reporter
    ) {
        var room = RoomUnderTest(sessions: sessions, on: drawing)
        let writers = 10
        let perWriter = UInt64((batch + writers - 1) / writers)
        var (times, deliveryTimes): ([Double], [Double]) = ([], [])
        var bytes = 0
        var sequence: UInt64 = 1
        for round in 0..<rounds {
            let transactions = drawing.moves(batch * turns, round: round).map {
                Transaction(operations: [$0], label: "Move Rectangle")
            }
            var (time, deliveryTime) = (0.0, 0.0)
            for turn in 0..<turns {
                let part = Array(transactions[turn * batch..<(turn + 1) * batch])
                time += Measurement.microseconds { room.take(part, writers: writers, from: sequence) }
                deliveryTime += Measurement.microseconds { bytes += room.deliver() }
                sequence += perWriter
            }
            times.append(time)
            deliveryTimes.append(deliveryTime)
        }
        let operations = batch * turns
        precondition(
            room.revision == drawing.canvas.revision + UInt64(rounds * operations), "every move was committed")
        let each = Measurement.percentile(50, of: times) * 1_000 / Double(operations)
        let delivery = Measurement.percentile(50, of: deliveryTimes) * 1_000 / Double(operations * sessions)
        let what = "room: \(sessions) sessions, batches of \(batch)"
        reporter.compare("\(what), an operation in", each, "ns", to: update)
        let copy = BareWork.copy(bytes: bytes / (rounds * turns * sessions))
        let reference = Reference(name: "copying it for everybody", value: copy.value / Double(batch))
        reporter.compare("\(what), a delivery", delivery, "ns", to: reference)
    }
}
