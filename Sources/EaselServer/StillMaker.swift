import EaselCore
import EaselProtocol
import EaselStorage

/// A canvas as it was at a revision.
struct Still: Sendable {
    let canvas: Canvas
    /// Of the canvas's history.
    let epoch: UInt64
    /// The revision after which the log is kept.
    let base: Revision
}

/// Makes a canvas as it was: from the newest snapshot of before and the log after it, read a page at a time. No room takes part, and
/// what is linear in the canvas is done on a worker.
struct StillMaker: Sendable {
    /// Why there is no still.
    enum Failure: Error {
        /// The canvas has no such revision or version, or does not keep it. A sentence for people.
        case notKept(String)
        case unreadable(StorageError)
    }

    /// Bytes of log records read at a time.
    private static let pageBytes = 4 << 20
    /// Times a still is begun anew because the log was trimmed meanwhile.
    private static let attempts = 3

    let canvas: CanvasID
    let storage: any CanvasLog
    let compute: @Sendable (@escaping @Sendable () -> Void) -> Void

    typealias Completion = @Sendable (Result<Still, Failure>) -> Void

    /// Makes the still; `completion` is called once, on any thread.
    func make(_ point: StillPoint, attempts: Int = Self.attempts, completion: @escaping Completion) {
        storage.outline(canvas) { result in
            do throws(StorageError) {
                let outline = try result.get()
                switch revision(point, outline) {
                case .failure(let failure): completion(.failure(failure))
                case .success(let (outline, revision)):
                    let target = Target(outline: outline, revision: revision, point: point, attempts: attempts - 1)
                    begin(target, completion)
                }
            } catch {
                completion(.failure(.unreadable(error)))
            }
        }
    }

    private struct Target {
        let outline: CanvasOutline
        let revision: Revision
        let point: StillPoint
        let attempts: Int

        func still(_ canvas: Canvas) -> Still { Still(canvas: canvas, epoch: outline.epoch, base: outline.base) }
    }

    private func revision(
        _ point: StillPoint, _ outline: CanvasOutline?
    ) -> Result<(CanvasOutline, Revision), Failure> {
        guard let outline else { return .failure(.notKept("There is no canvas \(canvas).")) }
        switch point {
        case .revision(let revision):
            guard revision <= outline.head else {
                return .failure(
                    .notKept("Canvas \(canvas) has no revision \(revision); its newest is \(outline.head)."))
            }
            return .success((outline, revision))
        case .version(let name):
            guard let version = outline.versions.first(where: { $0.name == name }) else {
                return .failure(.notKept("Canvas \(canvas) has no version of that name."))
            }
            return .success((outline, version.revision))
        }
    }

    private func begin(_ target: Target, _ completion: @escaping Completion) {
        storage.snapshot(canvas, atMost: target.revision) { result in
            do throws(StorageError) {
                let snapshot = try result.get()
                compute { decode(snapshot, target, completion) }
            } catch {
                fail(error, target, completion)
            }
        }
    }

    private func decode(_ snapshot: StoredSnapshot?, _ target: Target, _ completion: @escaping Completion) {
        guard let snapshot else { return goOn(Canvas(), target, completion) }
        do throws(SnapshotError) {
            goOn(try Snapshot.decode(snapshot.payload), target, completion)
        } catch {
            let sentence = "The snapshot of canvas \(canvas) at revision \(snapshot.revision) is not usable."
            completion(.failure(.unreadable(StorageError(.damaged, sentence, canvas: canvas))))
        }
    }

    /// Applies what lies between the canvas reached so far and the revision wanted.
    private func goOn(_ reached: Canvas, _ target: Target, _ completion: @escaping Completion) {
        guard reached.revision < target.revision else { return completion(.success(target.still(reached))) }
        storage.read(canvas, after: reached.revision, limitBytes: Self.pageBytes) { result in
            do throws(StorageError) {
                let page = try result.get()
                if page.entries.isEmpty {
                    throw page.damage
                        ?? StorageError(.damaged, "The log of canvas \(canvas) ends too early.", canvas: canvas)
                }
                compute { apply(page.entries, reached, target, completion) }
            } catch {
                fail(error, target, completion)
            }
        }
    }

    private func apply(
        _ entries: [LogEntry], _ reached: Canvas, _ target: Target, _ completion: @escaping Completion
    ) {
        var next = reached
        for entry in entries where entry.revision <= target.revision {
            let id = TransactionID(site: entry.site, sequence: entry.sequence)
            guard let transaction = try? Transaction.decode(entry.payload), entry.revision == next.revision + 1,
                entry.sequence > next.lastSequence(of: entry.site)
            else {
                let sentence = "The log of canvas \(canvas) cannot be read at revision \(entry.revision)."
                return completion(.failure(.unreadable(StorageError(.damaged, sentence, canvas: canvas))))
            }
            _ = next.apply(
                Commit(revision: entry.revision, id: id, time: entry.time, transaction: transaction))
        }
        goOn(next, target, completion)
    }

    private func fail(_ error: StorageError, _ target: Target, _ completion: @escaping Completion) {
        guard error.kind == .trimmed else { return completion(.failure(.unreadable(error))) }
        // The log may have been trimmed between two reads; then it is told so at the first one of the next attempt.
        if target.attempts > 0 { return make(target.point, attempts: target.attempts, completion: completion) }
        completion(
            .failure(
                .notKept(
                    "Canvas \(canvas) keeps its log from revision \(error.revision ?? 0) on; of what was before, named versions only."
                )))
    }
}
