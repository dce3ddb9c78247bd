import EaselSupport

/// What a process has room for, counted over all its event loops.
final class Capacity: Sendable {
    private struct Counts {
        var connections = 0
        var rooms = 0
        var looks = 0
    }

    /// Something that there may only be so many of.
    enum Resource {
        case connection
        case room
        case look
    }

    private let counts = Locked(Counts())

    /// Counts one more; false, and it is not counted, where there are too many.
    func take(_ resource: Resource) -> Bool {
        counts.withLock { counts in
            switch resource {
            case .connection: Self.take(&counts.connections, ServerLimits.connections)
            case .room: Self.take(&counts.rooms, ServerLimits.rooms)
            case .look: Self.take(&counts.looks, ServerLimits.looks)
            }
        }
    }

    private static func take(_ count: inout Int, _ limit: Int) -> Bool {
        if count < limit { count += 1 } else { return false }
        return true
    }

    /// Counts one less.
    func giveBack(_ resource: Resource) {
        counts.withLock { counts in
            switch resource {
            case .connection: counts.connections -= 1
            case .room: counts.rooms -= 1
            case .look: counts.looks -= 1
            }
        }
    }
}
