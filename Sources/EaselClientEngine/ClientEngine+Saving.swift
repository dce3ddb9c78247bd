public import EaselCore
import EaselProtocol

/// Why a saved state cannot be used.
public enum RestoreError: Error, Sendable, Equatable {
    /// It was written by another version.
    case unknownFormat(UInt64)
    /// It is damaged, or no saved state.
    case damaged(DecodingError)
    /// The canvas in it is damaged.
    case damagedCanvas
}

// What a client keeps over a restart. The state names its site and secret, so a copy of it must not be used by two clients at
// once; and it has to be on disk before anything in it is sent, since a number that was used never gets another content.
extension ClientEngine {
    private static let savedFormat: UInt64 = 1

    /// The state as bytes: who the client is, what it has not been able to send, and what it can undo.
    ///
    /// Linear in the canvas, if that is included, and in what can be undone.
    ///
    /// - Parameters:
    ///   - includingCanvas: whether the canvas is in it. With it, a client that comes back takes what it missed from the log, and
    ///     everything that was under way gets its inverses. Without it the canvas comes as a snapshot, and of what was under way
    ///     and committed meanwhile only the last values known are kept (``/EaselCore/Remark/Reason-swift.enum/limited``).
    public func save(includingCanvas: Bool) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.array(3)
        encoder.unsigned(Self.savedFormat)
        encoder.client(self)
        if includingCanvas && !isStartingOver {
            encoder.byteString(Snapshot.encode(confirmed))
        } else {
            encoder.null()
        }
        return encoder.bytes
    }

    /// The client whose state was saved, without a connection. Open groups and typing bursts have ended.
    public static func restore(from bytes: [UInt8]) throws(RestoreError) -> ClientEngine {
        var decoder = CBORDecoder(bytes)
        let format: UInt64
        var engine: ClientEngine?
        var snapshot: [UInt8]?
        do throws(DecodingError) {
            try decoder.fields(3)
            format = try decoder.unsigned()
            if format == savedFormat {
                engine = try decoder.client()
                snapshot = decoder.null() ? nil : try decoder.byteString()
                guard decoder.isAtEnd else { throw .trailingBytes }
            }
        } catch {
            throw .damaged(error)
        }
        guard var engine else { throw .unknownFormat(format) }
        if let snapshot {
            do { engine.confirmed = try Snapshot.decode(snapshot) } catch { throw .damagedCanvas }
            engine.rebuildView()
        } else {
            // Nothing is shown before the snapshot is here: applied to an empty canvas, what is pending would lose its inverses.
            engine.isStartingOver = true
        }
        return engine
    }
}

extension CBOREncoder {
    fileprivate mutating func client(_ client: ClientEngine) {
        array(12)
        text(client.canvasID.rawValue)
        text(client.presence.name)
        unsigned(client.instance.rawValue)
        if let admission = client.admission {
            array(3)
            unsigned(admission.site.rawValue)
            unsigned(admission.secret)
            unsigned(admission.epoch)
        } else {
            null()
        }
        array(3)
        unsigned(client.identities.site.rawValue)
        unsigned(client.identities.nextShape)
        unsigned(client.identities.nextCharacter)
        unsigned(client.nextSequence)
        optionalSite(client.numberedSite)
        unsigned(client.nextLocal)
        unsigned(client.changeCount)
        unsigned(UInt64(client.role.rawValue))
        array(client.pending.count)
        for transaction in client.pending { pending(transaction) }
        array(client.histories.count)
        for history in client.histories {
            array(2)
            bool(history.isClosed)
            undoStack(history.stack)
        }
    }

    private mutating func optionalSite(_ site: SiteID?) {
        if let site { unsigned(site.rawValue) } else { null() }
    }

    private mutating func pending(_ transaction: ClientEngine.Pending) {
        array(8)
        unsigned(transaction.number)
        text(transaction.label)
        unsigned(UInt64(transaction.cause.rawValue))
        unsigned(UInt64(transaction.view))
        if let history = transaction.history { unsigned(UInt64(history.index)) } else { null() }
        optionalSite(transaction.sentAs?.site)
        unsigned(transaction.sentAs?.sequence ?? 0)
        array(transaction.items.count)
        for item in transaction.items { undoItem(item) }
    }
}

extension CBORDecoder {
    fileprivate mutating func client() throws(DecodingError) -> ClientEngine {
        try fields(12)
        guard let canvas = CanvasID(try text(1...128)) else { throw .outOfRange }
        let name = try text(1...ProtocolLimits.nameBytes)
        var client = ClientEngine(canvas: canvas, name: name, provisionalSite: try siteID())
        if !null() {
            try fields(3)
            client.admission = ClientEngine.Admission(
                site: try siteID(), secret: try unsigned(), epoch: try exactNumber())
        }
        try fields(3)
        client.identities = IdentitySource(
            site: try siteID(), nextShape: try unsigned(in: 1...IdentitySource.shapes - 1),
            nextCharacter: try sequenceNumber())
        client.nextSequence = try sequenceNumber()
        client.numberedSite = null() ? nil : try siteID()
        client.nextLocal = try exactNumber()
        // A version of before must not name the view that is built now.
        client.changeCount = try exactNumber() + 1
        guard let role = Role(rawValue: UInt8(try unsigned(in: 0...1))) else { throw .outOfRange }
        client.role = role
        let pending = try list { decoder throws(DecodingError) in try decoder.pending() }
        client.histories = try list { decoder throws(DecodingError) in
            try decoder.fields(2)
            let isClosed = try decoder.bool()
            return ClientEngine.History(stack: try decoder.undoStack(), isClosed: isClosed)
        }
        let count = client.histories.count
        guard count > 0, pending.allSatisfy({ $0.number < client.nextLocal && ($0.history?.index ?? 0) < count })
        else { throw .outOfRange }
        client.pending = pending
        return client
    }

    private mutating func pending() throws(DecodingError) -> ClientEngine.Pending {
        try fields(8)
        let number = try exactNumber()
        let label = try text(0...Limits.labelBytes)
        guard let cause = Transaction.Cause(rawValue: UInt8(try unsigned(in: 0...2))) else { throw .outOfRange }
        let view = UInt32(try unsigned(in: 0...UInt64(UInt32.max)))
        let history = null() ? nil : HistoryID(index: Int(try unsigned(in: 0...UInt64(Int32.max))))
        let site = null() ? nil : try siteID()
        let sequence = try exactNumber()
        let items = try list { decoder throws(DecodingError) in try decoder.undoItem() }
        return ClientEngine.Pending(
            number: number, label: label, cause: cause, view: view, history: history, items: items,
            sentAs: site.map { TransactionID(site: $0, sequence: sequence) })
    }
}
