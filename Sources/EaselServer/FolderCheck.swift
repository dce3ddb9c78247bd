import EaselCore
import EaselStorage
import EaselSupport

/// What a full check found out about a data folder.
struct FolderReport {
    let canvases: [CanvasReport]
    /// What is wrong with the file as a whole, a sentence each.
    let findings: [String]

    var isSound: Bool { findings.isEmpty && canvases.allSatisfy(\.findings.isEmpty) }

    /// All findings, each with its place.
    var sentences: [String] {
        findings + canvases.flatMap { report in report.findings.map { "\(report.canvas): \($0)" } }
    }

    /// How much was checked, in words.
    var extent: String {
        let records = canvases.reduce(0) { $0 + $1.recordCount }
        let versions = canvases.reduce(0) { $0 + $1.versionCount }
        return Self.count(canvases.count, "canvas", "canvases") + ", " + Self.count(records, "record", "records")
            + (versions > 0 ? ", " + Self.count(versions, "named version", "named versions") : "")
    }

    private static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}

/// Checks a whole data folder: the file, every record and every canvas.
enum FolderCheck {
    /// Findings told of the file; SQLite can have a hundred for one damaged page.
    private static let findingLimit = 20

    /// Checks the data folder at `folder`, which it opens and closes.
    /// `progress` is told how far it is.
    static func run(folder: String, progress: ProgressLine) throws(StorageError) -> FolderReport {
        let store = try OfflineStore(folder: folder)
        progress.show("checking the file")
        var findings = try sentences { () throws(StorageError) in try store.fileFlaws() }
        findings += try sentences { () throws(StorageError) in try store.strayRecords() }
        if findings.count > findingLimit {
            findings = findings.prefix(findingLimit) + ["and \(findings.count - findingLimit) more"]
        }
        let summaries = try store.canvases()
        let total = summaries.reduce(0) { $0 + Int(clamping: $1.head) }
        var done = 0
        var reports: [CanvasReport] = []
        for summary in summaries {
            reports.append(
                try CanvasCheck.run(summary, in: store) { revision in
                    progress.show("checking canvas \(summary.canvas),", done + Int(clamping: revision), of: total)
                })
            done += Int(clamping: summary.head)
        }
        progress.clear()
        return FolderReport(canvases: reports, findings: findings.map { "easel.db: \($0)" })
    }

    /// A file too damaged to be looked through is a finding, and no reason to stop.
    private static func sentences(
        _ body: () throws(StorageError) -> [String]
    ) throws(StorageError) -> [String] {
        do throws(StorageError) {
            return try body()
        } catch {
            guard error.kind == .damaged else { throw error }
            return [error.description]
        }
    }
}
