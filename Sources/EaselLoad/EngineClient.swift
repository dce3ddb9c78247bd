import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselSupport
import EaselTransport

/// A virtual client with the engine that applications use: it keeps the canvas, checks every digest, and can undo. It predicts
/// what its shape looks like after each undo and redo.
final class EngineClient: LoadClient, LoadSocketOwner {
    private struct Look: Equatable {
        var x: Int64
        var characters: Int
    }

    private let room: LoadRoom
    private let number: Int
    private let shapes: Int
    private let socket: LoadSocket
    private var typing: Share
    private var presses: Share
    private var engine: ClientEngine
    private var shape: ShapeID?
    /// How the shape looked before each of one's own actions that can be undone, and after those that were.
    private var undoLooks: [Look] = []
    private var redoLooks: [Look] = []

    private(set) var echoCount = 0
    private(set) var pressCount = 0
    private(set) var wrongPressCount = 0
    private var isSetUp = false

    /// - Parameter shapes: So many are put onto the canvas before its own.
    init(_ plan: LoadPlan, room: LoadRoom, number: Int, shapes: Int, on loop: EventLoop) {
        self.room = room
        self.number = number
        self.shapes = shapes
        typing = Share(percent: plan.typing)
        presses = Share(percent: plan.undo)
        let site = SiteID(random: SystemRandom.value())
        engine = ClientEngine(canvas: room.canvas, name: "load \(number)", provisionalSite: site)
        engine.setLevelsOfUndo(Self.levelsOfUndo)
        socket = LoadSocket(plan, on: loop)
        socket.owner = self
    }

    var isReady: Bool { isSetUp && engine.pendingCount == 0 }
    var pendingCount: Int { engine.pendingCount }
    var revision: Revision { engine.confirmed.revision }
    var digest: UInt64? { engine.confirmed.digest }

    func opened() {
        engine.connected()
        send()
    }

    func closed(_ reason: String) { room.fail("client \(number): \(reason)") }

    func close() { socket.close() }

    func received(_ payload: [UInt8]) {
        do {
            let scan = try room.scan(payload)
            let before = revision
            try engine.receive(try ServerMessage.decodeAll(payload))
            if let site = engine.site {
                room.arrived(scan, after: before, at: site, now: MonotonicClock.now.nanoseconds)
            }
        } catch {
            room.fail("client \(number): \(error)")
            return
        }
        for event in engine.takeEvents() { take(event) }
        if case .live = engine.linkState, !isSetUp { setUp() }
        send()
    }

    private func take(_ event: ClientEvent) {
        switch event {
        case .changed(let change):
            if case .remote(let sites) = change.origin, let site = engine.site, sites.contains(site) { echoCount += 1 }
        case .refused(let label, let code): room.fail("client \(number): '\(label)' refused, \(code)")
        case .diverged(let divergence):
            room.fail("client \(number): another digest at revision \(divergence.revision)")
        case .linkChanged:
            if case .ended(let error) = engine.linkState { room.fail("client \(number): \(error.message)") }
        case .historyChanged, .stored, .hadNoEffect, .participantsChanged: break
        }
    }

    private func send() {
        for message in engine.takeMessages() { socket.send(message.encode()) }
    }

    /// Steps that can be undone.
    private static let levelsOfUndo = 100
    /// Shapes made by one transaction.
    private static let shapesPerTransaction = 1_000

    private func setUp() {
        isSetUp = true
        var left = shapes
        while left > 0 {
            let count = min(left, Self.shapesPerTransaction)
            make("Fill", at: 0, history: nil) { draft in
                for index in 0..<count {
                    draft.create(kind: LoadShape.kind, properties: LoadShape.properties(left - count + index))
                }
            }
            left -= count
        }
        make("Create", at: 0, history: nil) { [self] draft in
            shape = draft.create(kind: LoadShape.kind, properties: LoadShape.properties(number))
        }
    }

    func act(at intended: UInt64) {
        guard let shape else { return }
        let look = look
        if presses.next(), press(at: intended) { return }
        if typing.next() {
            make("Type", at: intended) { $0.insertText("x", at: look.characters, in: shape) }
        } else {
            make("Move", at: intended) { $0.set(shape, LoadShape.x, .integer(look.x % 1_000 + 1)) }
        }
        undoLooks.append(look)
        if undoLooks.count > Self.levelsOfUndo { undoLooks.removeFirst() }
        redoLooks = []
        send()
    }

    private var look: Look {
        guard let shape = shape.flatMap({ engine.view[$0] }), case .integer(let x)? = shape[LoadShape.x] else {
            return Look(x: -1, characters: -1)
        }
        return Look(x: x, characters: shape.text.visibleCount)
    }

    /// Presses redo after an undo, else undo. Returns whether there was something to press.
    private func press(at intended: UInt64) -> Bool {
        let before = look
        let expected: Look
        let result: PressResult?
        if let next = redoLooks.popLast() {
            expected = next
            result = try? engine.redo()
            undoLooks.append(before)
        } else if let last = undoLooks.popLast() {
            expected = last
            result = try? engine.undo()
            redoLooks.append(before)
        } else {
            return false
        }
        pressCount += 1
        if look != expected { wrongPressCount += 1 }
        if result?.label != nil { made(at: intended) }
        send()
        return true
    }

    private func make(
        _ label: String, at intended: UInt64, history: HistoryID? = .main, _ body: (inout TransactionDraft) -> Void
    ) {
        guard let result = try? engine.edit(label, history: history, body), result.hasEffect else {
            room.fail("client \(number): an edit had no effect")
            return
        }
        made(at: intended)
    }

    private func made(at intended: UInt64) {
        if let site = engine.site { room.intend(intended, by: site) }
    }
}
