import EaselCore
import EaselProtocol
import Foundation
import Testing

/// The vectors in `protocol/vectors` were computed by a second implementation; these tests hold this one to them.
@Suite("Protocol vectors")
struct VectorTests {
    @Test("CB-08 values: valid ones are read and written in the same bytes, invalid ones are refused")
    func values() throws {
        struct Case: Decodable {
            let comment: String
            let verdict: Verdict
            let hex: String
            let value: JSONValue?
        }
        let cases = try ProtocolFiles.cases("values", of: Case.self)
        #expect(cases.count > 60)
        for item in cases {
            let read = outcome { () throws(DecodingError) in
                var decoder = CBORDecoder(bytes(item.hex))
                let value = try decoder.value()
                guard decoder.isAtEnd else { throw .trailingBytes }
                return value
            }
            switch (read, item.verdict) {
            case (.success(let value), .valid):
                var encoder = CBOREncoder()
                encoder.value(value)
                #expect(hex(encoder.bytes) == item.hex, "\(item.comment)")
                #expect(value.isCanonical)
                if let expected = item.value { #expect(hex(expected.cbor) == item.hex, "\(item.comment)") }
            case (.failure, .invalid): break
            default: Issue.record("\(item.comment): \(item.hex) is \(item.verdict), read as \(read)")
            }
        }
    }

    @Test("DG-01 DG-02 DG-03 DG-04 DG-05 digests after commits, and SN-01 SN-02 the snapshot at the end")
    func digests() throws {
        struct Case: Decodable {
            let comment: String
            let verdict: Verdict
            let commits: [String]
            let digest: String
            let snapshot: String
        }
        for item in try ProtocolFiles.cases("digests", of: Case.self) {
            var canvas = Canvas()
            var agrees = true
            for encoded in item.commits {
                guard case .commits(let run) = try ServerMessage.decode(bytes(encoded)) else {
                    Issue.record("\(item.comment): no commit")
                    return
                }
                for commit in run.commits { _ = canvas.apply(commit) }
                agrees = agrees && canvas.digest == run.digest
                #expect(hex(ServerMessage.commits(run).encode()) == encoded)
            }
            #expect(agrees == (item.verdict == .valid), "\(item.comment)")
            #expect(canvas.digest == UInt64(item.digest, radix: 16), "\(item.comment)")
            #expect(hex(Snapshot.encode(canvas)) == item.snapshot, "\(item.comment)")
            #expect(try Snapshot.decode(bytes(item.snapshot)).digest == canvas.digest)
        }
    }

    @Test("OP-13 TX-01 TX-03 TX-04 TX-05 TX-06 TX-07 placement of text, character by character")
    func texts() throws {
        struct Case: Decodable {
            let comment: String
            let verdict: Verdict
            let operations: [JSONValue]
            let effects: [Bool]
            let visible: String
            let sequence: [JSONValue]
        }
        for item in try ProtocolFiles.cases("text", of: Case.self) {
            var canvas = Canvas()
            _ = canvas.apply([create("A", kind: "note")])
            var effects: [Bool] = []
            for operation in item.operations {
                let transaction = try Transaction.decode(bytes("8400006081") + operation.cbor)
                effects.append(canvas.apply(transaction.operations).problems.isEmpty)
            }
            let text = try #require(canvas[shape("A")]).text
            #expect(effects == item.effects, "\(item.comment)")
            #expect(effects.allSatisfy { $0 } == (item.verdict == .valid), "\(item.comment)")
            #expect(text.string == item.visible, "\(item.comment)")
            #expect(sequence(of: text) == item.sequence, "\(item.comment)")
        }
    }

    private func sequence(of text: Text) -> [JSONValue] {
        text.storedRuns().flatMap { run in
            let characters = run.characters.unicodeScalars.map { String($0) }
            let all = run.causes == .purged ? Array(repeating: "", count: run.count) : characters
            let site = JSONValue.integer(Int64(run.first.site.rawValue))
            let causes = JSONValue.integer(Int64(run.causes.rawValue))
            return all.enumerated().map { offset, character -> JSONValue in
                let counter = Int64(run.first.counter) + Int64(offset)
                return .list([site, .integer(counter), .string(character), causes])
            }
        }
    }

    @Test("OK-01 OK-02 OK-03 OK-04 order keys: form, order, and the key between two others")
    func orderKeys() throws {
        struct Case: Decodable {
            let comment: String
            let verdict: Verdict
            let key: String?
            let lower: String?
            let upper: String?
            let between: [String?]?
            let site: UInt64?
            let result: String?
        }
        for item in try ProtocolFiles.cases("order-keys", of: Case.self) {
            if let key = item.key { #expect((OrderKey(key) != nil) == (item.verdict == .valid), "\(item.comment)") }
            if let lower = item.lower, let upper = item.upper {
                #expect((order(lower) < order(upper)) == (item.verdict == .valid), "\(item.comment)")
                #expect(!(order(upper) < order(lower)), "\(item.comment)")
            }
            if let ends = item.between, let number = item.site {
                let made = OrderKey.between(ends[0].map { order($0) }, ends[1].map { order($0) }, site: site(number))
                #expect(made?.rawValue == item.result, "\(item.comment)")
                #expect((made != nil) == (item.verdict == .valid), "\(item.comment)")
            }
        }
    }

    struct MessageCase: Decodable {
        let name: String
        let comment: String
        let verdict: Verdict
        let sender: String
        let diagnostic: String
        let hex: String
    }

    @Test(
        """
        MSG-04 MSG-05 MSG-06 MSG-07 MSG-08 MSG-09 MSG-10 MSG-11 MSG-12 MSG-13 MSG-14 MSG-15 MSG-19 MSG-20 MSG-21 MSG-22 MSG-23 OP-01 OP-02 OP-03 OP-04 OP-05 \
        OP-06 OP-12 OP-13 \
        each example is written in exactly its bytes and read from them
        """)
    func messages() throws {
        let cases = try ProtocolFiles.cases("messages", of: MessageCase.self)
        for item in cases where item.verdict == .valid {
            switch item.sender {
            case "client":
                let expected = try #require(Example.clientMessages[item.name], "\(item.name)")
                #expect(hex(expected.encode()) == item.hex, "\(item.name)")
                #expect(try ClientMessage.decode(bytes(item.hex)) == expected)
            case "server":
                let expected = try #require(Example.serverMessages[item.name], "\(item.name)")
                #expect(hex(expected.encode()) == item.hex, "\(item.name)")
                #expect(try ServerMessage.decode(bytes(item.hex)) == expected)
            default:
                let expected = try #require(Example.operations[item.name], "\(item.name)")
                let transaction = Transaction(operations: [expected], label: "")
                #expect(hex(transaction.encode()) == "8400006081" + item.hex, "\(item.name)")
                #expect(try Transaction.decode(bytes("8400006081" + item.hex)) == transaction)
            }
        }
        for item in cases where item.verdict == .invalid {
            switch item.sender {
            case "client": #expect((try? ClientMessage.decode(bytes(item.hex))) == nil, "\(item.name)")
            case "server": #expect((try? ServerMessage.decode(bytes(item.hex))) == nil, "\(item.name)")
            default: #expect((try? Transaction.decode(bytes("8400006081" + item.hex))) == nil, "\(item.name)")
            }
        }
    }
}

/// What the examples say, by their names in the vectors.
private enum Example {
    static let move = Transaction(
        operations: [
            .set(shape("A"), [PropertyChange(key("x"), .integer(120)), PropertyChange(key("y"), .double(55.5))])
        ],
        label: "Move Rectangle")
    static let secret: UInt64 = 81_985_529_216_486_895

    static let clientMessages: [String: ClientMessage] = [
        "hello-new": .hello(Hello(canvas: canvasID("plan"), resume: nil, name: "Ada")),
        "hello-resume": .hello(
            Hello(
                canvas: canvasID("plan"), resume: Hello.Resume(site: site(7), secret: secret, epoch: 99, revision: 40),
                name: "Ada")),
        "submit": .submit(Submission(sequence: 12, transaction: move)),
        "presence-client": .presence(
            Presence(
                name: "Ada", pointer: Presence.Point(x: 10, y: -0.5), selection: [shape("A")],
                caret: Presence.Caret(shape: shape("B"), behind: character(7, 2)),
                preview: [Presence.Preview(shape: shape("A"), properties: Properties([(key("x"), .integer(11))]))])),
        "confirm": .confirm(12),
        "look-revision": .look(Look(canvas: canvasID("plan"), name: "Ada", at: .revision(40))),
        "look-version": .look(Look(canvas: canvasID("plan"), name: "Ada", at: .version("draft 2"))),
        "versions-list": .versions(VersionRequest(tag: 3, change: .none)),
        "versions-add": .versions(VersionRequest(tag: 4, change: .add(name: "draft 2", revision: 40))),
        "versions-add-now": .versions(VersionRequest(tag: 5, change: .add(name: "draft 2", revision: nil))),
        "versions-remove": .versions(VersionRequest(tag: 6, change: .remove(name: "draft 2"))),
    ]

    static let serverMessages: [String: ServerMessage] = [
        "welcome-commits": .welcome(
            Welcome(
                site: site(7), secret: secret, epoch: 99, revision: 41, lastSequence: 11, role: .editor,
                catchup: .commits)),
        "welcome-snapshot": .welcome(
            Welcome(
                site: site(7), secret: secret, epoch: 99, revision: 41, lastSequence: 0, role: .viewer,
                catchup: .snapshot(byteCount: 70_000))),
        "snapshot-part": .snapshotPart(SnapshotPart(offset: 131_072, bytes: [0x85, 0x01, 0x18])),
        "commit": .commit(
            Commit(
                revision: 41, id: TransactionID(site: site(7), sequence: 12), time: 1_700_000_000_000, transaction: move
            ),
            digest: 0xFEDC_BA98_7654_3210),
        "commits": .commits(
            CommitRun(
                [
                    Commit(
                        revision: 41, id: TransactionID(site: site(7), sequence: 12), time: 1_700_000_000_000,
                        transaction: move),
                    Commit(
                        revision: 42, id: TransactionID(site: site(9), sequence: 3), time: 1_700_000_000_002,
                        transaction: Transaction(
                            operations: [
                                .insertText(
                                    shape("B"),
                                    TextInsertion(
                                        first: character(9, 5), characters: "hi", left: character(7, 2), right: nil))
                            ], label: "Type")),
                    Commit(
                        revision: 43, id: TransactionID(site: site(7), sequence: 13), time: 1_700_000_000_001,
                        transaction: move),
                ],
                digest: 0xFEDC_BA98_7654_3210)),
        "acknowledgement": .acknowledgement(12),
        "refusal": .refusal(Refusal(sequence: 12, code: .readOnly)),
        "presence-server": .presence(
            PresenceUpdate(
                site: site(9),
                presence: Presence(
                    name: "Ada", pointer: Presence.Point(x: 10, y: -0.5), selection: [shape("A")],
                    caret: Presence.Caret(shape: shape("B"), behind: nil)))),
        "presence-gone": .presence(PresenceUpdate(site: site(9), presence: nil)),
        "error": .error(ProtocolError(code: .shuttingDown, message: "The server restarts.")),
        "role": .role(.viewer),
        "welcome-horizon": .welcome(
            Welcome(
                site: site(7), secret: secret, epoch: 99, revision: 41, lastSequence: 11, role: .editor,
                catchup: .commits, horizon: 12)),
        "versions": .versions(
            VersionAnswer(
                tag: 3,
                .success([
                    NamedVersion(name: "draft", revision: 12, time: 1_700_000_000_000, author: "Ben"),
                    NamedVersion(name: "draft 2", revision: 40, time: 1_700_000_360_000, author: "Ada"),
                ]))),
        "version-refusal": .versions(VersionAnswer(tag: 4, .failure(.nameTaken))),
    ]

    static let operations: [String: EaselCore.Operation] = [
        "operation-create": create("A", [("x", .integer(10)), ("y", .double(20.5)), ("fill", .string("#ff8800"))]),
        "operation-create-text": create(
            "B", parent: "A", order: "W", kind: "note",
            text: TextInsertion(first: character(7, 1), characters: "Hi", left: nil, right: nil)),
        "operation-set": .set(shape("A"), [PropertyChange(key("x"), .integer(120)), PropertyChange(key("fill"), nil)]),
        "operation-place": .place(shape("B"), Placement(parent: .canvas, order: order("W1"))),
        "operation-place-order": .place(shape("B"), Placement(order: order("W2"))),
        "operation-hide-shapes": .hide(.deleted, .shapes([shape("A"), shape("B")])),
        "operation-show-shapes": .show(.retracted, .shapes([shape("A")])),
        "operation-hide-characters": .hide(
            .deleted,
            .characters(
                shape("B"),
                [CharacterRange(first: character(7, 1), count: 1), CharacterRange(first: character(7, 4), count: 2)])),
        "operation-show-characters": .show(
            .deleted, .characters(shape("B"), [CharacterRange(first: character(7, 1), count: 1)])),
        "operation-insert-text": insert("B", character(7, 3), "!", left: character(7, 2)),
        "operation-purge-shapes": .purge(.shapes([shape("A"), shape("B")])),
        "operation-purge-characters": .purge(
            .characters(
                shape("B"),
                [CharacterRange(first: character(7, 1), count: 1), CharacterRange(first: character(7, 4), count: 2)])),
    ]
}
