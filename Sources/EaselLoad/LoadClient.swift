import EaselCore
import EaselProtocol

/// A virtual client.
protocol LoadClient: AnyObject {
    /// Whether it has the canvas and, if it edits, its shape is on it.
    var isReady: Bool { get }
    /// Transactions made and not committed yet.
    var pendingCount: Int { get }
    /// Where the canvas stands for it.
    var revision: Revision { get }
    /// The digest of the canvas there; nil if it has not been told.
    var digest: UInt64? { get }
    /// Own commits that were taken for those of others, or came twice.
    var echoCount: Int { get }
    /// Undos and redos made.
    var pressCount: Int { get }
    /// Undos and redos after which the client's shape was not what it should be.
    var wrongPressCount: Int { get }

    /// Makes the next action, which was meant for a time in nanoseconds.
    func act(at intended: UInt64)
    /// Leaves.
    func close()
}

extension LoadClient {
    var pressCount: Int { 0 }
    var wrongPressCount: Int { 0 }
}

/// Spreads a share of actions evenly, without randomness.
struct Share {
    private let percent: Int
    private var sum = 0

    init(percent: Int) { self.percent = percent }

    /// Whether the next action is one of the share.
    mutating func next() -> Bool {
        sum += percent
        guard sum >= 100 else { return false }
        sum -= 100
        return true
    }
}

/// What clients make and change.
enum LoadShape {
    static let x: PropertyKey = PropertyKey("x")
    static let y: PropertyKey = PropertyKey("y")
    static let width: PropertyKey = PropertyKey("width")
    static let height: PropertyKey = PropertyKey("height")
    static let kind = "rectangle"

    static func properties(_ number: Int) -> Properties {
        Properties([
            (x, .integer(Int64(number % 1_000 * 12))), (y, .integer(Int64(number / 1_000 * 6))),
            (width, .integer(10)), (height, .integer(4)),
        ])
    }
}
