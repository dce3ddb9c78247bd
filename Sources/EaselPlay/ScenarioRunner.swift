import EaselClient
import EaselClientEngine
import EaselCore

/// Plays a scenario, step by step, and stops at the first step that fails.
///
/// After each step everything that is not held reaches everybody. Where nothing is held and everybody is connected, all
/// canvases must then be the same and nothing may be pending, whether the scenario asks or not. Before each press the
/// history must have announced what the press then does.
struct ScenarioRunner {
    let scenario: Scenario
    var stage: Stage
    /// The ids of the shapes made so far.
    var ids: [String: ShapeID] = [:]
    /// The histories used so far, for each client.
    private var histories: [[String: HistoryID]]
    /// Where the identities of shapes come from that replace others.
    var importedIdentities = ScenarioRunner.importSource
    /// The versions remembered so far, for each client.
    var marks: [[String: ViewVersion]]
    /// What each client was told before the first step.
    private var firstTallies: [EventTally] = []

    private init(_ scenario: Scenario, _ stage: Stage) {
        self.scenario = scenario
        self.stage = stage
        histories = scenario.clients.map { _ in [ScenarioParser.mainHistory: .main] }
        marks = scenario.clients.map { _ in [:] }
    }

    /// Plays a scenario in this process over the simulated network. The same scenario always takes the same course.
    static func play(_ scenario: Scenario) throws(ScenarioFailure) {
        let stage = SimulatedStage(clients: scenario.clients)
        var runner = ScenarioRunner(scenario, .simulated(stage))
        try runner.run()
    }

    /// Plays a scenario with real clients on a fresh canvas of a server.
    ///
    /// Precondition: the scenario has no obstacle.
    static func play(_ scenario: Scenario, on server: ServerTarget) throws(ScenarioFailure) {
        precondition(scenario.obstacle == nil, "a scenario with an obstacle needs the simulation")
        var stage = LiveStage(clients: scenario.clients, server: server)
        if let problem = stage.open() {
            stage.close()
            throw ScenarioFailure(file: scenario.file, line: nil, reasons: [.impossible(problem)])
        }
        var runner = ScenarioRunner(scenario, .live(stage))
        defer { runner.stage.close() }
        try runner.run()
    }

    private mutating func run() throws(ScenarioFailure) {
        try fail(settled(), at: nil)
        firstTallies = scenario.clients.indices.map { stage.tally($0) }
        for line in scenario.lines {
            try fail(reasons(against: line.step), at: line.number)
        }
    }

    private func fail(_ reasons: [ScenarioFailure.Reason], at line: Int?) throws(ScenarioFailure) {
        if !reasons.isEmpty { throw ScenarioFailure(file: scenario.file, line: line, reasons: reasons) }
    }

    /// Takes a step and returns what is wrong with it or after it.
    private mutating func reasons(against step: ScenarioStep) -> [ScenarioFailure.Reason] {
        if case .expect(let expectation) = step { return mismatches(with: expectation) }
        if let client = step.actor, stage.saved(client) != nil {
            return [.impossible("\(name(of: client)) was killed")]
        }
        let reasons = take(step)
        return reasons.isEmpty ? settled() : reasons
    }

    /// Takes a step and returns what is wrong with it.
    private mutating func take(_ step: ScenarioStep) -> [ScenarioFailure.Reason] {
        var problems: [String?] = []
        switch step {
        case .edit(let client, let edit, let terms): return make(edit, terms, by: client)
        case .replace(let client, let shapes, let label, let history):
            return replace(with: shapes, label, history, by: client)
        case .press(let client, let press, let history, let facts):
            return self.press(press, history, facts, by: client)
        case .history(let client, let step, let history):
            problems = [take(step, historyID(history, of: client), by: client)]
        case .mark(let client, let name): marks[client][name] = stage.engine(client).viewVersion
        case .disconnect(let clients): for client in clients { stage.disconnect(client) }
        case .connect(let clients): problems = clients.map { stage.connect($0) }
        case .hold(let clients, let direction):
            for client in clients { for part in direction.parts { stage.hold(client, part) } }
        case .release(let clients, let direction, let count): problems = release(clients, direction, count)
        case .duplicate(let client): problems = [stage.duplicate(client)]
        case .kill(let clients): problems = clients.map { kill($0) }
        case .revive(let clients, let includesCanvas): problems = clients.map { revive($0, includesCanvas) }
        case .restart: stage.simulated { $0.restartServer() }
        case .holdDisk: stage.simulated { $0.isDiskHeld = true }
        case .releaseDisk(let count): problems = [stage.simulated { $0.releaseDisk(count: count) }]
        case .failDisk(let keepsFirst): problems = [stage.simulated { $0.failDisk(keepsFirst: keepsFirst) }]
        case .refuse(let client): stage.simulated { $0.simulation.refuseNext(client) }
        case .purge(let shapes, let isText): problems = [purge(shapes, isText)]
        case .role(let role, let clients): for client in clients { stage.simulated { $0.setRole(role, of: client) } }
        case .wait(let milliseconds): stage.wait(milliseconds)
        case .expect: preconditionFailure("expectations are not taken")
        }
        return problems.compactMap { $0.map { .impossible($0) } }
    }

    private mutating func release(
        _ clients: [Int], _ direction: ScenarioStep.Direction, _ count: Int?
    ) -> [String?] {
        var problems: [String?] = []
        for client in clients {
            for part in direction.parts {
                if let count {
                    problems.append(stage.release(client, part, count: count))
                } else {
                    stage.release(client, part)
                }
            }
        }
        return problems
    }

    private mutating func purge(_ names: [String], _ isText: Bool) -> String? {
        let shapes = names.compactMap { ids[$0] }
        let isAccepted = stage.simulated { stage in
            let targets = isText ? stage.simulation.texts(of: shapes) : [.shapes(shapes)]
            return !targets.isEmpty && stage.simulation.purge(targets)
        }
        return isAccepted ? nil : "there is nothing that the server could purge now"
    }

    private mutating func kill(_ client: Int) -> String? {
        if stage.saved(client) != nil { return "\(name(of: client)) was killed before" }
        let engine = stage.engine(client)
        let saved = SavedClient(
            whole: engine.save(includingCanvas: true), withoutCanvas: engine.save(includingCanvas: false))
        stage.kill(client, saving: saved)
        // A version means something in the process that gave it only.
        marks[client] = [:]
        return nil
    }

    private mutating func revive(_ client: Int, _ includesCanvas: Bool) -> String? {
        guard let saved = stage.saved(client) else { return "\(name(of: client)) was not killed" }
        do throws(RestoreError) {
            return try stage.revive(client, from: includesCanvas ? saved.whole : saved.withoutCanvas)
        } catch {
            return "\(name(of: client)) cannot start on what it saved: \(error)"
        }
    }

    /// Brings to everybody what is not held, and returns what is wrong then.
    private mutating func settled() -> [ScenarioFailure.Reason] {
        if let problem = stage.settle() { return [.impossible(problem)] }
        return stage.isOpen ? differences() : []
    }

    /// The clients whose canvas is not the server's, though nothing keeps it from that.
    func differences() -> [ScenarioFailure.Reason] {
        let digest = stage.serverCanvas.digest
        var reasons: [ScenarioFailure.Reason] = []
        for (client, name) in scenario.clients.enumerated() where stage.saved(client) == nil {
            let engine = stage.engine(client)
            let pending = engine.pendingCount
            if pending != 0 {
                reasons.append(
                    .mismatch(subject: "\(name): edits not acknowledged", expected: "0", found: String(pending)))
            }
            let confirmed = engine.confirmed.digest
            let shown = engine.view.digest
            if confirmed != digest || (pending == 0 && shown != digest) {
                let found = Self.hexDigits(confirmed == digest ? shown : confirmed)
                reasons.append(
                    .mismatch(
                        subject: "\(name): digest of the canvas", expected: "the server's, \(Self.hexDigits(digest))",
                        found: found))
            }
        }
        return reasons
    }

    private static func hexDigits(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    // MARK: What clients are told

    /// How many changes a view of a client was given since the first step.
    func changes(of client: Int, in view: UInt32) -> Int {
        stage.tally(client).changes(in: view) - firstTallies[client].changes(in: view)
    }

    /// How often somebody who shows a client's history was told since the first step that it may have changed.
    func events(of client: Int, _ history: HistoryID) -> Int {
        stage.tally(client).events(of: history) - firstTallies[client].events(of: history)
    }

    // MARK: Names

    /// A site that no client has: the highest are the simulated clients' own, and those of a server begin at 1.
    private static let importSource: IdentitySource = {
        guard let site = SiteID(SiteID.maximum / 2) else { preconditionFailure("1 to the maximum is a site") }
        return IdentitySource(site: site)
    }()

    /// A client's history; one that was not used before is added.
    mutating func historyID(_ name: String, of client: Int) -> HistoryID {
        if let id = histories[client][name] { return id }
        let id = stage.act(client) { $0.addHistory() }
        histories[client][name] = id
        return id
    }

    /// The name a scenario gave a shape.
    func name(of id: ShapeID) -> String { ids.first { $0.value == id }?.key ?? id.rawValue }

    /// A scenario's name for a client.
    func name(of client: Int) -> String { scenario.clients[client] }
}

extension ScenarioStep {
    /// The client that acts, if one does.
    fileprivate var actor: Int? {
        switch self {
        case .edit(let client, _, _), .replace(let client, _, _, _), .press(let client, _, _, _),
            .history(let client, _, _), .mark(let client, _):
            client
        default: nil
        }
    }
}
