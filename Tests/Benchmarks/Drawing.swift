import EaselCore

/// A canvas of rectangles that somebody has drawn, and commits that go on from there.
struct Drawing {
    private(set) var canvas = Canvas()
    private(set) var shapes: [ShapeID] = []
    let site: SiteID
    private(set) var identities: IdentitySource
    private var lastSequence: SequenceNumber = 0

    /// Operations in one of the transactions that the rectangles come by.
    private static let operationsPerCommit = 10_000

    /// A canvas of `count` rectangles.
    init(shapes count: Int) {
        guard let site = SiteID(8) else { preconditionFailure("the number is one of a site") }
        self.site = site
        identities = IdentitySource(site: site)
        var drawn: [ShapeID] = []
        let operations = draft { draft in
            for index in 0..<count {
                let place = [(Desk.x, Value.integer(Int64(index))), (Desk.y, Value.integer(Int64(index)))]
                drawn.append(draft.create(kind: "rectangle", properties: Properties(place)))
            }
        }
        shapes = drawn
        for start in stride(from: 0, to: operations.count, by: Self.operationsPerCommit) {
            apply(commit(Array(operations[start...].prefix(Self.operationsPerCommit)), "Draw"))
        }
    }

    /// The operations that `body` writes, not applied yet.
    mutating func draft(_ body: (inout TransactionDraft) -> Void) -> [Operation] {
        var draft = TransactionDraft(canvas: canvas, identities: identities)
        body(&draft)
        identities = draft.identities
        return draft.operations
    }

    /// The next commit, not applied yet.
    func commit(_ operations: [Operation], _ label: String, ahead: UInt64 = 1) -> Commit {
        Commit(
            revision: canvas.revision + ahead, id: TransactionID(site: site, sequence: lastSequence + ahead), time: 0,
            transaction: Transaction(operations: operations, label: label))
    }

    /// One commit for each operation, not applied yet.
    func commits(_ operations: [Operation], _ label: String) -> [Commit] {
        operations.enumerated().map { commit([$1], label, ahead: UInt64($0) + 1) }
    }

    /// Applies the next commit.
    mutating func apply(_ commit: Commit) {
        let outcome = canvas.apply(commit)
        precondition(outcome.problems.isEmpty, "everything drawn has an effect")
        lastSequence = commit.id.sequence
    }

    /// `count` shapes spread over the canvas, each round others.
    func moved(_ count: Int, round: Int) -> [ShapeID] {
        (0..<count).map { shapes[(round * 7_919 + $0 * 104_729) % shapes.count] }
    }

    /// Moves of these shapes: two integers are set.
    func moves(_ count: Int, round: Int) -> [Operation] {
        moved(count, round: round).enumerated().map { index, id in
            let place = Int64(round * count + index)
            let changes = [
                PropertyChange(Desk.x, .integer(place % 1_000)), PropertyChange(Desk.y, .integer(place / 1_000)),
            ]
            return .set(id, changes)
        }
    }
}
