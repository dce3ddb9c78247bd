import EaselCore
import EaselProtocol

/// What messages cost: a move of one shape, two integers, on its way to the server and back.
///
/// The reference copies the bytes of the message, which nothing that takes them in can save.
enum CodecBenchmarks {
    private static let batch = 1_000
    private static let digest: UInt64 = 0x0123_4567_89AB_CDEF

    static func run(_ reporter: inout Reporter) {
        let drawing = Drawing(shapes: 1_000)
        let commits = drawing.commits(drawing.moves(batch, round: 1), "Move Rectangle")
        submissions(commits, &reporter)
        single(commits, &reporter)
        frame(&reporter)
    }

    private static func submissions(_ commits: [Commit], _ reporter: inout Reporter) {
        let messages = commits.map {
            ClientMessage.submit(Submission(sequence: $0.id.sequence, transaction: $0.transaction))
        }
        let encoded = messages.map { $0.encode() }
        let reference = BareWork.copy(bytes: encoded[0].count)
        time("codec: encode a submit", to: reference, messages, &reporter) { $0.encode().count }
        time("codec: decode a submit", to: reference, encoded, &reporter) { bytes in
            (try? ClientMessage.decode(bytes)) == nil ? 0 : 1
        }
    }

    private static func single(_ commits: [Commit], _ reporter: inout Reporter) {
        let encoded = commits.map { CommitMessage.encode($0, digest: digest) }
        let reference = BareWork.copy(bytes: encoded[0].count)
        time("codec: encode a commit", to: reference, commits, &reporter) {
            CommitMessage.encode($0, digest: digest).count
        }
        time("codec: decode a commit", to: reference, encoded, &reporter) { bytes in
            (try? ServerMessage.decodeAll(bytes))?.count ?? 0
        }
    }

    /// All commits as a room sends them that ordered them in one turn.
    private static func frame(_ reporter: inout Reporter) {
        let frames = RoomUnderTest.frames(ofMoves: batch, writers: 10)
        let bytes = frames.reduce(0) { $0 + $1.count }
        let copy = BareWork.copy(bytes: bytes)
        let reference = Reference(name: "copying its bytes", value: copy.value / Double(batch))
        var decoded = 0
        let time = Measurement.nanoseconds(each: batch) {
            for frame in frames where (try? ServerMessage.decodeAll(frame)) != nil { decoded += 1 }
        }
        precondition(decoded == 21 * frames.count, "what was encoded can be decoded")
        reporter.compare("codec: decode a commit of \(batch) that come together", time, "ns", to: reference)
    }

    /// Prints how long `body` takes for each of the inputs; it gives something that shows that it was not in vain.
    private static func time<Input>(
        _ name: String, to reference: Reference, _ inputs: [Input], _ reporter: inout Reporter, _ body: (Input) -> Int
    ) {
        var sum = 0
        let time = Measurement.nanoseconds(each: inputs.count) {
            for input in inputs { sum &+= body(input) }
        }
        precondition(sum >= inputs.count, "what was encoded can be decoded")
        reporter.compare(name, time, "ns", to: reference)
    }
}
