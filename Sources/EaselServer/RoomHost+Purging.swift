import EaselCore
import EaselProtocol
import EaselServerEngine
import EaselStorage
import EaselSupport
import EaselTransport

extension RoomHost {
    /// Bytes of log records looked at a time.
    private static let surveyBytes = 4 << 20

    /// Removes for good what was hidden at a revision, the first one that the log still leads from, and that nobody has touched since.
    /// Clients that hold an earlier revision get a snapshot, so nobody who goes on with commits has seen any of it visible.
    func purge(from horizon: Revision) {
        hub.stillMaker(canvas).make(.revision(horizon)) { [self] result in
            switch result {
            case .success(let still): survey(PurgeSurvey(from: still.canvas), through: horizon)
            case .failure(let failure): hub.loop.post { [self] in endPurge("\(failure)") }
            }
        }
    }

    /// Passes what was committed after `revision`, a page at a time.
    private func survey(_ survey: PurgeSurvey, through revision: Revision) {
        hub.storage.read(canvas, after: revision, limitBytes: Self.surveyBytes) { [self] result in
            hub.compute { [self] in
                guard let page = try? result.get(), page.damage == nil else {
                    hub.loop.post { [self] in endPurge("the log cannot be read") }
                    return
                }
                var next = survey
                for entry in page.entries {
                    guard let transaction = try? Transaction.decode(entry.payload) else {
                        hub.loop.post { [self] in endPurge("the log cannot be read at revision \(entry.revision)") }
                        return
                    }
                    next.pass(transaction)
                }
                let last = page.entries.last?.revision ?? revision
                if last < page.head { return self.survey(next, through: last) }
                let passed = next
                hub.loop.post { [self] in find(passed, through: last) }
            }
        }
    }

    /// Finds what may go in the canvas as it now is, and lets the room purge it. What was committed behind the part of the log that
    /// was read is little, and the room looks at it.
    private func find(_ survey: PurgeSurvey, through revision: Revision) {
        let now = confirmedCanvas
        hub.compute { [self] in
            let targets = survey.targets(in: now)
            hub.loop.post { [self] in
                isTrimming = false
                guard !targets.isEmpty else { return }
                var count = 0
                input { engine, _, moment in count = engine.purge(targets, foundAt: revision, at: moment) }
                log.info("what was deleted long ago was purged", ["transactions": count])
            }
        }
    }

    private func endPurge(_ reason: String) {
        isTrimming = false
        // It is tried again after the next trim.
        log.warning("what was deleted long ago could not be purged", ["reason": reason])
    }
}
