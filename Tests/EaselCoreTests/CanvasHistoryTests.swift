import Testing

@testable import EaselCore

@Suite("Canvas: random histories")
struct CanvasHistoryTests {
    @Test(
        "behaves as a plain dictionary of shapes; the digest kept is the digest computed anew",
        arguments: 1...8 as ClosedRange<UInt64>)
    func naive(_ seed: UInt64) {
        var makers = (0..<3).map { RandomOperations(site: site(UInt64(20 + $0)), seed: seed * 10 + UInt64($0)) }
        var random = SplitMix64(seed: seed)
        var canvas = Canvas()
        var model = NaiveCanvas()
        for step in 0..<200 {
            let maker = random.below(3)
            let operation = random.once(in: 4) ? makers[maker].careless(canvas) : makers[maker].sensible(canvas)
            let before = canvas
            let outcome = canvas.apply([operation])
            let hasEffect = model.apply(operation)
            if case .purge = operation {
                #expect(outcome.inverses[0] == nil)
                #expect(outcome.problems.isEmpty == hasEffect, "\(operation)")
                #expect(Visible(canvas) == Visible(before))
            } else {
                #expect((outcome.inverses[0] != nil) == hasEffect, "\(operation)")
            }
            if !hasEffect {
                #expect(outcome.problems.count == 1)
                #expect(canvas.digest == before.digest)
            }
            #expect(canvas.digest == canvas.recomputedDigest())
            if step % 20 == 0 { Self.compare(canvas, model) }
        }
        Self.compare(canvas, model)
    }

    @Test("an operation and its inverse leave all that is visible as it was", arguments: 1...8 as ClosedRange<UInt64>)
    func inverse(_ seed: UInt64) {
        var maker = RandomOperations(site: site(30), seed: seed)
        var canvas = Canvas()
        for _ in 0..<150 {
            let before = canvas
            var operations: [Operation] = []
            var probe = canvas
            for _ in 0..<1 + maker.random.below(3) {
                operations.append(maker.sensible(probe))
                _ = probe.apply([operations[operations.count - 1]])
            }
            let outcome = canvas.apply(operations)
            #expect(outcome.problems.isEmpty)
            let after = canvas
            let back = canvas.apply(outcome.inverses.compactMap { $0 }.reversed())
            #expect(back.problems.isEmpty)
            #expect(Visible(canvas) == Visible(before))
            for id in RandomOperations.ids(before) {
                #expect(canvas[id]?.causes == before[id]?.causes)
                #expect(canvas[id]?.properties == before[id]?.properties)
                #expect(canvas[id]?.siblingKey == before[id]?.siblingKey)
            }
            let again = canvas.apply(back.inverses.compactMap { $0 }.reversed())
            #expect(again.problems.isEmpty)
            #expect(Contents(canvas) == Contents(after))
            #expect(canvas.digest == after.digest)
        }
        canvas.checkInvariants()
    }

    @Test(
        "replicas that apply the same commits are equal at each revision, those that started from a copy too",
        arguments: 1...6 as ClosedRange<UInt64>)
    func convergence(_ seed: UInt64) {
        var makers = (0..<3).map { RandomOperations(site: site(UInt64(20 + $0)), seed: seed * 10 + UInt64($0)) }
        var random = SplitMix64(seed: seed)
        var server = Canvas()
        var log: [(Commit, UInt64)] = []
        var views = [server, server, server]
        var copies: [Canvas] = []
        for _ in 0..<150 {
            let maker = random.below(3)
            let isPurge = random.once(in: 8)
            let operations = (0..<1 + random.below(2)).map { _ in
                isPurge ? makers[maker].purging(views[maker]) : makers[maker].sensible(views[maker])
            }
            let author = isPurge ? SiteID.server : makers[maker].site
            let commit = Commit(
                revision: server.revision + 1,
                id: TransactionID(site: author, sequence: server.lastSequence(of: author) + 1),
                time: 0, transaction: Transaction(operations: operations, label: "Edit"))
            _ = server.apply(commit)
            log.append((commit, server.digest))
            while views[maker].revision < server.revision {
                _ = views[maker].apply(log[Int(views[maker].revision)].0)
                #expect(views[maker].digest == log[Int(views[maker].revision) - 1].1)
            }
            if random.once(in: 25) { copies.append(server) }
        }
        for var replica in views + copies {
            for (commit, digest) in log[Int(replica.revision)...] {
                _ = replica.apply(commit)
                #expect(replica.digest == digest)
            }
            #expect(Contents(replica) == Contents(server))
            replica.checkInvariants()
        }
    }

    @Test(
        "A5: snapshots are values: what is done later to the canvas or to another snapshot never shows in one",
        arguments: 1...4 as ClosedRange<UInt64>)
    func snapshots(_ seed: UInt64) {
        var maker = RandomOperations(site: site(40), seed: seed)
        var canvas = Canvas()
        var kept: [(Canvas, Contents, Visible)] = []
        for step in 0..<200 {
            _ = canvas.apply([maker.sensible(canvas)])
            if step % 15 == 0 { kept.append((canvas, Contents(canvas), Visible(canvas))) }
            if step % 50 == 49 {
                var branch = kept[kept.count - 1].0
                for _ in 0..<20 { _ = branch.apply([maker.careless(branch)]) }
                branch.checkInvariants()
            }
        }
        for (snapshot, contents, visible) in kept {
            #expect(Contents(snapshot) == contents)
            #expect(Visible(snapshot) == visible)
            snapshot.checkInvariants()
        }
    }

    private static func compare(_ canvas: Canvas, _ model: NaiveCanvas) {
        canvas.checkInvariants()
        #expect(Contents(canvas).items == model.contents)
        #expect(canvas.shapeCount == model.items.count)
        #expect(canvas.visibleShapeCount == model.items.values.count { $0.causes.isEmpty })
        #expect(canvas.visibleShapes().map(\.id) == model.visibleShapes(in: nil))
        for parent in [nil] + RandomOperations.ids(canvas).map(Optional.some) {
            #expect(canvas.children(of: parent).map(\.id) == model.children(of: parent))
            #expect(canvas.visibleChildren(of: parent).map(\.id) == model.visibleChildren(of: parent))
            guard let parent else { continue }
            #expect(canvas.livingParent(of: parent) == model.livingParent(of: parent))
            let isVisible = model.items[parent]?.causes.isEmpty == true
            #expect(canvas.visibleTree(of: parent) == (isVisible ? [parent] : []) + model.visibleShapes(in: parent))
        }
    }
}

/// What people see of a canvas.
struct Visible: Equatable {
    struct Item: Equatable {
        let id: ShapeID
        let parent: ShapeID?
        let properties: Properties
        let characters: [CharacterID]
        let string: String
    }

    let items: [Item]

    init(_ canvas: Canvas) {
        items = canvas.visibleShapes().map { shape in
            Item(
                id: shape.id, parent: canvas.livingParent(of: shape.id), properties: shape.properties,
                characters: shape.text.signs.filter(\.causes.isEmpty).map(\.id), string: shape.text.string)
        }
    }
}
