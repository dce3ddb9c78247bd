import EaselClientEngine
import EaselCore
import EaselPlay
import EaselProtocol
import Testing

/// RECON-07: a client's state was copied, or a machine with a client in it, and both go on.
@Suite("Copies of a client")
struct CopyTests {
    private static let x = ContractTests.x

    /// Edits with names of their own, so that each can be counted in the log.
    struct Writer {
        var made = 0
        /// Kinds of the shapes made, which nobody else makes.
        var kinds: [String] = []
        var characters: [Character] = []

        /// Whether edits may leave nothing behind that tells that they were made.
        var sets = true

        mutating func edit(_ engine: inout ClientEngine, _ random: inout SeededRandom) {
            made += 1
            let label = "Edit \(made)"
            let shapes = engine.view.visibleShapes().map(\.id)
            let shape = shapes.isEmpty ? nil : shapes[random.below(shapes.count)]
            let mark = Character(Unicode.Scalar(UInt32(0x4E00 + made))!)
            let number = made
            var hasMark = true
            let result = try? engine.edit(label) { draft in
                switch (random.below(3), shape) {
                case (0, let shape?): draft.insertText(String(mark), at: 0, in: shape)
                case (1, let shape?) where sets:
                    draft.set(shape, x, .integer(Int64(number)))
                    hasMark = false
                default: draft.create(kind: "kind-\(number)", text: String(mark))
                }
            }
            if result?.hasEffect != true { made -= 1 } else if hasMark { characters.append(mark) }
        }
    }

    /// Every edit is in the log once, and every character in the canvas once. Where a copy was refused an edit, another may have sent
    /// what stood behind that beside other characters, which is then another transaction without effect.
    private func check(_ world: CopyWorld, _ writer: Writer, _ name: String) {
        for number in stride(from: 1, through: writer.made, by: 1) {
            let count = world.count("Edit \(number)")
            #expect(
                count == 1 || count == 2 && !world.refused.isEmpty
                    || count == 0 && world.refused.contains("Edit \(number)"),
                "\(name): edit \(number), \(count) times")
        }
        var text = ""
        world.canvas.forEachShapeBySibling { text += $0.text.string }
        #expect(Set(text).count == text.count, "\(name)")
        #expect(Set(text).count == text.count, "\(name)")
        if world.refused.isEmpty {
            #expect(text.count == writer.characters.count && Set(text) == Set(writer.characters), "\(name)")
        }
        for (index, client) in world.clients.enumerated() {
            #expect(client.view.digest == world.canvas.digest, "\(name): client \(index)")
            #expect(
                client.pendingCount == 0 && client.linkState == .live,
                "\(name): client \(index), \(client.pendingCount) pending, \(client.linkState)")
            client.checkHistories()
        }
        let sites = world.clients.map { $0.site }
        #expect(Set(sites).count == sites.count, "\(name): \(sites)")
    }

    @Test("RS-10 two clients started from one state both work, and what waited in it is committed once")
    func copiedFolder() throws {
        var world = CopyWorld(clients: 2)
        _ = try world.clients[0].edit("One") { $0.create(kind: "note") }
        world.settle()
        world.disconnect(0)
        _ = try world.clients[0].edit("Two") { $0.create(kind: "note") }
        let saved = world.clients[0].save(includingCanvas: true)
        world.add(try world.start(saved))
        _ = try world.clients[0].edit("Mine") { $0.create(kind: "mine") }
        _ = try world.clients[2].edit("Theirs") { $0.create(kind: "theirs") }
        world.settle()
        for label in ["One", "Two", "Mine", "Theirs"] { #expect(world.count(label) == 1, "\(label)") }
        #expect(world.canvas.visibleShapes().count == 4)
        #expect(world.clients[0].site != world.clients[2].site)
        #expect(world.clients.allSatisfy { $0.linkState == .live && $0.view.digest == world.canvas.digest })
    }

    @Test("RS-10 a copy with nothing under way comes in without ending anybody's session")
    func idleCopy() throws {
        var world = CopyWorld(clients: 2)
        _ = try world.clients[0].edit("One") { $0.create(kind: "note") }
        world.settle()
        world.add(try world.start(world.clients[0].save(includingCanvas: true)))
        world.settle()
        #expect(world.replacements == 0)
        #expect(Set(world.clients.map { $0.site }).count == 3)
    }

    @Test(
        "RS-10 RS-12 a copy that comes back after the original has gone on loses nothing, by commits or a snapshot",
        arguments: [false, true])
    func lateCopy(bySnapshot: Bool) throws {
        var world = CopyWorld(clients: 2)
        world.disconnect(0)
        _ = try world.clients[0].edit("Shared 1") { $0.create(kind: "note") }
        _ = try world.clients[0].edit("Shared 2") { $0.create(kind: "note") }
        let saved = world.clients[0].save(includingCanvas: true)
        for number in 1...5 { _ = try world.clients[0].edit("Original \(number)") { $0.create(kind: "note") } }
        world.settle()
        var copy = try world.start(saved)
        for number in 1...3 { _ = try copy.edit("Copy \(number)") { $0.create(kind: "note") } }
        world.givesSnapshots = bySnapshot
        world.add(copy)
        world.settle()
        let labels = ["Shared 1", "Shared 2"] + (1...5).map { "Original \($0)" } + (1...3).map { "Copy \($0)" }
        for label in labels { #expect(world.count(label) == 1, "\(label)") }
        #expect(world.canvas.visibleShapes().count == labels.count)
        #expect(world.clients[2].pendingCount == 0)
    }

    @Test("RS-11 a client that finds another's work under its number sends its own again")
    func sameNumber() throws {
        var world = CopyWorld(clients: 2)
        var note: ShapeID?
        _ = try world.clients[0].edit("Create") { note = $0.create(kind: "note") }
        let id = try #require(note)
        world.settle()
        world.clone(0)
        _ = try world.clients[0].edit("Original") { $0.set(id, Self.x, .integer(1)) }
        _ = try world.clients[2].edit("Clone") { $0.set(id, Self.x, .integer(2)) }
        world.settle()
        #expect(world.count("Original") == 1 && world.count("Clone") == 1)
        #expect(world.clients.allSatisfy { $0.view.digest == world.canvas.digest && $0.pendingCount == 0 })
    }

    @Test(
        "RECON-07 random histories in which states are copied, and started at once or late: every edit counts once",
        arguments: [false, true])
    func randomCopies(bySnapshot: Bool) throws {
        for seed in UInt64(1)...100 {
            var random = SeededRandom(seed: seed)
            var world = CopyWorld(clients: 2)
            var writer = Writer()
            // What sets were committed cannot be seen in a snapshot.
            writer.sets = !bySnapshot
            let refusalPercent = seed % 4 == 0 ? 5 : 0
            let refusals = SeededRandom(seed: seed ^ 0xFF)
            if refusalPercent > 0 {
                var refusals = refusals
                world.refuses = { _ in refusals.chance(refusalPercent) }
            }
            for _ in 0..<150 {
                switch random.below(40) {
                case 0 where world.clients.count + world.shelved.count < 5:
                    let original = world.clients[random.below(2)]
                    // What is made in the moment in which a client waits for its new site has a number in no copy.
                    if original.linkState != .connecting {
                        world.shelved.append(original.save(includingCanvas: true))
                    }
                case 1 where !world.shelved.isEmpty:
                    let copy = try world.start(world.shelved.removeLast())
                    world.add(copy)
                case 2: try world.restart(random.below(world.clients.count))
                case 3...14:
                    let index = random.below(world.clients.count)
                    writer.edit(&world.clients[index], &random)
                    world.collect(index)
                case 15: world.givesSnapshots = bySnapshot && random.chance(50)
                default: world.step(&random)
                }
            }
            while let saved = world.shelved.popLast() { world.add(try world.start(saved)) }
            world.refuses = { _ in false }
            world.settle()
            check(world, writer, "seed \(seed)")
        }
    }
}
