public import EaselCore

extension MemoryLog {
    /// Tells as `CanvasLog.outline` says.
    public func outline(_ canvas: CanvasID, completion: @escaping StorageCompletion<CanvasOutline?>) {
        completion(
            answer { state in
                .success(
                    state.canvases[canvas].map {
                        CanvasOutline(epoch: $0.epoch, head: $0.head, base: $0.base, versions: $0.versions)
                    })
            })
    }

    /// Changes as `CanvasLog.changeVersions` says.
    public func changeVersions(
        _ canvas: CanvasID, _ change: VersionChange, completion: @escaping StorageCompletion<[NamedVersion]>
    ) {
        completion(
            answer { state in
                guard var found = state.canvases[canvas] else {
                    return .failure(.unknownRevision(canvas, change, head: 0))
                }
                if let refusal = refusal(
                    of: change, of: canvas, head: found.head, base: found.base, found.versions)
                {
                    return .failure(refusal)
                }
                found.versions.apply(change)
                if case .remove = change { found.removeSurplusSnapshots() }
                state.canvases[canvas] = found
                return .success(found.versions)
            })
    }

    /// Gives as `CanvasLog.snapshot` says.
    public func snapshot(
        _ canvas: CanvasID, atMost revision: Revision, completion: @escaping StorageCompletion<StoredSnapshot?>
    ) {
        completion(
            answer { state in
                guard let found = state.canvases[canvas] else { return .success(nil) }
                let isKept = revision >= found.base || found.versions.contains { $0.revision == revision }
                guard isKept else { return .failure(.trimmed(canvas, base: found.base)) }
                return .success(found.snapshots.last { $0.revision <= revision })
            })
    }

    /// Plans as `CanvasLog.planTrim` says; linear in the entries that may go.
    public func planTrim(
        _ canvas: CanvasID, keeping retention: Retention, now: UInt64,
        completion: @escaping StorageCompletion<TrimPlan?>
    ) {
        completion(answer { state in .success(state.canvases[canvas]?.plan(keeping: retention, now: now)) })
    }

    /// Trims as `CanvasLog.trim` says.
    public func trim(
        _ canvas: CanvasID, to snapshot: StoredSnapshot, completion: @escaping StorageCompletion<Void>
    ) {
        completion(
            answer { state in
                guard var found = state.canvases[canvas], found.takes(trimTo: snapshot.revision) else {
                    let head = state.canvases[canvas]?.head ?? 0
                    return .failure(.conflict(canvas, head: head, got: snapshot.revision))
                }
                found.entries.removeFirst(Int(snapshot.revision - found.base))
                found.base = snapshot.revision
                found.save(snapshot)
                state.canvases[canvas] = found
                return .success(())
            })
    }
}

extension MemoryLog.Canvas {
    func plan(keeping retention: Retention, now: UInt64) -> TrimPlan? {
        let saved = snapshots.map(\.revision).filter { $0 > base }
        guard retention != .all, saved.count >= StorageLimits.snapshotsKept else { return nil }
        let limit = saved[saved.count - StorageLimits.snapshotsKept]
        var weight = entries.reduce(0) { $0 + Int64($1.weight) }
        var target = base
        for entry in entries.prefix(StorageLimits.trimmedEntries) where target == entry.revision - 1 {
            guard target < limit, retention.lets(go: (entry.time, head - entry.revision, weight), at: now) else {
                break
            }
            weight -= Int64(entry.weight)
            target = entry.revision
        }
        guard target > base else { return nil }
        let unsaved = Set(versions.map(\.revision)).subtracting(snapshots.map(\.revision))
        return TrimPlan(
            target: target, unsaved: unsaved.filter { $0 > base && $0 < target }.sorted(),
            isPartial: target - base == Revision(StorageLimits.trimmedEntries))
    }

    func takes(trimTo target: Revision) -> Bool {
        guard target > base, snapshots.filter({ $0.revision >= target }).count >= StorageLimits.snapshotsKept else {
            return false
        }
        return versions.allSatisfy { version in
            version.revision <= base || version.revision >= target
                || snapshots.contains { $0.revision == version.revision }
        }
    }
}
