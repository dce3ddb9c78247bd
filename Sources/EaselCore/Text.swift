/// The text of a shape: a sequence of characters, each with an identity that is kept for ever.
///
/// **Representation.** The sequence is cut into *runs*: characters typed one after the other by one site, whose
/// hidden causes are equal and each of which (but the first) has the character in front of it as its left origin.
/// Runs lie in *chunks* of at most about a thousand characters. Chunks are shared between copies of a text; the
/// first change after a copy copies one chunk and the array of references to chunks.
///
/// **Finding a character.** `chunkOfRun` maps the first id of a run to the number of the chunk it lies in. A run cut
/// in two within a chunk needs no new entry, since the entry before it names the same chunk; whatever moves to
/// another chunk gets entries. So the last entry not after an id names its chunk. `checkInvariants` says it in code.
/// Chunks keep their numbers while they move in the array: `positions` says where the chunk of each number lies.
///
/// **Placement** follows the rule "left origin, server order": see `insert`. The left origin of a character is the
/// character that stood in front of it in its writer's view. It is never changed.
///
/// **Purged characters** have an identity and a place, and no content: a run of them takes the room of a run, however long
/// it is. Nothing shows them again, but they may be neighbours and left origins like any others.
///
/// Units are Unicode scalars, so a surrogate pair is never split. An edit costs O(chunk size + number of chunks):
/// microseconds in a text of 100,000 characters.
public struct Text: Sendable {
    /// Reason for `@unchecked Sendable`: a chunk is changed only while one text holds the only reference to it.
    final class Chunk: @unchecked Sendable {
        let number: UInt32
        var runs: [Run]
        var scalars: [UInt32]
        var visibleCount: Int
        /// Of the left origins of its runs the one that stands first; nil for the start of the text.
        var firstOrigin: CharacterID?

        init(number: UInt32, runs: [Run], scalars: [UInt32], visibleCount: Int, firstOrigin: CharacterID?) {
            self.number = number
            self.firstOrigin = firstOrigin
            self.runs = runs
            self.scalars = scalars
            self.visibleCount = visibleCount
        }

        func copy() -> Chunk {
            Chunk(
                number: number, runs: runs, scalars: scalars, visibleCount: visibleCount, firstOrigin: firstOrigin)
        }
    }

    struct Run: Sendable {
        var first: CharacterID
        var count: Int
        /// Left origin of the first character; nil at the start of the text.
        var origin: CharacterID?
        var causes: HiddenCauses

        var isVisible: Bool { causes.isEmpty }
        var isPurged: Bool { causes.contains(.purged) }
        /// Number of its characters in the chunk's list.
        var scalarCount: Int { isPurged ? 0 : count }
        var last: CharacterID { first.advanced(by: count - 1) }
    }

    /// A character's place: chunk, run within it, character within that.
    struct Place: Comparable {
        var chunk: Int
        var run: Int
        var offset: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.chunk, left.run, left.offset) < (right.chunk, right.run, right.offset)
        }
    }

    static let chunkScalars = 1_024
    static let chunkRuns = 256

    var chunks: [Chunk] = []
    var chunkOfRun = SortedMap<CharacterID, UInt32>()
    /// For each chunk number, counted from 0, the chunk's index in `chunks`.
    var positions: [Int32] = []

    /// Number of characters, hidden and purged ones included.
    public internal(set) var count = 0
    /// Number of characters that have no content any more.
    public internal(set) var purgedCount = 0
    /// Number of visible characters.
    public internal(set) var visibleCount = 0
    /// Sum over the characters of a hash of each: see `Text+Digest`.
    var digest: UInt64 = 0

    /// The empty text.
    public init() {}

    /// Whether no character was ever inserted.
    public var isEmpty: Bool { count == 0 }

    /// The visible characters.
    public var string: String {
        var scalars = String.UnicodeScalarView()
        forEachRun { run, values in
            if run.isVisible { for value in values { scalars.append(Self.scalar(value)) } }
        }
        return String(scalars)
    }

    static func scalar(_ value: UInt32) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(value) else { preconditionFailure("texts hold Unicode scalars only") }
        return scalar
    }

    /// Calls `body` with each run and its characters, in order; a purged run has none.
    func forEachRun(_ body: (Run, ArraySlice<UInt32>) -> Void) {
        for chunk in chunks {
            var start = 0
            for run in chunk.runs {
                body(run, chunk.scalars[start..<start + run.scalarCount])
                start += run.scalarCount
            }
        }
    }

    // MARK: Finding

    /// The place of a character, or nil if it was never inserted.
    func place(of id: CharacterID) -> Place? {
        guard let entry = chunkOfRun.floor(id), entry.key.site == id.site else { return nil }
        let chunk = chunkIndex(entry.value)
        for (index, run) in chunks[chunk].runs.enumerated()
        where run.first.site == id.site && run.first.counter <= id.counter
            && id.counter - run.first.counter < UInt64(run.count)
        {
            return Place(chunk: chunk, run: index, offset: Int(id.counter - run.first.counter))
        }
        return nil
    }

    func chunkIndex(_ number: UInt32) -> Int { Int(positions[Int(number)]) }

    /// Puts a chunk with a new number at an index, and gives the number. O(number of chunks).
    mutating func insertChunk(at index: Int, runs: [Run], scalars: [UInt32], visibleCount: Int) -> UInt32 {
        let number = UInt32(positions.count)
        if index < chunks.count {
            for other in positions.indices where positions[other] >= index { positions[other] += 1 }
        }
        positions.append(Int32(index))
        let chunk = Chunk(
            number: number, runs: runs, scalars: scalars, visibleCount: visibleCount, firstOrigin: runs.first?.origin)
        chunks.insert(chunk, at: index)
        return number
    }

    func run(_ place: Place) -> Run { chunks[place.chunk].runs[place.run] }

    func id(_ place: Place) -> CharacterID { run(place).first.advanced(by: place.offset) }

    func place(after place: Place) -> Place? {
        if place.offset + 1 < run(place).count {
            return Place(chunk: place.chunk, run: place.run, offset: place.offset + 1)
        }
        if place.run + 1 < chunks[place.chunk].runs.count {
            return Place(chunk: place.chunk, run: place.run + 1, offset: 0)
        }
        return place.chunk + 1 < chunks.count ? Place(chunk: place.chunk + 1, run: 0, offset: 0) : nil
    }

    func place(before place: Place) -> Place? {
        if place.offset > 0 { return Place(chunk: place.chunk, run: place.run, offset: place.offset - 1) }
        if place.run > 0 {
            let run = place.run - 1
            return Place(chunk: place.chunk, run: run, offset: chunks[place.chunk].runs[run].count - 1)
        }
        guard place.chunk > 0 else { return nil }
        let runs = chunks[place.chunk - 1].runs
        return Place(chunk: place.chunk - 1, run: runs.count - 1, offset: runs[runs.count - 1].count - 1)
    }

    var firstPlace: Place? { chunks.isEmpty ? nil : Place(chunk: 0, run: 0, offset: 0) }

    var lastPlace: Place? { place(before: Place(chunk: chunks.count, run: 0, offset: 0)) }

    /// The largest number a site has used in this text, or 0.
    func lastCounter(of site: SiteID) -> UInt64 {
        guard let bound = chunkOfRun.floor(CharacterID(site: site, counter: Limits.counter)), bound.key.site == site
        else { return 0 }
        return chunks[chunkIndex(bound.value)].runs.reduce(0) {
            $1.first.site == site ? max($0, $1.last.counter) : $0
        }
    }

    /// Index in `scalars` of the first character of a run, or where it would be.
    static func start(of run: Int, in chunk: Chunk) -> Int {
        var start = 0
        for index in 0..<run { start += chunk.runs[index].scalarCount }
        return start
    }
}
