import EaselCore

extension CBOREncoder {
    mutating func look(_ look: Look) {
        beginClientMessage(.look, fields: 4)
        unsigned(look.hello.version)
        text(look.hello.canvas.rawValue)
        text(look.hello.name)
        switch look.point {
        case .revision(let revision): unsigned(revision)
        case .version(let name): text(name)
        }
    }

    mutating func versionRequest(_ request: VersionRequest) {
        beginClientMessage(.versions, fields: 2)
        unsigned(request.tag)
        switch request.change {
        case .none: null()
        case .add(let name, let revision):
            array(2)
            text(name)
            if let revision { unsigned(revision) } else { null() }
        case .remove(let name):
            array(1)
            text(name)
        }
    }

    mutating func versionAnswer(_ answer: VersionAnswer) {
        switch answer.outcome {
        case .failure(let refusal):
            beginServerMessage(.versionRefusal, fields: 2)
            unsigned(answer.tag)
            unsigned(refusal.rawValue)
        case .success(let versions):
            beginServerMessage(.versions, fields: 2)
            unsigned(answer.tag)
            array(versions.count)
            for version in versions {
                array(4)
                text(version.name)
                unsigned(version.revision)
                unsigned(version.time)
                text(version.author)
            }
        }
    }
}

extension CBORDecoder {
    mutating func look() throws(DecodingError) -> Look {
        let version = try unsigned()
        guard let canvas = CanvasID(try text(0...Int.max)) else { throw .outOfRange }
        let name = try name()
        let point: StillPoint = isAtText ? .version(try versionName()) : .revision(try exactNumber())
        return Look(version: version, canvas: canvas, name: name, at: point)
    }

    mutating func versionRequest() throws(DecodingError) -> VersionRequest {
        let tag = try exactNumber()
        guard !null() else { return VersionRequest(tag: tag, change: .none) }
        switch try array() {
        case 1: return VersionRequest(tag: tag, change: .remove(name: try versionName()))
        case 2:
            let name = try versionName()
            let revision = null() ? nil : try sequenceNumber()
            return VersionRequest(tag: tag, change: .add(name: name, revision: revision))
        default: throw .outOfRange
        }
    }

    mutating func versionList() throws(DecodingError) -> VersionAnswer {
        let tag = try exactNumber()
        let versions = try list(atMost: Limits.versionsPerCanvas) { decoder throws(DecodingError) in
            try decoder.fields(4)
            return NamedVersion(
                name: try decoder.versionName(), revision: try decoder.sequenceNumber(),
                time: try decoder.exactNumber(), author: try decoder.text(0...ProtocolLimits.nameBytes))
        }
        return VersionAnswer(tag: tag, .success(versions))
    }

    mutating func versionRefusal() throws(DecodingError) -> VersionAnswer {
        VersionAnswer(
            tag: try exactNumber(), .failure(VersionRefusal(rawValue: try unsigned()) ?? .storageUnavailable))
    }

    /// The horizon behind the fields of a welcome; nil if it has none. Another kind of element is of a later version.
    mutating func horizon(_ surplus: inout Int) throws(DecodingError) -> Revision? {
        guard surplus > 0, let next, next & 0xE0 == 0x00 else { return nil }
        surplus -= 1
        return try exactNumber()
    }

    private var isAtText: Bool { next.map { $0 & 0xE0 == 0x60 } ?? false }

    private mutating func versionName() throws(DecodingError) -> String { try text(1...Limits.versionNameBytes) }
}
