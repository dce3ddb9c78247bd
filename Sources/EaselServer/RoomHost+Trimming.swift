import EaselCore
import EaselProtocol
import EaselServerEngine
import EaselStorage
import EaselSupport
import EaselTransport

extension RoomHost {
    /// Trims the log, if that is wanted and something of it is beyond what is to be kept.
    ///
    /// Looked at after a snapshot was stored and when the canvas is opened. What the trim needs is made first: a snapshot of
    /// each named revision that would lose its entries, and one of the revision that the log begins with afterwards.
    func trimIfDue() {
        guard hub.retention != .all, !isTrimming else { return }
        isTrimming = true
        hub.storage.planTrim(canvas, keeping: hub.retention, now: hub.moment.wallMilliseconds) { [self] result in
            hub.loop.post { [self] in
                switch result {
                case .success(let plan?): begin(plan)
                case .success(nil): isTrimming = false
                case .failure(let error): endTrim(error)
                }
            }
        }
    }

    private func begin(_ plan: TrimPlan) {
        proposedTrim = plan
        input { engine, _, _ in engine.beginTrim(to: plan.target) }
    }

    /// Trims as far as the engine allows.
    func trim(upTo revision: Revision?) {
        guard let plan = proposedTrim else { return }
        proposedTrim = nil
        guard let allowed = revision else {
            isTrimming = false
            return
        }
        let limited = plan.limited(to: allowed)
        save(limited.unsaved[...]) { [self] in
            make(allowed) { [self] snapshot in
                hub.storage.trim(canvas, to: snapshot) { [self] result in
                    hub.loop.post { [self] in
                        switch result {
                        case .success: trimmed(to: allowed, goesOn: plan.isPartial && allowed == plan.target)
                        case .failure(let error): endTrim(error)
                        }
                    }
                }
            }
        }
    }

    private func trimmed(to revision: Revision, goesOn: Bool) {
        log.info("the log was trimmed", ["before": revision + 1])
        if !goesOn, hub.purges { return purge(from: revision) }
        isTrimming = false
        if goesOn { trimIfDue() }
    }

    /// Stores snapshots of revisions, one after the other.
    private func save(_ revisions: ArraySlice<Revision>, then next: @escaping @Sendable () -> Void) {
        guard let revision = revisions.first else { return next() }
        make(revision) { [self] snapshot in
            hub.storage.saveSnapshot(canvas, snapshot) { [self] result in
                hub.loop.post { [self] in
                    switch result {
                    case .success: save(revisions.dropFirst(), then: next)
                    case .failure(let error): endTrim(error)
                    }
                }
            }
        }
    }

    /// Makes the snapshot of an earlier revision; `next` is called on the loop.
    private func make(_ revision: Revision, then next: @escaping @Sendable (StoredSnapshot) -> Void) {
        hub.stillMaker(canvas).make(.revision(revision)) { [self] result in
            hub.compute { [self] in
                let snapshot = result.map { StoredSnapshot(revision: revision, payload: Snapshot.encode($0.canvas)) }
                hub.loop.post { [self] in
                    switch snapshot {
                    case .success(let snapshot): next(snapshot)
                    case .failure(let failure): endTrim(failure)
                    }
                }
            }
        }
    }

    private func endTrim(_ reason: any Error) {
        isTrimming = false
        // Nothing is lost but room: it is tried again when the next snapshot has been stored.
        log.warning("the log could not be trimmed", ["reason": "\(reason)"])
    }
}
