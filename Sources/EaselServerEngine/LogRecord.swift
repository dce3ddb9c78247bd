public import EaselCore

/// A committed transaction, or one that is to be, as the log keeps it.
public struct LogRecord: Sendable, Equatable {
    /// Its place in the canvas's order.
    public let revision: Revision
    /// Who sent it, under which number.
    public let id: TransactionID
    /// When it was ordered, milliseconds since 1970.
    public let time: UInt64
    /// What the action is called.
    public let label: String
    /// The encoded transaction.
    public let payload: [UInt8]

    /// A record with these values.
    public init(revision: Revision, id: TransactionID, time: UInt64, label: String, payload: [UInt8]) {
        self.revision = revision
        self.id = id
        self.time = time
        self.label = label
        self.payload = payload
    }
}

/// What came of reading records after a revision.
public enum LogRead: Sendable {
    /// Records in order, the first of them the one after the revision asked for; empty at the head of the log.
    case page([LogRecord])
    /// The log could not be read.
    case failed
}
