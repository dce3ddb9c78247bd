public import EaselCore

/// What stands in front of the transaction in a commit: for programs that follow a canvas without keeping it.
public struct CommitHead: Sendable, Equatable {
    /// Its place in the order.
    public let revision: Revision
    /// Whose transaction it is, and which.
    public let id: TransactionID
}

extension ServerMessageSequence {
    /// A message, or of commits what stands in front of their transactions.
    public enum Glance: Sendable {
        /// Commits, whose transactions were passed over, and the digest of the canvas after the last.
        case commits([CommitHead], digest: UInt64)
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
            let type = ServerMessageType(rawValue: try decoder.unsigned())
            switch type {
            case .commit, .commits:
                guard let fields = type?.fieldCount, count > fields else { throw .missingField }
                let commits = type == .commit ? try decoder.commitHead() : try decoder.commitHeads()
                for _ in (fields + 1)..<count { try decoder.skip() }
                return commits
            default:
                decoder = start
                if let message = try decoder.serverMessage() { return .other(message) }
            }
        }
        return nil
    }
}

extension CBORDecoder {
    fileprivate mutating func commitHead() throws(DecodingError) -> ServerMessageSequence.Glance {
        let revision = try sequenceNumber()
        let digest = try unsigned()
        let id = TransactionID(site: try siteID(), sequence: try sequenceNumber())
        try skip()
        try skip()
        return .commits([CommitHead(revision: revision, id: id)], digest: digest)
    }

    fileprivate mutating func commitHeads() throws(DecodingError) -> ServerMessageSequence.Glance {
        let head = try commitRunHead()
        var ids = CommitIDs(head)
        var heads: [CommitHead] = []
        heads.reserveCapacity(min(head.count, Self.trustedCount))
        for index in 0..<UInt64(head.count) {
            try fields(4)
            heads.append(CommitHead(revision: head.revision + index, id: try ids.next(&self).id))
            try skip()
        }
        return .commits(heads, digest: head.digest)
    }
}
