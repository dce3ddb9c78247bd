/// A stretch of a text as snapshots keep it: characters with consecutive numbers of one site and equal hidden causes, each
/// but the first of which has the character in front of it as its left origin.
///
/// Of purged characters there is only the number.
public struct StoredRun: Sendable {
    /// Identity of the first character.
    public let first: CharacterID
    /// The characters, at least one; empty if they were purged.
    public let characters: String
    /// How many there are, at least one.
    public let count: Int
    /// Left origin of the first character; nil at the start of the text.
    public let origin: CharacterID?
    /// Why the characters are hidden.
    public let causes: HiddenCauses

    /// Identity of the last character. Numbers beyond 2^64 wrap; such a run is refused by ``Text/init(storedRuns:)``.
    public var last: CharacterID {
        CharacterID(site: first.site, counter: first.counter &+ UInt64(count) &- 1)
    }

    /// A stretch of a text.
    public init(first: CharacterID, characters: String, origin: CharacterID?, causes: HiddenCauses) {
        self.first = first
        self.characters = characters
        self.origin = origin
        self.causes = causes
        count = characters.unicodeScalars.count
    }

    /// A stretch of `count` purged characters.
    public init(purged first: CharacterID, count: Int, origin: CharacterID?) {
        self.first = first
        self.origin = origin
        self.count = count
        characters = ""
        causes = .purged
    }
}

extension Text {
    /// The whole sequence, hidden characters included, in runs as long as they can be: the same for equal texts, however
    /// their runs are cut in memory. Linear.
    public func storedRuns() -> [StoredRun] {
        var result: [StoredRun] = []
        var open: Run?
        var characters = String.UnicodeScalarView()
        func close() {
            guard let run = open else { return }
            if run.isPurged {
                result.append(StoredRun(purged: run.first, count: run.count, origin: run.origin))
            } else {
                result.append(
                    StoredRun(first: run.first, characters: String(characters), origin: run.origin, causes: run.causes))
            }
            characters = String.UnicodeScalarView()
        }
        forEachRun { run, values in
            if let front = open, front.isContinued(by: run) {
                open?.count += run.count
            } else {
                close()
                open = run
            }
            for value in values { characters.append(Self.scalar(value)) }
        }
        close()
        return result
    }

    /// The text made of stored runs, in order of the text.
    ///
    /// Linear but for sorting the runs. Throws if the runs cannot be a text: a run without characters or with numbers
    /// beyond ``Limits/counter``, a number used twice, a left origin that does not stand in front, a run that continues
    /// the one in front of it, too many characters.
    public init(storedRuns: [StoredRun]) throws(CanvasDamage) {
        self.init()
        var ranges: [CharacterRange] = []
        ranges.reserveCapacity(storedRuns.count)
        var front: Run?
        for stored in storedRuns {
            let scalars = stored.characters.unicodeScalars.map { $0.value }
            let run = Run(first: stored.first, count: stored.count, origin: stored.origin, causes: stored.causes)
            try checkStored(run, behind: front)
            ranges.append(CharacterRange(first: run.first, count: run.count))
            append(run, scalars, behind: front?.last)
            front = run
        }
        try Self.checkDistinct(&ranges)
    }

    private func checkStored(_ run: Run, behind front: Run?) throws(CanvasDamage) {
        guard run.count > 0, run.isPurged == (run.causes == .purged), run.first.counter >= 1,
            run.first.counter <= Limits.counter,
            UInt64(run.count) <= Limits.counter - run.first.counter + 1
        else { throw .characterNumber }
        if run.isPurged {
            guard run.count <= Limits.purgedCharactersPerText - purgedCount else { throw .tooManyCharacters }
        } else {
            guard run.count <= Limits.charactersPerText - (count - purgedCount) else { throw .tooManyCharacters }
        }
        guard let origin = run.origin else { return }
        if let front, front.last == origin {
            let continues =
                front.causes == run.causes && front.last.site == run.first.site
                && front.last.counter + 1 == run.first.counter
            if continues { throw .runNotMaximal }
        } else if place(of: origin) == nil {
            throw .unknownOrigin
        }
    }

    private static func checkDistinct(_ ranges: inout [CharacterRange]) throws(CanvasDamage) {
        ranges.sort { $0.first < $1.first }
        for index in ranges.indices.dropFirst() {
            let front = ranges[index - 1]
            guard
                front.first.site != ranges[index].first.site
                    || ranges[index].first.counter - front.first.counter >= UInt64(front.count)
            else { throw .repeatedCharacter }
        }
    }

    /// Adds a run behind the whole sequence, cut to what chunks hold. Chunks are left with room for edits.
    mutating func append(_ run: Run, _ scalars: [UInt32], behind previous: CharacterID?) {
        digest &+= hash(of: run, scalars, previous: previous)
        count += run.count
        if run.isVisible { visibleCount += run.count }
        if run.isPurged { purgedCount += run.count }
        var offset = 0
        while offset < run.count {
            let filled = chunks.last.map { ($0.runs.count, $0.scalars.count) } ?? (Int.max, 0)
            if filled.0 >= Self.chunkRuns / 2 || filled.1 >= Self.chunkScalars / 2 {
                _ = insertChunk(at: chunks.count, runs: [], scalars: [], visibleCount: 0)
            }
            let chunk = chunks[chunks.count - 1]
            let isFirst = chunk.runs.isEmpty
            let length =
                run.isPurged ? run.count : min(run.count - offset, Self.chunkScalars / 2 - chunk.scalars.count)
            let first = run.first.advanced(by: offset)
            let origin = offset == 0 ? run.origin : run.first.advanced(by: offset - 1)
            chunk.runs.append(Run(first: first, count: length, origin: origin, causes: run.causes))
            if !run.isPurged { chunk.scalars.append(contentsOf: scalars[offset..<offset + length]) }
            if run.isVisible { chunk.visibleCount += length }
            chunkOfRun.set(first, chunk.number)
            if isFirst { chunk.firstOrigin = origin } else { addOrigin(origin, to: chunk) }
            offset += length
        }
    }
}
