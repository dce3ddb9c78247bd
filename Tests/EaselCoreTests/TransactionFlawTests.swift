import EaselCore
import Testing

@Suite("Transactions: what makes one malformed")
struct TransactionFlawTests {
    private static let a = shapeID("a")
    private static let x = propertyKey("x")
    private static let manyKeys = (0...Limits.propertiesPerShape).map { propertyKey("k\($0)") }

    @Test(
        "each flaw of an operation is found, whatever the canvas holds",
        arguments: [
            (.set(a, []), .emptySet),
            (.set(a, [PropertyChange(x, nil), PropertyChange(x, .bool(true))]), .repeatedKey),
            (.set(a, manyKeys.map { PropertyChange($0, nil) }), .tooManyProperties),
            (.set(a, [PropertyChange(x, .double(1))]), .valueNotCanonical),
            (.set(a, [PropertyChange(x, .string(String(repeating: "s", count: Limits.valueBytes)))]), .valueTooLarge),
            (.place(a, Placement()), .emptyPlacement),
            (.hide(.deleted, .shapes([])), .targetCount),
            (.show(.deleted, .characters(a, [])), .targetCount),
            (.hide(.deleted, .shapes(Array(repeating: a, count: Limits.targetsPerOperation + 1))), .targetCount),
            (.hide(.deleted, .characters(a, [range(1, 0, 1)])), .characterNumber),
            (.hide(.deleted, .characters(a, [range(1, 1, 0)])), .characterNumber),
            (.hide(.deleted, .characters(a, [range(1, Limits.counter, 2)])), .characterNumber),
            (.hide(.deleted, .characters(a, [range(1, 1, Limits.charactersPerText + 1)])), .characterNumber),
            (.hide(.deleted, .characters(a, [range(1, 1, 600_000), range(1, 1, 600_000)])), .tooManyCharacters),
            (
                .hide(.deleted, .characters(a, Array(repeating: range(1, 1, 1_000_000), count: 65_536))),
                .tooManyCharacters
            ),
            (typing("a", ""), .insertionLength),
            (typing("a", String(repeating: "x", count: Limits.charactersPerInsertion + 1)), .insertionLength),
            (typing("a", "x", from: 0), .characterNumber),
            (typing("a", "xy", from: Limits.counter), .characterNumber),
            (
                .create(Creation(id: a, kind: "", parent: nil, order: order("V"), properties: Properties())),
                .kindLength
            ),
            (creating("a", properties: manyKeys.map { ($0, .bool(true)) }), .tooManyProperties),
            (creating("a", properties: [(x, .double(.nan))]), .valueNotCanonical),
            (
                creating(
                    "a", text: TextInsertion(first: character(1, 1), characters: "x", left: character(2, 1), right: nil)
                ),
                .firstTextHasNeighbours
            ),
            (
                creating("a", text: TextInsertion(first: character(1, 1), characters: "", left: nil, right: nil)),
                .insertionLength
            ),
        ] as [(Operation, Flaw)])
    func operations(_ operation: Operation, _ flaw: Flaw) {
        #expect(Transaction(operations: [creating("b"), operation], label: "Edit").flaw == flaw)
    }

    @Test("a transaction has 1 to 65,536 operations and a label of at most 256 bytes")
    func transactions() {
        let set = Operation.set(Self.a, [PropertyChange(Self.x, nil)])
        let most = Array(repeating: set, count: Limits.operationsPerTransaction)
        #expect(Transaction(operations: [], label: "").flaw == .noOperations)
        #expect(Transaction(operations: most, label: "").flaw == nil)
        #expect(Transaction(operations: most + [set], label: "").flaw == .tooManyOperations)
        #expect(Transaction(operations: [set], label: String(repeating: "é", count: 128)).flaw == nil)
        #expect(Transaction(operations: [set], label: String(repeating: "é", count: 129)).flaw == .labelTooLong)
    }

    @Test("a transaction has at most 4,096 insertions, those of creations not counted")
    func insertions() {
        let insertion = typing("a", "x")
        let first = TextInsertion(first: character(1, 1), characters: "x", left: nil, right: nil)
        let most = Array(repeating: insertion, count: Limits.insertionsPerTransaction) + [creating("b", text: first)]
        #expect(Transaction(operations: most, label: "").flaw == nil)
        #expect(Transaction(operations: most + [insertion], label: "").flaw == .tooManyInsertions)
    }

    @Test("all hides and shows of a transaction together name at most 1,000,000 characters")
    func characters() {
        let half = Limits.charactersPerText / 2
        let hide = Operation.hide(.deleted, .characters(Self.a, [range(1, 1, half)]))
        let show = Operation.show(.retracted, .characters(shapeID("b"), [range(1, 1, half - 1), range(2, 1, 1)]))
        let more = Operation.show(.deleted, .characters(Self.a, [range(1, 1, 1)]))
        #expect(Transaction(operations: [hide, show], label: "").flaw == nil)
        #expect(Transaction(operations: [hide, show, more], label: "").flaw == .tooManyCharacters)
        #expect(Transaction(operations: [more, hide, hide], label: "").flaw == .tooManyCharacters)
    }

    @Test("what lies just within the bounds is well formed")
    func bounds() {
        let operations: [Operation] = [
            .set(Self.a, Self.manyKeys.dropLast().map { PropertyChange($0, .bool(true)) }),
            .set(Self.a, [PropertyChange(Self.x, .string(String(repeating: "s", count: Limits.valueBytes - 5)))]),
            .hide(.deleted, .characters(Self.a, [range(1, 1, Limits.charactersPerText)])),
            typing("a", String(repeating: "🌍", count: Limits.charactersPerInsertion)),
            typing("a", "x", from: Limits.counter),
            .place(Self.a, Placement(parent: .canvas)),
        ]
        for operation in operations { #expect(Transaction(operations: [operation], label: "Edit").flaw == nil) }
    }
}
