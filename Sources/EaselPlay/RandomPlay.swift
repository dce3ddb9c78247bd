import EaselClientEngine
import EaselCore

/// One random history over the simulated network, disk and clock, with faults; then a quiet phase; the laws are checked on the
/// way and in the end.
struct RandomPlay: Sendable {
    /// The seed it was written from.
    let seed: UInt64
    let clients: Int
    /// What happened, in order.
    private(set) var steps: [RandomPlayStep]
    /// What came out.
    private(set) var breach: LawBreach?
    private(set) var tally: LawTally
    /// What happened, a line a step; the same in every process for the same seed.
    private(set) var transcript: [String] = []

    /// Writes and plays the history that belongs to a seed.
    ///
    /// - Parameters:
    ///   - clients: how many there are; nil for 2 to 8, as the seed says.
    init(
        seed: UInt64, steps count: Int, clients: Int? = nil, rates: RandomPlayWriter.Rates = .init(),
        isTranscribing: Bool = false, injected: (@Sendable (RandomPlayer) -> String?)? = nil
    ) {
        self.seed = seed
        var writer = RandomPlayWriter(seed: seed, steps: count, clients: clients, rates: rates)
        self.clients = writer.terms.clients
        var player = RandomPlayer(clients: self.clients, injected: injected)
        steps = []
        steps.reserveCapacity(count)
        while player.breach == nil, let step = writer.step(player) {
            player.perform(step)
            steps.append(step)
            if isTranscribing { transcript.append(Self.line(steps.count, step, player)) }
        }
        player.finish(Self.ending)
        let server = player.simulation.serverCanvas
        if isTranscribing { transcript.append("end \(server.revision) \(server.digest)") }
        breach = player.breach
        tally = player.tally
    }

    static let ending = RandomPlayer.Ending()

    private static func line(_ number: Int, _ step: RandomPlayStep, _ player: RandomPlayer) -> String {
        let views = player.simulation.stations.map { String($0.engine.view.digest, radix: 36) }
        return "\(number) \(step) \(player.simulation.serverCanvas.revision) \(views.joined(separator: " "))"
    }

    /// Plays steps that were written before. Returns the player at the end.
    static func play(
        _ steps: [RandomPlayStep], clients: Int, isWriting: Bool = false,
        injected: (@Sendable (RandomPlayer) -> String?)? = nil
    ) -> RandomPlayer {
        var player = RandomPlayer(clients: clients, isWriting: isWriting, injected: injected)
        for step in steps {
            player.perform(step)
            if player.breach != nil { break }
        }
        player.finish(ending)
        return player
    }
}
