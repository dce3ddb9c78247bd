import EaselCore
import EaselProtocol
import EaselSupport
import EaselTransport

/// A virtual client that keeps no canvas: it checks that revisions come without gap and its own commits once and in order, and
/// remembers the digest that came with the last one.
final class LightClient: LoadClient, LoadSocketOwner {
    private let room: LoadRoom
    private let isEditor: Bool
    private let number: Int
    private let name: String
    private let socket: LoadSocket
    private var typing: Share

    private(set) var revision: Revision = 0
    private(set) var digest: UInt64?
    private(set) var echoCount = 0
    private var identities: IdentitySource?
    private var shape: ShapeID?
    private var lastCharacter: CharacterID?
    /// Bytes of the snapshot that are still to come.
    private var snapshotBytes: UInt64 = 0
    private var isWelcomed = false
    private var made: SequenceNumber = 0
    private var committed: SequenceNumber = 0
    /// Transactions that wait until fewer are under way.
    private var waiting = Queue<[UInt8]>()

    init(_ plan: LoadPlan, room: LoadRoom, number: Int, isEditor: Bool, on loop: EventLoop) {
        self.room = room
        self.number = number
        self.isEditor = isEditor
        name = "load \(number)"
        typing = Share(percent: plan.typing)
        socket = LoadSocket(plan, on: loop)
        socket.owner = self
    }

    var isReady: Bool { isWelcomed && snapshotBytes == 0 && (!isEditor || committed > 0) }
    var pendingCount: Int { Int(made - committed) }

    func opened() {
        socket.send(ClientMessage.hello(Hello(canvas: room.canvas, resume: nil, name: name)).encode())
    }

    func closed(_ reason: String) { room.fail("client \(number): \(reason)") }

    func close() { socket.close() }

    func received(_ payload: [UInt8]) {
        do throws(LoadRoom.Failure) {
            let scan = try room.scan(payload)
            for message in scan.others { take(message) }
            try take(scan)
        } catch {
            room.fail("client \(number): \(error)")
        }
    }

    private func take(_ message: ServerMessage) {
        switch message {
        case .welcome(let welcome):
            isWelcomed = true
            identities = IdentitySource(site: welcome.site)
            revision = welcome.revision
            if case .snapshot(let byteCount) = welcome.catchup { snapshotBytes = byteCount }
            makeShapeIfReady()
        case .snapshotPart(let part):
            snapshotBytes -= min(snapshotBytes, UInt64(part.bytes.count))
            makeShapeIfReady()
        case .refusal(let refusal): room.fail("client \(number): refused, code \(refusal.code.rawValue)")
        case .error(let error): room.fail("client \(number): \(error.message)")
        default: break
        }
    }

    private func take(_ scan: LoadRoom.Scan) throws(LoadRoom.Failure) {
        guard let first = scan.commits.first, let last = scan.commits.last, let site = identities?.site else { return }
        let before = revision
        guard first.revision <= before + 1 else { throw .gap(after: before, found: first.revision) }
        guard last.revision >= before else { return }
        revision = last.revision
        digest = scan.digest
        room.arrived(scan, after: before, at: site, now: MonotonicClock.now.nanoseconds)
        guard isEditor else { return }
        for head in scan.commits where head.revision > before && head.id.site == site {
            if head.id.sequence == committed + 1 { committed += 1 } else { echoCount += 1 }
        }
        sendWaiting()
    }

    private func makeShapeIfReady() {
        guard isEditor, shape == nil, snapshotBytes == 0, var identities,
            let order = OrderKey.between(nil, nil, site: identities.site)
        else { return }
        let id = identities.shape()
        self.identities = identities
        shape = id
        let creation = Creation(
            id: id, kind: LoadShape.kind, parent: nil, order: order, properties: LoadShape.properties(number),
            text: nil)
        submit([.create(creation)], "Create", at: 0)
    }

    func act(at intended: UInt64) {
        guard let shape, var identities else { return }
        if typing.next() {
            let first = identities.characters(1)
            self.identities = identities
            let insertion = TextInsertion(first: first, characters: "x", left: lastCharacter, right: nil)
            lastCharacter = first
            submit([.insertText(shape, insertion)], "Type", at: intended)
        } else {
            let place = Int64(made)
            let changes = [
                PropertyChange(LoadShape.x, .integer(place % 1_000)),
                PropertyChange(LoadShape.y, .integer(place / 1_000)),
            ]
            submit([.set(shape, changes)], "Move", at: intended)
        }
    }

    private func submit(_ operations: [Operation], _ label: String, at intended: UInt64) {
        guard let site = identities?.site else { return }
        made += 1
        room.intend(intended, by: site)
        let transaction = Transaction(operations: operations, label: label)
        waiting.append(ClientMessage.submit(Submission(sequence: made, transaction: transaction)).encode())
        sendWaiting()
    }

    private func sendWaiting() {
        var room = ProtocolLimits.transactionsInFlight - (pendingCount - waiting.count)
        while room > 0, let message = waiting.popFirst() {
            socket.send(message)
            room -= 1
        }
    }
}
