import EaselCore
import EaselStorage
import Foundation
import Testing

/// A folder of its own for one test, removed with it.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("easel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var database: String { path + "/easel.db" }

    /// Copies all files of `other` here, replacing what is there.
    func fill(from other: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: other) {
            try? FileManager.default.removeItem(atPath: path + "/" + name)
            try FileManager.default.copyItem(atPath: other + "/" + name, toPath: path + "/" + name)
        }
    }
}

/// The logs the contract is checked on.
enum Store: CaseIterable {
    case memory
    case sqlite

    func open(in folder: TestFolder) throws -> any CanvasLog {
        switch self {
        case .memory: return MemoryLog()
        case .sqlite: return try SQLiteLog(folder: folder.path)
        }
    }
}

extension CanvasLog {
    func load(_ canvas: CanvasID) async throws -> LoadedCanvas {
        try await withCheckedContinuation { done in load(canvas) { done.resume(returning: $0) } }.get()
    }

    func append(_ canvas: CanvasID, _ entries: [LogEntry]) async throws {
        try await withCheckedContinuation { done in append(canvas, entries) { done.resume(returning: $0) } }.get()
    }

    func read(_ canvas: CanvasID, after: Revision, limitBytes: Int) async throws -> LogPage {
        try await withCheckedContinuation { done in
            read(canvas, after: after, limitBytes: limitBytes) { done.resume(returning: $0) }
        }.get()
    }

    func saveSnapshot(_ canvas: CanvasID, _ snapshot: StoredSnapshot) async throws {
        try await withCheckedContinuation { done in
            saveSnapshot(canvas, snapshot) { done.resume(returning: $0) }
        }.get()
    }

    func outline(_ canvas: CanvasID) async throws -> CanvasOutline? {
        try await withCheckedContinuation { done in outline(canvas) { done.resume(returning: $0) } }.get()
    }

    @discardableResult
    func changeVersions(_ canvas: CanvasID, _ change: VersionChange) async throws -> [NamedVersion] {
        try await withCheckedContinuation { done in
            changeVersions(canvas, change) { done.resume(returning: $0) }
        }.get()
    }

    func snapshot(_ canvas: CanvasID, atMost revision: Revision) async throws -> StoredSnapshot? {
        try await withCheckedContinuation { done in
            snapshot(canvas, atMost: revision) { done.resume(returning: $0) }
        }.get()
    }

    func planTrim(_ canvas: CanvasID, keeping retention: Retention, now: UInt64 = 0) async throws -> TrimPlan? {
        try await withCheckedContinuation { done in
            planTrim(canvas, keeping: retention, now: now) { done.resume(returning: $0) }
        }.get()
    }

    func trim(_ canvas: CanvasID, to snapshot: StoredSnapshot) async throws {
        try await withCheckedContinuation { done in trim(canvas, to: snapshot) { done.resume(returning: $0) } }.get()
    }

    func canvases() async throws -> [CanvasSummary] {
        try await withCheckedContinuation { done in canvases { done.resume(returning: $0) } }.get()
    }
}

func canvas(_ name: String) throws -> CanvasID { try #require(CanvasID(name)) }

/// An entry whose content follows from its revision.
func entry(_ revision: Revision, site: UInt64 = 7, size: Int = 20) throws -> LogEntry {
    LogEntry(
        revision: revision, site: try #require(SiteID(site)), sequence: revision * 3,
        time: 1_700_000_000_000 + revision,
        label: "Move \(revision) é",
        payload: (0..<size).map { UInt8(truncatingIfNeeded: UInt64($0) &* 31 &+ revision &* 17) })
}

func entries(_ revisions: ClosedRange<Revision>, site: UInt64 = 7, size: Int = 20) throws -> [LogEntry] {
    try revisions.map { try entry($0, site: site, size: size) }
}

func snapshot(_ revision: Revision, size: Int = 50) -> StoredSnapshot {
    StoredSnapshot(revision: revision, payload: (0..<size).map { UInt8(truncatingIfNeeded: UInt64($0) ^ revision) })
}

func version(_ name: String, _ revision: Revision) -> NamedVersion {
    NamedVersion(name: name, revision: revision, time: 1_700_000_000_000 + revision, author: "Ada \(revision) é")
}

/// The `StorageError` that `body` throws.
func failure(of body: () async throws -> Void) async throws -> StorageError {
    do {
        try await body()
    } catch let error as StorageError {
        return error
    }
    Issue.record("nothing was thrown")
    throw StorageError(.closed, "nothing was thrown")
}
