import Dispatch
import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselSupport
import Glibc

/// Writes a client's state and its canvas into a folder.
///
/// The state is a file of records: a whole state without the canvas, and what was changed since by each write; the canvas is a file
/// of a snapshot and commits. The commits up to a state are always written before it.
struct StateKeeper {
    static let stateName = "client"
    static let canvasName = "canvas"

    private enum Limit {
        /// Bytes of old states in the file before it is written anew.
        static let oldStates = 4 * 1024 * 1024
        /// How many states the file holds at most on average, where they are larger than that.
        static let statesInFile = 8
        /// How late what others did is written, milliseconds. It is on the server too.
        static let othersWork = 1_000
        /// How many times as long as a write lasts nothing is written, where nothing is to be sent.
        static let rest: UInt64 = 10
        /// Time between two attempts to write after one has failed, milliseconds.
        static let retry: UInt64 = 1_000
        /// How long the disk may lag behind, milliseconds.
        static let sync = 1_000
        /// Commits kept in memory until the next write.
        static let heardCommits = 4_096
    }

    /// The canvas on its way into a new file.
    private struct Rewriting {
        let place: CanvasPlace
        /// The commits heard since.
        var heard: [CommitRun] = []
        /// Whether the canvas went another way meanwhile, so that the file comes to nothing.
        var isObsolete = false
    }

    private let folder: String
    private let server: ServerAddress
    private let say: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "easel.state")
    /// Nil after what it held was set aside.
    private var stateFile: RecordFile?
    private var savedStamp: ClientEngine.Stamp?
    /// The last state in the file, and how many records lead to it from a whole one.
    private var saved: (state: [UInt8], steps: Int) = ([], 0)
    /// Bytes of states written so far, for tests.
    private(set) var bytesWritten = 0
    /// How long the last write took, nanoseconds.
    private var cost: UInt64 = 0
    private var lastAttempt = MonotonicClock.now
    /// Nil while there is none that leads to the canvas.
    private var canvasFile: CanvasFile?
    private var rewriting: Rewriting?
    /// Commits that are not in the canvas's file yet.
    private var heard: [CommitRun] = []
    private var isSyncDue = false
    /// Whether the last attempt to write the state came to nothing.
    private(set) var isFailing = false

    /// Writes the state a client starts with, which shows that the folder can be written.
    init(
        _ folder: String, _ server: ServerAddress, _ engine: ClientEngine, _ canvasFile: CanvasFile?,
        _ say: @escaping @Sendable (String) -> Void
    ) throws(StateFileError) {
        self.folder = folder
        self.server = server
        self.say = say
        if canvasFile == nil, let place = engine.place {
            // A client that is new has an empty canvas; it must be found if the client ends before it ever was connected.
            let file = try CanvasFile.prepare(folder + "/" + Self.canvasName, engine.confirmed, epoch: place.epoch)
            try file.takePlace()
            self.canvasFile = file
        } else {
            self.canvasFile = canvasFile
        }
        try writeAnew(engine)
        savedStamp = engine.stamp
    }

    // MARK: When

    /// Milliseconds until the state should be written; nil if nothing has changed.
    func delay(_ stamp: ClientEngine.Stamp) -> Int? {
        guard stamp != savedStamp else { return nil }
        let isOwnWork = stamp.nextLocal != savedStamp?.nextLocal
        let pause = Int(cost * Limit.rest / 1_000_000)
        return isFailing ? Int(Limit.retry) : max(pause, isOwnWork ? 0 : Limit.othersWork)
    }

    // MARK: The state

    /// Writes the state if it has changed, and the commits it rests on.
    ///
    /// - Parameter isSending: whether something is sent next that the state must hold. If it cannot be written, what the file
    ///   holds is set aside: it must not be gone on from, since the numbers in it are used up by what is sent now.
    mutating func save(_ engine: ClientEngine, isSending: Bool, _ owner: StoreLock<StateKeeper>) {
        guard engine.stamp != savedStamp else { return }
        let start = MonotonicClock.now
        if isFailing, start.milliseconds(since: lastAttempt) < Limit.retry {
            if isSending { setStateAside() }
            return
        }
        lastAttempt = start
        writeCommits(engine.place)
        do throws(StateFileError) {
            try write(engine)
            savedStamp = engine.stamp
            if isFailing { say("edits are kept on this computer again") }
            isFailing = false
        } catch {
            if isSending { setStateAside() }
            if !isFailing { say("\(error.sentence); edits are not kept on this computer until it can") }
            isFailing = true
        }
        renewCanvas(engine, owner)
        cost = MonotonicClock.now.nanoseconds(since: start)
        syncSoon(owner)
    }

    private mutating func write(_ engine: ClientEngine) throws(StateFileError) {
        let state = engine.save(includingCanvas: false)
        guard let stateFile, stateFile.size < max(Limit.oldStates, state.count * Limit.statesInFile) else {
            return try writeAnew(state)
        }
        let step = saved.steps < StateFile.mostSteps ? StateFile.record(state, after: saved.state) : nil
        let record = step ?? StateFile.record(state, server: server)
        try stateFile.append([record])
        bytesWritten += record.count
        saved = (state, step == nil ? 0 : saved.steps + 1)
    }

    private mutating func writeAnew(_ engine: ClientEngine) throws(StateFileError) {
        try writeAnew(engine.save(includingCanvas: false))
    }

    private mutating func writeAnew(_ state: [UInt8]) throws(StateFileError) {
        let record = StateFile.record(state, server: server)
        let file = try RecordFile.prepare(folder + "/" + Self.stateName, name: StateFile.name, [record])
        try file.takePlace()
        stateFile = file
        bytesWritten += record.count
        saved = (state, 0)
    }

    private mutating func setStateAside() {
        guard stateFile != nil else { return }
        stateFile = nil
        savedStamp = nil
        _ = StateFile.setAside(folder + "/" + Self.stateName, as: "outdated")
    }

    // MARK: The canvas

    /// Takes note of what came from the server, before the engine does.
    mutating func hear(_ messages: [ServerMessage]) {
        for case .commits(let run) in messages {
            if let last = heard.last?.last ?? canvasFile?.place.revision, run.continues(last) { heard.append(run) }
            if let rewriting, run.continues(rewriting.heard.last?.last ?? rewriting.place.revision) {
                self.rewriting?.heard.append(run)
            }
        }
        if let first = heard.first, let last = heard.last, last.last - first.first >= Limit.heardCommits {
            appendHeard(heard.count)
        }
    }

    /// Writes the commits that lead to a place. If they do not, the file is not gone on with.
    private mutating func writeCommits(_ place: CanvasPlace?) {
        guard let file = canvasFile, file.place != place else { return }
        let end = heard.firstIndex { $0.last == place?.revision && $0.digest == place?.digest }
        if let end, place?.epoch == file.place.epoch {
            appendHeard(end + 1)
        } else {
            canvasFile = nil
            heard = []
            rewriting?.isObsolete = true
        }
    }

    private mutating func appendHeard(_ count: Int) {
        do throws(StateFileError) {
            try canvasFile?.append(heard.prefix(count))
            heard.removeFirst(count)
        } catch {
            // Without it a client that starts again fetches the canvas. That the disk is full the state says.
            canvasFile = nil
            heard = []
        }
    }

    /// Sees to a new file of the canvas, if there is none or it has grown. The work is done elsewhere, since it is linear in the
    /// canvas.
    private mutating func renewCanvas(_ engine: ClientEngine, _ owner: StoreLock<StateKeeper>) {
        guard rewriting == nil, !isFailing, let place = engine.place, canvasFile.map({ $0.isGrown }) ?? true else {
            return
        }
        rewriting = Rewriting(place: place)
        let (path, canvas) = (folder + "/" + Self.canvasName, engine.confirmed)
        queue.async {
            let file = try? CanvasFile.prepare(path, canvas, epoch: place.epoch)
            owner.withLock { keeper in keeper.finishRewriting(file) }
        }
    }

    private mutating func finishRewriting(_ file: CanvasFile?) {
        guard let rewriting else { return }
        self.rewriting = nil
        guard let file, !rewriting.isObsolete else { return }
        do throws(StateFileError) {
            try file.append(rewriting.heard)
            try file.takePlace()
            canvasFile = file
            heard = []
        } catch {
            // The file that was there before is still good.
        }
    }

    // MARK: The disk

    /// Has the disk catch up within a second, elsewhere.
    private mutating func syncSoon(_ owner: StoreLock<StateKeeper>) {
        guard !isSyncDue else { return }
        isSyncDue = true
        queue.asyncAfter(deadline: .now() + .milliseconds(Limit.sync)) {
            let descriptors = owner.withLock { keeper in keeper.descriptorsToSync() }
            for descriptor in descriptors {
                // What cannot be synced is said when it cannot be written.
                fdatasync(descriptor)
                close(descriptor)
            }
        }
    }

    /// The canvas's first, since a state rests on it.
    private mutating func descriptorsToSync() -> [Int32] {
        isSyncDue = false
        return [canvasFile?.descriptorForSyncing(), stateFile?.descriptorForSyncing()].compactMap { $0 }
    }

    /// Waits for what is being done elsewhere.
    static func settle(_ owner: StoreLock<StateKeeper>) {
        let queue = owner.withLock { $0.queue }
        queue.sync {}
        for descriptor in owner.withLock({ $0.descriptorsToSync() }) {
            fdatasync(descriptor)
            close(descriptor)
        }
    }
}
