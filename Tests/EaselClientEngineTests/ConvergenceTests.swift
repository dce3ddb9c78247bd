import EaselPlay
import Testing

@Suite("Convergence on random histories, against the real server engine")
struct ConvergenceTests {
    @Test(
        "P21, O5: after faults and a quiet phase all replicas are equal and nothing is pending",
        arguments: stride(from: UInt64(1), to: 2_001, by: 500).map { $0..<$0 + 500 })
    func replicasConverge(seeds: Range<UInt64>) {
        for seed in seeds {
            var play = RandomPlay(seed: seed, steps: 200, clients: 3)
            #expect(play.run() == [], "seed \(seed)")
        }
    }

    @Test("the same seed gives the same transcript, another seed another")
    func transcriptsAreDeterministic() {
        func transcript(_ seed: UInt64) -> [String] {
            var play = RandomPlay(seed: seed, steps: 100, clients: 3, isTranscribing: true)
            _ = play.run()
            return play.transcript
        }
        #expect(transcript(7) == transcript(7))
        #expect(transcript(7) != transcript(8))
    }
}
