import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselStorage
import EaselSupport
import Foundation

/// Loading a large canvas after a crash, and serving it to many at once.
enum LoadBenchmarks {
    /// The canvas in a folder that was filled.
    static let name = "large"
    private static let shapes = 1_000_000
    private static let joinShapes = 100_000
    private static let joins = 100
    /// The argument with which this program fills a folder and dies.
    static let fillArgument = "--fill"

    static func crash(_ reporter: inout Reporter) throws {
        let server = try ServerUnderTest(folder: fill(shapes))
        reporter.number(
            "load: start until listening, \(shapes) shapes in the log after kill -9", server.startMilliseconds, "ms",
            goal: .atMost(1_000))
        let start = MonotonicClock.now
        let store = try join(server)
        let first = seconds(since: start)
        precondition(store.canvas.visibleShapeCount == shapes, "everything that was acknowledged is there")
        let warm = MonotonicClock.now
        _ = try join(server)
        let second = seconds(since: warm)
        let snapshot = Snapshot.encode(store.canvas)
        let decoding = MonotonicClock.now
        precondition((try? Snapshot.decode(snapshot)) != nil, "what was encoded can be decoded")
        // Neither server nor client can do without.
        let reference = Reference(name: "decoding its snapshot", value: seconds(since: decoding))
        reporter.compare("load: first join of \(shapes) shapes", first, "s", to: reference)
        reporter.compare("load: second join of \(shapes) shapes", second, "s", to: reference)
        reporter.number(
            "load: server's memory a shape", Double(server.residentBytes()) / Double(shapes), "bytes")
    }

    static func joinMemory(_ reporter: inout Reporter) throws {
        let server = try ServerUnderTest(folder: fill(joinShapes))
        let snapshot = Snapshot.encode(try join(server).canvas).count
        let before = server.residentBytes()
        let readers = try (0..<joins).map { _ in try BareClient(server.address, canvas: name) }
        var most = 0
        // They have asked, and read nothing: what they are sent waits in the server and in the sockets.
        withExtendedLifetime(readers) {
            for _ in 0..<100 {
                usleep(20_000)
                most = max(most, server.residentBytes())
            }
        }
        reporter.number(
            "join: server's memory for \(joins) stalled joins of \(joinShapes) shapes, in snapshots of \(snapshot) bytes",
            Double(most - before) / Double(snapshot), "snapshots", goal: .atMost(2))
    }

    private static func seconds(since start: Instant) -> Double {
        Double(MonotonicClock.now.nanoseconds(since: start)) / 1e9
    }

    /// Joins the canvas, in a minute at most.
    private static func join(_ server: ServerUnderTest) throws -> CanvasStore {
        guard let canvas = CanvasID(name), let site = SiteID(9) else { preconditionFailure("the names are valid") }
        let store = CanvasStore(canvas: canvas, name: "bench", provisionalSite: site)
        let connection = try CanvasConnection(store: store, server: server.address, log: Log(threshold: .error))
        connection.start()
        defer { connection.stop() }
        for _ in 0..<60_000 {
            if store.status.link == .live { return store }
            usleep(1_000)
        }
        throw NotMeasured("the canvas does not come")
    }

    // MARK: Filling

    /// Fills a new folder in a process that then kills itself, and returns the folder.
    static func fill(_ count: Int) throws(NotMeasured) -> String {
        let folder = try WorkFolder.make()
        let filler = try ChildProgram(
            URL(fileURLWithPath: CommandLine.arguments[0]), [fillArgument, folder, "\(count)"])
        guard filler.waitForEnd(forAtMost: 120), filler.wasKilled else {
            throw NotMeasured("the canvas cannot be filled")
        }
        return folder
    }

    /// Puts a canvas of `count` shapes into a folder, a shape an entry, with the snapshots a server would have stored, and dies as
    /// in a crash.
    static func fillAndDie(_ folder: String, _ count: Int) {
        guard let canvas = CanvasID(name), let site = SiteID(8),
            let log = try? SQLiteLog(folder: folder, durability: .normal)
        else { exit(1) }
        var draft = TransactionDraft(canvas: Canvas(), identities: IdentitySource(site: site))
        var entries: [LogEntry] = []
        let done = DispatchSemaphore(value: 0)
        for number in 1...count {
            let place = [(Desk.x, Value.integer(Int64(number))), (Desk.y, Value.integer(Int64(number % 1_000)))]
            let before = draft.operations.count
            draft.create(kind: "rectangle", properties: Properties(place))
            let transaction = Transaction(operations: Array(draft.operations[before...]), label: "Create Rectangle")
            entries.append(
                LogEntry(
                    revision: Revision(number), site: site, sequence: UInt64(number), time: UInt64(number), label: "",
                    payload: transaction.encode()))
            if number % 5_000 == 0 || number == count {
                log.append(canvas, entries) { _ in done.signal() }
                done.wait()
                entries = []
            }
            // Two thirds: a server stores one when half as much has come in as the last one took.
            if number == count * 2 / 3 {
                save(draft.canvas, at: Revision(number), site, canvas, log)
            }
        }
        kill(getpid(), SIGKILL)
    }

    private static func save(
        _ drawn: Canvas, at revision: Revision, _ site: SiteID, _ canvas: CanvasID, _ log: SQLiteLog
    ) {
        let done = DispatchSemaphore(value: 0)
        log.load(canvas) { result in
            guard let loaded = try? result.get() else { exit(1) }
            var committed = Canvas()
            for entry in loaded.entries {
                guard let transaction = try? Transaction.decode(entry.payload) else { exit(1) }
                _ = committed.apply(
                    Commit(
                        revision: entry.revision, id: TransactionID(site: entry.site, sequence: entry.sequence),
                        time: entry.time, transaction: transaction))
            }
            log.saveSnapshot(canvas, StoredSnapshot(revision: revision, payload: Snapshot.encode(committed))) { _ in
                done.signal()
            }
        }
        done.wait()
    }
}
