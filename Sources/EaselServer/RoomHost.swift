import EaselCore
import EaselProtocol
import EaselServerEngine
import EaselStorage
import EaselSupport
import EaselTransport

/// One room with everything it needs: carries out what its engine asks for, and brings it the outcomes.
///
/// Unchecked, because all members are touched on the loop's thread only; what runs elsewhere (the log's completions, encoding and
/// decoding) posts its results to the loop.
final class RoomHost: @unchecked Sendable {
    let canvas: CanvasID
    let hub: Hub
    let log: Log
    private var engine: RoomEngine
    private var isTurnOpen = false
    /// Whether the log is being trimmed, or it is being found out whether it can be.
    var isTrimming = false
    /// The trim that the engine is asked about.
    var proposedTrim: TrimPlan?
    /// Whether a record of the log is damaged. What comes before it is served; edits are refused for now, so clients keep them.
    private var isDamaged = false
    private var timer: (wakeTime: UInt64, timer: LoopTimer)?

    init(canvas: CanvasID, hub: Hub) {
        self.canvas = canvas
        self.hub = hub
        log = hub.log.with(["canvas": canvas])
        engine = RoomEngine(canvas: canvas, key: hub.key)
    }

    /// The canvas at its confirmed revision.
    var confirmedCanvas: Canvas { engine.canvas }

    // MARK: Sessions

    /// Takes in what the sessions of an outlet say, or the outlet itself.
    func take(_ input: RoomInput, from outlet: OutletID) {
        switch input {
        case .join(let session, let hello):
            let site = hub.randomSite()
            log.debug("session joins", ["session": session.rawValue, "name": hello.name])
            self.input { $0.join(session, hello, by: outlet, role: .editor, freshSite: site, into: &$1, at: $2) }
        case .message(let message, let session):
            self.input { $0.received(message, from: session, into: &$1, at: $2) }
        case .malformed(let sentence, let session):
            self.input { engine, _, moment in engine.receivedMalformed(sentence, from: session, at: moment) }
        case .left(let session):
            self.input { engine, _, moment in engine.left(session, at: moment) }
        case .report(let report):
            self.input { $0.reported(report, by: outlet, into: &$1, at: $2) }
        }
    }

    func shutDown() {
        input { engine, _, _ in engine.shutDown() }
    }

    // MARK: The engine

    func input(_ body: (inout RoomEngine, inout [RoomAction], Moment) -> Void) {
        var actions: [RoomAction] = []
        body(&engine, &actions, hub.moment)
        for action in actions { perform(action) }
        openTurn()
    }

    /// Lets the turn end when the loop has served every socket, so that what came in together leaves for the log together.
    private func openTurn() {
        guard !isTurnOpen else { return }
        isTurnOpen = true
        hub.opensTurn(self)
    }

    func endTurn() {
        isTurnOpen = false
        var actions: [RoomAction] = []
        engine.endTurn(into: &actions)
        for action in actions { perform(action) }
        setTimer()
    }

    private func setTimer() {
        guard engine.wakeTime != timer?.wakeTime else { return }
        timer?.timer.cancel()
        timer = nil
        guard let wakeTime = engine.wakeTime else { return }
        let now = hub.moment.milliseconds
        // The clock counts whole milliseconds, rounded down: one more, or it may ring too early and again at once.
        let delay = wakeTime > now ? Int(clamping: wakeTime - now + 1) : 0
        let loopTimer = hub.loop.schedule(after: delay) { [self] in
            timer = nil
            input { $0.tick(into: &$1, at: $2) }
        }
        timer = (wakeTime, loopTimer)
    }

    private func perform(_ action: RoomAction) {
        switch action {
        case .append(let records): append(records)
        case .readRecords(let after, let limitBytes): read(after: after, limitBytes: limitBytes)
        case .encodeSnapshot(let canvas): encode(canvas)
        case .storeSnapshot(let revision, let bytes): store(revision, bytes)
        case .changeVersions(let session, let tag, let edit): changeVersions(edit, for: session, tag: tag)
        case .tell(let outlet, let news): hub.tell(outlet, of: canvas, news)
        case .trimAllowed(let revision): trim(upTo: revision)
        case .unload:
            log.debug("canvas put away", ["revision": engine.canvas.revision])
            hub.forget(self)
        }
    }

    // MARK: The log

    /// Reads the canvas.
    func load() {
        hub.storage.load(canvas) { [self] result in
            hub.compute { [self] in
                let loaded = CanvasLoader.open(canvas, result, log: log)
                hub.loop.post { [self] in
                    switch loaded {
                    case .success(let opened):
                        if let damage = opened.damage {
                            isDamaged = true
                            log.error(
                                "the canvas is damaged: what was committed before is served, and nothing stored",
                                ["reason": damage, "revision": opened.history.canvas.revision])
                        }
                        input { $0.loaded(opened.history, into: &$1, at: $2) }
                        trimIfDue()
                    case .failure(let failure):
                        log.error("canvas cannot be opened", ["reason": failure.sentence])
                        input { engine, actions, _ in engine.loadFailed(failure.sentence, into: &actions) }
                    }
                }
            }
        }
    }

    private func append(_ records: [LogRecord]) {
        if isDamaged {
            hub.loop.post { [self] in input { $0.appendFailed(into: &$1, at: $2) } }
            return
        }
        hub.storage.append(canvas, records.map(LogEntry.init)) { [self] result in
            hub.loop.post { [self] in
                switch result {
                case .success: input { $0.appended(into: &$1, at: $2) }
                case .failure(let error):
                    log.error("edits could not be stored", ["count": records.count, "reason": error])
                    input { $0.appendFailed(into: &$1, at: $2) }
                }
            }
        }
    }

    private func read(after revision: Revision, limitBytes: Int) {
        hub.storage.read(canvas, after: revision, limitBytes: limitBytes) { [self] result in
            hub.loop.post { [self] in
                let read: LogRead
                switch result {
                // Where the log is known to be damaged, it ends in front of that.
                case .success(let page) where page.damage == nil || isDamaged:
                    read = .page(page.entries.map(LogRecord.init))
                case .success(let page):
                    log.error("the log is damaged", ["reason": page.damage?.description ?? ""])
                    read = .failed
                case .failure(let error):
                    log.error("the log cannot be read", ["reason": error])
                    read = .failed
                }
                input { $0.recordsRead(read, after: revision, into: &$1, at: $2) }
            }
        }
    }

    private func encode(_ canvas: Canvas) {
        hub.compute { [self] in
            let snapshot = EncodedSnapshot(canvas)
            hub.loop.post { [self] in input { $0.snapshotEncoded(snapshot, into: &$1, at: $2) } }
        }
    }

    private func store(_ revision: Revision, _ bytes: [UInt8]) {
        hub.storage.saveSnapshot(canvas, StoredSnapshot(revision: revision, payload: bytes)) { [self] result in
            hub.loop.post { [self] in
                if case .failure(let error) = result { log.warning("snapshot could not be stored", ["reason": error]) }
                input { engine, _, moment in engine.snapshotStored((try? result.get()) != nil, at: moment) }
                trimIfDue()
            }
        }
    }
}
