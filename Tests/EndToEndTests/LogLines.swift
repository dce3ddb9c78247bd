import Foundation
import Testing

/// A line of `easel log --json`, as far as tests look at it.
struct LogLine: Decodable, Equatable {
    let revision: UInt64
    let site: UInt64
    let sequence: UInt64
    let cause: String
    let label: String

    /// The log of a canvas after a revision, from a data folder that no server uses.
    static func read(_ canvas: String, folder: String, since revision: UInt64 = 0) throws -> [LogLine] {
        let result = try Program.run(["log", canvas, "--json", "--since", "\(revision)", "--data", folder])
        try #require(result.status == 0, "\(result.errors)")
        return try result.output.split(separator: "\n").map {
            try JSONDecoder().decode(LogLine.self, from: Data($0.utf8))
        }
    }
}

/// What is wrong with a log: nothing, if revisions are without gap and each site's numbers rise, so that each was used once.
func disorder(in lines: [LogLine], after first: UInt64 = 0) -> [String] {
    var problems: [String] = []
    var revision = first
    var numbers: [UInt64: UInt64] = [:]
    for line in lines {
        if line.revision != revision + 1 { problems.append("revision \(line.revision) after \(revision)") }
        if let last = numbers[line.site], line.sequence <= last {
            problems.append("revision \(line.revision): number \(line.sequence) of site \(line.site) after \(last)")
        }
        revision = line.revision
        numbers[line.site] = line.sequence
    }
    return problems
}

/// A number from the environment, for runs longer than those of `make test`.
func environmentNumber(_ name: String, default fallback: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? fallback
}
