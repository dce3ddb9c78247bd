import EaselClient

/// A load on a server: so many canvases, and clients of each. Everybody moves a shape of one's own.
struct LoadScenario {
    let name: String
    var canvases = 1
    /// Clients of each canvas that edit, and that only watch.
    let editors: Int
    let viewers: Int
    /// Moves a second, of all editors together, that a search begins with.
    let firstRate: Double

    /// Most p99 of edit to seen that counts as sustained, milliseconds.
    static let sustainedP99 = 50.0
    /// How long each rate is tried, seconds, and before that without being measured.
    private static let (seconds, warmUp) = (2, 1)
    /// Most runs of a search.
    private static let tries = 7

    var clients: Int { canvases * (editors + viewers) }

    /// One room of so many clients, ten of whom edit.
    static func room(of clients: Int, firstRate: Double) -> LoadScenario {
        LoadScenario(name: "fan\(clients)", editors: 10, viewers: clients - 10, firstRate: firstRate)
    }

    /// What `easel load` needs to be told for a rate of all editors together.
    func arguments(rate: Double, seconds: Int) -> [String] {
        [
            "--canvases", "\(canvases)", "--editors", "\(editors)", "--viewers", "\(viewers)", "--engines", "0",
            "--typing", "0", "--undo", "0", "--connects", "2000", "--rate", "\(rate / Double(canvases * editors))",
            "--seconds", "\(seconds)", "--warm-up", "\(Self.warmUp)",
        ]
    }

    /// Runs it at one rate. Nil, with a line printed, if there is no such program.
    func run(_ server: ServerUnderTest, rate: Double, seconds: Int = seconds) -> LoadProgram.Result? {
        let load = LoadProgram(
            server, arguments(rate: rate, seconds: seconds) + ["--server-process", "\(server.processNumber)"])
        return load?.result()
    }

    /// The highest rate found that is sustained, and what was measured there: the rate rises by half and more until it is not, then
    /// the distance is halved.
    func search(_ server: ServerUnderTest) -> (rate: Double, result: LoadProgram.Result)? {
        var (good, bad): ((rate: Double, result: LoadProgram.Result)?, Double?) = (nil, nil)
        var rate = firstRate
        var isSecond = false
        for _ in 0..<Self.tries {
            guard let result = run(server, rate: rate) else { return nil }
            // Others on the machine can make it look worse, never better, so a failure counts if it comes twice.
            if isSustained(result) {
                good = (rate, result)
            } else if isSecond {
                bad = rate
            } else {
                isSecond = true
                continue
            }
            isSecond = false
            switch (good?.rate, bad) {
            case (let good?, let bad?): rate = (good + bad) / 2
            case (_, nil): rate *= 1.6
            case (nil, _): rate /= 1.6
            }
            if let good, let bad, bad < good.rate * 1.15 { break }
        }
        return good
    }

    /// Everybody stayed and saw the same, soon enough, and as much was ordered as was meant.
    private func isSustained(_ result: LoadProgram.Result) -> Bool {
        result.isRight && result.p99 <= Self.sustainedP99
            && result.orderedPerSecond >= 0.95 * result.actionsPerSecond
    }
}
