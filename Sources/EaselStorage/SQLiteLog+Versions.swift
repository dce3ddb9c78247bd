public import EaselCore

extension SQLiteLog {
    /// Tells as `CanvasLog.outline` says.
    public func outline(_ canvas: CanvasID, completion: @escaping StorageCompletion<CanvasOutline?>) {
        perform(completion) { store throws(StorageError) in try store.outline(of: canvas) }
    }

    /// Changes as `CanvasLog.changeVersions` says, in a transaction of its own.
    public func changeVersions(
        _ canvas: CanvasID, _ change: VersionChange, completion: @escaping StorageCompletion<[NamedVersion]>
    ) {
        perform(completion) { store throws(StorageError) in try store.change(versions: change, of: canvas) }
    }

    /// Gives as `CanvasLog.snapshot` says, checking its checksum.
    public func snapshot(
        _ canvas: CanvasID, atMost revision: Revision, completion: @escaping StorageCompletion<StoredSnapshot?>
    ) {
        perform(completion) { store throws(StorageError) in try store.snapshot(of: canvas, atMost: revision) }
    }

    /// Plans as `CanvasLog.planTrim` says; looks at no more than `StorageLimits.trimmedEntries` entries.
    public func planTrim(
        _ canvas: CanvasID, keeping retention: Retention, now: UInt64,
        completion: @escaping StorageCompletion<TrimPlan?>
    ) {
        perform(completion) { store throws(StorageError) in
            try store.planTrim(of: canvas, keeping: retention, now: now)
        }
    }

    /// Trims as `CanvasLog.trim` says. The entries are removed in many small transactions, between which others get their turn.
    public func trim(
        _ canvas: CanvasID, to snapshot: StoredSnapshot, completion: @escaping StorageCompletion<Void>
    ) {
        let queue = queue
        let begun: StorageCompletion<Void> = { result in
            switch result {
            case .success: Self.removeTrimmed(canvas, queue, completion)
            case .failure: completion(result)
            }
        }
        perform(begun) { store throws(StorageError) in try store.trim(canvas, to: snapshot) }
    }

    private static func removeTrimmed(
        _ canvas: CanvasID, _ queue: StorageQueue, _ completion: @escaping StorageCompletion<Void>
    ) {
        let job = WorkJob { store in
            do throws(StorageError) {
                if try store.removeTrimmed(of: canvas) {
                    removeTrimmed(canvas, queue, completion)
                } else {
                    completion(.success(()))
                }
            } catch {
                completion(.failure(error))
            }
        }
        // The log begins where it was told to; what stays behind goes with the next trim.
        if !queue.add({ $0.works.append(job) }) { completion(.success(())) }
    }

    private func perform<Value: Sendable>(
        _ completion: @escaping StorageCompletion<Value>,
        _ body: @escaping @Sendable (SQLiteStore) throws(StorageError) -> Value
    ) {
        let job = WorkJob { store in completion(Result { () throws(StorageError) in try body(store) }) }
        if !queue.add({ $0.works.append(job) }) { completion(.failure(.closed)) }
    }
}
