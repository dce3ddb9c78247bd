import EaselCore
import EaselProtocol
import Testing

@Suite("Messages as bytes")
struct MessageCodingTests {
    @Test("MSG-02 every message of a client comes back as it was sent", arguments: Sample.clientMessages)
    func clientRoundTrip(_ message: ClientMessage) throws {
        let encoded = message.encode()
        #expect(try ClientMessage.decode(encoded) == message)
        #expect(try ClientMessage.decodeAll(encoded) == [message])
    }

    @Test("MSG-02 every message of a server comes back as it was sent", arguments: Sample.serverMessages)
    func serverRoundTrip(_ message: ServerMessage) throws {
        let encoded = message.encode()
        #expect(try ServerMessage.decode(encoded) == message)
        #expect(try ServerMessage.decodeAll(encoded) == [message])
    }

    @Test("MSG-15 every operation comes back as it was written, alone in a transaction", arguments: Sample.operations)
    func operationRoundTrip(_ operation: Operation) throws {
        let transaction = Transaction(operations: [operation], label: "")
        #expect(try Transaction.decode(transaction.encode()) == transaction)
    }

    @Test("MSG-15 cause, view and label come back", arguments: [Transaction.Cause.edit, .undo, .redo])
    func transactionFields(_ cause: Transaction.Cause) throws {
        for view in [0, 1, UInt32.max] {
            let transaction = Transaction(
                operations: [create("A")], label: String(repeating: "ä", count: 128), cause: cause, view: view)
            #expect(try Transaction.decode(transaction.encode()) == transaction)
        }
    }

    @Test("MSG-01 one message of the transport carries several, taken in order")
    func sequences() throws {
        let fromClient = Sample.clientMessages.flatMap { $0.encode() }
        #expect(try ClientMessage.decodeAll(fromClient) == Sample.clientMessages)
        let fromServer = Sample.serverMessages.flatMap { $0.encode() }
        #expect(try ServerMessage.decodeAll(fromServer) == Sample.serverMessages)

        var sequence = ServerMessageSequence(fromServer)
        for expected in Sample.serverMessages { #expect(try sequence.next() == expected) }
        #expect(try sequence.next() == nil)
        #expect(
            outcome { () throws(DecodingError) in try ClientMessage.decode(fromClient) } == .failure(.trailingBytes))
    }

    @Test("MSG-01 a message of the transport without any message is malformed")
    func emptyMessage() {
        #expect(outcome { () throws(DecodingError) in try ClientMessage.decodeAll([]) } == .failure(.empty))
        #expect(outcome { () throws(DecodingError) in try ServerMessage.decodeAll([]) } == .failure(.empty))
    }

    @Test("MSG-01 messages in front of a damaged one can still be taken")
    func damagedTail() throws {
        var sequence = ServerMessageSequence(ServerMessage.acknowledgement(3).encode() + [0x82, 0x13])
        #expect(try sequence.next() == .acknowledgement(3))
        #expect(outcome { () throws(DecodingError) in try sequence.next() } == .failure(.truncated))
    }

    @Test("MSG-02 elements behind the fields of a message are passed over")
    func surplusFields() throws {
        // Each message's array head is 0x82 to 0x88: one more element, a map, behind the fields.
        for message in Sample.clientMessages {
            var encoded = message.encode()
            encoded[0] += 1
            #expect(try ClientMessage.decode(encoded + bytes("a1616182f5f6")) == message)
        }
        for message in Sample.serverMessages {
            var encoded = message.encode()
            encoded[0] += 1
            #expect(try ServerMessage.decode(encoded + bytes("a1616182f5f6")) == message)
        }
    }

    @Test("MSG-02 an element behind the fields must have a sound form itself")
    func unsoundSurplus() {
        var encoded = ClientMessage.confirm(1).encode()
        encoded[0] += 1
        let read = outcome { () throws(DecodingError) in try ClientMessage.decode(encoded + [0x18, 0x01]) }
        #expect(read == .failure(.notShortest))
    }

    @Test("MSG-02 a message with fewer elements than fields is malformed")
    func missingFields() {
        for message in Sample.clientMessages {
            var encoded = message.encode()
            encoded[0] -= 1
            let read = outcome { () throws(DecodingError) in try ClientMessage.decode(encoded) }
            #expect(read == .failure(.missingField))
        }
        for message in Sample.serverMessages {
            var encoded = message.encode()
            encoded[0] -= 1
            let read = outcome { () throws(DecodingError) in try ServerMessage.decode(encoded) }
            #expect(read == .failure(.missingField))
        }
        #expect(outcome { () throws(DecodingError) in try ClientMessage.decode([0x80]) } == .failure(.missingField))
        #expect(outcome { () throws(DecodingError) in try ServerMessage.decode([0x80]) } == .failure(.missingField))
    }

    @Test("MSG-03 a client passes over messages of unknown types; a server refuses them")
    func unknownTypes() throws {
        let unknown = bytes("83 1863 a0 83010203")
        let known = ServerMessage.acknowledgement(5)
        #expect(try ServerMessage.decodeAll(unknown + known.encode() + unknown) == [known])
        #expect(try ServerMessage.decode(unknown) == nil)
        #expect(try ServerMessage.decodeAll(unknown) == [])
        #expect(
            outcome { () throws(DecodingError) in try ClientMessage.decodeAll(unknown) } == .failure(.unknownMessage))
        let answer = known.encode()
        #expect(
            outcome { () throws(DecodingError) in try ClientMessage.decodeAll(answer) } == .failure(.unknownMessage))
    }

    @Test("MSG-16 encoded commits put one behind the other are a message")
    func concatenatedCommits() throws {
        let next = Commit(
            revision: 101, id: TransactionID(site: site(9), sequence: 1), time: 5,
            transaction: Transaction(operations: [create("C")], label: "Add"))
        let encoded = ServerMessage.encodeCommit(Sample.commit, digest: 1) + ServerMessage.encodeCommit(next, digest: 2)
        #expect(try ServerMessage.decodeAll(encoded) == [.commit(Sample.commit, digest: 1), .commit(next, digest: 2)])
    }

    @Test("MSG-17 a refusal code that is not known counts as 2, an error code as 1")
    func unknownCodes() throws {
        #expect(try ServerMessage.decode(bytes("83140c1863")) == .refusal(Refusal(sequence: 12, code: .malformed)))
        let error = ProtocolError(code: .malformed, message: "x")
        #expect(try ServerMessage.decode(bytes("831618636178")) == .error(error))
    }

    @Test("MSG-15 operations, transactions and their parts have exactly their fields")
    func strictParts() {
        let transaction = bytes("8400006084 8401614100")
        #expect((try? Transaction.decode(transaction).flaw) == nil)
        let surplus = bytes("8500006081830461 8000")
        #expect(outcome { () throws(DecodingError) in try Transaction.decode(surplus) } == .failure(.surplusField))
        let surplusInOperation = bytes("84000060 81 84 04 00 816141 00")
        #expect(
            outcome { () throws(DecodingError) in try Transaction.decode(surplusInOperation) }
                == .failure(.surplusField))
        let missingInOperation = bytes("84000060 81 82 04 00")
        #expect(
            outcome { () throws(DecodingError) in try Transaction.decode(missingInOperation) }
                == .failure(.missingField))
        let unknown = bytes("84000060 81 83 0B 00 816141")
        #expect(outcome { () throws(DecodingError) in try Transaction.decode(unknown) } == .failure(.unknownOperation))
    }

    @Test("MSG-18 a pointer that is not finite is sent as none")
    func strayPointer() throws {
        for number in [Double.nan, .infinity, -.infinity] {
            let message = ClientMessage.presence(Presence(name: "Ada", pointer: Presence.Point(x: 0, y: number)))
            #expect(try ClientMessage.decode(message.encode()) == .presence(Presence(name: "Ada")))
        }
    }

    @Test(
        "MSG-18 pointer coordinates are numbers of canonical form",
        arguments: [0, -3, 0.1, 1e300, 9_007_199_254_740_992])
    func pointer(_ number: Double) throws {
        let presence = Presence(name: "Ada", pointer: Presence.Point(x: number, y: -number))
        #expect(try ClientMessage.decode(ClientMessage.presence(presence).encode()) == .presence(presence))
    }

    @Test(
        "MSG-18 a pointer coordinate in another form is refused",
        arguments: ["f93c00", "1b0020000000000001", "f97e00", "6130"])
    func pointerForm(_ hex: String) {
        #expect((try? ClientMessage.decode(bytes("8603 63416461 8200\(hex) 80 f6 80"))) == nil)
        #expect((try? ClientMessage.decode(bytes("8603 63416461 820000 80 f6 80"))) != nil)
    }

    @Test("CB-10 every beginning of every message is refused")
    func truncation() {
        for message in Sample.clientMessages {
            let encoded = message.encode()
            for length in 1..<encoded.count {
                let read = outcome { () throws(DecodingError) in try ClientMessage.decode(Array(encoded[..<length])) }
                #expect(read == .failure(.truncated))
            }
        }
        for message in Sample.serverMessages {
            let encoded = message.encode()
            for length in 1..<encoded.count {
                let read = outcome { () throws(DecodingError) in try ServerMessage.decode(Array(encoded[..<length])) }
                #expect(read == .failure(.truncated))
            }
        }
    }

    @Test("OP-10 a committed transaction that is malformed is refused; a submitted one is left to the server's refusal")
    func flaws() throws {
        let empty = Transaction(operations: [], label: "")
        let commit = Commit(
            revision: 1, id: TransactionID(site: site(7), sequence: 1), time: 0, transaction: empty)
        let encoded = ServerMessage.commit(commit, digest: 0).encode()
        let read = outcome { () throws(DecodingError) in try ServerMessage.decode(encoded) }
        #expect(read == .failure(.flawed(.noOperations)))
        let logged = outcome { () throws(DecodingError) in try Transaction.decode(empty.encode()) }
        #expect(logged == .failure(.flawed(.noOperations)))
        let submission = ClientMessage.submit(Submission(sequence: 1, transaction: empty))
        #expect(try ClientMessage.decode(submission.encode()) == submission)
    }
}
