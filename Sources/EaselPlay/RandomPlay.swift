import EaselClientEngine
import EaselCore
import EaselSupport

/// One random history over the simulated network, log and clock, with faults; then a quiet phase, then checks.
public struct RandomPlay: Sendable {
    /// What can go wrong on the way, percent of the steps.
    public struct Faults: Sendable {
        /// A connection is cut, or one that was cut comes back.
        public var disconnect = 2
        /// A frame reaches the server twice.
        public var duplicate = 2
        /// The server dies and starts again.
        public var restart = 1
        /// Appends fail.
        public var storage = 1

        /// The usual mix.
        public init() {}
    }

    private let steps: Int
    private let faults: Faults
    private var editor: RandomEditor
    private var simulation = Simulation()
    private let isTranscribing: Bool
    /// What happened, a line a step; the same in every process for the same seed.
    public private(set) var transcript: [String] = []

    /// A history of `steps` steps by `clients` clients.
    public init(seed: UInt64, steps: Int, clients: Int, faults: Faults = Faults(), isTranscribing: Bool = false) {
        self.steps = steps
        self.faults = faults
        self.isTranscribing = isTranscribing
        editor = RandomEditor(seed: seed)
        for index in 0..<clients { _ = simulation.addClient(name: "client \(index)") }
    }

    /// Plays the history and returns what is wrong at its end; nothing should be.
    public mutating func run() -> [String] {
        simulation.settle()
        for number in 0..<steps {
            let line = step()
            if isTranscribing { transcript.append("\(number) \(line)") }
        }
        simulation.settle()
        if isTranscribing {
            transcript.append("end \(simulation.serverCanvas.revision) \(simulation.serverCanvas.digest)")
        }
        return check()
    }

    private mutating func step() -> String {
        let client = editor.random.below(simulation.clientCount)
        if editor.random.chance(faults.disconnect) {
            let isConnected = simulation.isConnected(client)
            if isConnected { simulation.disconnect(client) } else { simulation.connect(client) }
            return "\(client) \(isConnected ? "disconnects" : "connects")"
        }
        if editor.random.chance(faults.restart) {
            simulation.restartServer(keepingFirstAppend: editor.random.chance(50))
            return "server restarts"
        }
        if editor.random.chance(faults.storage) {
            simulation.failAppends(keepingFirst: editor.random.chance(50))
            return "storage fails"
        }
        if editor.random.chance(55) { return deliver(client) }
        var editor = editor
        let done = simulation.act(client) { engine in editor.act(on: &engine) }
        self.editor = editor
        return "\(client) \(done) \(simulation.client(client).view.digest)"
    }

    private mutating func deliver(_ client: Int) -> String {
        switch editor.random.below(6) {
        case 0...1:
            if editor.random.chance(faults.duplicate) {
                simulation.deliverUpTwice(client)
                return "\(client) up twice"
            }
            simulation.deliverUp(client)
            return "\(client) up"
        case 2...3:
            simulation.finishAppend()
            return "durable \(simulation.serverCanvas.revision)"
        case 4:
            simulation.deliverDown(client)
            return "\(client) down \(simulation.client(client).confirmed.revision)"
        default:
            simulation.advance(by: UInt64(editor.random.below(400)))
            return "time \(simulation.now)"
        }
    }

    private mutating func check() -> [String] {
        var violations = simulation.faults
        let server = simulation.serverCanvas
        if server.recomputedDigest() != server.digest { violations.append("the server's digest is not kept") }
        for index in 0..<simulation.clientCount {
            let client = simulation.client(index)
            if client.confirmed.digest != server.digest { violations.append("client \(index): confirmed differs") }
            if client.view.digest != server.digest { violations.append("client \(index): the view differs") }
            if client.pendingCount > 0 { violations.append("client \(index): \(client.pendingCount) still pending") }
            for event in simulation.takeEvents(index) {
                if case .refused(let label, let code) = event {
                    violations.append("client \(index): \(label) refused, \(code)")
                }
                if case .diverged(let divergence) = event {
                    violations.append("client \(index): diverged at \(divergence.revision)")
                }
            }
        }
        return violations
    }
}

/// `easel play --random`: random histories, checked.
enum RandomPlayCommand {
    /// Plays `runs` histories from `seed` on, writes what is wrong with a command that shows it again, and returns the exit
    /// code.
    static func run(
        seed: UInt64, steps: Int, runs: Int, clients: Int, printsTranscript: Bool
    ) throws(Output.Failure) -> Int32 {
        let output = Output.standard
        var failed = 0
        for index in 0..<runs {
            let current = seed &+ UInt64(index)
            var play = RandomPlay(seed: current, steps: steps, clients: clients, isTranscribing: printsTranscript)
            let violations = play.run()
            if printsTranscript {
                try output.line((["seed \(current)"] + play.transcript).joined(separator: "\n"))
            }
            guard !violations.isEmpty else { continue }
            failed += 1
            for violation in violations { try output.line("seed \(current): \(violation)") }
            try output.line(
                "again: easel play --random --seed \(current) --steps \(steps) --clients \(clients) --transcript")
        }
        try output.line("\(runs - failed) passed, \(failed) failed")
        return failed == 0 ? 0 : 1
    }
}
