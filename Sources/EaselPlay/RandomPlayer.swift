import EaselClientEngine
import EaselCore
import EaselProtocol

/// Plays the steps of a random history over the simulation and checks the laws on the way.
///
/// It is a value, so a law that needs presses nobody made is tried out on a copy. The first breach ends the play: later steps
/// do nothing. After each step everybody who is not disconnected has a connection, as when a scenario is played; so what is
/// written down as a scenario takes the same course.
struct RandomPlayer: Sendable {
    /// Milliseconds after which a client sends again what could not be stored.
    private static let retryInterval: UInt64 = 1_000
    /// Most rounds of delivery until everything is at rest.
    private static let mostRounds = 10_000

    var simulation = Simulation()
    var people: [RandomPlayPerson]
    /// The shapes by the number of the step that created them, and back.
    var shapes: [Int: ShapeID] = [:]
    var numbers: [ShapeID: Int] = [:]
    /// Whose commits those of a site are.
    var owners: [SiteID: Int] = [:]
    /// The first law that was broken.
    private(set) var breach: LawBreach?
    var tally = LawTally()
    /// Whether somebody was made a viewer, so that presses may fail.
    var hasRoles = false
    /// Shapes that the server was asked to purge.
    var named: Set<ShapeID> = []
    /// What was done as a scenario; nil if nobody wants to know.
    var script: ScenarioWriter?
    /// A law of a test, looked at after each step.
    let injected: (@Sendable (RandomPlayer) -> String?)?

    /// Clients that have joined an empty canvas.
    init(clients: Int, isWriting: Bool = false, injected: (@Sendable (RandomPlayer) -> String?)? = nil) {
        self.injected = injected
        people = Array(repeating: RandomPlayPerson(), count: clients)
        for client in 0..<clients { _ = simulation.addClient(name: ScenarioWriter.name(of: client)) }
        simulation.settle()
        for client in 0..<clients { noteSite(client) }
        if isWriting { script = ScenarioWriter(clients: clients) }
    }

    /// Notes whether a law holds; the sentence says what is wrong if it does not.
    mutating func check(_ law: Law, _ holds: Bool, _ sentence: @autoclosure () -> String) {
        tally.count(law)
        if !holds, breach == nil { breach = LawBreach(law: law, sentence: sentence()) }
    }

    /// Takes over what a copy found, for a law that was tried out on it.
    mutating func adopt(_ copy: RandomPlayer) {
        tally = copy.tally
        guard breach == nil, let found = copy.breach else { return }
        breach = found
        script = copy.script
    }

    // MARK: Steps

    /// Takes a step, if it makes sense.
    mutating func perform(_ step: RandomPlayStep) {
        guard breach == nil else { return }
        tally.steps += 1
        take(step)
        checkInjected()
    }

    /// Looks at the law of a test.
    mutating func checkInjected() {
        guard let injected else { return }
        let sentence = injected(self)
        check(.injected, sentence == nil, sentence ?? "")
    }

    private mutating func take(_ step: RandomPlayStep) {
        switch step {
        case .edit(let client, let number, let edit, let manner): self.edit(client, number, edit, manner)
        case .press(let client, let cause, let history): press(client, cause, history)
        case .begin(let client, let number, let history): begin(client, number, history)
        case .end(let client, let history): end(client, history)
        case .cancel(let client, let history): cancel(client, history)
        case .clear(let client, let history): clear(client, history)
        case .limit(let client, let levels): limit(client, levels)
        case .budget(let client, let bytes): budget(client, bytes)
        case .role(let client, let isViewer): setRole(client, isViewer)
        case .kill(let client): kill(client)
        case .revive(let client, let hasCanvas): revive(client, hasCanvas)
        case .up(let client, let count): up(client, count)
        case .duplicate(let client): duplicate(client)
        case .down(let client, let count): down(client, count)
        case .finish(let count): finish(count)
        case .fail(let isKept): fail(isKept)
        case .disconnect(let client): disconnect(client)
        case .connect(let client): connect(client)
        case .restart: restart()
        case .refuse(let client): refuse(client)
        case .purge(let numbers, let isText): purge(numbers, isText)
        case .wait(let milliseconds): wait(milliseconds)
        case .settle: settle()
        case .undoEverything(let isRacing, let seed): undoEverything(isRacing, seed)
        case .probe(let probe): self.probe(probe)
        }
    }

    /// What happens by itself after each line of a scenario when everything is held.
    mutating func rest() {
        for client in people.indices where people[client].mayConnect && !simulation.isConnected(client) {
            simulation.connect(client)
        }
        let fault = simulation.faults.first
        check(.order, fault == nil, fault ?? "")
    }

    // MARK: Network

    /// Hands the server messages of a client, presence not counted. Returns how many there were.
    @discardableResult
    mutating func up(_ client: Int, _ count: Int) -> Int {
        var delivered = 0
        while delivered < count, simulation.pendingUp(client) > 0 {
            let messages = simulation.takeUp(client)
            if case .presence = messages.first { continue }
            delivered += 1
        }
        if delivered > 0 {
            script?.release(client, .up, delivered)
            rest()
        }
        return delivered
    }

    private mutating func duplicate(_ client: Int) {
        guard simulation.deliverOneUp(client, twice: true) else { return }
        script?.duplicate(client)
        rest()
    }

    /// Hands a client frames. Returns how many there were.
    @discardableResult
    mutating func down(_ client: Int, _ count: Int) -> Int {
        var delivered = 0
        var messages = 0
        while delivered < count, breach == nil, simulation.hasDown(client) {
            messages += deliver(client)
            delivered += 1
        }
        if messages > 0 { script?.release(client, .down, messages) }
        if delivered > 0 { rest() }
        return delivered
    }

    /// Notes the site that a client has.
    mutating func noteSite(_ client: Int) {
        if let site = simulation.stations[client].engine.site { owners[site] = client }
    }

    private mutating func connect(_ client: Int) {
        guard people[client].isOffline else { return }
        people[client].isOffline = false
        tally.reconnects += 1
        script?.connect(client)
        rest()
    }

    private mutating func disconnect(_ client: Int) {
        guard !people[client].isOffline else { return }
        let before = StackGlimpse(simulation.stations[client].engine)
        people[client].isOffline = true
        simulation.disconnect(client)
        script?.disconnect(client)
        checkStacks(client, before, "a lost connection")
        rest()
    }

    // MARK: Server, disk and time

    @discardableResult
    mutating func finish(_ count: Int) -> Int {
        var finished = 0
        while finished < count, simulation.pendingAppends > 0 {
            simulation.finishAppend()
            finished += 1
        }
        if finished > 0 {
            script?.releaseDisk(finished)
            rest()
        }
        return finished
    }

    private mutating func fail(_ isKept: Bool) {
        guard simulation.pendingAppends > 0 else { return }
        simulation.failAppends(keepingFirst: isKept)
        script?.failDisk(isKept)
        rest()
    }

    private mutating func restart() {
        simulation.restartServer()
        tally.restarts += 1
        tally.reconnects += people.count { $0.mayConnect }
        script?.restart()
        rest()
    }

    /// Changes what a client may do; when it connects again, it may do everything.
    mutating func setRole(_ client: Int, _ isViewer: Bool) {
        guard simulation.isConnected(client) else { return }
        hasRoles = true
        simulation.setRole(isViewer ? .viewer : .editor, of: client)
        script?.role(client, isViewer)
        rest()
    }

    private mutating func refuse(_ client: Int) {
        simulation.refuseNext(client)
        script?.refuse(client)
        rest()
    }

    private mutating func purge(_ numbers: [Int], _ isText: Bool) {
        let known = numbers.filter { shapes[$0] != nil }
        let ids = known.compactMap { shapes[$0] }
        let targets = isText ? simulation.texts(of: ids) : ids.isEmpty ? [] : [.shapes(ids)]
        guard !targets.isEmpty, simulation.purge(targets) else { return }
        if !isText { named.formUnion(ids) }
        script?.purge(known, isText)
        rest()
    }

    private mutating func wait(_ milliseconds: UInt64) {
        simulation.advance(by: milliseconds)
        script?.wait(milliseconds)
        rest()
    }

    /// Delivers and finishes everything, but for what `holding` sends, until nothing is under way.
    mutating func settle(holding held: Int? = nil) {
        for client in people.indices {
            revive(client, true)
            connect(client)
        }
        for _ in 0..<Self.mostRounds {
            var isBusy = false
            for client in people.indices where client != held && up(client, .max) > 0 { isBusy = true }
            if finish(.max) > 0 { isBusy = true }
            for client in people.indices where down(client, .max) > 0 { isBusy = true }
            if breach != nil { return }
            if isBusy { continue }
            let isInTrouble = people.indices.contains { simulation.stations[$0].engine.linkState == .inTrouble }
            if !isInTrouble { return }
            wait(Self.retryInterval)
        }
        check(.order, false, "the clients and the server do not come to rest")
    }
}
