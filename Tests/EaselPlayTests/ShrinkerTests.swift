import EaselCore
import Testing

@testable import EaselPlay

@Suite("Making a history that breaks a law smaller")
struct ShrinkerTests {
    /// A law that does not hold: nobody ever deletes a shape that has text.
    private static let nobodyDeletesText: @Sendable (RandomPlayer) -> String? = { player in
        var problem: String?
        player.simulation.serverCanvas.forEachShape { shape in
            if shape.causes.contains(.deleted), shape.text.visibleCount > 0 { problem = "\(shape.id) is deleted" }
        }
        return problem
    }

    private static func failing(from first: UInt64) throws -> RandomPlay {
        let plays = (first..<first + 40).lazy.map { seed in
            RandomPlay(seed: seed, steps: 200, injected: nobodyDeletesText)
        }
        return try #require(plays.first { $0.breach?.law == .injected })
    }

    @Test(
        "what is left is as small as can be: a text, and its deletion",
        arguments: [1, 500, 900])
    func isMinimal(first: UInt64) throws {
        let play = try Self.failing(from: first)
        var shrinker = Shrinker(
            play.steps, clients: play.clients, law: .injected, injected: Self.nobodyDeletesText)
        shrinker.run()
        try #require(shrinker.clients == 1, "\(shrinker.steps)")
        #expect(shrinker.steps.count <= 3, "\(shrinker.steps)")
        #expect(shrinker.plays <= Shrinker.mostPlays)
        let player = RandomPlay.play(shrinker.steps, clients: 1, injected: Self.nobodyDeletesText)
        #expect(player.breach?.law == .injected)
        for index in shrinker.steps.indices {
            var rest = shrinker.steps
            rest.remove(at: index)
            let breach = RandomPlay.play(rest, clients: 1, injected: Self.nobodyDeletesText).breach
            #expect(breach == nil, "step \(index) is not needed")
        }
    }

    @Test("edits become simpler: one letter, nothing in anything, the usual history")
    func simplifies() throws {
        let play = try Self.failing(from: 1)
        var shrinker = Shrinker(
            play.steps, clients: play.clients, law: .injected, injected: Self.nobodyDeletesText)
        shrinker.run()
        for case .edit(_, _, let edit, let manner) in shrinker.steps {
            #expect(manner == RandomPlayStep.Manner())
            switch edit {
            case .create(let parent, let text, let width):
                #expect(parent == nil && width == nil && text.count <= 1)
            case .type(let text, _, _): #expect(text.count == 1)
            case .delete(let shapes): #expect(shapes.count == 1)
            default: Issue.record("\(edit) is not needed")
            }
        }
    }

    @Test("a history that breaks no law stays as it is")
    func keepsWhatHolds() {
        let play = RandomPlay(seed: 3, steps: 20)
        var shrinker = Shrinker(play.steps, clients: play.clients, law: .injected)
        shrinker.run()
        #expect(shrinker.steps == play.steps)
        #expect(shrinker.clients == play.clients)
    }
}
