import Foundation

/// What a run measured and whether everything was right.
struct LoadResult: Sendable {
    /// Why the run ended early, or did not come to rest; nil if it did.
    var failure: String?
    var clients = 0
    var canvases = 0
    /// How long was measured.
    var seconds = 0.0
    /// Actions that were meant to be made in that time.
    var actions: UInt64 = 0
    /// Commits in that time.
    var ordered: UInt64 = 0
    /// Commits that arrived at clients that had not made them.
    var deliveries: UInt64 = 0
    /// From the intended time of an action to its arrival at each other client.
    var latency = LatencyHistogram()
    /// From the intended time of an action to the moment this harness made it.
    var lateness = LatencyHistogram()
    var undos = 0
    /// Undos and redos that came to something else than predicted.
    var wrongUndos = 0
    /// Own commits that were applied twice or taken for those of others.
    var echoes = 0
    /// Canvases of which not all clients have the same digest.
    var unequalCanvases = 0
    /// Processor time of the server in that time; nil if it was not watched.
    var serverProcessorSeconds: Double?

    var orderedPerSecond: Double { seconds > 0 ? Double(ordered) / seconds : 0 }
    var deliveriesPerSecond: Double { seconds > 0 ? Double(deliveries) / seconds : 0 }
}

/// A result as `--json` prints and `--save` writes it.
struct LoadSummary: Codable, Equatable {
    var clients: Int
    var canvases: Int
    var seconds: Double
    var actionsPerSecond: Double
    var orderedPerSecond: Double
    var deliveriesPerSecond: Double
    /// Milliseconds.
    var p50: Double
    var p90: Double
    var p99: Double
    var p999: Double
    var max: Double
    var lateP99: Double
    var undos: Int
    var wrongUndos: Int
    var echoes: Int
    var unequalCanvases: Int
    var serverSecondsPerMillionDeliveries: Double?
    var failure: String?

    /// Whether all states are equal and nothing went wrong.
    var isRight: Bool { failure == nil && wrongUndos == 0 && echoes == 0 && unequalCanvases == 0 }
    /// Whether the harness itself was so late that the latencies say little about the server.
    var isHarnessLate: Bool { lateP99 > Swift.max(5, p99 / 2) }

    init(_ result: LoadResult) {
        clients = result.clients
        canvases = result.canvases
        seconds = Self.rounded(result.seconds)
        actionsPerSecond = Self.rounded(result.seconds > 0 ? Double(result.actions) / result.seconds : 0)
        orderedPerSecond = Self.rounded(result.orderedPerSecond)
        deliveriesPerSecond = Self.rounded(result.deliveriesPerSecond)
        p50 = Self.milliseconds(result.latency.percentile(50))
        p90 = Self.milliseconds(result.latency.percentile(90))
        p99 = Self.milliseconds(result.latency.percentile(99))
        p999 = Self.milliseconds(result.latency.percentile(99.9))
        max = Self.milliseconds(result.latency.maximum)
        lateP99 = Self.milliseconds(result.lateness.percentile(99))
        undos = result.undos
        wrongUndos = result.wrongUndos
        echoes = result.echoes
        unequalCanvases = result.unequalCanvases
        if let used = result.serverProcessorSeconds, result.deliveries > 0 {
            serverSecondsPerMillionDeliveries = Self.rounded(used / Double(result.deliveries) * 1e6, to: 10_000)
        }
        failure = result.failure
    }

    private static func milliseconds(_ microseconds: UInt64) -> Double { Double(microseconds) / 1_000 }

    private static func rounded(_ value: Double, to parts: Double = 10) -> Double { (value * parts).rounded() / parts }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    init(json: Data) throws { self = try JSONDecoder().decode(LoadSummary.self, from: json) }
}
