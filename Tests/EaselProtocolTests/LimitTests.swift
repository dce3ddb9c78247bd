import EaselCore
import EaselProtocol
import Testing

/// Each bound just below, at, and just above its edge.
@Suite("Limits of messages")
struct LimitTests {
    /// A client message of an array with these items.
    private func client(_ count: Int, _ write: (inout CBOREncoder) -> Void) -> DecodingError? {
        var encoder = CBOREncoder()
        encoder.array(count)
        write(&encoder)
        do throws(DecodingError) { _ = try ClientMessage.decode(encoder.bytes) } catch { return error }
        return nil
    }

    private func hello(version: UInt64 = 1, canvas: String = "c", name: String = "n") -> DecodingError? {
        client(5) {
            $0.unsigned(1)
            $0.unsigned(version)
            $0.text(canvas)
            $0.text(name)
            $0.null()
        }
    }

    private func submit(_ operation: (inout CBOREncoder) -> Void) -> DecodingError? {
        client(3) {
            $0.unsigned(2)
            $0.unsigned(1)
            $0.array(4)
            $0.unsigned(0)
            $0.unsigned(0)
            $0.text("")
            $0.array(1)
            operation(&$0)
        }
    }

    private func text(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test("LM-01 a name has 1 to 64 bytes")
    func names() {
        #expect(hello(name: text(1)) == nil)
        #expect(hello(name: text(63)) == nil)
        #expect(hello(name: text(64)) == nil)
        #expect(hello(name: text(65)) == .outOfRange)
        #expect(hello(name: "") == .outOfRange)
        #expect(hello(name: String(repeating: "é", count: 32)) == nil)
        #expect(hello(name: String(repeating: "é", count: 32) + "a") == .outOfRange)
    }

    @Test("LM-01 a canvas name has 1 to 128 of A-Z a-z 0-9 . _ ~ -")
    func canvasNames() {
        #expect(hello(canvas: text(127)) == nil)
        #expect(hello(canvas: text(128)) == nil)
        #expect(hello(canvas: text(129)) == .outOfRange)
        #expect(hello(canvas: "") == .outOfRange)
        #expect(hello(canvas: "AZaz09._~-") == nil)
        for name in ["a/b", "a b", "é", "a\u{0}", "%41"] { #expect(hello(canvas: name) == .outOfRange) }
    }

    @Test("LM-01 a shape id has 1 to 32 bytes of printable ASCII without space")
    func shapeIDs() {
        func hide(_ id: String) -> DecodingError? {
            submit {
                $0.array(3)
                $0.unsigned(4)
                $0.unsigned(0)
                $0.array(1)
                $0.text(id)
            }
        }
        #expect(hide(text(31)) == nil)
        #expect(hide(text(32)) == nil)
        #expect(hide(text(33)) == .outOfRange)
        #expect(hide("!~") == nil)
        for id in ["", " ", "a b", "\u{7F}", "é"] { #expect(hide(id) == .outOfRange) }
    }

    @Test("LM-01 a property key has 1 to 64 bytes, an order key 1 to 128 digits, a kind 1 to 32 bytes")
    func keys() {
        func create(key: String = "k", order: String = "V", kind: String = "k") -> DecodingError? {
            submit {
                $0.array(7)
                $0.unsigned(1)
                $0.text("A")
                $0.text(kind)
                $0.null()
                $0.text(order)
                $0.map(1)
                $0.text(key)
                $0.unsigned(0)
                $0.null()
            }
        }
        #expect(create(key: text(63)) == nil && create(key: text(64)) == nil)
        #expect(create(key: text(65)) == .outOfRange && create(key: "") == .outOfRange)
        #expect(create(order: text(127)) == nil && create(order: text(128)) == nil)
        #expect(create(order: text(129)) == .outOfRange && create(order: "") == .outOfRange)
        #expect(create(order: "a-") == .outOfRange)
        #expect(create(kind: text(31)) == nil && create(kind: text(32)) == nil)
        #expect(create(kind: text(33)) == .outOfRange && create(kind: "") == .outOfRange)
    }

    @Test("LM-02 sites, numbers and revisions are at most 2^53 - 1; sites, numbers and committed revisions at least 1")
    func numbers() {
        func confirm(_ number: UInt64) -> DecodingError? {
            client(2) {
                $0.unsigned(4)
                $0.unsigned(number)
            }
        }
        let largest: UInt64 = 9_007_199_254_740_991
        #expect(confirm(0) == .outOfRange)
        #expect(confirm(1) == nil && confirm(largest - 1) == nil && confirm(largest) == nil)
        #expect(confirm(largest + 1) == .outOfRange)

        func resume(site: UInt64 = 1, epoch: UInt64 = 0, revision: UInt64 = 0) -> DecodingError? {
            client(5) {
                $0.unsigned(1)
                $0.unsigned(1)
                $0.text("c")
                $0.text("n")
                $0.array(4)
                $0.unsigned(site)
                $0.unsigned(.max)
                $0.unsigned(epoch)
                $0.unsigned(revision)
            }
        }
        #expect(resume() == nil && resume(site: largest, epoch: largest, revision: largest) == nil)
        #expect(resume(site: 0) == .outOfRange && resume(site: largest + 1) == .outOfRange)
        #expect(resume(epoch: largest + 1) == .outOfRange)
        #expect(resume(revision: largest + 1) == .outOfRange)
    }

    @Test("LM-03 presence shows at most 256 selected shapes and 256 previews")
    func presenceCounts() {
        func presence(selected: Int = 0, previews: Int = 0) -> DecodingError? {
            client(6) {
                $0.unsigned(3)
                $0.text("n")
                $0.null()
                $0.array(selected)
                for _ in 0..<selected { $0.text("A") }
                $0.null()
                $0.array(previews)
                for _ in 0..<previews {
                    $0.array(2)
                    $0.text("A")
                    $0.map(0)
                }
            }
        }
        #expect(presence(selected: 255) == nil && presence(selected: 256) == nil)
        #expect(presence(selected: 257) == .outOfRange)
        #expect(presence(previews: 255) == nil && presence(previews: 256) == nil)
        #expect(presence(previews: 257) == .outOfRange)
    }

    @Test("LM-03 a presence message has at most 32 KiB")
    func presenceBytes() {
        func presence(_ size: Int) -> DecodingError? {
            let fixed =
                ClientMessage.presence(
                    Presence(
                        name: "n",
                        preview: [
                            Presence.Preview(
                                shape: shape("A"), properties: Properties([(key("k"), .string(text(300)))]))
                        ])
                ).encode().count - 300
            let message = ClientMessage.presence(
                Presence(
                    name: "n",
                    preview: [
                        Presence.Preview(
                            shape: shape("A"), properties: Properties([(key("k"), .string(text(size - fixed)))]))
                    ]))
            #expect(message.encode().count == size)
            do throws(DecodingError) { _ = try ClientMessage.decode(message.encode()) } catch { return error }
            return nil
        }
        #expect(presence(32 * 1024 - 1) == nil)
        #expect(presence(32 * 1024) == nil)
        #expect(presence(32 * 1024 + 1) == .outOfRange)
    }

    @Test("LM-04 the sentence of an error has at most 512 bytes")
    func errorSentences() {
        func error(_ length: Int) -> ServerMessage? {
            try? ServerMessage.decode(
                ServerMessage.error(ProtocolError(code: .malformed, message: text(length))).encode())
        }
        #expect(error(511) != nil && error(512) != nil && error(0) != nil)
        #expect(error(513) == nil)
    }

    @Test("LM-05 a shape, a map and a set have at most 256 properties")
    func propertyCounts() {
        func create(_ count: Int) -> DecodingError? {
            submit {
                $0.operationWithProperties(count)
            }
        }
        #expect(create(255) == nil && create(256) == nil)
        #expect(create(257) == .outOfRange)
        func set(_ count: Int) -> Flaw? {
            let changes = (0..<count).map { PropertyChange(key("k\($0)"), .integer(0)) }
            return Transaction(operations: [.set(shape("A"), changes)], label: "").flaw
        }
        #expect(set(255) == nil && set(256) == nil && set(1) == nil)
        #expect(set(257) == .tooManyProperties && set(0) == .emptySet)
    }

    @Test("LM-06 a transaction has 1 to 65,536 operations and a label of at most 256 bytes")
    func transactions() {
        func flaw(operations: Int = 1, label: Int = 0) -> Flaw? {
            let operation = Operation.set(shape("A"), [PropertyChange(key("x"), nil)])
            return Transaction(
                operations: Array(repeating: operation, count: operations), label: text(label)
            ).flaw
        }
        #expect(flaw(operations: 65_535) == nil && flaw(operations: 65_536) == nil)
        #expect(flaw(operations: 65_537) == .tooManyOperations && flaw(operations: 0) == .noOperations)
        #expect(flaw(label: 255) == nil && flaw(label: 256) == nil)
        #expect(flaw(label: 257) == .labelTooLong)
    }

    @Test("LM-07 an operation names 1 to 65,536 targets and inserts 1 to 65,536 characters")
    func targets() {
        func hide(_ count: Int) -> Flaw? {
            Transaction(
                operations: [.hide(.deleted, .shapes(Array(repeating: shape("A"), count: count)))], label: ""
            ).flaw
        }
        #expect(hide(65_535) == nil && hide(65_536) == nil)
        #expect(hide(65_537) == .targetCount && hide(0) == .targetCount)
        func insertion(_ count: Int) -> Flaw? {
            Transaction(operations: [insert(character(7, 1), text(count))], label: "").flaw
        }
        #expect(insertion(65_535) == nil && insertion(65_536) == nil)
        #expect(insertion(65_537) == .insertionLength && insertion(0) == .insertionLength)
    }

    @Test("LM-10 a transaction has at most 4,096 insertions, those of creations not counted")
    func insertions() {
        func flaw(_ insertions: Int, creations: Int = 0) -> Flaw? {
            let text = TextInsertion(first: character(7, 1), characters: "a", left: nil, right: nil)
            let operations =
                Array(repeating: insert(character(7, 1), "a"), count: insertions)
                + Array(repeating: create("A", text: text), count: creations)
            return Transaction(operations: operations, label: "").flaw
        }
        #expect(flaw(4_095) == nil && flaw(4_096) == nil && flaw(4_096, creations: 5_000) == nil)
        #expect(flaw(4_097) == .tooManyInsertions)
    }

    @Test("LM-11 the hides and shows of a transaction name at most 1,000,000 characters together")
    func characters() {
        func flaw(_ counts: Int...) -> Flaw? {
            let operations = counts.enumerated().map { index, count in
                let targets = Targets.characters(
                    shape("S\(index)"), [CharacterRange(first: character(7, 1), count: count)])
                return index % 2 == 0 ? Operation.hide(.deleted, targets) : .show(.retracted, targets)
            }
            return Transaction(operations: operations, label: "").flaw
        }
        #expect(flaw(999_999) == nil && flaw(1_000_000) == nil && flaw(500_000, 499_999, 1) == nil)
        #expect(flaw(1_000_000, 1) == .tooManyCharacters && flaw(500_000, 500_000, 1) == .tooManyCharacters)
    }

    @Test("LM-08 a value has at most 256 KiB")
    func valueBytes() {
        func flaw(_ size: Int) -> Flaw? {
            // The head of a string of this length has five bytes.
            let change = PropertyChange(key("x"), .string(text(size - 5)))
            return Transaction(operations: [.set(shape("A"), [change])], label: "").flaw
        }
        #expect(flaw(256 * 1024 - 1) == nil && flaw(256 * 1024) == nil)
        #expect(flaw(256 * 1024 + 1) == .valueTooLarge)
    }

    @Test("LM-09 a range names 1 to 1,000,000 characters with numbers up to 2^53 - 1")
    func ranges() {
        func range(_ counter: UInt64, _ count: UInt64) -> Result<Flaw?, DecodingError> {
            var encoder = CBOREncoder()
            encoder.array(3)
            encoder.unsigned(2)
            encoder.unsigned(1)
            encoder.array(4)
            encoder.unsigned(0)
            encoder.unsigned(0)
            encoder.text("")
            encoder.array(1)
            encoder.array(4)
            encoder.unsigned(6)
            encoder.text("A")
            encoder.unsigned(0)
            encoder.array(3)
            encoder.unsigned(7)
            encoder.unsigned(counter)
            encoder.unsigned(count)
            return outcome { () throws(DecodingError) in
                guard case .submit(let submission) = try ClientMessage.decode(encoder.bytes) else {
                    return .noOperations
                }
                return submission.transaction.flaw
            }
        }
        let largest: UInt64 = 9_007_199_254_740_991
        #expect(range(1, 1) == .success(nil))
        #expect(range(1, 999_999) == .success(nil) && range(1, 1_000_000) == .success(nil))
        #expect(range(1, 1_000_001) == .failure(.outOfRange) && range(1, 0) == .failure(.outOfRange))
        #expect(range(1, .max) == .failure(.outOfRange))
        #expect(range(0, 1) == .failure(.outOfRange))
        #expect(range(largest, 1) == .success(nil))
        #expect(range(largest, 2) == .success(.characterNumber))
        #expect(range(largest + 1, 1) == .failure(.outOfRange))
    }
}

extension CBOREncoder {
    fileprivate mutating func operationWithProperties(_ count: Int) {
        array(7)
        unsigned(1)
        text("A")
        text("kind")
        null()
        text("V")
        map(count)
        for index in 0..<count { text("k\(1000 + index)"); unsigned(0) }
        null()
    }
}
