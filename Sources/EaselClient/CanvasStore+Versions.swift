public import EaselClientEngine
public import EaselCore
public import EaselProtocol

// Named versions, and what was before. Versions are the server's, so they can be asked for only with a connection.
extension CanvasStore {
    /// A store that only looks at one revision of a canvas. Give it a ``CanvasConnection`` of its own and read ``still`` once its
    /// link is live; a revision that there is not ends the link with the error `notKept`.
    public convenience init(
        canvas: CanvasID, name: String, provisionalSite: SiteID, lookingAt point: StillPoint
    ) {
        self.init(
            engine: ClientEngine(canvas: canvas, name: name, provisionalSite: provisionalSite, lookingAt: point))
    }

    /// What this store looks at, once it is there; nil of a store that takes part.
    public var still: Still? { state.withLock { $0.engine.still } }

    /// The first revision from which the server would go on, as of the last welcome; nil if that is not known. Whoever comes back
    /// from before it gets the canvas anew.
    public var horizon: Revision? { state.withLock { $0.engine.horizon } }

    /// Brings back what people saw at an earlier revision, as one action of this store's person. Shapes and characters keep their identities, and only what differs is written, so that undo brings
    /// back what was there, and what others do meanwhile stays.
    ///
    /// - Parameters:
    ///   - label: the action's name for people, at most 256 bytes, such as "Restore draft".
    ///   - still: from a store that looks at the same canvas. After the canvas was restored from a backup it is stale.
    ///   - view: the number of the view it comes from; that view is not told of it. 0 for none.
    ///   - history: where it can be undone; nil for nowhere.
    @discardableResult
    public func restore(
        _ label: String, to still: Still, from view: UInt32 = 0, history: HistoryID? = .main
    ) throws(EditError) -> EditResult {
        try refuseInsideEdit()
        return try change { engine throws(EditError) in
            try engine.restore(label, to: still, from: view, history: history)
        }
    }

    /// The named versions of the canvas, by revision.
    public func versions() async throws(VersionError) -> [NamedVersion] { try await request(.none) }

    /// Names a revision, or the one that the canvas has when the server takes this up. Gives all versions there are then.
    @discardableResult
    public func nameVersion(_ name: String, at revision: Revision? = nil) async throws(VersionError) -> [NamedVersion] {
        try await request(.add(name: name, revision: revision))
    }

    /// Takes the name of a version away; nothing of the canvas changes. Gives all versions there are then.
    @discardableResult
    public func removeVersion(_ name: String) async throws(VersionError) -> [NamedVersion] {
        try await request(.remove(name: name))
    }

    /// Asks for the versions, perhaps after a change. `completion` is called once, on any thread and without a lock.
    public func requestVersions(
        _ change: VersionRequest.Change,
        completion: @escaping @Sendable (Result<[NamedVersion], VersionError>) -> Void
    ) {
        self.change { engine in
            let tag = engine.requestVersions(change)
            versionHandlers.withLock { $0[tag] = completion }
        }
    }

    private func request(_ change: VersionRequest.Change) async throws(VersionError) -> [NamedVersion] {
        let outcome = await withCheckedContinuation { done in
            requestVersions(change) { done.resume(returning: $0) }
        }
        return try outcome.get()
    }

    /// Hands out what came of requests.
    func deliverVersions() {
        for reply in state.withLock({ $0.engine.takeVersionReplies() }) {
            versionHandlers.withLock { $0.removeValue(forKey: reply.tag) }?(reply.outcome)
        }
    }
}
