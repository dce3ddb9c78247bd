import EaselCore
import EaselServerEngine
import EaselSupport
import EaselTransport

/// What one event loop has for another at the end of a turn, for one room.
enum Parcel: Sendable {
    /// What the sessions of an outlet said, for the loop that is the canvas's home.
    case inputs(CanvasID, [RoomInput])
    /// What the room says, for the loop of the outlet.
    case news(CanvasID, RoomNews)
}

/// The way from one event loop to another. What a turn has is gathered and goes over together: one post, however many rooms.
///
/// Members are used on the loop that sends, but for what is behind the lock.
final class MailRoute {
    private let loop: EventLoop
    private let deliver: @Sendable (Parcel) -> Void
    private var parcels: [Parcel] = []
    /// Bytes of messages ever sent.
    private var sentBytes = 0
    private var knownArrived = 0
    /// Bytes of messages that the other loop has taken in.
    private let arrivedBytes = Locked(0)

    /// A way to a loop, on which `deliver` takes each parcel.
    init(to loop: EventLoop, deliver: @escaping @Sendable (Parcel) -> Void) {
        self.loop = loop
        self.deliver = deliver
    }

    func add(_ parcel: Parcel) {
        parcels.append(parcel)
    }

    /// Counts the bytes of a message that will be sent.
    func count(_ bytes: Int) {
        sentBytes += bytes
    }

    /// Sends what was gathered.
    func send() {
        guard !parcels.isEmpty else { return }
        let (parcels, sentBytes) = (parcels, sentBytes)
        self.parcels = []
        loop.post { [deliver, arrivedBytes] in
            for parcel in parcels { deliver(parcel) }
            arrivedBytes.withLock { $0 = sentBytes }
        }
    }

    /// Whether so much is under way that sessions should not be read until the other loop has caught up.
    var isFull: Bool {
        guard sentBytes - knownArrived > ServerLimits.mailBytes else { return false }
        knownArrived = arrivedBytes.withLock { $0 }
        return sentBytes - knownArrived > ServerLimits.mailBytes
    }
}
