/// A story of several clients on one canvas, read from a file: `protocol/SCENARIOS.md` has the language.
struct Scenario: Sendable {
    /// The file it was read from, as messages name it.
    let file: String
    /// Its name, for example `UR-023`.
    let id: String
    /// One line that says what it shows.
    let title: String
    /// The names of the clients; steps use their index.
    let clients: [String]
    /// Whether its header says that it needs the simulation.
    let needsSimulation: Bool
    /// What happens, in order.
    let lines: [Line]

    /// Why it cannot be played with a real server, as a sentence; nil if it can.
    var obstacle: String? {
        if needsSimulation { return "\(file): its header says that it needs the simulation" }
        for line in lines {
            if let obstacle = line.step.obstacle { return "\(file):\(line.number): \(obstacle)" }
        }
        return nil
    }

    /// A step with the number of its line in the file, from 1.
    struct Line: Sendable {
        let number: Int
        let step: ScenarioStep
    }
}

extension ScenarioStep {
    /// Why a real server cannot be made to take part in it; nil if it can.
    fileprivate var obstacle: String? {
        switch self {
        case .restart: "a real server cannot be restarted from here"
        case .holdDisk, .releaseDisk, .failDisk: "the disk of a real server cannot be held, and does not fail at will"
        case .refuse: "a real server cannot be made to refuse a good transaction"
        case .purge: "a real server cannot be made to purge from here"
        case .role: "a real server cannot be told from here who may edit"
        default: nil
        }
    }
}
