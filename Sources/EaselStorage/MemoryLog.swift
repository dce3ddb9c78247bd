public import EaselCore
internal import EaselSupport

/// A log that lives as long as the process: for tests, simulations and canvases nobody wants kept.
///
/// Completions run before the call returns, on the caller's thread, so a single-threaded simulation stays deterministic.
public final class MemoryLog: CanvasLog {
    struct Canvas {
        let epoch: UInt64
        /// The entries after `base`.
        var entries: [LogEntry] = []
        var base: Revision = 0
        /// Oldest first.
        var snapshots: [StoredSnapshot] = []
        /// By revision.
        var versions: [NamedVersion] = []

        var head: Revision { base + Revision(entries.count) }

        /// Keeps a snapshot, and of the others those that are to be kept.
        mutating func save(_ snapshot: StoredSnapshot) {
            snapshots.removeAll { $0.revision == snapshot.revision }
            snapshots.append(snapshot)
            snapshots.sort { $0.revision < $1.revision }
            removeSurplusSnapshots()
        }

        mutating func removeSurplusSnapshots() {
            let newest = snapshots.suffix(StorageLimits.snapshotsKept).map(\.revision)
            snapshots.removeAll { snapshot in
                snapshot.revision != base && !newest.contains(snapshot.revision)
                    && !versions.contains { $0.revision == snapshot.revision }
            }
        }
    }

    struct State {
        var canvases: [CanvasID: Canvas] = [:]
        var isClosed = false
    }

    private let state = Locked(State())
    private let makeEpoch: @Sendable () -> UInt64

    /// An empty log. `makeEpoch` gives each new canvas its epoch, 1 to `StorageLimits.largestEpoch`, and should never repeat.
    public init(
        makeEpoch: @escaping @Sendable () -> UInt64 = { UInt64.random(in: 1...StorageLimits.largestEpoch) }
    ) {
        self.makeEpoch = makeEpoch
    }

    /// Loads as `CanvasLog.load` says; complexity linear in the entries after the snapshot.
    public func load(_ canvas: CanvasID, completion: @escaping StorageCompletion<LoadedCanvas>) {
        completion(
            answer { state in
                let found = create(canvas, in: &state)
                let snapshot = found.snapshots.last
                return .success(
                    LoadedCanvas(
                        epoch: found.epoch, base: found.base, snapshot: snapshot,
                        entries: Array(found.entries.dropFirst(Int((snapshot?.revision ?? 0) - found.base)))))
            })
    }

    /// Appends as `CanvasLog.append` says. Nothing is durable here.
    public func append(_ canvas: CanvasID, _ entries: [LogEntry], completion: @escaping StorageCompletion<Void>) {
        completion(
            answer { state in
                guard !entries.isEmpty else { return .success(()) }
                let head = state.canvases[canvas]?.head ?? 0
                if let refusal = refusal(of: entries, after: head, in: canvas) { return .failure(refusal) }
                _ = create(canvas, in: &state)
                state.canvases[canvas]?.entries += entries
                return .success(())
            })
    }

    /// Reads as `CanvasLog.read` says.
    public func read(
        _ canvas: CanvasID, after: Revision, limitBytes: Int, completion: @escaping StorageCompletion<LogPage>
    ) {
        completion(
            answer { state in
                guard let found = state.canvases[canvas] else { return .success(LogPage(entries: [], head: 0)) }
                guard after >= found.base else { return .failure(.trimmed(canvas, base: found.base)) }
                var bytes = 0
                var page: [LogEntry] = []
                for entry in found.entries.dropFirst(Int(min(after, found.head) - found.base)) {
                    bytes += entry.weight
                    if bytes > limitBytes, !page.isEmpty { break }
                    page.append(entry)
                }
                return .success(LogPage(entries: page, head: found.head))
            })
    }

    /// Saves as `CanvasLog.saveSnapshot` says.
    public func saveSnapshot(
        _ canvas: CanvasID, _ snapshot: StoredSnapshot, completion: @escaping StorageCompletion<Void>
    ) {
        completion(
            answer { state in
                let head = state.canvases[canvas]?.head ?? 0
                if let refusal = refusal(of: snapshot, head: head, in: canvas) { return .failure(refusal) }
                var found = create(canvas, in: &state)
                found.save(snapshot)
                state.canvases[canvas] = found
                return .success(())
            })
    }

    /// Lists as `CanvasLog.canvases` says.
    public func canvases(completion: @escaping StorageCompletion<[CanvasSummary]>) {
        completion(
            answer { state in
                .success(
                    state.canvases
                        .map { name, canvas in
                            CanvasSummary(canvas: name, epoch: canvas.epoch, head: canvas.head, base: canvas.base)
                        }
                        .sorted { $0.canvas.rawValue.utf8.lexicographicallyPrecedes($1.canvas.rawValue.utf8) })
            })
    }

    /// Refuses all later calls.
    public func close() {
        state.withLock { $0.isClosed = true }
    }

    private func create(_ canvas: CanvasID, in state: inout State) -> Canvas {
        if let found = state.canvases[canvas] { return found }
        let made = Canvas(epoch: makeEpoch())
        state.canvases[canvas] = made
        return made
    }

    func answer<Value: Sendable>(
        _ body: (inout State) -> Result<Value, StorageError>
    ) -> Result<Value, StorageError> {
        state.withLock { state in state.isClosed ? .failure(.closed) : body(&state) }
    }
}
