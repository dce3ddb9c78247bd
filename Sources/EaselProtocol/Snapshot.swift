public import EaselCore

/// Why bytes are no snapshot.
public enum SnapshotError: Error, Sendable, Equatable {
    /// The bytes cannot be read.
    case encoding(DecodingError)
    /// They were written in a format that is not known here.
    case format(UInt64)
    /// What they hold is no canvas, or not the one that was written.
    case damaged(CanvasDamage)
}

/// A whole canvas as bytes, for the log and for clients that join.
///
/// `[format, revision, digest, {site: highest number}, [shapes]]`, where a shape is
/// `[id, kind, parent or null, order key, causes, {properties}]`, with `[runs]` behind that if it has text. Shapes come in
/// the order of ``/EaselCore/Canvas/forEachShapeBySibling(_:)``. A run is `[site, number, left origin, causes, characters]`; the
/// left origin is `true` for the character in front in the sequence, null for none, `[site, number]` for any other. Of purged
/// characters, with the cause 4, there is the number instead of the characters.
public enum Snapshot {
    /// The format written here, and the only one read.
    public static let format: UInt64 = 1

    /// The canvas as bytes: equal canvases give equal bytes. O(n log n).
    public static func encode(_ canvas: Canvas) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.reserve(128 * canvas.shapeCount + 64)
        encoder.array(5)
        encoder.unsigned(format)
        encoder.unsigned(canvas.revision)
        encoder.unsigned(canvas.digest)
        var sites: [(SiteID, SequenceNumber)] = []
        canvas.forEachSite { sites.append(($0, $1)) }
        encoder.map(sites.count)
        for (site, sequence) in sites {
            encoder.unsigned(site.rawValue)
            encoder.unsigned(sequence)
        }
        encoder.array(canvas.shapeCount)
        canvas.forEachShapeBySibling { encoder.shape($0) }
        return encoder.bytes
    }

    /// The canvas in `bytes`.
    ///
    /// The bytes may be damaged or hostile: no input traps, memory stays within a fixed multiple of their number, and the
    /// canvas is returned only if it has the digest they name.
    public static func decode(_ bytes: [UInt8]) throws(SnapshotError) -> Canvas {
        let (builder, digest) = try rebuild(bytes)
        return try damaged { () throws(CanvasDamage) in try builder.finish(digest: digest) }
    }

    /// The parts of the canvas in `bytes`, and the digest it should have.
    static func rebuild(_ bytes: [UInt8]) throws(SnapshotError) -> (builder: CanvasBuilder, digest: UInt64) {
        var decoder = CBORDecoder(bytes)
        let (fieldCount, format) = try encoding { () throws(DecodingError) in try decoder.snapshotFormat() }
        guard format == Self.format else { throw .format(format) }
        guard fieldCount == 5 else { throw .encoding(fieldCount < 5 ? .missingField : .surplusField) }
        let (revision, digest) = try encoding { () throws(DecodingError) in
            (try decoder.exactNumber(), try decoder.unsigned())
        }
        var builder = try damaged { () throws(CanvasDamage) in try CanvasBuilder(revision: revision) }
        let siteCount = try encoding { () throws(DecodingError) in try decoder.map() }
        for _ in 0..<siteCount {
            let (site, sequence) = try encoding { () throws(DecodingError) in
                (try decoder.siteID(), try decoder.sequenceNumber())
            }
            try damaged { () throws(CanvasDamage) in try builder.add(site, lastSequence: sequence) }
        }
        let shapeCount = try encoding { () throws(DecodingError) in try decoder.array() }
        for _ in 0..<shapeCount {
            let shape = try encoding { () throws(DecodingError) in try decoder.storedShape() }
            try damaged { () throws(CanvasDamage) in
                try builder.add(shape.creation, causes: shape.causes, runs: shape.runs)
            }
        }
        guard decoder.isAtEnd else { throw .encoding(.trailingBytes) }
        return (builder, digest)
    }

    private static func encoding<Result>(_ body: () throws(DecodingError) -> Result) throws(SnapshotError) -> Result {
        do throws(DecodingError) { return try body() } catch { throw .encoding(error) }
    }

    private static func damaged<Result>(_ body: () throws(CanvasDamage) -> Result) throws(SnapshotError) -> Result {
        do throws(CanvasDamage) { return try body() } catch { throw .damaged(error) }
    }
}

extension CBOREncoder {
    fileprivate mutating func shape(_ shape: Shape) {
        array(shape.text.isEmpty ? 6 : 7)
        shapeID(shape.id)
        text(shape.kind)
        optionalShapeID(shape.parent)
        text(shape.order.rawValue)
        unsigned(UInt64(shape.causes.rawValue))
        properties(shape.properties)
        if !shape.text.isEmpty { runs(shape.text.storedRuns()) }
    }

    private mutating func runs(_ runs: [StoredRun]) {
        array(runs.count)
        var front: CharacterID?
        for run in runs {
            array(5)
            bareCharacterID(run.first)
            if let origin = run.origin, origin == front { bool(true) } else { optionalCharacterID(run.origin) }
            unsigned(UInt64(run.causes.rawValue))
            if run.causes == .purged { unsigned(UInt64(run.count)) } else { text(run.characters) }
            front = run.last
        }
    }
}

/// A shape as it stands in a snapshot.
private struct StoredShape {
    let creation: Creation
    let causes: HiddenCauses
    let runs: [StoredRun]
}

extension CBORDecoder {
    /// Reads the number of fields and the format, which every format begins with.
    fileprivate mutating func snapshotFormat() throws(DecodingError) -> (fieldCount: Int, format: UInt64) {
        let count = try array()
        guard count > 0 else { throw .missingField }
        return (count, try unsigned())
    }

    fileprivate mutating func storedShape() throws(DecodingError) -> StoredShape {
        let count = try array()
        guard count >= 6 else { throw .missingField }
        guard count <= 7 else { throw .surplusField }
        let id = try shapeID()
        let kind = try text(1...Limits.kindBytes)
        let parent = try optionalShapeID()
        let order = try orderKey()
        let causes = try causes()
        let creation = Creation(id: id, kind: kind, parent: parent, order: order, properties: try properties())
        return StoredShape(creation: creation, causes: causes, runs: count == 7 ? try storedRuns() : [])
    }

    private mutating func causes() throws(DecodingError) -> HiddenCauses {
        let all: HiddenCauses = [.deleted, .retracted]
        return HiddenCauses(rawValue: UInt8(try unsigned(in: 0...UInt64(all.rawValue))))
    }

    private mutating func storedRuns() throws(DecodingError) -> [StoredRun] {
        var front: CharacterID?
        let runs = try list { decoder throws(DecodingError) in
            let run = try decoder.storedRun(behind: front)
            front = run.last
            return run
        }
        guard !runs.isEmpty else { throw .missingField }
        return runs
    }

    private mutating func storedRun(behind front: CharacterID?) throws(DecodingError) -> StoredRun {
        try fields(5)
        let first = try bareCharacterID()
        var origin: CharacterID?
        if next == 0xF5 {
            _ = try bool()
            guard let front else { throw .unexpectedItem }
            origin = front
        } else {
            origin = try optionalCharacterID()
            guard origin == nil || origin != front else { throw .notCanonical }
        }
        let causes = HiddenCauses(rawValue: UInt8(try unsigned(in: 0...UInt64(HiddenCauses.purged.rawValue))))
        if causes == .purged {
            let count = Int(try unsigned(in: 1...UInt64(Limits.purgedCharactersPerText)))
            return StoredRun(purged: first, count: count, origin: origin)
        }
        return StoredRun(first: first, characters: try text(1...Int.max), origin: origin, causes: causes)
    }
}
