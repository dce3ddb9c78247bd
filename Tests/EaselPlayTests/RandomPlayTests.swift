import EaselCore
import Testing

@testable import EaselPlay

@Suite("Random histories")
struct RandomPlayTests {
    @Test(
        "P21, O5: ten thousand histories break no law, whatever is late, lost, refused or started again",
        arguments: Array(stride(from: UInt64(1), to: 10_001, by: 500)))
    func lawsHold(first: UInt64) {
        for seed in first..<first + 500 {
            let play = RandomPlay(seed: seed, steps: 50)
            #expect(play.breach == nil, "seed \(seed): \(play.breach?.sentence ?? "")")
        }
    }

    @Test("long histories break no law either", arguments: [UInt64(20_001), 30_001])
    func lawsHoldLong(first: UInt64) {
        for seed in first..<first + 60 {
            let play = RandomPlay(seed: seed, steps: 200)
            #expect(play.breach == nil, "seed \(seed): \(play.breach?.sentence ?? "")")
        }
    }

    @Test("every law is looked at, and everything that can go wrong does")
    func everythingIsChecked() {
        var tally = LawTally()
        for seed in UInt64(1)...80 { tally += RandomPlay(seed: seed, steps: 150).tally }
        for law in Law.allCases where law != .injected { #expect(tally.checks(of: law) > 0, "\(law)") }
        #expect(tally.presses > 1_000)
        #expect(tally.refusals > 20)
        #expect(tally.reconnects > 100)
        #expect(tally.restarts > 50)
        #expect(tally.description.contains("\(tally.presses) presses"))
    }

    @Test("a seed says how many clients there are, 2 to 8, unless a number is given")
    func clients() {
        let counts = (UInt64(1)...60).map { RandomPlayWriter(seed: $0, steps: 1, clients: nil).terms.clients }
        #expect(Set(counts) == Set(2...8))
        #expect(RandomPlay(seed: 1, steps: 10, clients: 1).clients == 1)
    }

    @Test("the same seed gives the same steps and the same transcript")
    func isReproducible() {
        let first = RandomPlay(seed: 7, steps: 80, isTranscribing: true)
        let second = RandomPlay(seed: 7, steps: 80, isTranscribing: true)
        #expect(first.steps == second.steps)
        #expect(first.transcript == second.transcript)
        #expect(first.transcript.count > 80)
    }

    @Test("a history is a value: played again it takes the same course")
    func playsAgain() {
        for seed in UInt64(1)...10 {
            var writer = RandomPlayWriter(seed: seed, steps: 100, clients: nil)
            var player = RandomPlayer(clients: writer.terms.clients)
            var steps: [RandomPlayStep] = []
            while let step = writer.step(player) {
                player.perform(step)
                steps.append(step)
            }
            player.finish(RandomPlay.ending)
            let again = RandomPlay.play(steps, clients: writer.terms.clients)
            #expect(again.simulation.serverCanvas.digest == player.simulation.serverCanvas.digest)
            #expect(again.simulation.serverCanvas.revision == player.simulation.serverCanvas.revision)
        }
    }

    @Test("any part of a history can be played and breaks no law")
    func partsPlay() {
        for seed in UInt64(1)...10 {
            let play = RandomPlay(seed: seed, steps: 100)
            for start in 0..<3 {
                let part = stride(from: start, to: play.steps.count, by: 3).map { play.steps[$0] }
                let player = RandomPlay.play(part, clients: play.clients)
                #expect(player.breach == nil, "seed \(seed), from \(start): \(player.breach?.sentence ?? "")")
            }
        }
    }

    @Test("steps of a client that is left out go; the others get the numbers below")
    func renumbers() {
        let other: (Int) -> Int? = { $0 == 1 ? nil : $0 > 1 ? $0 - 1 : $0 }
        #expect(RandomPlayStep.up(client: 1, count: 2).renumbered(other) == nil)
        #expect(RandomPlayStep.up(client: 2, count: 2).renumbered(other) == .up(client: 1, count: 2))
        #expect(RandomPlayStep.restart.renumbered(other) == .restart)
        let probe = RandomPlayStep.Probe.deletedByOther(maker: 2, deleter: 1, presses: 1)
        #expect(RandomPlayStep.probe(probe).renumbered(other) == nil)
    }

    @Test("a refused transaction is taken out, and only that one")
    func refusal() {
        var player = RandomPlayer(clients: 1)
        let manner = RandomPlayStep.Manner()
        player.perform(.edit(client: 0, number: 1, .create(parent: nil, text: "", width: nil), manner))
        player.perform(.refuse(client: 0))
        player.perform(.edit(client: 0, number: 2, .create(parent: nil, text: "", width: nil), manner))
        player.finish(RandomPlay.ending)
        #expect(player.breach == nil)
        #expect(player.tally.refusals == 1)
        #expect(player.simulation.serverCanvas.visibleShapeCount == 1)
    }
}
