public import EaselCore

/// What stands in front of the transaction in a commit: for programs that follow a canvas without keeping it.
public struct CommitHead: Sendable, Equatable {
    /// Its place in the order.
    public let revision: Revision
    /// The digest of the canvas after it.
    public let digest: UInt64
    /// Whose transaction it is, and which.
    public let id: TransactionID
}

extension ServerMessageSequence {
    /// A message, or of a commit what stands in front of its transaction.
    public enum Glance: Sendable {
        /// A commit, whose transaction was passed over.
        case commit(CommitHead)
        /// Any other message.
        case other(ServerMessage)
    }

    /// The next message of a known type, or nil behind the last; transactions of commits are passed over, so they may be flawed.
    /// After an error nothing more may be asked.
    public mutating func glance() throws(DecodingError) -> Glance? {
        while !decoder.isAtEnd {
            let start = decoder
            let count = try decoder.array()
            guard count > 0 else { throw .missingField }
            guard try decoder.unsigned() == ServerMessageType.commit.rawValue else {
                decoder = start
                if let message = try decoder.serverMessage() { return .other(message) }
                continue
            }
            guard count > ServerMessageType.commit.fieldCount else { throw .missingField }
            let revision = try decoder.sequenceNumber()
            let digest = try decoder.unsigned()
            let id = TransactionID(site: try decoder.siteID(), sequence: try decoder.sequenceNumber())
            for _ in 5..<count { try decoder.skip() }
            return .commit(CommitHead(revision: revision, digest: digest, id: id))
        }
        return nil
    }
}
