import EaselCore
import EaselProtocol
import Testing

@testable import EaselClient

@Suite("Messages that are made to wait")
struct MessageGateTests {
    private func isEven(_ number: Int) -> Bool { number % 2 == 0 }

    @Test("an open gate lets everything pass at once")
    func isOpen() {
        var gate = MessageGate<Int>()
        #expect(gate.take([1, 2]) == [1, 2])
        #expect(gate.waiting.isEmpty)
    }

    @Test("a held gate keeps messages in order until it is opened, and lets pass what comes then")
    func holds() {
        var gate = MessageGate<Int>()
        gate.hold()
        #expect(gate.take([1, 2]) == [])
        #expect(gate.take([3]) == [])
        #expect(gate.waiting == [1, 2, 3])
        #expect(gate.open() == [1, 2, 3])
        #expect(gate.waiting.isEmpty)
        #expect(gate.take([4]) == [4])
        #expect(gate.open() == [])
    }

    @Test("a release counts the messages that count, and takes along those in front of them")
    func releases() {
        var gate = MessageGate<Int>()
        gate.hold()
        _ = gate.take([1, 2, 3, 5, 4, 6, 7])
        #expect(gate.release(1, where: isEven) == [1, 2])
        #expect(gate.release(1, where: isEven) == [3, 5, 4])
        #expect(gate.isHeld)
        #expect(gate.release(2, where: isEven) == nil)
        #expect(gate.waiting == [6, 7])
        #expect(gate.release(1, where: isEven) == [6])
        #expect(gate.waiting == [7])
    }

    @Test("what waits is lost with the connection, and what comes over the next one waits")
    func clears() {
        var gate = MessageGate<Int>()
        gate.hold()
        _ = gate.take([1])
        gate.clear()
        #expect(gate.waiting.isEmpty)
        #expect(gate.take([2]) == [])
        #expect(gate.open() == [2])
    }

    @Test("a transaction is counted when it is handed over, and not again when it is sent again under its number")
    func traffic() throws {
        let site = try #require(SiteID(7))
        let other = try #require(SiteID(8))
        func submit(_ sequence: SequenceNumber) -> ClientMessage {
            .submit(Submission(sequence: sequence, transaction: Transaction(operations: [], label: "x")))
        }
        let hello = ClientMessage.hello(
            Hello(canvas: try #require(CanvasID("plan")), resume: nil, name: "Ana"))
        var traffic = Traffic()
        traffic.took(hello, from: nil)
        #expect(!traffic.hasGreeted)
        traffic.passed(hello, from: nil)
        #expect(traffic.hasGreeted)
        for message in [submit(1), submit(2)] { traffic.took(message, from: site) }
        #expect(traffic.transactions == 2)
        #expect(traffic.lastPassed == nil)
        traffic.passed(submit(1), from: site)
        #expect(traffic.lastPassed == TransactionID(site: site, sequence: 1))
        traffic.lostConnection()
        #expect(!traffic.hasGreeted)
        for message in [submit(1), submit(2), submit(3)] { traffic.took(message, from: site) }
        #expect(traffic.transactions == 3)
        traffic.took(submit(1), from: other)
        #expect(traffic.transactions == 4)
    }
}
