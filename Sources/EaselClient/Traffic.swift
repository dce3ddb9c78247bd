package import EaselCore
package import EaselProtocol

/// What a client has sent.
package struct Traffic: Sendable {
    /// Number of transactions that the client handed over for sending, those that wait included. One that is sent again
    /// under its number is not counted again.
    package private(set) var transactions = 0
    /// The last transaction that went to the server.
    package private(set) var lastPassed: TransactionID?
    /// Whether the present connection has let the client's hello pass.
    package private(set) var hasGreeted = false
    /// The last transaction that was handed over.
    private var lastTaken: TransactionID?

    /// Nothing so far.
    package init() {}

    /// A client at `site` handed a message over.
    package mutating func took(_ message: ClientMessage, from site: SiteID?) {
        guard case .submit(let submission) = message, let site else { return }
        let id = TransactionID(site: site, sequence: submission.sequence)
        if let lastTaken, lastTaken.site == site, lastTaken.sequence >= id.sequence { return }
        lastTaken = id
        transactions += 1
    }

    /// A message went to the server.
    mutating func passed(_ message: ClientMessage, from site: SiteID?) {
        switch message {
        case .hello, .look: hasGreeted = true
        case .submit(let submission):
            if let site { lastPassed = TransactionID(site: site, sequence: submission.sequence) }
        case .presence, .confirm, .versions: break
        }
    }

    /// The connection was lost.
    mutating func lostConnection() { hasGreeted = false }
}
