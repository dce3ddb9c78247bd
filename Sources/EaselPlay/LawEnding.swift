import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselServerEngine

/// Laws about where a history ends, looked at once everything is delivered.
extension RandomPlayer {
    /// What is looked at in the end.
    struct Ending: Sendable {
        /// Whether the log is played again: the values of undo in it (P3), and the canvas it leads to.
        var replaysLog = true
    }

    /// Delivers everything and looks at what came out.
    mutating func finish(_ ending: Ending) {
        if breach == nil {
            settle()
            checkInjected()
        }
        if breach == nil { checkReplicas() }
        if breach == nil { checkWork() }
        if breach == nil, ending.replaysLog { checkLog() }
        script?.releaseEverything()
    }

    private mutating func checkReplicas() {
        let server = simulation.serverCanvas
        for client in people.indices {
            let engine = simulation.stations[client].engine
            let name = ScenarioWriter.name(of: client)
            check(.convergence, engine.confirmed.digest == server.digest, "what \(name) has confirmed differs")
            check(.convergence, engine.view.digest == server.digest, "what \(name) sees differs")
            check(.convergence, engine.pendingCount == 0, "\(engine.pendingCount) edits of \(name) are still pending")
            let bytes = people[client].bytes
            check(
                .bounded, bytes == 0 || engine.retainedBytes() <= bytes || engine.undoLabels().count <= 1,
                "\(name) keeps \(engine.retainedBytes()) bytes, \(bytes) are allowed")
            check(
                .invariants, engine.view.recomputedDigest() == engine.view.digest, "the digest of \(name) is not kept")
        }
        let problem = server.disagreement()
        check(.invariants, problem == nil, "the server's canvas: \(problem ?? "")")
    }

    /// What was made and not refused is there. What was put into a shape that is not there, or typed there, cannot be.
    private mutating func checkWork() {
        let server = simulation.serverCanvas
        for client in people.indices {
            let person = people[client]
            for made in person.made where !person.refused.contains(made.label) {
                if let characters = made.characters {
                    guard let text = server[made.shape]?.text else { continue }
                    let isThere = characters.ids.allSatisfy { text.offset(of: $0) != nil }
                    check(.kept, isThere, "what \(made.label) typed is lost")
                } else {
                    if let parent = made.parent, server[parent] == nil { continue }
                    let isThere = server[made.shape] != nil || named.contains(made.shape)
                    check(.kept, isThere, "the shape of \(made.label) is lost")
                }
            }
        }
    }

    /// Plays the log from the start: every number once, the canvas it leads to, and the values that undo put back.
    private mutating func checkLog() {
        var canvas = Canvas()
        var values = LawValues(people)
        var purges = LawPurges()
        for record in simulation.disk.records {
            guard record.revision == canvas.revision + 1, record.id.sequence > canvas.lastSequence(of: record.id.site)
            else {
                check(.durable, false, "revision \(record.revision) is in the log twice")
                return
            }
            guard let transaction = try? Transaction.decode(record.payload) else {
                check(.durable, false, "revision \(record.revision) cannot be read")
                return
            }
            if let client = owners[record.id.site] {
                let verdict = values.take(transaction, of: client, on: canvas)
                check(.values, verdict == nil, "at revision \(record.revision) \(verdict ?? "")")
            }
            let before = canvas
            _ = canvas.apply(
                Commit(revision: record.revision, id: record.id, time: record.time, transaction: transaction))
            if record.id.site == .server {
                let problem = purges.take(transaction, from: before, to: canvas)
                check(.purged, problem == nil, "at revision \(record.revision) \(problem ?? "")")
            }
        }
        if !purges.isEmpty {
            let problem = purges.disagreement(with: canvas)
            check(.purged, problem == nil, problem ?? "")
        }
        check(.durable, canvas.digest == simulation.serverCanvas.digest, "the log leads to another canvas")
    }
}
