import EaselSupport
import Foundation

/// `easel play --random`: random histories, checked.
struct RandomPlayCommand {
    /// Seed of the first history; the others follow.
    let seed: UInt64
    let steps: Int
    let runs: Int
    /// Clients of each history; nil for what the seed says.
    let clients: Int?
    let printsTranscript: Bool
    /// Whether it tells on a terminal how far it has come.
    let showsProgress: Bool
    /// Where a history that breaks a law is written.
    let folder: String

    /// Histories between two notes of progress.
    private static let progressInterval = 100

    /// Plays the histories, writes what is wrong with a smaller history that shows it, and returns the exit code.
    func run() throws(Output.Failure) -> Int32 {
        let output = Output.standard
        var failed = 0
        var tally = LawTally()
        let tellsProgress = showsProgress && isatty(STDERR_FILENO) == 1
        for index in 0..<runs {
            let play = RandomPlay(
                seed: seed &+ UInt64(index), steps: steps, clients: clients, isTranscribing: printsTranscript)
            tally += play.tally
            if printsTranscript {
                try output.line((["seed \(play.seed)"] + play.transcript).joined(separator: "\n"))
            }
            if let breach = play.breach {
                failed += 1
                for line in report(breach, of: play) { try output.line(line) }
            }
            if tellsProgress, index % Self.progressInterval == 0 || index + 1 == runs {
                let end = index + 1 == runs ? "\n" : ""
                FileHandle.standardError.write(Data("\r\(index + 1) of \(runs), \(failed) failed\(end)".utf8))
            }
        }
        try output.line("\(runs - failed) passed, \(failed) failed")
        try output.line(tally.description)
        return failed == 0 ? 0 : 1
    }

    /// What is said of a history that breaks a law, with where it is and how to play it.
    private func report(_ breach: LawBreach, of play: RandomPlay) -> [String] {
        var lines = ["seed \(play.seed): \(breach.law.sentence): \(breach.sentence)"]
        let again = "easel play --random --seed \(play.seed) --steps \(steps)"
        lines.append("again: \(again)\(clients.map { " --clients \($0)" } ?? "") --transcript")
        let smaller = SmallerPlay(breach, of: play)
        let path = (folder.isEmpty || folder.hasSuffix("/") ? folder : folder + "/") + "play-\(play.seed).jsonl"
        do {
            try Data(smaller.text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            Log.writeToStandardError("easel: \(path) cannot be written: \(error.localizedDescription)")
            return lines
        }
        lines.append("made smaller, \(smaller.steps.count) steps of \(smaller.clients) clients: easel play \(path)")
        return lines
    }
}

/// A history that breaks a law, made smaller and written as a scenario.
struct SmallerPlay: Sendable {
    let steps: [RandomPlayStep]
    let clients: Int
    /// The scenario file.
    let text: String

    init(
        _ breach: LawBreach, of play: RandomPlay, injected: (@Sendable (RandomPlayer) -> String?)? = nil
    ) {
        var shrinker = Shrinker(play.steps, clients: play.clients, law: breach.law, injected: injected)
        shrinker.run()
        steps = shrinker.steps
        clients = shrinker.clients
        let player = RandomPlay.play(steps, clients: clients, isWriting: true, injected: injected)
        let found = player.breach ?? breach
        let notes = [found.sentence, "Made smaller from seed \(play.seed)."]
        text = player.script?.text(id: "play-\(play.seed)", title: breach.law.sentence, notes: notes) ?? ""
    }
}
