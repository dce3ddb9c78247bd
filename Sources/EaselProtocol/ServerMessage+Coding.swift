public import EaselCore

/// The numbers that messages of servers begin with.
enum ServerMessageType: UInt64 {
    case welcome = 16
    case snapshotPart = 17
    case commit = 18
    case acknowledgement = 19
    case refusal = 20
    case presence = 21
    case error = 22
    case role = 23
    case versions = 24
    case versionRefusal = 25
    case commits = 26
}

extension ServerMessage {
    /// The message as one CBOR item. Items put one behind the other make one message of the transport.
    public func encode() -> [UInt8] {
        var encoder = CBOREncoder()
        switch self {
        case .welcome(let welcome): encoder.welcome(welcome)
        case .snapshotPart(let part):
            encoder.reserve(part.bytes.count + 24)
            encoder.beginServerMessage(.snapshotPart, fields: 2)
            encoder.unsigned(part.offset)
            encoder.byteString(part.bytes)
        case .commits(let run): return Self.encodeCommits(run)
        case .acknowledgement(let sequence):
            encoder.beginServerMessage(.acknowledgement, fields: 1)
            encoder.unsigned(sequence)
        case .refusal(let refusal):
            encoder.beginServerMessage(.refusal, fields: 2)
            encoder.unsigned(refusal.sequence)
            encoder.unsigned(refusal.code.rawValue)
        case .presence(let update): encoder.presenceUpdate(update)
        case .role(let role):
            encoder.beginServerMessage(.role, fields: 1)
            encoder.unsigned(UInt64(role.rawValue))
        case .versions(let answer): encoder.versionAnswer(answer)
        case .error(let error):
            encoder.beginServerMessage(.error, fields: 2)
            encoder.unsigned(error.code.rawValue)
            encoder.text(error.message)
        }
        return encoder.bytes
    }

    /// The messages in one message of the transport; those of unknown types are left out.
    ///
    /// Commits are without ``/EaselCore/Transaction/flaw``, so that they may be applied; one that is not is thrown.
    public static func decodeAll(_ bytes: [UInt8]) throws(DecodingError) -> [ServerMessage] {
        guard !bytes.isEmpty else { throw .empty }
        var sequence = ServerMessageSequence(bytes)
        var messages: [ServerMessage] = []
        while let message = try sequence.next() { messages.append(message) }
        return messages
    }

    /// The one message in `bytes`, or nil if its type is unknown.
    public static func decode(_ bytes: [UInt8]) throws(DecodingError) -> ServerMessage? {
        guard !bytes.isEmpty else { throw .empty }
        var decoder = CBORDecoder(bytes)
        let message = try decoder.serverMessage()
        guard decoder.isAtEnd else { throw .trailingBytes }
        return message
    }
}

/// Takes the messages of a server out of one message of the transport, one after the other.
public struct ServerMessageSequence: Sendable {
    var decoder: CBORDecoder

    /// Starts at the first message.
    public init(_ bytes: [UInt8]) { decoder = CBORDecoder(bytes) }

    /// The next message of a known type, or nil behind the last. After an error nothing more may be asked.
    public mutating func next() throws(DecodingError) -> ServerMessage? {
        while !decoder.isAtEnd {
            if let message = try decoder.serverMessage() { return message }
        }
        return nil
    }
}

extension CBOREncoder {
    mutating func beginServerMessage(_ type: ServerMessageType, fields: Int) {
        array(fields + 1)
        unsigned(type.rawValue)
    }

    mutating func welcome(_ welcome: Welcome) {
        beginServerMessage(.welcome, fields: welcome.horizon == nil ? 7 : 8)
        unsigned(welcome.site.rawValue)
        unsigned(welcome.secret)
        unsigned(welcome.epoch)
        unsigned(welcome.revision)
        unsigned(welcome.lastSequence)
        unsigned(UInt64(welcome.role.rawValue))
        switch welcome.catchup {
        case .commits: null()
        case .snapshot(let byteCount): unsigned(byteCount)
        }
        if let horizon = welcome.horizon { unsigned(horizon) }
    }

    mutating func presenceUpdate(_ update: PresenceUpdate) {
        beginServerMessage(.presence, fields: 2)
        unsigned(update.site.rawValue)
        guard let presence = update.presence else { return null() }
        array(5)
        presenceFields(presence)
    }
}

extension CBORDecoder {
    /// Reads a message; nil if its type is unknown.
    mutating func serverMessage() throws(DecodingError) -> ServerMessage? {
        let count = try array()
        guard count > 0 else { throw .missingField }
        guard let type = ServerMessageType(rawValue: try unsigned()) else {
            for _ in 1..<count { try skip() }
            return nil
        }
        var surplus = try surplus(of: count - 1, fields: type.fieldCount)
        let message = try serverMessage(type, &surplus)
        for _ in 0..<surplus { try skip() }
        return message
    }

    private mutating func serverMessage(
        _ type: ServerMessageType, _ surplus: inout Int
    ) throws(DecodingError) -> ServerMessage {
        switch type {
        case .welcome: return .welcome(try welcome(&surplus))
        case .snapshotPart: return .snapshotPart(SnapshotPart(offset: try exactNumber(), bytes: try byteString()))
        case .commit: return .commits(try commit())
        case .commits: return .commits(try commits())
        case .acknowledgement: return .acknowledgement(try sequenceNumber())
        case .refusal:
            let sequence = try sequenceNumber()
            return .refusal(Refusal(sequence: sequence, code: RefusalCode(rawValue: try unsigned()) ?? .malformed))
        case .presence: return .presence(try presenceUpdate())
        case .role: return .role(try role())
        case .versions: return .versions(try versionList())
        case .versionRefusal: return .versions(try versionRefusal())
        case .error:
            let code = ProtocolErrorCode(rawValue: try unsigned()) ?? .malformed
            return .error(ProtocolError(code: code, message: try text(0...ProtocolLimits.errorMessageBytes)))
        }
    }

    private mutating func welcome(_ surplus: inout Int) throws(DecodingError) -> Welcome {
        let site = try siteID()
        let secret = try unsigned()
        let epoch = try exactNumber()
        let revision = try exactNumber()
        let lastSequence = try exactNumber()
        let role = try role()
        let catchup: Welcome.Catchup = null() ? .commits : .snapshot(byteCount: try exactNumber())
        return Welcome(
            site: site, secret: secret, epoch: epoch, revision: revision, lastSequence: lastSequence, role: role,
            catchup: catchup, horizon: try horizon(&surplus))
    }

    private mutating func role() throws(DecodingError) -> Role {
        guard let role = Role(rawValue: UInt8(try unsigned(in: 0...1))) else { throw .outOfRange }
        return role
    }

    private mutating func presenceUpdate() throws(DecodingError) -> PresenceUpdate {
        let site = try siteID()
        guard !null() else { return PresenceUpdate(site: site, presence: nil) }
        try fields(5)
        return PresenceUpdate(site: site, presence: try presenceFields())
    }
}

extension ServerMessageType {
    var fieldCount: Int {
        switch self {
        case .welcome, .commits: return 7
        case .commit: return 6
        case .snapshotPart, .refusal, .presence, .error, .versions, .versionRefusal: return 2
        case .acknowledgement, .role: return 1
        }
    }
}
