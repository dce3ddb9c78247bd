import EaselCore
import EaselProtocol

/// Numbers that look random and are the same in every run (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", 2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Makes what a literal names; tests name things that exist.
func site(_ number: UInt64) -> SiteID {
    guard let site = SiteID(number) else { preconditionFailure("a site number within its range") }
    return site
}

func shape(_ name: String) -> ShapeID {
    guard let id = ShapeID(name) else { preconditionFailure("a shape id of permitted characters") }
    return id
}

func order(_ digits: String) -> OrderKey {
    guard let key = OrderKey(digits) else { preconditionFailure("an order key of base-62 digits") }
    return key
}

func key(_ name: String) -> PropertyKey {
    guard let key = PropertyKey(name) else { preconditionFailure("a property key of a permitted length") }
    return key
}

func canvasID(_ name: String) -> CanvasID {
    guard let id = CanvasID(name) else { preconditionFailure("a canvas name of permitted characters") }
    return id
}

func character(_ number: UInt64, _ counter: UInt64) -> CharacterID {
    CharacterID(site: site(number), counter: counter)
}

func create(
    _ name: String, parent: String? = nil, order digits: String = "V", kind: String = "rectangle",
    _ properties: [(String, Value)] = [], text: TextInsertion? = nil
) -> Operation {
    .create(
        Creation(
            id: shape(name), kind: kind, parent: parent.map { shape($0) }, order: order(digits),
            properties: Properties(properties.map { (key($0.0), $0.1) }), text: text))
}

func insert(
    _ first: CharacterID, _ characters: String, left: CharacterID? = nil, right: CharacterID? = nil
) -> Operation {
    insert("A", first, characters, left: left, right: right)
}

func insert(
    _ name: String, _ first: CharacterID, _ characters: String, left: CharacterID? = nil, right: CharacterID? = nil
) -> Operation {
    .insertText(shape(name), TextInsertion(first: first, characters: characters, left: left, right: right))
}

/// A canvas after transactions of one site.
func canvas(after transactions: [[Operation]], site number: UInt64 = 7) -> Canvas {
    var canvas = Canvas()
    for operations in transactions {
        let revision = canvas.revision + 1
        _ = canvas.apply(
            Commit(
                revision: revision, id: TransactionID(site: site(number), sequence: revision), time: 0,
                transaction: Transaction(operations: operations, label: "")))
    }
    return canvas
}

/// Bytes written in hexadecimal; blanks do not count.
func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { $0 != " " }
    precondition(digits.count.isMultiple(of: 2), "two digits a byte")
    var bytes: [UInt8] = []
    var rest = digits[...]
    while !rest.isEmpty {
        guard let byte = UInt8(rest.prefix(2), radix: 16) else { preconditionFailure("hexadecimal digits") }
        bytes.append(byte)
        rest = rest.dropFirst(2)
    }
    return bytes
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// The outcome of an attempt to decode.
func outcome<Value: Equatable>(_ body: () throws(DecodingError) -> Value) -> Result<Value, DecodingError> {
    do throws(DecodingError) { return .success(try body()) } catch { return .failure(error) }
}

/// Examples of every message and operation, with more than one form where there is more than one.
enum Sample {
    static let properties = Properties([
        (key("x"), .integer(-40)), (key("y"), .double(12.5)), (key("fill"), .string("#ff8800")),
        (key("locked"), .bool(false)), (key("points"), .list([.integer(0), .double(0.1), .list([])])),
        (key("größe"), .map(Properties([(key("b"), .integer(1 << 60)), (key("aa"), .string(""))]))),
    ])

    static let operations: [Operation] = [
        .create(
            Creation(id: shape("A"), kind: "note", parent: nil, order: order("V"), properties: properties, text: nil)),
        .create(
            Creation(
                id: shape("B"), kind: "frame", parent: shape("A"), order: order("V1"), properties: Properties(),
                text: TextInsertion(first: character(7, 1), characters: "Hé🙂", left: nil, right: nil))),
        .set(shape("A"), [PropertyChange(key("y"), .integer(3)), PropertyChange(key("fill"), nil)]),
        .place(shape("B"), Placement(parent: .canvas)),
        .place(shape("B"), Placement(parent: .shape(shape("A")), order: order("zz"))),
        .place(shape("B"), Placement(order: order("0a"))),
        .hide(.deleted, .shapes([shape("A"), shape("B")])),
        .hide(.retracted, .characters(shape("B"), [CharacterRange(first: character(7, 1), count: 2)])),
        .purge(.shapes([shape("A")])),
        .purge(.characters(shape("B"), [CharacterRange(first: character(7, 1), count: 1)])),
        .show(.retracted, .shapes([shape("A")])),
        .show(
            .deleted,
            .characters(
                shape("B"),
                [
                    CharacterRange(first: character(7, 1), count: 1),
                    CharacterRange(first: character(9, 4), count: 65_536),
                ])),
        insert("B", character(7, 4), "abc", left: character(7, 3), right: nil),
        insert("B", character(SiteID.maximum, 1), "\u{0}\u{10FFFF}", left: nil, right: character(7, 1)),
    ]

    static let transaction = Transaction(operations: operations, label: "Ändern", cause: .redo, view: 7)

    static let presence = Presence(
        name: "Ada", pointer: Presence.Point(x: 10, y: -0.5), selection: [shape("A"), shape("B")],
        caret: Presence.Caret(shape: shape("B"), behind: character(7, 2)),
        preview: [Presence.Preview(shape: shape("A"), properties: properties)])

    static let clientMessages: [ClientMessage] = [
        .hello(Hello(canvas: canvasID("plan"), resume: nil, name: "Ada")),
        .hello(
            Hello(
                canvas: canvasID("a.b_c~d-9"),
                resume: Hello.Resume(site: site(7), secret: .max, epoch: 99, revision: 1_000_000), name: "Zoë")),
        .submit(Submission(sequence: 12, transaction: transaction)),
        .presence(presence),
        .presence(Presence(name: "Ada", caret: Presence.Caret(shape: shape("B"), behind: nil))),
        .confirm(12),
        .look(Look(canvas: canvasID("plan"), name: "Zoë", at: .revision(0))),
        .look(Look(canvas: canvasID("plan"), name: "Zoë", at: .version("größer"))),
        .versions(VersionRequest(tag: 1, change: .none)),
        .versions(VersionRequest(tag: 1 << 40, change: .add(name: "größer", revision: 77))),
        .versions(VersionRequest(tag: 0, change: .add(name: "a", revision: nil))),
        .versions(VersionRequest(tag: 2, change: .remove(name: String(repeating: "n", count: 128)))),
    ]

    static let commit = Commit(
        revision: 100, id: TransactionID(site: site(7), sequence: 12), time: 1_700_000_000_000, transaction: transaction
    )

    /// Commits of two sites, with every kind of operation.
    static let run = CommitRun(
        [
            commit,
            Commit(
                revision: 101, id: TransactionID(site: site(9), sequence: 3), time: 1_700_000_000_400,
                transaction: transaction),
            Commit(
                revision: 102, id: TransactionID(site: site(7), sequence: 15), time: 1_700_000_000_399,
                transaction: Transaction(operations: [create("C")], label: "Add")),
        ], digest: 7)

    static let serverMessages: [ServerMessage] = [
        .welcome(
            Welcome(
                site: site(7), secret: 1 << 63, epoch: 99, revision: 41, lastSequence: 0, role: .editor,
                catchup: .commits)),
        .welcome(
            Welcome(
                site: site(7), secret: 0, epoch: 99, revision: 41, lastSequence: 11, role: .viewer,
                catchup: .snapshot(byteCount: 70_000))),
        .snapshotPart(SnapshotPart(offset: 65_536, bytes: [1, 2, 255])),
        .commit(commit, digest: 0xFEDC_BA98_7654_3210),
        .commits(run),
        .acknowledgement(12),
        .refusal(Refusal(sequence: 12, code: .storageUnavailable)),
        .presence(PresenceUpdate(site: site(9), presence: presence)),
        .presence(PresenceUpdate(site: site(9), presence: nil)),
        .error(ProtocolError(code: .shuttingDown, message: "The server restarts.")),
        .role(.editor),
        .versions(VersionAnswer(tag: 1, .success([]))),
        .versions(
            VersionAnswer(
                tag: 9, .success([NamedVersion(name: "größer", revision: 7, time: 1_700_000_000_000, author: "Zoë")]))),
        .versions(VersionAnswer(tag: 2, .failure(.tooMany))),
    ]
}
