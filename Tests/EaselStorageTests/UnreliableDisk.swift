import Foundation

/// A disk that keeps what was synced, and of the rest whatever it likes: each sector of a write may be there, not be there, or
/// be there in part, in any order; files may be as long as they ever were since, and deleted ones may still be there.
///
/// A folder is synced with the first sync of a journal or write-ahead log made in it, as SQLite does on Unix.
struct UnreliableDisk {
    /// Bytes that are written or torn together.
    private static let sectorBytes = 512

    private struct File {
        /// As of the last sync; nil if it was never synced.
        var synced: [UInt8]?
        var pending: [FileEvent] = []

        /// Where it was deleted since the last sync, for the last time; what follows happened to another file of that name.
        var deletion: Int? {
            pending.lastIndex { if case .delete = $0 { true } else { false } }
        }

        var isNew: Bool { synced == nil || deletion != nil }
    }

    private var files: [String: File] = [:]

    /// Takes the next event.
    mutating func take(_ event: FileEvent) {
        switch event {
        case .write(let file, _, _), .truncate(let file, _), .delete(let file, false):
            files[file, default: File()].pending.append(event)
        case .delete(let file, true):
            files[file] = nil
        case .sync(let file):
            var synced = files[file, default: File()]
            if synced.isNew, file != "easel.db" { syncFolder() }
            var content: [UInt8]? = synced.synced ?? []
            for event in synced.pending { Self.apply(event, to: &content) }
            synced.synced = content
            synced.pending = []
            files[file] = synced
        case .acknowledged: break
        }
    }

    private mutating func syncFolder() {
        for (name, file) in files {
            guard let deletion = file.deletion else { continue }
            files[name] = File(synced: nil, pending: Array(file.pending[(deletion + 1)...]))
        }
    }

    /// What is left when the power goes now, by file.
    func afterPowerLoss(_ random: inout some RandomNumberGenerator) -> [String: [UInt8]] {
        // Disks differ: some keep nearly all they were given, others next to nothing.
        let shares: [Double] = [0, 0.1, 0.5, 0.9, 1]
        let share = shares.randomElement(using: &random) ?? 1
        var left: [String: [UInt8]] = [:]
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            var content = file.synced
            var pending = file.pending[...]
            if let deletion = file.deletion {
                if Double.random(in: 0..<1, using: &random) < share {
                    content = nil
                    pending = pending[(deletion + 1)...]
                } else {
                    let first = pending.firstIndex { if case .delete = $0 { true } else { false } }
                    pending = pending[..<(first ?? deletion)]
                }
            }
            for event in pending { Self.apply(event, to: &content, share: share, &random) }
            left[name] = content
        }
        return left
    }

    private static func apply(_ event: FileEvent, to content: inout [UInt8]?) {
        switch event {
        case .write(_, let offset, let bytes): write(bytes[...], at: offset, to: &content)
        case .truncate(_, let size): content = resized(content ?? [], size)
        case .delete: content = nil
        case .sync, .acknowledged: break
        }
    }

    private static func apply(
        _ event: FileEvent, to content: inout [UInt8]?, share: Double, _ random: inout some RandomNumberGenerator
    ) {
        guard case .write(_, let offset, let bytes) = event else {
            if Double.random(in: 0..<1, using: &random) < share { apply(event, to: &content) }
            return
        }
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, (offset + start) / sectorBytes * sectorBytes + sectorBytes - offset)
            if Double.random(in: 0..<1, using: &random) < share {
                let isTorn = Int.random(in: 0..<10, using: &random) == 0
                let kept = isTorn ? start + Int.random(in: 0..<end - start, using: &random) : end
                write(bytes[start..<kept], at: offset + start, to: &content)
            }
            start = end
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, at offset: Int, to content: inout [UInt8]?) {
        var changed = content ?? []
        content = nil
        if changed.count < offset + bytes.count { changed = resized(changed, offset + bytes.count) }
        changed.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        content = changed
    }

    private static func resized(_ content: [UInt8], _ size: Int) -> [UInt8] {
        content.count >= size
            ? Array(content.prefix(size)) : content + [UInt8](repeating: 0, count: size - content.count)
    }
}
