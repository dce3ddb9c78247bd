import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselServerEngine

/// Laws about what a client gets from the server.
extension RandomPlayer {
    /// One in so many deliveries has the histories looked at.
    private static let stackInterval = 8
    /// One in so many acknowledgements has the view looked at; of all, no change may be reported.
    private static let viewInterval = 4

    /// What is in a frame, but for commits that its client has.
    private struct Frame {
        var own = 0
        var others = 0
        var refusals = 0
        var answers = 0
        /// Messages that are not presence.
        var count = 0
        /// A welcome, a snapshot or an error: more than news.
        var hasMore = false

        init(_ messages: [ServerMessage], for engine: ClientEngine) {
            for message in messages {
                if case .presence = message { continue }
                count += 1
                switch message {
                case .commits(let run):
                    for commit in run.commits where commit.revision > engine.confirmed.revision {
                        if commit.id.site == engine.site { own += 1 } else { others += 1 }
                    }
                case .refusal: refusals += 1
                case .acknowledgement: answers += 1
                default: hasMore = true
                }
            }
        }

        /// Whether there is nothing in it that may change what the client shows.
        var isEcho: Bool { others == 0 && refusals == 0 && answers == 0 && !hasMore }
        /// Whether it is nothing but news of what was committed.
        var isPlain: Bool { refusals == 0 && answers == 0 && !hasMore }
    }

    /// A client before a frame.
    private struct Glimpse {
        let view: Canvas
        let pendingCount: Int
        /// Whether it is up to date. Coming in, it may find out that it may only look, and take back what it has not sent.
        let isLive: Bool
        /// The main history, if it is looked at this time.
        let stacks: StackGlimpse?

        init(_ engine: ClientEngine, isLooking: Bool) {
            view = engine.view
            pendingCount = engine.pendingCount
            isLive = engine.linkState == .live
            stacks = isLooking ? StackGlimpse(engine) : nil
        }
    }

    /// Hands a client its next frame. Returns how many messages were in it, presence not counted.
    mutating func deliver(_ client: Int) -> Int {
        guard let messages = simulation.takeDown(client) else { return 1 }
        let frame = Frame(messages, for: simulation.stations[client].engine)
        let isLooking = frame.refusals > 0 || tally.checks(of: .durable) % Self.stackInterval == 0
        let before = Glimpse(simulation.stations[client].engine, isLooking: isLooking)
        simulation.hand(messages, to: client)
        if frame.others > 0 || !frame.isPlain {
            for history in people[client].groups.indices { people[client].groups[history]?.isAlone = false }
        }
        if frame.hasMore { noteSite(client) }
        checkDurable(messages, client)
        var refused: [String] = []
        var stored = 0
        var changes = 0
        for event in simulation.takeEvents(client) {
            switch event {
            case .refused(let label, _): refused.append(label)
            case .stored(let count): stored += count
            case .changed: changes += 1
            case .diverged(let divergence):
                check(.convergence, false, "client \(client) differs from the server at \(divergence.revision)")
            default: break
            }
        }
        tally.refusals += refused.count
        people[client].refused.formUnion(refused)
        checkEcho(client, frame, before, stored: stored, changes: changes)
        if let stacks = before.stacks { checkStacks(client, stacks, refused) }
        return frame.count
    }

    private mutating func checkDurable(_ messages: [ServerMessage], _ client: Int) {
        for case .commits(let run) in messages {
            for commit in run.commits { checkDurable(commit, client) }
        }
    }

    private mutating func checkDurable(_ commit: Commit, _ client: Int) {
        let index = Int(commit.revision) - 1
        let records = simulation.disk.records
        let isThere = index < records.count && records[index].id == commit.id
        check(.durable, isThere, "client \(client) was shown commit \(commit.revision), which is not in the log")
    }

    private mutating func checkEcho(
        _ client: Int, _ frame: Frame, _ before: Glimpse, stored: Int, changes: Int
    ) {
        let engine = simulation.stations[client].engine
        let name = ScenarioWriter.name(of: client)
        // Who came back without the canvas may be sent again what was acknowledged before.
        if people[client].isLimited { return }
        if frame.isPlain {
            check(.echo, stored == frame.own, "\(name) got \(frame.own) own commits and reported \(stored)")
        }
        guard frame.isEcho, before.isLive else { return }
        let settled = before.pendingCount - engine.pendingCount
        // A press that turns out to have nothing to put back goes without being sent.
        check(.echo, settled >= frame.own, "\(frame.own) own commits of \(name) ended \(settled) transactions")
        let isLooking = frame.own > 0 && tally.checks(of: .echo) % Self.viewInterval == 0
        let changed = isLooking ? engine.view.changedShapes(since: before.view) : []
        check(.echo, changes == 0 && changed.isEmpty, "an own commit changed the view of \(name)")
        if !changed.isEmpty { script?.expect(client, changed, as: before.view, numbers) }
    }

    /// What others commit leaves the histories alone, and a refusal takes out or moves only what it is about.
    private mutating func checkStacks(_ client: Int, _ before: StackGlimpse, _ refused: [String]) {
        // With a budget of bytes, what is oldest may go at any time.
        if people[client].bytes > 0 { return }
        let after = StackGlimpse(simulation.stations[client].engine)
        let name = ScenarioWriter.name(of: client)
        guard let label = refused.first else {
            check(
                .redoLives, after.undoLabels == before.undoLabels && after.redoCount == before.redoCount,
                "what was delivered changed the history of \(name)")
            return
        }
        guard refused.count == 1 else { return }
        let (old, new) = (before.undoLabels, after.undoLabels)
        if label.hasPrefix("Undo ") || label.hasPrefix("Cancel ") {
            // What comes back may push the oldest off.
            let limit = people[client].levels ?? Self.usualLevels
            let isFull = limit > 0 && new.count >= limit
            let isInside = (0...(isFull ? old.count : 0)).contains { Self.isInside(old.dropLast($0), new) }
            check(
                .refusal, isInside, "refusing \(label) took something off the undo history of \(name): \(old), \(new)")
        } else if label.hasPrefix("Redo ") {
            let isInside = Self.isInside(new, old)
            check(
                .refusal, isInside, "refusing \(label) put something onto the undo history of \(name): \(old), \(new)")
        } else {
            let action = people[client].actions[label] ?? label
            check(
                .refusal, new == old || new == old.filter { $0 != action },
                "refusing \(label) changed more than its action in the history of \(name): \(old), \(new)")
            check(
                .refusal, after.redoCount == before.redoCount || after.redoCount == before.redoCount - 1,
                "refusing \(label) left \(after.redoCount) of \(before.redoCount) redos of \(name)")
        }
    }

    /// Whether one list is another with some left out.
    private static func isInside(_ part: [String], _ whole: [String]) -> Bool { isInside(part[...], whole) }

    private static func isInside(_ part: ArraySlice<String>, _ whole: [String]) -> Bool {
        var rest = part
        for element in whole where element == rest.first { rest.removeFirst() }
        return rest.isEmpty
    }
}
