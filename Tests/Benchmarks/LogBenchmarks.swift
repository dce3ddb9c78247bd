import EaselCore
import EaselStorage
import EaselSupport
import Foundation

/// The log on a disk, with full durability: moves are appended and are durable when that is reported.
///
/// References: the same rows put into SQLite bare; and one write and fdatasync of as many bytes as the entry has.
enum LogBenchmarks {
    private static let waits = 1_000
    /// Appends that fill the write-ahead log to where it is overwritten from its start: from then on its length stays.
    private static let warmUp = 1_500
    /// Most that may be beside one sync, microseconds.
    private static let allowance = 300.0

    static func run(_ reporter: inout Reporter) throws {
        let folder = try WorkFolder.make()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        guard let canvas = CanvasID("bench"), let log = try? SQLiteLog(folder: folder) else {
            throw NotMeasured("no log can be opened in \(folder)")
        }
        defer { log.close() }
        let entries = makeEntries(200_000)
        let bare = BareSQLite(folder: folder)
        let writer = Writer(log: log, canvas: canvas, entries: entries)
        for entry in entries[..<warmUp] { bare.append([entry]) }
        for _ in 0..<warmUp { writer.appendAndWait() }
        try waiting(writer, bare, entries, folder, &reporter)
        for count in [16, 256, 4_096] { together(count, writer, bare, entries, &reporter) }
    }

    private static func makeEntries(_ count: Int) -> [LogEntry] {
        let drawing = Drawing(shapes: 1_000)
        return drawing.moves(count, round: 1).enumerated().map { index, operation in
            LogEntry(
                revision: Revision(index + 1), site: drawing.site, sequence: UInt64(index + 1), time: UInt64(index),
                label: "Move Rectangle",
                payload: Transaction(operations: [operation], label: "Move Rectangle").encode())
        }
    }

    /// One writer who waits for each append.
    private static func waiting(
        _ writer: Writer, _ bare: BareSQLite, _ entries: [LogEntry], _ folder: String, _ reporter: inout Reporter
    ) throws {
        // In turn, so that all meet the same noise.
        var (ours, theirs, syncs): ([Double], [Double], [Double]) = ([], [], [])
        let bytes = entries[0].payload.count + entries[0].label.utf8.count
        let rounds = 10
        for _ in 0..<rounds {
            syncs += try BareDisk.syncs(waits / rounds, bytes: bytes, in: folder)
            for entry in entries[..<(waits / rounds)] {
                theirs.append(Measurement.microseconds { bare.append([entry]) })
            }
            for _ in 0..<(waits / rounds) { ours.append(Measurement.microseconds { writer.appendAndWait() }) }
        }
        let sync = Measurement.percentile(50, of: syncs)
        reporter.number("log: write and fdatasync of \(bytes) bytes, p50", sync, "us")
        reporter.number("log: the same, p99", Measurement.percentile(99, of: syncs), "us")
        let row = Reference(name: "SQLite bare", value: Measurement.percentile(50, of: theirs))
        let append = Measurement.percentile(50, of: ours)
        reporter.compare("log: append and wait, p50", append, "us", to: row)
        reporter.compare(
            "log: the same against the disk alone", append, "us", to: Reference(name: "one sync", value: sync),
            goal: .atMost(sync + allowance))
        let late = Reference(name: "SQLite bare", value: Measurement.percentile(99, of: theirs))
        reporter.compare("log: append and wait, p99", Measurement.percentile(99, of: ours), "us", to: late)
    }

    /// Many appends under way at a time: those that come during a sync share the next.
    private static func together(
        _ count: Int, _ writer: Writer, _ bare: BareSQLite, _ entries: [LogEntry], _ reporter: inout Reporter
    ) {
        let total = max(2_000, count * 8)
        let before = writer.log.statistics
        let time = Measurement.microseconds { writer.append(total, underWay: count) }
        let after = writer.log.statistics
        let group = Double(after.entries - before.entries) / Double(after.groups - before.groups)
        let batch = max(1, Int(group.rounded()))
        let bareTime = Measurement.microseconds {
            for start in stride(from: 0, to: total, by: batch) {
                bare.append(Array(entries[start..<min(total, start + batch)]))
            }
        }
        let what = "log: \(count) appends under way"
        reporter.number("\(what), entries a sync", group, "")
        reporter.number("\(what), entries a second", Double(total) / time * 1e6, "/s")
        let reference = Reference(name: "SQLite bare in transactions of \(batch)", value: bareTime / Double(total))
        reporter.compare("\(what), each", time / Double(total), "us", to: reference)
    }
}

/// Somebody who appends entries one behind the other, an entry an append.
private final class Writer {
    let log: SQLiteLog
    private let canvas: CanvasID
    private let entries: [LogEntry]
    private var next = 0

    init(log: SQLiteLog, canvas: CanvasID, entries: [LogEntry]) {
        self.log = log
        self.canvas = canvas
        self.entries = entries
    }

    func appendAndWait() { append(1, underWay: 1) }

    /// Appends so many, at most `limit` of them under way at a time, and waits until all are durable.
    func append(_ count: Int, underWay limit: Int) {
        let room = DispatchSemaphore(value: limit)
        for entry in entries[next..<(next + count)] {
            room.wait()
            log.append(canvas, [entry]) { outcome in
                guard case .success = outcome else { preconditionFailure("the append succeeds") }
                room.signal()
            }
        }
        next += count
        for _ in 0..<limit { room.wait() }
        // A semaphore must not be below its first value at its end.
        for _ in 0..<limit { room.signal() }
    }
}
