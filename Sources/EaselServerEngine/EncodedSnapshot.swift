public import EaselCore
public import EaselProtocol

/// A canvas encoded for the log and for everybody who joins at about its revision.
public struct EncodedSnapshot: Sendable {
    /// The revision it is of.
    public let revision: Revision
    /// The encoded canvas.
    public let bytes: [UInt8]
    /// The same as messages, ready to be sent in order.
    public let parts: [SharedPayload]

    /// Encodes a canvas. Linear in its size, so large ones are for a thread of their own.
    public init(_ canvas: Canvas, partBytes: Int = ProtocolLimits.snapshotPartBytes) {
        let bytes = Snapshot.encode(canvas)
        self.revision = canvas.revision
        self.bytes = bytes
        parts = stride(from: 0, to: bytes.count, by: partBytes).map { start in
            let part = SnapshotPart(
                offset: UInt64(start), bytes: Array(bytes[start..<min(start + partBytes, bytes.count)]))
            return SharedPayload(ServerMessage.snapshotPart(part).encode())
        }
    }
}

/// The snapshot that joiners are served from.
///
/// One is encoded at a time and serves all that wait for it, and later ones as long as few commits came after it.
enum SnapshotFeed {
    /// There is none.
    case none
    /// One of a revision is being encoded; what there was before still serves.
    case encoding(Revision, previous: Ready?)
    /// There is one.
    case ready(Ready)

    struct Ready {
        let revision: Revision
        let byteCount: UInt64
        let parts: [SharedPayload]
        /// When a joiner was last given it, monotonic milliseconds.
        var lastUse: UInt64
    }

    /// The newest that is ready.
    var current: Ready? {
        switch self {
        case .none: return nil
        case .encoding(_, let previous): return previous
        case .ready(let ready): return ready
        }
    }

    var isEncoding: Bool {
        if case .encoding = self { return true }
        return false
    }

    /// Notes that a joiner was given the current one.
    mutating func use(at now: UInt64) {
        guard var ready = current else { return }
        ready.lastUse = now
        if case .encoding(let revision, _) = self {
            self = .encoding(revision, previous: ready)
        } else {
            self = .ready(ready)
        }
    }
}
