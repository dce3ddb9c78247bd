import CMachine
import Foundation

/// Where threads and programs run: what is measured on one processor, who measures it on another.
///
/// On a machine with one processor nothing is pinned.
enum Processors {
    /// What is measured.
    static let measured = 0
    /// Who measures.
    static let harness = 1

    /// Runs `body` on one processor, programs and threads that it starts included, which then stay there; nil for any.
    static func on<Result>(_ processor: Int?, _ body: () throws -> Result) rethrows -> Result {
        guard let processor, ProcessInfo.processInfo.activeProcessorCount > 1 else { return try body() }
        let before = easel_processors()
        easel_run_on(1 << UInt64(processor))
        defer { easel_run_on(before) }
        return try body()
    }

    /// How many programs wanted to run in the last minute, on average: noise, if it is more than the benchmarks'.
    static var load: Double {
        var loads = [0.0]
        return getloadavg(&loads, 1) == 1 ? (loads[0] * 100).rounded() / 100 : 0
    }
}
