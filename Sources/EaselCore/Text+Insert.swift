/// Characters to insert: the first one's identity (the rest have consecutive numbers) and their neighbours.
public struct TextInsertion: Hashable, Sendable {
    /// Identity of the first character.
    public let first: CharacterID
    /// What is inserted, at least one Unicode scalar.
    public let characters: String
    /// The visible character in front of the caret in the writer's view; nil at the start.
    public let left: CharacterID?
    /// The character directly behind `left` in the writer's whole sequence, hidden ones included; nil at the end.
    public let right: CharacterID?

    /// An insertion between two neighbours.
    public init(first: CharacterID, characters: String, left: CharacterID?, right: CharacterID?) {
        self.first = first
        self.characters = characters
        self.left = left
        self.right = right
    }

    /// The identities of all its characters.
    public var range: CharacterRange { CharacterRange(first: first, count: characters.unicodeScalars.count) }

    /// Equal by the bytes of the characters, never by Unicode equivalence.
    public static func == (a: TextInsertion, b: TextInsertion) -> Bool {
        a.first == b.first && a.left == b.left && a.right == b.right
            && a.characters.hasSameBytes(as: b.characters)
    }
}

extension Text {
    /// Why an insertion has no effect.
    enum InsertionProblem {
        case unknownNeighbour
        case neighboursOutOfOrder
        case charactersExist
        case textFull
    }

    /// Inserts a run by the rule "left origin, server order", or says why it cannot.
    ///
    /// Of characters already between the neighbours (the writer had not seen them), the new run goes behind those
    /// whose left origin is `left` or lies behind it, and in front of the first whose left origin lies before `left`.
    /// So of concurrent inserts at one place the earlier in server order stays left, and runs that have not seen each
    /// other never interleave (background: YATA, Nicolaescu et al. 2016; Fugue, Weidner and Kleppmann 2023).
    mutating func insert(_ insertion: TextInsertion) -> InsertionProblem? {
        let scalars = insertion.characters.unicodeScalars.map { $0.value }
        guard count - purgedCount + scalars.count <= Limits.charactersPerText else { return .textFull }
        guard insertion.first.counter > lastCounter(of: insertion.first.site) else { return .charactersExist }
        var left: Place?
        if let id = insertion.left {
            guard let place = place(of: id) else { return .unknownNeighbour }
            left = place
        }
        var right: Place?
        if let id = insertion.right {
            guard let place = place(of: id) else { return .unknownNeighbour }
            right = place
        }
        if let left, let right, left >= right { return .neighboursOutOfOrder }
        let predecessor = destination(left: left, right: right)
        place(
            Run(first: insertion.first, count: scalars.count, origin: insertion.left, causes: []),
            scalars, after: predecessor)
        return nil
    }

    private mutating func place(_ run: Run, _ scalars: [UInt32], after predecessor: Place?) {
        let previous = predecessor.map { id($0) }
        let following = predecessor.map { place(after: $0) } ?? firstPlace
        if let following { digest &-= hash(following, previous: previous) }
        let successor = following.map { id($0) }

        digest &+= hash(of: run, scalars, previous: previous)
        count += run.count
        visibleCount += run.count
        if let predecessor {
            insert(run, scalars, after: predecessor)
        } else if chunks.isEmpty {
            appendChunk(run, scalars)
        } else {
            insert(run, scalars, chunk: 0, at: 0)
        }
        if let successor, let place = place(of: successor) { digest &+= hash(place, previous: run.last) }
    }

    private mutating func appendChunk(_ run: Run, _ scalars: [UInt32]) {
        let number = insertChunk(at: chunks.count, runs: [run], scalars: scalars, visibleCount: run.count)
        chunkOfRun.set(run.first, number)
        splitIfLarge(chunks.count - 1)
    }

    private mutating func insert(_ run: Run, _ scalars: [UInt32], after predecessor: Place) {
        makeUnique(predecessor.chunk)
        let chunk = chunks[predecessor.chunk]
        let front = chunk.runs[predecessor.run]
        let end = Self.start(of: predecessor.run, in: chunk) + predecessor.offset + 1
        let continues =
            predecessor.offset == front.count - 1 && front.isVisible && run.origin == front.last
            && front.last.advanced(by: 1) == run.first
        if continues {
            chunk.runs[predecessor.run].count += run.count
            chunk.scalars.insert(contentsOf: scalars, at: end)
            chunk.visibleCount += run.count
            splitIfLarge(predecessor.chunk)
        } else {
            cut(chunk: predecessor.chunk, run: predecessor.run, at: predecessor.offset + 1)
            insert(run, scalars, chunk: predecessor.chunk, at: predecessor.run + 1)
        }
    }

    private mutating func insert(_ run: Run, _ scalars: [UInt32], chunk index: Int, at runIndex: Int) {
        makeUnique(index)
        let chunk = chunks[index]
        chunk.scalars.insert(contentsOf: scalars, at: Self.start(of: runIndex, in: chunk))
        chunk.runs.insert(run, at: runIndex)
        chunk.visibleCount += run.count
        chunkOfRun.set(run.first, chunk.number)
        addOrigin(run.origin, to: chunk)
        splitIfLarge(index)
    }

    mutating func makeUnique(_ index: Int) {
        if !isKnownUniquelyReferenced(&chunks[index]) { chunks[index] = chunks[index].copy() }
    }

    /// Cuts a run in two in front of its `offset`-th character; does nothing at its ends.
    mutating func cut(chunk index: Int, run runIndex: Int, at offset: Int) {
        let chunk = chunks[index]
        let run = chunk.runs[runIndex]
        guard offset > 0, offset < run.count else { return }
        chunk.runs[runIndex].count = offset
        let rest = Run(
            first: run.first.advanced(by: offset), count: run.count - offset,
            origin: run.first.advanced(by: offset - 1), causes: run.causes)
        chunk.runs.insert(rest, at: runIndex + 1)
    }

    /// Moves the second half of a chunk that has grown too large into a new one, and again in both halves. O(n log n) in characters.
    mutating func splitIfLarge(_ index: Int) {
        guard isLarge(index) else { return }
        splitChunk(index)
        // The second half first, since it moves back when the first is split.
        splitIfLarge(index + 1)
        splitIfLarge(index)
    }

    private func isLarge(_ index: Int) -> Bool {
        chunks[index].runs.count > Self.chunkRuns || chunks[index].scalars.count > Self.chunkScalars
    }

    private mutating func splitChunk(_ index: Int) {
        makeUnique(index)
        let chunk = chunks[index]
        let kept = keptRuns(chunk)
        if kept.offset > 0 { cut(chunk: index, run: kept.runs, at: kept.offset) }
        let keptRunCount = kept.runs + (kept.offset > 0 ? 1 : 0)
        let keptScalars = Self.start(of: keptRunCount, in: chunk)
        let moved = Array(chunk.runs[keptRunCount...])
        let visible = moved.reduce(0) { $0 + ($1.isVisible ? $1.count : 0) }
        let number = insertChunk(
            at: index + 1, runs: moved, scalars: Array(chunk.scalars[keptScalars...]), visibleCount: visible)
        chunk.runs.removeSubrange(keptRunCount...)
        // A new array, since one that is cut keeps the memory of all that it held.
        chunk.scalars = Array(chunk.scalars[..<keptScalars])
        chunk.visibleCount -= visible
        for run in moved { chunkOfRun.set(run.first, number) }
        chunk.firstOrigin = firstOrigin(of: chunk.runs)
        chunks[index + 1].firstOrigin = firstOrigin(of: moved)
    }

    /// How much of a large chunk stays: whole runs, and characters of the next one.
    private func keptRuns(_ chunk: Chunk) -> (runs: Int, offset: Int) {
        if chunk.runs.count > Self.chunkRuns { return (chunk.runs.count / 2, 0) }
        var rest = chunk.scalars.count / 2
        for (index, run) in chunk.runs.enumerated() {
            if rest < run.scalarCount { return (index, rest) }
            rest -= run.scalarCount
        }
        preconditionFailure("half of a chunk is less than the chunk")
    }
}
