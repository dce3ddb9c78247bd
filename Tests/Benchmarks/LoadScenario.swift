import EaselClient

/// A load on a server: so many canvases, and clients of each. Everybody moves a shape of one's own.
struct LoadScenario {
    let name: String
    var canvases = 1
    /// Clients of each canvas that edit, and that only watch.
    let editors: Int
    let viewers: Int
    /// Moves a second, of all editors together.
    let rate: Double
    /// Whether its harness goes before others.
    var urgency = Urgency.usual
    /// Most p99 of edit to seen that counts as sustained, milliseconds.
    var sustainedP99 = Self.usualSustainedP99

    static let usualSustainedP99 = 50.0
    /// How long each rate is tried, seconds, and before that without being measured.
    private static let (seconds, warmUp) = (2, 1)
    /// What else is tried, in parts of the scenario's own rate.
    private static let (above, below) = ([1, 1.25, 1.6, 2, 2.5], [0.75, 0.5, 0.35, 0.25, 0.15, 0.1, 0.06])

    var clients: Int { canvases * (editors + viewers) }

    /// One room of so many clients, ten of whom edit.
    static func room(of clients: Int, rate: Double) -> LoadScenario {
        LoadScenario(name: "fan\(clients)", editors: 10, viewers: clients - 10, rate: rate)
    }

    /// What `easel load` needs to be told for a rate of all editors together.
    func arguments(rate: Double, seconds: Int) -> [String] {
        [
            "--canvases", "\(canvases)", "--editors", "\(editors)", "--viewers", "\(viewers)", "--engines", "0",
            "--typing", "0", "--undo", "0", "--connects", "2000", "--rate", "\(rate / Double(canvases * editors))",
            "--seconds", "\(seconds)", "--warm-up", "\(Self.warmUp)",
        ]
    }

    /// Runs it at one rate.
    func run(_ server: ServerUnderTest, rate: Double, seconds: Int = seconds) throws(NotMeasured) -> LoadProgram.Result
    {
        let watched = ["--server-process", "\(server.processNumber)"]
        return try LoadProgram(server, arguments(rate: rate, seconds: seconds) + watched, urgency: urgency)
            .result(seconds: seconds + Self.warmUp)
    }

    /// The highest of a few rates that is sustained, and what was measured there: its own and some above it until one is not, or
    /// else some below.
    func highest(_ server: ServerUnderTest) throws(NotMeasured) -> (rate: Double, result: LoadProgram.Result) {
        var highest: (rate: Double, result: LoadProgram.Result)?
        for factor in Self.above {
            guard let result = try sustained(server, rate: rate * factor, tries: 2) else { break }
            highest = (rate * factor, result)
        }
        if let highest { return highest }
        for factor in Self.below {
            if let result = try sustained(server, rate: rate * factor, tries: 1) { return (rate * factor, result) }
        }
        throw NotMeasured("not even \(Int(rate * (Self.below.last ?? 1))) moves a second are sustained")
    }

    /// What was measured at a rate, if everybody stayed and saw the same, soon enough, and as much was ordered as was meant. Others
    /// on the machine can make it look worse, never better, so it may be tried again.
    private func sustained(
        _ server: ServerUnderTest, rate: Double, tries: Int
    ) throws(NotMeasured) -> LoadProgram.Result? {
        for _ in 0..<tries {
            let result = try run(server, rate: rate)
            if result.isRight, result.p99 <= sustainedP99,
                result.orderedPerSecond >= 0.98 * result.actionsPerSecond
            {
                return result
            }
        }
        return nil
    }
}
