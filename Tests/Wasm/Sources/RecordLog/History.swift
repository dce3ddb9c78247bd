import EaselCore
import EaselProtocol

/// A drawing made up from a fixed sequence of numbers; every kind of operation occurs in it.
struct History {
    private let sites: [SiteID]
    private var state: UInt64 = 1
    private var canvas = Canvas()
    private var identities: [IdentitySource]
    private var lastInverses: [Operation] = []

    private static let texts = ["Hello", "café", "cafe\u{301}", "👩‍👩‍👧", "", "naïve\n二行目", "\u{1F3A8} easel"]
    private static let numbers: [Double] = [0, -0.5, 1.0 / 3, 1e300, 4_294_967_296, -17, 0.1]

    init(sites: [SiteID]) {
        self.sites = sites
        identities = sites.map { IdentitySource(site: $0) }
    }

    /// Encoded commits, one behind the other, each with the digest of the canvas after it.
    func log(commits: Int) -> [UInt8] {
        var copy = self
        var bytes: [UInt8] = []
        while copy.canvas.revision < UInt64(commits) { bytes += copy.nextCommit() }
        return bytes
    }

    private mutating func nextCommit() -> [UInt8] {
        if number(below: 12) == 0 { return encode(purge(), .edit, of: .server) }
        let writer = number(below: sites.count)
        let (operations, cause) = nextOperations(of: writer)
        return encode(operations, cause, of: sites[writer])
    }

    /// Removes what is hidden for good, half of the time characters.
    private mutating func purge() -> [Operation] {
        var shapes: [Shape] = []
        canvas.forEachShapeBySibling { shapes.append($0) }
        if number(below: 2) == 0 {
            let hidden = shapes.filter { !$0.isVisible && number(below: 3) > 0 }
            return hidden.isEmpty ? [] : [.purge(.shapes(hidden.map { $0.id }))]
        }
        return shapes.filter { !$0.text.isEmpty && number(below: 3) > 0 }.map { shape in
            let runs = shape.text.storedRuns()
            return .purge(.characters(shape.id, runs.map { CharacterRange(first: $0.first, count: $0.count) }))
        }
    }

    private mutating func encode(_ operations: [Operation], _ cause: Transaction.Cause, of site: SiteID) -> [UInt8] {
        guard !operations.isEmpty else { return [] }
        let transaction = Transaction(operations: operations, label: "Step", cause: cause)
        let commit = Commit(
            revision: canvas.revision + 1, id: TransactionID(site: site, sequence: canvas.lastSequence(of: site) + 1),
            time: 1_700_000_000_000 + canvas.revision, transaction: transaction)
        lastInverses = canvas.apply(commit).inverses.reversed().compactMap { $0 }
        return ServerMessage.encodeCommit(commit, digest: canvas.digest)
    }

    private mutating func nextOperations(of writer: Int) -> ([Operation], Transaction.Cause) {
        if number(below: 6) == 0 { return (lastInverses, .undo) }
        var draft = TransactionDraft(canvas: canvas, identities: identities[writer])
        for _ in 0...number(below: 3) { change(&draft) }
        identities[writer] = draft.identities
        return (draft.operations, .edit)
    }

    private mutating func change(_ draft: inout TransactionDraft) {
        let shapes = draft.canvas.visibleShapes()
        let choice = number(below: 8)
        guard !shapes.isEmpty, choice > 1 else {
            let parent = shapes.isEmpty || choice == 0 ? nil : shapes[number(below: shapes.count)].id
            let properties = Properties([(PropertyKey("x"), nextValue()), (PropertyKey("name"), .string("Shape"))])
            draft.create(kind: "note", in: parent, properties: properties, text: nextText())
            return
        }
        let shape = shapes[number(below: shapes.count)]
        switch choice {
        case 2: draft.set(shape.id, PropertyKey("x"), nextValue())
        case 3: draft.insertText(nextText(), at: number(below: shape.text.count + 1), in: shape.id)
        case 4: draft.deleteText(0..<min(shape.text.count, 1 + number(below: 4)), in: shape.id)
        case 5: draft.put(shape.id, into: shapes[number(below: shapes.count)].id)
        case 6: draft.bringToFront(shape.id)
        default: if number(below: 4) == 0 { draft.delete([shape.id]) } else { draft.sendBackward(shape.id) }
        }
    }

    private mutating func nextText() -> String { Self.texts[number(below: Self.texts.count)] }

    private mutating func nextValue() -> Value {
        let numeral = Self.numbers[number(below: Self.numbers.count)]
        return Value.number(numeral) ?? .bool(false)
    }

    /// The upper half of a linear congruential generator (Knuth's MMIX constants), reduced to 0 to `bound` - 1.
    private mutating func number(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
