public import EaselCore

/// The numbers that messages of clients begin with.
enum ClientMessageType: UInt64 {
    case hello = 1
    case submit = 2
    case presence = 3
    case confirm = 4
    case look = 5
    case versions = 6
}

extension ClientMessage {
    /// The message as one CBOR item. Items put one behind the other make one message of the transport.
    public func encode() -> [UInt8] {
        var encoder = CBOREncoder()
        switch self {
        case .hello(let hello): encoder.hello(hello)
        case .submit(let submission):
            encoder.reserve(64 * submission.transaction.operations.count + 64)
            encoder.beginClientMessage(.submit, fields: 2)
            encoder.unsigned(submission.sequence)
            encoder.transaction(submission.transaction)
        case .presence(let presence):
            encoder.beginClientMessage(.presence, fields: 5)
            encoder.presenceFields(presence)
        case .confirm(let sequence):
            encoder.beginClientMessage(.confirm, fields: 1)
            encoder.unsigned(sequence)
        case .look(let look): encoder.look(look)
        case .versions(let request): encoder.versionRequest(request)
        }
        return encoder.bytes
    }

    /// The messages in one message of the transport, at least one.
    ///
    /// A `submit` may carry a malformed transaction: the server checks ``/EaselCore/Transaction/flaw`` and refuses it by its number.
    /// Everything else that is out of its bounds is thrown.
    public static func decodeAll(_ bytes: [UInt8]) throws(DecodingError) -> [ClientMessage] {
        var sequence = ClientMessageSequence(bytes)
        var messages: [ClientMessage] = []
        while let message = try sequence.next() { messages.append(message) }
        guard !messages.isEmpty else { throw .empty }
        return messages
    }

    /// The one message in `bytes`.
    public static func decode(_ bytes: [UInt8]) throws(DecodingError) -> ClientMessage {
        var sequence = ClientMessageSequence(bytes)
        guard let message = try sequence.next() else { throw .empty }
        guard sequence.isAtEnd else { throw .trailingBytes }
        return message
    }
}

/// Takes the messages of a client out of one message of the transport, one after the other.
public struct ClientMessageSequence: Sendable {
    private var decoder: CBORDecoder

    /// Starts at the first message.
    public init(_ bytes: [UInt8]) { decoder = CBORDecoder(bytes) }

    /// Whether all messages were taken.
    public var isAtEnd: Bool { decoder.isAtEnd }

    /// The next message, or nil behind the last. After an error nothing more may be asked.
    public mutating func next() throws(DecodingError) -> ClientMessage? {
        guard !decoder.isAtEnd else { return nil }
        return try decoder.clientMessage()
    }
}

extension CBOREncoder {
    mutating func beginClientMessage(_ type: ClientMessageType, fields: Int) {
        array(fields + 1)
        unsigned(type.rawValue)
    }

    mutating func hello(_ hello: Hello) {
        beginClientMessage(.hello, fields: 4)
        unsigned(hello.version)
        text(hello.canvas.rawValue)
        text(hello.name)
        guard let resume = hello.resume else { return null() }
        array(4)
        unsigned(resume.site.rawValue)
        unsigned(resume.secret)
        unsigned(resume.epoch)
        unsigned(resume.revision)
    }
}

extension CBORDecoder {
    mutating func clientMessage() throws(DecodingError) -> ClientMessage {
        let start = offset
        let count = try array()
        guard count > 0 else { throw .missingField }
        guard let type = ClientMessageType(rawValue: try unsigned()) else { throw .unknownMessage }
        let surplus = try surplus(of: count - 1, fields: type.fieldCount)
        let message: ClientMessage
        switch type {
        case .hello: message = .hello(try hello())
        case .submit:
            message = .submit(Submission(sequence: try sequenceNumber(), transaction: try transaction()))
        case .presence: message = .presence(try presenceFields())
        case .confirm: message = .confirm(try sequenceNumber())
        case .look: message = .look(try look())
        case .versions: message = .versions(try versionRequest())
        }
        for _ in 0..<surplus { try skip() }
        if type == .presence, offset - start > ProtocolLimits.presenceBytes { throw .outOfRange }
        return message
    }

    /// How many elements stand behind the fields of a message: a later version may have added them.
    func surplus(of count: Int, fields: Int) throws(DecodingError) -> Int {
        guard count >= fields else { throw .missingField }
        return count - fields
    }

    private mutating func hello() throws(DecodingError) -> Hello {
        let version = try unsigned()
        guard let canvas = CanvasID(try text(0...Int.max)) else { throw .outOfRange }
        let name = try name()
        var resume: Hello.Resume?
        if !null() {
            try fields(4)
            resume = Hello.Resume(
                site: try siteID(), secret: try unsigned(), epoch: try exactNumber(), revision: try exactNumber())
        }
        return Hello(version: version, canvas: canvas, resume: resume, name: name)
    }

    mutating func name() throws(DecodingError) -> String { try text(1...ProtocolLimits.nameBytes) }
}

extension ClientMessageType {
    var fieldCount: Int {
        switch self {
        case .hello, .look: return 4
        case .submit, .versions: return 2
        case .presence: return 5
        case .confirm: return 1
        }
    }
}
