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

/// Which committed canvas a state was saved with, where the canvas is kept apart from it.
public struct CanvasPlace: Sendable, Equatable {
    /// The server's log that the canvas comes from; nil before the first welcome.
    public let epoch: UInt64?
    /// The last commit in it.
    public let revision: Revision
    /// Its digest.
    public let digest: UInt64

    /// A canvas of a log.
    public init(epoch: UInt64?, revision: Revision, digest: UInt64) {
        self.epoch = epoch
        self.revision = revision
        self.digest = digest
    }
}

// What a client keeps over a restart. It has to be on disk before anything in it is sent, since a number that was used never gets
// another content. It names the client's site and secret: where it might be copied, or be older than what the client did, the
// client that is restored from it begins a life (`beginLife`).
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
        if isStartingOver {
            encoder.null()
        } else if includingCanvas {
            encoder.byteString(Snapshot.encode(confirmed))
        } else {
            encoder.array(2)
            encoder.unsigned(confirmed.revision)
            encoder.unsigned(confirmed.digest)
        }
        return encoder.bytes
    }

    /// The client whose state was saved, without a connection. Open groups and typing bursts have ended.
    public static func restore(from bytes: [UInt8]) throws(RestoreError) -> ClientEngine {
        try restore(from: bytes) { _ in nil }
    }

    /// The client whose state was saved, without a connection, from two parts: its state and the canvas it had.
    ///
    /// - Parameters:
    ///   - bytes: what ``save(includingCanvas:)`` gave.
    ///   - canvas: asked for the committed canvas of a place, if the canvas is not in `bytes`. Any other canvas than that one,
    ///     an older one too, is not taken: what can be undone was recorded on it. With nil the canvas comes from the server.
    public static func restore(
        from bytes: [UInt8], canvas: (CanvasPlace) -> Canvas?
    ) throws(RestoreError) -> ClientEngine {
        var decoder = CBORDecoder(bytes)
        let format: UInt64
        var engine: ClientEngine?
        var snapshot: [UInt8]?
        var place: CanvasPlace?
        do throws(DecodingError) {
            try decoder.fields(3)
            format = try decoder.unsigned()
            if format == savedFormat {
                let client = try decoder.client()
                if decoder.startsArray {
                    place = try decoder.place(epoch: client.admission?.epoch)
                } else {
                    snapshot = decoder.null() ? nil : try decoder.byteString()
                }
                engine = client
                guard decoder.isAtEnd else { throw .trailingBytes }
            }
        } catch {
            throw .damaged(error)
        }
        guard var engine else { throw .unknownFormat(format) }
        if let snapshot {
            do { engine.confirmed = try Snapshot.decode(snapshot) } catch { throw .damagedCanvas }
            engine.rebuildView()
        } else if let place, let canvas = canvas(place), canvas.revision == place.revision,
            canvas.digest == place.digest
        {
            engine.confirmed = canvas
            engine.rebuildView()
        } else {
            // Nothing is shown before the snapshot is here: applied to an empty canvas, what is pending would lose its inverses.
            engine.isStartingOver = true
        }
        return engine
    }
}

// For whoever keeps the state in a file.
extension ClientEngine {
    /// Tells whether anything that is saved has changed.
    package struct Stamp: Equatable, Sendable {
        private let counts: [UInt64]
        private let admission: [UInt64?]
        private let role: Role
        /// Rises with every edit and press.
        package let nextLocal: LocalNumber

        fileprivate init(_ engine: ClientEngine) {
            counts = [
                engine.nextSequence, engine.changeCount, engine.historyVersion, engine.confirmed.revision,
                UInt64(engine.pending.count), UInt64(engine.histories.count), engine.isStartingOver ? 1 : 0,
                engine.tenure == .guest ? 1 : 0,
            ]
            admission = [engine.admission?.site.rawValue, engine.admission?.epoch]
            role = engine.role
            nextLocal = engine.nextLocal
        }
    }

    /// Equal stamps of one client mean that ``save(includingCanvas:)`` gives the same. O(1).
    package var stamp: Stamp { Stamp(self) }

    /// Which committed canvas there is; nil while it is to be fetched anew.
    package var place: CanvasPlace? {
        if isStartingOver { return nil }
        return CanvasPlace(epoch: admission?.epoch, revision: confirmed.revision, digest: confirmed.digest)
    }

}

extension CBOREncoder {
    fileprivate mutating func client(_ client: ClientEngine) {
        array(13)
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
        bool(client.tenure == .guest)
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
        array(9)
        unsigned(transaction.number)
        text(transaction.label)
        unsigned(UInt64(transaction.cause.rawValue))
        unsigned(UInt64(transaction.view))
        if let history = transaction.history { unsigned(UInt64(history.index)) } else { null() }
        optionalSite(transaction.sentAs?.site)
        unsigned(transaction.sentAs?.sequence ?? 0)
        bool(transaction.isDoubtful)
        array(transaction.items.count)
        for item in transaction.items { undoItem(item) }
    }
}

extension CBORDecoder {
    fileprivate var startsArray: Bool { next.map { $0 >> 5 == CBOREncoder.MajorType.array.rawValue } ?? false }

    fileprivate mutating func place(epoch: UInt64?) throws(DecodingError) -> CanvasPlace {
        try fields(2)
        return CanvasPlace(epoch: epoch, revision: try exactNumber(), digest: try unsigned())
    }

    fileprivate mutating func client() throws(DecodingError) -> ClientEngine {
        try fields(13)
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
        client.tenure = try bool() ? .guest : .owner
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
        try fields(9)
        let number = try exactNumber()
        let label = try text(0...Limits.labelBytes)
        guard let cause = Transaction.Cause(rawValue: UInt8(try unsigned(in: 0...2))) else { throw .outOfRange }
        let view = UInt32(try unsigned(in: 0...UInt64(UInt32.max)))
        let history = null() ? nil : HistoryID(index: Int(try unsigned(in: 0...UInt64(Int32.max))))
        let site = null() ? nil : try siteID()
        let sequence = try exactNumber()
        let isDoubtful = try bool()
        let items = try list { decoder throws(DecodingError) in try decoder.undoItem() }
        return ClientEngine.Pending(
            number: number, label: label, cause: cause, view: view, history: history, items: items,
            sentAs: site.map { TransactionID(site: $0, sequence: sequence) }, isDoubtful: isDoubtful)
    }
}
