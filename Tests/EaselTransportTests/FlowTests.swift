import EaselSupport
import EaselTransport
import Testing

@Suite("Connections of many flows on one loop")
struct FlowTests {
    /// What happened, in order. On the loop only, but looked at when it is over.
    private final class Diary: Sendable {
        private let entries = Locked<[String]>([])

        func note(_ entry: String) { entries.withLock { $0.append(entry) } }

        var all: [String] { entries.withLock { $0 } }
    }

    /// Recorders whose connections are established, and their peers.
    private func connect(_ count: Int, _ fixture: LoopFixture, _ recorder: (Int) -> Recorder) throws -> Group {
        let recorders = (0..<count).map(recorder)
        let listener = try fixture.listener(recorders)
        let peers = (0..<count).map { _ in PlainSocket(port: listener.port) }
        #expect(eventually { recorders.allSatisfy { $0.now.opened == 1 } })
        return Group(recorders: recorders, peers: peers, listener: listener)
    }

    private struct Group {
        let recorders: [Recorder]
        let peers: [PlainSocket]
        let listener: Listener
    }

    @Test("a few connections of one flow do not wait for the many of another, and each flow keeps its order")
    func turns() throws {
        let fixture = try LoopFixture()
        let diary = Diary()
        let many = try connect(40, fixture) { number in Recorder(writable: { _ in diary.note("many \(number)") }) }
        let few = try connect(2, fixture) { number in Recorder(writable: { _ in diary.note("few \(number)") }) }
        let other = try connect(1, fixture) { _ in Recorder(writable: { _ in diary.note("other") }) }
        let groups = [many.recorders, few.recorders, other.recorders]
        fixture.onLoop {
            let flows = [Flow(rests: false), Flow(rests: false), nil]
            for (flow, recorders) in zip(flows, groups) {
                for recorder in recorders {
                    if let flow { recorder.now.connection?.flow = flow }
                    recorder.now.connection?.requestWritable()
                }
            }
        }
        #expect(eventually { diary.all.count == 43 })
        let expected =
            (0..<16).map { "many \($0)" } + ["few 0", "few 1", "other"] + (16..<40).map { "many \($0)" }
        #expect(diary.all == expected)
    }

    @Test("a flow that rests gathers what comes after a long write, while others write; one that does not rest goes on")
    func rest() throws {
        for rests in [true, false] {
            let fixture = try LoopFixture()
            let diary = Diary()
            let loop = fixture.loop
            let other = try connect(1, fixture) { _ in Recorder(writable: { _ in diary.note("other") }) }
            let gathering = Locked<[Recorder]>([])
            let writers = try connect(3, fixture) { number in
                Recorder(writable: { _ in
                    let end = MonotonicClock.now.nanoseconds + 1_000_000
                    while MonotonicClock.now.nanoseconds < end {}
                    diary.note("flow \(number)")
                    guard diary.all.count == 3 else { return }
                    // Done in the next turn, before it is looked whether the rest is over.
                    loop.post {
                        for recorder in gathering.withLock({ $0 }) { recorder.now.connection?.requestWritable() }
                    }
                })
            }
            let (members, last) = (writers.recorders, other.recorders)
            gathering.withLock { $0 = members + last }
            fixture.onLoop {
                let flow = Flow(rests: rests)
                for recorder in members {
                    recorder.now.connection?.flow = flow
                    recorder.now.connection?.requestWritable()
                }
            }
            #expect(eventually { diary.all.count == 7 })
            let sweep = (0..<3).map { "flow \($0)" }
            #expect(diary.all == sweep + (rests ? ["other"] + sweep : sweep + ["other"]))
        }
    }

    @Test("a loop that writes in slices takes in what comes before everybody has written; another lets all write first")
    func slices() throws {
        for writesInSlices in [true, false] {
            let fixture = try LoopFixture()
            let diary = Diary()
            let writers = try connect(30, fixture) { _ in
                Recorder(writable: { _ in
                    // Longer than a slice.
                    let end = MonotonicClock.now.nanoseconds + 2_000_000
                    while MonotonicClock.now.nanoseconds < end {}
                    diary.note("write")
                })
            }
            let reader = try connect(1, fixture) { _ in Recorder(received: { _, _ in diary.note("read") }) }
            let (reading, writing, loop) = (reader.recorders[0], writers.recorders, fixture.loop)
            fixture.onLoop { reading.now.connection?.pauseReading() }
            reader.peers[0].send([1])
            fixture.onLoop {
                loop.writesInSlices = writesInSlices
                reading.now.connection?.resumeReading()
                for recorder in writing { recorder.now.connection?.requestWritable() }
            }
            #expect(eventually { diary.all.count == 31 })
            let place = diary.all.firstIndex(of: "read")
            #expect(place == (writesInSlices ? 16 : 30), "a flow has a round at least")
        }
    }
}
