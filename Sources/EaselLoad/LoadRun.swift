import Dispatch
import EaselClientEngine
import EaselCore
import EaselSupport
import EaselTransport

/// One run of a load: connects everybody, warms up, measures, waits for quiet, and judges.
///
/// Actions are made at the times they were meant for, whatever the server does (open loop), and latencies are counted from those
/// times, so a server that stalls is charged for everything that had to wait. All clients live on one loop; what is late because
/// this loop is busy is reported as the harness's own lateness.
///
/// Unchecked, because all its members are touched on the loop's thread only once the run has begun.
final class LoadRun: @unchecked Sendable {
    private enum Stage {
        case connecting
        case preparing
        case warmingUp
        case measuring
        case settling
        case over
    }

    private enum Limit {
        /// Most milliseconds between two looks at the clock, each of which costs a look at all sockets; and while clients come.
        static let tick: UInt64 = 10
        static let connectingTick: UInt64 = 1
        /// Time for everybody to be ready, and for everything to arrive at the end, milliseconds.
        static let patience: UInt64 = 60_000
    }

    private let plan: LoadPlan
    private let loop: EventLoop
    private let line = ProgressLine()
    private var rooms: [LoadRoom] = []
    private var clientCount = 0
    /// The clients that edit, and when each makes its next action, nanoseconds.
    private var editors: [(client: any LoadClient, next: UInt64)] = []
    /// The earliest of these times.
    private var nextAction: UInt64 = 0
    private var stage = Stage.connecting
    private var stageBegan = MonotonicClock.now
    private var lateness = LatencyHistogram()
    private var actions: UInt64 = 0
    private var revisionsBefore: [Revision] = []
    private var cpuBefore: Double?
    private var result = LoadResult()
    private let done = DispatchSemaphore(value: 0)

    private init(_ plan: LoadPlan, _ loop: EventLoop) {
        self.plan = plan
        self.loop = loop
    }

    /// Runs it on a loop of its own. Not to be called on a loop.
    ///
    /// - Throws: `TransportError` where the process is out of memory, descriptors or threads.
    static func run(_ plan: LoadPlan, log: Log) throws(TransportError) -> LoadResult {
        let loop = try EventLoop(name: "load", log: log)
        try loop.start()
        let run = LoadRun(plan, loop)
        loop.post { run.begin() }
        run.done.wait()
        loop.stop()
        return run.result
    }

    private func begin() {
        let name = SecureRandom.bytes(4).map { String($0, radix: 16) }.joined()
        rooms = (0..<plan.canvases).compactMap { CanvasID("load-\(name)-\($0)").map { LoadRoom(canvas: $0) } }
        stageBegan = MonotonicClock.now
        tick()
    }

    // MARK: Time

    private func tick() {
        let now = MonotonicClock.now
        switch stage {
        case .connecting: connect(now)
        case .preparing: prepare(now)
        case .warmingUp:
            act(now)
            if now.milliseconds(since: stageBegan) >= UInt64(plan.warmUpSeconds) * 1_000 { beginMeasuring(now) }
        case .measuring:
            act(now)
            line.show("measuring: \(now.milliseconds(since: stageBegan) / 1_000) of \(plan.seconds) s")
            if now.milliseconds(since: stageBegan) >= UInt64(plan.seconds) * 1_000 { endMeasuring(now) }
        case .settling: settle(now)
        case .over: return
        }
        if let failure = firstFailure {
            finish(failure)
            return
        }
        loop.schedule(at: nextTick(after: now)) { [self] in tick() }
    }

    /// When an action is due, but at the latest a tick later.
    private func nextTick(after now: Instant) -> Instant {
        let latest = now.advanced(byMilliseconds: Limit.tick)
        switch stage {
        case .connecting: return now.advanced(byMilliseconds: Limit.connectingTick)
        case .warmingUp, .measuring: return min(latest, Instant(nanoseconds: nextAction))
        case .preparing, .settling, .over: return latest
        }
    }

    private var firstFailure: String? {
        if case .over = stage { return nil }
        return rooms.lazy.compactMap { $0.failure }.first
    }

    private func enter(_ stage: Stage, _ now: Instant) {
        self.stage = stage
        stageBegan = now
    }

    // MARK: Coming

    /// Connects as many as time has come for. The first of each canvas comes alone, since it fills the canvas.
    private func connect(_ now: Instant) {
        let due = 1 + Int(now.milliseconds(since: stageBegan)) * plan.connectsPerSecond / 1_000
        while clientCount < min(due, plan.clientCount) {
            if clientCount == rooms.count, !rooms.allSatisfy({ $0.clients[0].isReady }) {
                line.show("filling the canvases")
                if now.milliseconds(since: stageBegan) > Limit.patience {
                    finish("the canvases could not be filled in time")
                }
                return
            }
            add(clientCount)
        }
        line.show("connecting: \(clientCount) of \(plan.clientCount)")
        if clientCount == plan.clientCount { enter(.preparing, now) }
    }

    /// Clients come canvas by canvas, the editors first.
    private func add(_ number: Int) {
        let (room, rank) = (rooms[number % rooms.count], number / rooms.count)
        let client: any LoadClient
        if rank < min(plan.engines, plan.editors) {
            client = EngineClient(plan, room: room, number: number, shapes: rank == 0 ? plan.shapes : 0, on: loop)
        } else {
            client = LightClient(plan, room: room, number: number, isEditor: rank < plan.editors, on: loop)
        }
        room.clients.append(client)
        clientCount += 1
        if rank < plan.editors { editors.append((client, 0)) }
    }

    private func prepare(_ now: Instant) {
        guard rooms.allSatisfy({ $0.clients.allSatisfy { $0.isReady } }) else {
            if now.milliseconds(since: stageBegan) > Limit.patience {
                finish("\(total { $0.isReady ? 0 : 1 }) of \(clientCount) clients were not ready in time")
            }
            return
        }
        // Spread over one interval, so that they do not all act at once.
        for index in editors.indices {
            editors[index].next = now.nanoseconds + interval * UInt64(index) / UInt64(editors.count)
        }
        enter(.warmingUp, now)
    }

    // MARK: The load

    private var interval: UInt64 { UInt64(1e9 / plan.rate) }

    private func act(_ now: Instant) {
        guard nextAction <= now.nanoseconds else { return }
        nextAction = .max
        for index in editors.indices {
            while editors[index].next <= now.nanoseconds {
                let intended = editors[index].next
                if case .measuring = stage {
                    lateness.record((MonotonicClock.now.nanoseconds - intended) / 1_000)
                    actions += 1
                }
                editors[index].client.act(at: intended)
                editors[index].next += interval
            }
            nextAction = min(nextAction, editors[index].next)
        }
    }

    private func beginMeasuring(_ now: Instant) {
        for room in rooms { room.isRecording = true }
        revisionsBefore = rooms.map(\.revision)
        cpuBefore = plan.serverProcess.flatMap(ProcessTimes.processorSeconds)
        enter(.measuring, now)
    }

    private func endMeasuring(_ now: Instant) {
        result.seconds = Double(now.nanoseconds(since: stageBegan)) / 1e9
        result.deliveries = rooms.reduce(0) { $0 + $1.deliveries }
        result.ordered = zip(rooms, revisionsBefore).reduce(0) { $0 + $1.0.revision - $1.1 }
        if let cpuBefore, let after = plan.serverProcess.flatMap(ProcessTimes.processorSeconds) {
            result.serverProcessorSeconds = after - cpuBefore
        }
        enter(.settling, now)
    }

    // MARK: The end

    private func settle(_ now: Instant) {
        line.show("waiting until everything has arrived")
        if rooms.allSatisfy(\.isQuiet) { return finish(nil) }
        if now.milliseconds(since: stageBegan) > Limit.patience {
            finish("\(total { $0.pendingCount }) actions were not committed in time")
        }
    }

    private func finish(_ failure: String?) {
        stage = .over
        line.clear()
        result.failure = failure
        result.clients = clientCount
        result.canvases = rooms.count
        result.actions = actions
        for room in rooms { result.latency.add(room.latency) }
        result.lateness = lateness
        result.undos = total { $0.pressCount }
        result.wrongUndos = total { $0.wrongPressCount }
        result.echoes = total { $0.echoCount }
        result.unequalCanvases = rooms.count { !$0.isEqual }
        for room in rooms { room.close() }
        done.signal()
    }

    /// The sum of something over all clients.
    private func total(_ value: (any LoadClient) -> Int) -> Int {
        rooms.reduce(0) { sum, room in room.clients.reduce(sum) { $0 + value($1) } }
    }
}
